#include "server/config.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "calendar/duration.h"
#include "server/config_file.h"

const struct config_setting config_settings[CONFIG_SETTINGS] = {
#define X(id, name, kind, value, standard, low, high, choices, help)                                                   \
    [id] = {name, kind, value, standard, low, high, choices, help},
    CONFIG_TABLE(X)
#undef X
};

/* ---- values ---- */

static enum err parse_bytes(struct str text, int64_t *ret_bytes, struct error *reterr)
{
    static const struct {
        const char *unit;
        int64_t bytes;
    } units[] = {{"KiB", 1024}, {"MiB", 1024 * 1024}, {"GiB", 1024 * 1024 * 1024}};
    int64_t factor = 1;
    int64_t count;

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (str_ends_with(text, str_from(units[i].unit))) {
            factor = units[i].bytes;
            text.len -= strlen(units[i].unit);
            break;
        }
    }
    enum err err = str_to_int(text, 0, INT32_MAX, &count, reterr);
    if (err != ERR_OK) {
        return err_set(reterr, err, "write a size as 4096, 64KiB or 32MiB");
    }
    *ret_bytes = count * factor;
    return ERR_OK;
}

static enum err parse_switch(struct str text, int64_t *ret_number, struct error *reterr)
{
    static const char *const words[] = {"no", "yes", "off", "on", "false", "true", "0", "1", NULL};
    int index = str_index_in(text, words);

    if (index < 0) {
        return err_set(reterr, ERR_INVALID, "write yes or no");
    }
    *ret_number = index % 2;
    return ERR_OK;
}

static enum err parse_choice(struct str text, const char *choices, int64_t *ret_number, struct error *reterr)
{
    struct str rest = str_from(choices);
    struct str word;
    bool done = false;

    for (int64_t i = 0; str_split(&rest, ' ', &done, &word); i++) {
        if (str_equal(text, word)) {
            *ret_number = i;
            return ERR_OK;
        }
    }
    return err_set(reterr, ERR_INVALID, "it is one of: %s", choices);
}

static enum err in_range(const struct config_setting *setting, int64_t number, struct error *reterr)
{
    char low[DURATION_BYTES];
    char high[DURATION_BYTES];

    if (number >= setting->low && number <= setting->high) {
        return ERR_OK;
    }
    if (setting->kind == CONFIG_DURATION) {
        return err_set(reterr, ERR_INVALID, "it must be from %s to %s", duration_format(setting->low, low),
                       duration_format(setting->high, high));
    }
    return err_set(reterr, ERR_INVALID, "it must be from %lld to %lld", (long long)setting->low,
                   (long long)setting->high);
}

static enum err parse(const struct config_setting *setting, struct str text, int64_t *ret_number, struct error *reterr)
{
    enum err err = ERR_OK;

    switch (setting->kind) {
    case CONFIG_TEXT:
    case CONFIG_PATH:
    case CONFIG_SECRET:
        return ERR_OK;
    case CONFIG_CHOICE:
        return parse_choice(text, setting->choices, ret_number, reterr);
    case CONFIG_SWITCH:
        return parse_switch(text, ret_number, reterr);
    case CONFIG_COUNT:
        err = str_to_int(text, 0, INT32_MAX, ret_number, reterr);
        break;
    case CONFIG_BYTES:
        err = parse_bytes(text, ret_number, reterr);
        break;
    case CONFIG_DURATION:
        err = duration_parse(text, ret_number, reterr);
        break;
    }
    return err == ERR_OK ? in_range(setting, *ret_number, reterr) : err;
}

enum err config_set(struct config *config, enum config_id id, struct str text, enum config_source source,
                    struct error *reterr)
{
    struct config_value *value = &config->values[id];
    int64_t number = 0;

    if (memchr(text.ptr != NULL ? text.ptr : "", '\0', text.len) != NULL) {
        return err_set(reterr, ERR_INVALID, "%s has a zero byte in it", config_settings[id].name);
    }
    enum err err = parse(&config_settings[id], text, &number, reterr);
    if (err != ERR_OK) {
        return err_wrap(reterr, err, "%s = %.*s", config_settings[id].name, STR_ARGS(text));
    }
    mem_free(value->text);
    *value = (struct config_value){
        .text = mem_strndup(text.ptr != NULL ? text.ptr : "", text.len), .number = number, .source = source};
    return ERR_OK;
}

/* ---- sources ---- */

static void set_defaults(struct config *config)
{
    for (size_t i = 0; i < CONFIG_SETTINGS; i++) {
        enum err err =
            config_set(config, (enum config_id)i, str_from(config_settings[i].standard), CONFIG_FROM_DEFAULT, NULL);

        assert(err == ERR_OK); /* the table's own words */
    }
}

static enum err set_from_environment(struct config *config, const struct config_around *around, struct error *reterr)
{
    for (size_t i = 0; i < CONFIG_SETTINGS; i++) {
        char name[CONFIG_VARIABLE_BYTES];
        const char *text = around->variable(around->context, config_variable((enum config_id)i, name));

        if (text == NULL || text[0] == '\0') { /* rule 2 */
            continue;
        }
        enum err err = config_set(config, (enum config_id)i, str_from(text), CONFIG_FROM_ENVIRONMENT, reterr);
        if (err != ERR_OK) {
            return err_wrap(reterr, err, "%s", name);
        }
    }
    return ERR_OK;
}

static enum err set_from_flags(struct config *config, const struct config_flags *flags, struct error *reterr)
{
    for (size_t i = 0; i < CONFIG_SETTINGS; i++) {
        struct str text = flags->switches[i] ? STR("yes") : flags->values[i];

        if (text.ptr == NULL) {
            continue;
        }
        enum err err = config_set(config, (enum config_id)i, text, CONFIG_FROM_FLAG, reterr);
        if (err != ERR_OK) {
            return err_wrap(reterr, err, "the command line");
        }
    }
    return ERR_OK;
}

/* Where the others come together: those that stand above the file are set first, to find it, and again behind it. */
static enum err read_all(const struct config_flags *flags, const struct config_around *around, struct config *config,
                         struct error *reterr)
{
    enum err err = ERR_OK;

    set_defaults(config);
    for (int round = 0; round < 2 && err == ERR_OK; round++) {
        err = set_from_environment(config, around, reterr);
        if (err == ERR_OK) {
            err = set_from_flags(config, flags, reterr);
        }
        if (err == ERR_OK && round == 0) {
            err = config_file_read(config, around->data_default, reterr);
        }
    }
    if (err == ERR_OK && config_text(config, CONFIG_DATA)[0] == '\0' && around->data_default != NULL) {
        err = config_set(config, CONFIG_DATA, str_from(around->data_default), CONFIG_FROM_DEFAULT, reterr);
    }
    return err;
}

enum err config_read(const struct config_flags *flags, const struct config_around *around, struct config *ret_config,
                     struct error *reterr)
{
    struct config config = {0};
    enum err err = read_all(flags, around, &config, reterr);

    if (err != ERR_OK) {
        config_done(&config);
        return err;
    }
    *ret_config = config;
    return ERR_OK;
}

void config_done(struct config *config)
{
    for (size_t i = 0; i < CONFIG_SETTINGS; i++) {
        mem_free(config->values[i].text);
    }
    mem_free(config->file);
    *config = (struct config){0};
}

/* ---- looking ---- */

const char *config_text(const struct config *config, enum config_id id)
{
    const char *text = config->values[id].text;

    return text != NULL ? text : "";
}

int64_t config_number(const struct config *config, enum config_id id)
{
    return config->values[id].number;
}

bool config_is(const struct config *config, enum config_id id, const char *word)
{
    return strcmp(config_text(config, id), word) == 0;
}

const char *config_variable(enum config_id id, char out[CONFIG_VARIABLE_BYTES])
{
    (void)snprintf(out, CONFIG_VARIABLE_BYTES, "BELFRY_%s", config_settings[id].name);
    for (char *c = out; *c != '\0'; c++) {
        *c = (char)(*c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
    return out;
}

const char *config_source_text(enum config_source source)
{
    static const char *const texts[] = {"default", "the file", "the environment", "the command line"};

    return texts[source];
}
