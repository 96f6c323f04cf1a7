/* log: what happened, one line each, for people and for programs.
 *
 *     log_info("attempt.finished", KEY_STR("job", name), KEY_INT("duration_ms", took_ms));
 *
 *     ts=2026-04-08T09:00:00.000Z level=info event=attempt.finished job=nightly duration_ms=12
 *     {"ts":"2026-04-08T09:00:00.000Z","level":"info","event":"attempt.finished","job":"nightly","duration_ms":12}
 *
 * Only server, worker and cli log, each failure once; everything below returns its errors.
 *
 * Owns:  the process's one log. Borrows the descriptor and the clock.
 * Rules: (1) one record is one line and one write, from whichever thread: values cannot break the line, move a
 *            terminal's cursor or pass for keys (base/escape).
 *        (2) events and keys are constants of [a-z0-9_.], stable for those who search for them.
 *        (3) a record longer than LOG_LINE_BYTES_MAX is cut, stays well-formed, and ends in cut=true.
 *        (4) a log that cannot be written stops nobody: the record is dropped and counted.
 * See:   tests/unit/base/test_log.c
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/chrono.h"
#include "base/str.h"

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };

struct log_config {
    int fd;                      /* borrowed */
    enum log_level level;        /* what lies below it is not written */
    bool is_json;                /* otherwise logfmt */
    const struct chrono *chrono; /* borrowed; NULL: the system's */
};

/* Before the first thread starts. Without it: standard error, LOG_LEVEL_INFO, logfmt. */
void log_setup(const struct log_config *config);

/* "debug" "info" "warn" "error"; false for anything else. */
bool log_level_from(struct str name, enum log_level *ret_level);

/* Records that could not be written (rule 4). */
uint64_t log_dropped(void);

#define log_debug(...) log_write(LOG_LEVEL_DEBUG, LOG_RECORD_(__VA_ARGS__, LOG_END_))
#define log_info(...) log_write(LOG_LEVEL_INFO, LOG_RECORD_(__VA_ARGS__, LOG_END_))
#define log_warn(...) log_write(LOG_LEVEL_WARN, LOG_RECORD_(__VA_ARGS__, LOG_END_))
#define log_error(...) log_write(LOG_LEVEL_ERROR, LOG_RECORD_(__VA_ARGS__, LOG_END_))

/* Values: a C string (NULL is written as null), a slice, numbers, a truth. */
#define KEY_STR(name, text)                                                                                            \
    {                                                                                                                  \
        .key = (name), .kind = LOG_PAIR_STR, .value.str = str_from(text)                                               \
    }
#define KEY_SLICE(name, slice)                                                                                         \
    {                                                                                                                  \
        .key = (name), .kind = LOG_PAIR_STR, .value.str = (slice)                                                      \
    }
#define KEY_INT(name, number)                                                                                          \
    {                                                                                                                  \
        .key = (name), .kind = LOG_PAIR_INT, .value.integer = (number)                                                 \
    }
#define KEY_UINT(name, number)                                                                                         \
    {                                                                                                                  \
        .key = (name), .kind = LOG_PAIR_UINT, .value.natural = (number)                                                \
    }
#define KEY_BOOL(name, flag)                                                                                           \
    {                                                                                                                  \
        .key = (name), .kind = LOG_PAIR_BOOL, .value.truth = (flag)                                                    \
    }

/* What the macros above are made of. */
enum log_pair_kind { LOG_PAIR_END, LOG_PAIR_STR, LOG_PAIR_INT, LOG_PAIR_UINT, LOG_PAIR_BOOL };

struct log_pair {
    const char *key;
    enum log_pair_kind kind;
    union {
        struct str str;
        int64_t integer;
        uint64_t natural;
        bool truth;
    } value;
};

#define LOG_END_                                                                                                       \
    {                                                                                                                  \
        .kind = LOG_PAIR_END                                                                                           \
    }
#define LOG_RECORD_(event, ...)                                                                                        \
    event, (const struct log_pair[])                                                                                   \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

void log_write(enum log_level level, const char *event, const struct log_pair *pairs);

#endif
