/* witness_alarms: what is wrong, as conditions that are told once when they begin and once when they are over.
 *
 * A round begins, everything that is wrong is raised, and the round ends: what was there and was not raised again is
 * over.
 *
 * Owns:  its conditions.
 * Rules: (1) a condition has a key; the same key raised again is the same condition, and is not told again.
 *        (2) what could not be delivered is tried again once in each round, until it could.
 *        (3) at most WITNESS_ALARMS_MAX at once; what comes beyond is printed and counted, not kept.
 * See:   cli/witness.c, docs/forecast.md
 */
#ifndef CLI_WITNESS_ALARMS_H
#define CLI_WITNESS_ALARMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/json_write.h"
#include "base/str.h"

#define WITNESS_ALARMS_MAX 1000
#define WITNESS_KEY_BYTES 320
#define WITNESS_TEXT_BYTES 512

struct witness_alarm {
    char key[WITNESS_KEY_BYTES];
    char text[WITNESS_TEXT_BYTES];
    int64_t since_ms;
    bool is_told; /* its beginning was delivered */
    bool is_over; /* its end is to be delivered */
    bool is_raised;
    bool is_tried; /* to deliver its beginning, in this round */
};

struct witness_alarms {
    const char *alert_url;     /* NULL: none */
    const char *alert_command; /* likewise */
    bool is_json;
    struct witness_alarm *items; /* room for WITNESS_ALARMS_MAX */
    size_t count;
};

void witness_alarms_init(struct witness_alarms *alarms);
/* Also right for SCOPE. */
void witness_alarms_done(struct witness_alarms *alarms);

void witness_alarms_begin(struct witness_alarms *alarms);
void witness_alarms_raise(struct witness_alarms *alarms, int64_t now_ms, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Nothing is known about it in this round: it stays as it is. */
void witness_alarms_keep(struct witness_alarms *alarms, const char *key);
/* Delivers what was raised so far, before something that may take long. */
void witness_alarms_tell(struct witness_alarms *alarms, int64_t now_ms);
/* Delivers the rest, and what is over. */
void witness_alarms_end(struct witness_alarms *alarms, int64_t now_ms);

/* Whether anything is wrong. */
bool witness_alarms_any(const struct witness_alarms *alarms);

/* "alarms":[...] of the file of state, and back. */
void witness_alarms_write(const struct witness_alarms *alarms, struct jw *jw);
void witness_alarms_read(struct witness_alarms *alarms, struct jr root);

#endif
