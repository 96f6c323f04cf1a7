#include "cli/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <stdlib.h>

#include "base/mem.h"
#include "calendar/zone_cache.h"
#include "cli/command.h"

/* Answers are gathered up to here before they are written. */
#define FLUSH_BYTES (64 * 1024)

struct lines {
    int fd_out;
    lines_answer *answer;
    void *context;
    struct buf out;
    bool is_skipping; /* the rest of a line that was too long */
};

static enum err flush(struct lines *lines, struct error *reterr)
{
    struct str rest = buf_str(&lines->out);

    while (rest.len > 0) {
        ssize_t written = write(lines->fd_out, rest.ptr, rest.len);

        if (written < 0 && errno != EINTR) {
            return err_set(reterr, ERR_IO, "cannot write the answers: %s", strerror(errno));
        }
        rest = str_skip(rest, written > 0 ? (size_t)written : 0);
    }
    buf_reset(&lines->out);
    return ERR_OK;
}

void lines_put_error(struct buf *out, const struct error *error)
{
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    jw_key(&jw, "error");
    jw_text(&jw, error->text);
    if (error->position > 0) {
        jw_key(&jw, "position");
        jw_int(&jw, error->position);
    }
    jw_end_object(&jw);
    buf_append_char(out, '\n');
}

static enum err answer_request(struct lines *lines, struct str line, struct error *reterr)
{
    struct jr_doc doc = {0};
    struct jr request;
    struct jw jw;
    enum err err = jr_parse(line, NULL, &doc, reterr);

    if (err != ERR_OK) {
        int byte = reterr->position;

        reterr->position = 0; /* in answers a position counts in the expression */
        return byte > 0 ? err_wrap(reterr, err, "byte %d of the line", byte) : err;
    }
    jw_init(&jw, &lines->out);
    jw_begin_object(&jw);
    err = jr_as_object(jr_root(&doc), &request, reterr);
    if (err == ERR_OK) {
        err = lines->answer(lines->context, request, &jw, reterr);
    }
    if (err == ERR_OK) {
        jw_end_object(&jw);
        buf_append_char(&lines->out, '\n');
    }
    jr_done(&doc);
    return err;
}

static enum err answer_line(struct lines *lines, struct str line, struct error *reterr)
{
    struct error error;
    size_t before = lines->out.len;

    if (answer_request(lines, line, &error) != ERR_OK) {
        if (error.field[0] != '\0') {
            (void)err_wrap(&error, error.code, "%s", error.field);
        }
        buf_truncate(&lines->out, before);
        lines_put_error(&lines->out, &error);
    }
    return lines->out.len >= FLUSH_BYTES ? flush(lines, reterr) : ERR_OK;
}

static enum err refuse_long_line(struct lines *lines, struct error *reterr)
{
    struct error error;

    (void)err_set(&error, ERR_TOO_LARGE, "the line has more than %d bytes", LINE_BYTES_MAX - 1);
    lines_put_error(&lines->out, &error);
    lines->is_skipping = true;
    return lines->out.len >= FLUSH_BYTES ? flush(lines, reterr) : ERR_OK;
}

/* Answers every whole line in the buffer and moves what is left to its beginning; returns how much that is. */
static enum err take_lines(struct lines *lines, char *bytes, size_t len, size_t *ret_left, struct error *reterr)
{
    size_t start = 0;
    enum err err = ERR_OK;

    for (char *newline; err == ERR_OK && (newline = memchr(bytes + start, '\n', len - start)) != NULL;) {
        struct str line = {bytes + start, (size_t)(newline - bytes) - start};

        start += line.len + 1;
        if (lines->is_skipping) {
            lines->is_skipping = false;
        } else {
            err = answer_line(lines, line, reterr);
        }
    }
    if (err == ERR_OK && start == 0 && len == LINE_BYTES_MAX) {
        if (!lines->is_skipping) {
            err = refuse_long_line(lines, reterr);
        }
        start = len;
    }
    memmove(bytes, bytes + start, len - start);
    *ret_left = len - start;
    return err;
}

static enum err pump(struct lines *lines, int fd_in, char *bytes, struct error *reterr)
{
    size_t len = 0;
    enum err err = ERR_OK;

    while (err == ERR_OK) {
        ssize_t got = read(fd_in, bytes + len, LINE_BYTES_MAX - len);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return err_set(reterr, ERR_IO, "cannot read the requests: %s", strerror(errno));
        }
        if (got == 0) {
            break;
        }
        err = take_lines(lines, bytes, len + (size_t)got, &len, reterr);
        if (err == ERR_OK) {
            err = flush(lines, reterr);
        }
    }
    if (err == ERR_OK && len > 0 && !lines->is_skipping) { /* the last line may lack its newline */
        err = answer_line(lines, (struct str){bytes, len}, reterr);
    }
    return err == ERR_OK ? flush(lines, reterr) : err;
}

enum err lines_run(int fd_in, int fd_out, lines_answer *answer, void *context, struct error *reterr)
{
    struct lines lines = {.fd_out = fd_out, .answer = answer, .context = context};
    SCOPE_FREE char *bytes = mem_alloc(LINE_BYTES_MAX);

    buf_init(&lines.out, FLUSH_BYTES + ANSWER_BYTES_MAX);
    enum err err = pump(&lines, fd_in, bytes, reterr);
    buf_done(&lines.out);
    return err;
}

int lines_command(const char *name, lines_answer *answer)
{
    struct zone_cache *zones = zone_cache_new(getenv("TZDIR"));
    struct error error;
    enum err err = lines_run(STDIN_FILENO, STDOUT_FILENO, answer, zones, &error);

    zone_cache_free(zones);
    return err == ERR_OK ? EXIT_DONE : command_refuse(name, &error);
}
