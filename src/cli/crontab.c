#include "cli/crontab.h"

#include <stdio.h>
#include <string.h>

#include "calendar/expression.h"

#define FIELDS 5

void crontab_init(struct crontab *crontab, bool has_users)
{
    *crontab = (struct crontab){.has_users = has_users};
}

const char *crontab_value(const struct crontab *crontab, const char *name)
{
    for (size_t i = crontab->variable_count; i-- > 0;) {
        if (strcmp(crontab->variables[i].name, name) == 0) {
            return crontab->variables[i].value;
        }
    }
    return NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes the blanks and then the word at the beginning off *rest. */
static struct str take_word(struct str *rest)
{
    size_t start = 0;

    while (start < rest->len && is_blank(rest->ptr[start])) {
        start++;
    }
    size_t end = start;
    while (end < rest->len && !is_blank(rest->ptr[end])) {
        end++;
    }
    struct str word = {rest->ptr + start, end - start};
    *rest = str_skip(*rest, end);
    return word;
}

/* One pair of quotes around the whole goes, as in cron. */
static struct str unquoted(struct str text)
{
    bool is_quoted =
        text.len >= 2 && (text.ptr[0] == '"' || text.ptr[0] == '\'') && text.ptr[text.len - 1] == text.ptr[0];

    return is_quoted ? (struct str){text.ptr + 1, text.len - 2} : text;
}

/* NAME = VALUE: a word of letters, digits and _ before the first =. An entry never looks like that. */
static bool is_variable(struct str line)
{
    struct str name = str_trim((struct str){line.ptr, str_find_char(line, '=')});

    if (name.len == line.len || name.len == 0 || str_find_char(line, '=') == line.len) {
        return false;
    }
    name = unquoted(name);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (i > 0 && c >= '0' && c <= '9'))) {
            return false;
        }
    }
    return name.len > 0;
}

static enum err take_variable(struct crontab *crontab, struct str line, struct error *reterr)
{
    size_t equals = str_find_char(line, '=');
    struct str name = unquoted(str_trim((struct str){line.ptr, equals}));
    struct str value = unquoted(str_trim(str_skip(line, equals + 1)));
    size_t at = 0;

    while (at < crontab->variable_count && !str_is(name, crontab->variables[at].name)) {
        at++;
    }
    if (at == CRONTAB_VARIABLES_MAX || name.len >= CRONTAB_NAME_BYTES_MAX || value.len >= CRONTAB_VALUE_BYTES_MAX) {
        return err_set(reterr, ERR_TOO_LARGE, "at most %d variables of %d bytes each can be imported",
                       CRONTAB_VARIABLES_MAX, CRONTAB_VALUE_BYTES_MAX - 1);
    }
    struct crontab_variable *variable = &crontab->variables[at];
    (void)snprintf(variable->name, sizeof variable->name, "%.*s", (int)name.len, name.ptr);
    (void)snprintf(variable->value, sizeof variable->value, "%.*s", (int)value.len, value.len > 0 ? value.ptr : "");
    crontab->variable_count += at == crontab->variable_count;
    return ERR_OK;
}

/* "@daily", or five fields with one blank between them. */
static enum err take_schedule(struct crontab *crontab, struct str *rest, struct error *reterr)
{
    size_t len = 0;
    struct str first = take_word(rest);

    if (str_equal_nocase(first, STR("@reboot"))) { /* rule 3 */
        return err_set_at(
            reterr, 1, ERR_UNPROCESSABLE,
            "@reboot is not a time, and Belfry runs through restarts; start it with the system (a systemd "
            "unit) or run it now with: belfry add");
    }
    if (first.len > 0 && first.ptr[0] == '@') {
        bool is_midnight = str_equal_nocase(first, STR("@midnight"));
        bool is_annually = str_equal_nocase(first, STR("@annually"));

        (void)snprintf(crontab->expr, sizeof crontab->expr, "%.*s",
                       STR_ARGS(is_midnight   ? STR("@daily")
                                : is_annually ? STR("@yearly")
                                              : first));
        return ERR_OK;
    }
    for (int i = 0; i < FIELDS; i++) {
        struct str field = i == 0 ? first : take_word(rest);

        if (field.len == 0) {
            return err_set(reterr, ERR_INVALID, "it has %d of five time fields and no command", i);
        }
        len += (size_t)snprintf(crontab->expr + len, sizeof crontab->expr - len, "%s%.*s", i > 0 ? " " : "",
                                (int)field.len, field.ptr);
    }
    return ERR_OK;
}

/* Rule 2. */
static void take_command(struct crontab *crontab, struct str text)
{
    char *out = crontab->command;
    size_t len = 0;

    crontab->has_input = false;
    crontab->input[0] = '\0';
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '\\' && i + 1 < text.len && text.ptr[i + 1] == '%') {
            c = text.ptr[++i];
        } else if (c == '%' && !crontab->has_input) {
            out[len] = '\0';
            out = crontab->input;
            len = 0;
            crontab->has_input = true;
            continue;
        } else if (c == '%') {
            c = '\n';
        }
        out[len++] = c;
    }
    if (crontab->has_input) {
        out[len++] = '\n'; /* cron ends the input with one */
    }
    out[len] = '\0';
}

static enum err take_entry(struct crontab *crontab, struct str line, struct error *reterr)
{
    struct str rest = line;
    struct expression expression;
    enum err err = take_schedule(crontab, &rest, reterr);

    if (err != ERR_OK) {
        return err;
    }
    crontab->user[0] = '\0';
    if (crontab->has_users) {
        struct str user = take_word(&rest);

        if (user.len >= sizeof crontab->user) {
            return err_set(reterr, ERR_INVALID, "\"%.*s\" is not the name of a user", STR_ARGS(user));
        }
        (void)snprintf(crontab->user, sizeof crontab->user, "%.*s", (int)user.len, user.len > 0 ? user.ptr : "");
    }
    rest = str_trim(rest);
    if (rest.len == 0) {
        return err_set(reterr, ERR_INVALID, "it has no command%s",
                       crontab->has_users ? "; a file of the system has a user before it" : "");
    }
    take_command(crontab, rest);
    return expression_parse(str_from(crontab->expr), STR("crontab"), &expression, reterr);
}

enum err crontab_line(struct crontab *crontab, struct str line, enum crontab_kind *ret_kind, struct error *reterr)
{
    struct str text = str_trim(line);
    enum err err = ERR_OK;
    enum crontab_kind kind = CRONTAB_NOTHING;

    if (line.len >= CRONTAB_LINE_BYTES_MAX - 1) {
        return err_set(reterr, ERR_TOO_LARGE, "the line has more than %d bytes", CRONTAB_LINE_BYTES_MAX - 2);
    }
    if (text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL) {
        return err_set(reterr, ERR_INVALID, "the line is not text");
    }
    if (text.len > 0 && text.ptr[0] != '#') {
        kind = is_variable(text) ? CRONTAB_VARIABLE : CRONTAB_ENTRY;
        err = kind == CRONTAB_VARIABLE ? take_variable(crontab, text, reterr) : take_entry(crontab, text, reterr);
    }
    if (err == ERR_OK) {
        *ret_kind = kind;
    }
    return err;
}

/* Words before the program: variables, options, and what only wraps it. */
static bool is_prefix(struct str word)
{
    static const char *const wrappers[] = {"nice", "ionice", "env", "exec", "sudo", "time", "test", "[", NULL};

    return str_find_char(word, '=') < word.len || word.ptr[0] == '-' || str_index_in(word, wrappers) >= 0;
}

/* The letters of a program's name that names may have. */
static size_t take_letters(struct str word, char out[CRONTAB_SLUG_BYTES])
{
    size_t len = 0;

    for (size_t slash; (slash = str_find_char(word, '/')) < word.len;) {
        word = str_skip(word, slash + 1);
    }
    for (size_t i = 0; i < word.len && len + 1 < CRONTAB_SLUG_BYTES; i++) {
        char c = word.ptr[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        if (is_letter || (len > 0 && (c == '.' || c == '_' || c == '-'))) {
            out[len++] = c;
        }
    }
    out[len] = '\0';
    return len;
}

const char *crontab_slug(const struct crontab *crontab, char out[CRONTAB_SLUG_BYTES])
{
    struct str rest = str_from(crontab->command);
    struct str word;
    size_t len = 0;

    while (len == 0 && (word = take_word(&rest)).len > 0) {
        if (str_is(word, "cd")) {
            (void)take_word(&rest); /* where to says nothing about what */
        } else if (!is_prefix(word)) {
            len = take_letters(word, out);
        }
    }
    if (len == 0 || strncmp(out, "job_", 4) == 0) {
        (void)snprintf(out, CRONTAB_SLUG_BYTES, "job");
    }
    return out;
}
