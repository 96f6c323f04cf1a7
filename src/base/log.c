#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/limits.h"

/* Kept free at the end of every line for what closes a cut one: a quote, the mark, a brace, a newline. */
#define TAIL_BYTES 16

struct line {
    char bytes[LOG_LINE_BYTES_MAX];
    size_t len;
    bool is_json;
    bool is_cut;
};

static struct log_config config = {.fd = STDERR_FILENO, .level = LOG_LEVEL_INFO};
static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER; /* a long line may take more than one write */
static atomic_uint_fast64_t dropped;

static const char *const level_names[] = {
    [LOG_LEVEL_DEBUG] = "debug",
    [LOG_LEVEL_INFO] = "info",
    [LOG_LEVEL_WARN] = "warn",
    [LOG_LEVEL_ERROR] = "error",
};

void log_setup(const struct log_config *new_config)
{
    config = *new_config;
}

bool log_level_from(struct str name, enum log_level *ret_level)
{
    for (int i = LOG_LEVEL_DEBUG; i <= LOG_LEVEL_ERROR; i++) {
        if (str_is(name, level_names[i])) {
            *ret_level = (enum log_level)i;
            return true;
        }
    }
    return false;
}

uint64_t log_dropped(void)
{
    return atomic_load(&dropped);
}

/* ---- building a line ---- */

/* All of it or nothing; nothing more fits after the first piece that did not. */
static bool put(struct line *line, const char *bytes, size_t len)
{
    if (line->is_cut || line->len + len > sizeof line->bytes - TAIL_BYTES) {
        line->is_cut = true;
        return false;
    }
    memcpy(line->bytes + line->len, bytes, len);
    line->len += len;
    return true;
}

static bool put_text(struct line *line, const char *text)
{
    return put(line, text, strlen(text));
}

/* Into the room that put left free. */
static void put_tail(struct line *line, const char *text)
{
    size_t len = strlen(text);

    assert(len <= sizeof line->bytes - line->len);
    memcpy(line->bytes + line->len, text, len);
    line->len += len;
}

static bool put_key(struct line *line, const char *key)
{
    for (const char *c = key; *c != '\0'; c++) {
        assert((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_' || *c == '.'); /* rule 2 */
    }
    if (line->is_json) {
        return put_text(line, line->len > 1 ? ",\"" : "\"") && put_text(line, key) && put_text(line, "\":");
    }
    return (line->len == 0 || put_text(line, " ")) && put_text(line, key) && put_text(line, "=");
}

/* What logfmt's readers take without quotes. */
static bool is_bare(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_plain && strchr("._:/@+,-", c) == NULL) {
            return false;
        }
        if (c == '\0') {
            return false;
        }
    }
    return s.len > 0;
}

/* A text that does not fit is cut between two characters; false where not even its beginning fits. */
static bool put_string(struct line *line, struct str s)
{
    bool is_quoted = line->is_json || !is_bare(s);

    if (is_quoted && !put_text(line, "\"")) {
        return false;
    }
    while (s.len > 0) {
        char piece[ESCAPE_BYTES_MAX];
        size_t len = escape_step(&s, piece);
        if (!put(line, piece, len)) {
            break;
        }
    }
    if (is_quoted) {
        put_tail(line, "\"");
    }
    return true;
}

static bool put_value(struct line *line, const struct log_pair *pair)
{
    char digits[24];

    switch (pair->kind) {
    case LOG_PAIR_STR:
        return pair->value.str.ptr == NULL ? put_text(line, "null") : put_string(line, pair->value.str);
    case LOG_PAIR_INT:
        (void)snprintf(digits, sizeof digits, "%lld", (long long)pair->value.integer);
        return put_text(line, digits);
    case LOG_PAIR_UINT:
        (void)snprintf(digits, sizeof digits, "%llu", (unsigned long long)pair->value.natural);
        return put_text(line, digits);
    case LOG_PAIR_BOOL:
        return put_text(line, pair->value.truth ? "true" : "false");
    case LOG_PAIR_END:
        break;
    }
    return true;
}

/* A pair without its value would not be well-formed: it goes as a whole. */
static void put_pair(struct line *line, const struct log_pair *pair)
{
    size_t begin = line->len;

    if (!put_key(line, pair->key) || !put_value(line, pair)) {
        line->len = begin;
    }
}

static void put_time(struct line *line)
{
    int64_t now_ms = config.chrono != NULL ? chrono_wall_ms_of(config.chrono) : chrono_wall_ms();
    int64_t ms = ((now_ms % 1000) + 1000) % 1000;
    time_t seconds = (time_t)((now_ms - ms) / 1000);
    struct tm utc;
    char text[64];
    size_t len;

    if (gmtime_r(&seconds, &utc) == NULL) {
        utc = (struct tm){.tm_mday = 1, .tm_year = 70}; /* a clock beyond all years */
    }
    len = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(text + len, sizeof text - len, ".%03dZ", (int)ms);
    put_pair(line, &(struct log_pair)KEY_STR("ts", text));
}

static void end_line(struct line *line)
{
    if (line->is_cut) {
        put_tail(line, line->is_json ? ",\"cut\":true" : " cut=true");
    }
    put_tail(line, line->is_json ? "}\n" : "\n");
}

/* ---- writing it ---- */

static void write_line(const struct line *line)
{
    size_t done = 0;

    (void)pthread_mutex_lock(&write_lock);
    while (done < line->len) {
        ssize_t count = write(config.fd, line->bytes + done, line->len - done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            atomic_fetch_add(&dropped, 1); /* rule 4 */
            break;
        }
        done += (size_t)count;
    }
    (void)pthread_mutex_unlock(&write_lock);
}

void log_write(enum log_level level, const char *event, const struct log_pair *pairs)
{
    struct line line;
    int saved_errno = errno; /* so that logging can stand anywhere */

    if (level < config.level) {
        return;
    }
    line.len = 0;
    line.is_json = config.is_json;
    line.is_cut = false;
    if (line.is_json) {
        (void)put_text(&line, "{");
    }
    put_time(&line);
    put_pair(&line, &(struct log_pair)KEY_STR("level", level_names[level]));
    put_pair(&line, &(struct log_pair)KEY_STR("event", event));
    for (size_t i = 0; pairs[i].kind != LOG_PAIR_END && !line.is_cut; i++) {
        put_pair(&line, &pairs[i]);
    }
    end_line(&line);
    write_line(&line);
    errno = saved_errno;
}
