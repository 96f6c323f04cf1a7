#include "server/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define PATH_BYTES_MAX 4096

struct reading {
    struct config *config;
    bool is_of_data; /* rule 4 */
    bool seen[CONFIG_SETTINGS];
};

/* The line without its comment and the blanks around it. */
static struct str bare(struct str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '#' && (i == 0 || line.ptr[i - 1] == ' ' || line.ptr[i - 1] == '\t')) {
            line.len = i;
        }
    }
    return str_trim(line);
}

static enum err refuse_unknown(struct str name, struct error *reterr)
{
    const char *names[CONFIG_SETTINGS + 1] = {NULL};
    const char *nearest;

    for (size_t i = 0; i < CONFIG_SETTINGS; i++) {
        names[i] = config_settings[i].name;
    }
    nearest = str_nearest(name, names);
    if (nearest != NULL) {
        return err_set(reterr, ERR_INVALID, "there is no setting \"%.*s\"; did you mean \"%s\"?", STR_ARGS(name),
                       nearest);
    }
    return err_set(reterr, ERR_INVALID, "there is no setting \"%.*s\"; belfry config lists them", STR_ARGS(name));
}

static enum err refuse_place(const struct reading *reading, enum config_id id, struct error *reterr)
{
    const char *name = config_settings[id].name;
    char variable[CONFIG_VARIABLE_BYTES];

    if (reading->seen[id]) {
        return err_set(reterr, ERR_INVALID, "%s is set twice", name);
    }
    if (config_settings[id].kind == CONFIG_SECRET) { /* rule 3 */
        return err_set(reterr, ERR_INVALID, "%s is a secret: put it into %s, not into a file", name,
                       config_variable(id, variable));
    }
    if (id == CONFIG_FILE) {
        return err_set(reterr, ERR_INVALID, "a file of settings cannot name another one");
    }
    if (id == CONFIG_DATA && reading->is_of_data) {
        return err_set(reterr, ERR_INVALID, "the data folder's own file cannot say where it is; use --data");
    }
    return ERR_OK;
}

static enum err take_line(struct reading *reading, struct str line, struct error *reterr)
{
    size_t equals = str_find_char(line, '=');
    struct str name = str_trim((struct str){line.ptr, equals});

    if (equals == line.len) {
        return err_set(reterr, ERR_INVALID, "write it as name = value");
    }
    for (size_t i = 0; i < CONFIG_SETTINGS; i++) {
        if (str_is(name, config_settings[i].name)) {
            enum err err = refuse_place(reading, (enum config_id)i, reterr);

            reading->seen[i] = true;
            return err != ERR_OK ? err
                                 : config_set(reading->config, (enum config_id)i, str_trim(str_skip(line, equals + 1)),
                                              CONFIG_FROM_FILE, reterr);
        }
    }
    return refuse_unknown(name, reterr);
}

enum err config_file_take(struct config *config, struct str text, const char *path, bool is_of_data,
                          struct error *reterr)
{
    struct reading reading = {.config = config, .is_of_data = is_of_data};
    struct str line;
    bool done = false;

    for (int number = 1; str_split(&text, '\n', &done, &line); number++) {
        struct str words = bare(line);
        enum err err = words.len > 0 ? take_line(&reading, words, reterr) : ERR_OK;

        if (err != ERR_OK) {
            return err_wrap(reterr, err, "%s, line %d", path, number);
        }
    }
    return ERR_OK;
}

static enum err read_file(const char *path, bool must_exist, struct buf *out, bool *ret_is_there, struct error *reterr)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;

    *ret_is_there = fd >= 0;
    if (fd < 0) {
        return (errno == ENOENT || errno == ENOTDIR) && !must_exist
                   ? ERR_OK
                   : err_set(reterr, ERR_INVALID, "cannot read the settings in %s: %s", path, strerror(errno));
    }
    char *room = buf_reserve(out, CONFIG_FILE_BYTES_MAX + 1);
    got = read(fd, room, CONFIG_FILE_BYTES_MAX + 1);
    int number = errno;
    (void)close(fd);
    if (got < 0) {
        return err_set(reterr, ERR_INVALID, "cannot read the settings in %s: %s", path, strerror(number));
    }
    if (got > CONFIG_FILE_BYTES_MAX) {
        return err_set(reterr, ERR_INVALID, "%s is longer than a file of settings may be (64 KiB)", path);
    }
    buf_commit(out, (size_t)got);
    return ERR_OK;
}

enum err config_file_read(struct config *config, const char *data_default, struct error *reterr)
{
    const char *named = config_text(config, CONFIG_FILE);
    const char *data = config_text(config, CONFIG_DATA);
    bool is_of_data = named[0] == '\0';
    bool is_there = false;
    char path[PATH_BYTES_MAX];
    SCOPE(buf_done) struct buf text;

    buf_init(&text, CONFIG_FILE_BYTES_MAX + 1);
    if (data[0] == '\0') {
        data = data_default != NULL ? data_default : "";
    }
    if (is_of_data && data[0] == '\0') {
        return ERR_OK;
    }
    int len = is_of_data ? snprintf(path, sizeof path, "%s/%s", data, CONFIG_FILE_NAME)
                         : snprintf(path, sizeof path, "%s", named);
    if (len < 0 || (size_t)len >= sizeof path) {
        return err_set(reterr, ERR_INVALID, "the path of the file of settings is too long");
    }
    enum err err = read_file(path, !is_of_data, &text, &is_there, reterr);
    if (err != ERR_OK || !is_there) {
        return err;
    }
    config->file = mem_strdup(path);
    return config_file_take(config, buf_str(&text), path, is_of_data, reterr);
}
