#include "cli/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/json_raw.h"
#include "base/json_write.h"
#include "base/mem.h"

#define READ_BYTES (64 * 1024)

const struct jscan_limits json_text_limits = {
    .bytes_max = 64UL * 1024 * 1024, .depth_max = 2 * JSON_DEPTH_MAX, .nodes_max = 20UL * 1000 * 1000};

static enum err read_all(int fd, const char *name, struct buf *out, struct error *reterr)
{
    for (;;) {
        char *room = buf_reserve(out, READ_BYTES);

        if (room == NULL) {
            return err_set(reterr, ERR_TOO_LARGE, "%s has more than %zu bytes", name, out->max_bytes - READ_BYTES);
        }
        ssize_t got = read(fd, room, READ_BYTES);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return err_set(reterr, ERR_IO, "cannot read %s: %s", name, strerror(errno));
        }
        if (got == 0) {
            return ERR_OK;
        }
        buf_commit(out, (size_t)got);
    }
}

enum err json_text_file(const char *path, size_t bytes_max, struct buf *out, struct error *reterr)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return err_set(reterr, ERR_NOT_FOUND, "cannot read %s: %s", path, strerror(errno));
    }
    buf_done(out);
    buf_init(out, bytes_max + READ_BYTES);
    enum err err = read_all(fd, is_stdin ? "standard input" : path, out, reterr);
    if (!is_stdin) {
        (void)close(fd);
    }
    return err;
}

enum err json_text_read(struct str argument, size_t bytes_max, struct buf *out, struct error *reterr)
{
    struct jr_doc doc = {0};
    enum err err = ERR_OK;

    if (str_is(argument, "-") || (argument.len > 1 && argument.ptr[0] == '@')) {
        err = json_text_file(argument.ptr[0] == '@' ? argument.ptr + 1 : "-", bytes_max, out, reterr);
    } else {
        buf_append_str(out, argument);
    }
    if (err == ERR_OK) {
        struct str text = str_trim(buf_str(out));

        err = jr_parse(text, &json_text_limits, &doc, reterr); /* also finds equal keys */
        jr_done(&doc);
        if (text.len > 0) { /* what is around it is not its own */
            memmove(out->data, text.ptr, text.len);
        }
        buf_truncate(out, text.len);
    }
    return err;
}

bool json_text_member(struct str text, const char *key, struct str *ret_value)
{
    return jraw_member(text, str_from(key), ret_value);
}

bool json_text_element(struct str text, size_t *offset, struct str *ret_value)
{
    return jraw_next(text, offset, ret_value);
}

static bool is_dropped(struct str key, const char *const dropped[])
{
    return dropped != NULL && str_index_in(key, dropped) >= 0;
}

/* The members of text that other does not have; or, with is_merged, all of them, other's values before its own. */
static void put_members(struct jw *jw, struct str text, struct str other, bool is_merged, const char *const dropped[])
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr_iter iter = {0};
    struct str key;
    struct jr ignored;

    if (jr_parse(text, &json_text_limits, &doc, NULL) != ERR_OK) {
        return;
    }
    while (jr_next(jr_root(&doc), &iter, &key, &ignored)) {
        struct str value = {0};
        struct str others = {0};
        bool is_there = jraw_member(other, key, &others);

        if ((is_there && !is_merged) || (!is_there && is_dropped(key, dropped)) || !jraw_member(text, key, &value)) {
            continue;
        }
        jw_key_str(jw, key);
        jw_raw(jw, is_there ? others : value);
    }
}

void json_text_overlay(struct str base, struct str over, const char *const dropped[], struct buf *out)
{
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    put_members(&jw, base, over, true, dropped);
    put_members(&jw, over, base, false, NULL);
    jw_end_object(&jw);
}

void json_text_lines(struct str text, const char *const keys[], struct buf *out)
{
    const char *before = "{\n";

    for (size_t i = 0; keys[i] != NULL; i++) {
        struct str value;

        if (json_text_member(text, keys[i], &value)) {
            buf_printf(out, "%s  \"%s\": ", before, keys[i]);
            buf_append_str(out, value);
            before = ",\n";
        }
    }
    buf_append_text(out, before[0] == '{' ? "{}\n" : "\n}\n");
}
