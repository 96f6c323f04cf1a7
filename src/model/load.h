/* load: what the engine asks a store for, between batches.
 *
 * The engine holds a window and not everything; what it lacks it names here, and the rows come back in an event.
 *
 * Rules: (1) a row comes once in an answer, however many keys or ways lead to it.
 *        (2) lists whose order is not named come in any order.
 *        (3) what is not there is left out, and is no error; of a job whose row is gone comes nothing (its edges and
 * waits do at the start, and a trigger that is named). (4) a claim counts at the start whether it still lives or not:
 * who loads can tell by the trigger's row. See:   model/rows.h, store/store.h, engine/engine.h
 */
#ifndef MODEL_LOAD_H
#define MODEL_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "model/record.h"

enum load_kind {
    LOAD_START,  /* all that is held whole: shard, settings, tenants, limiters, circuits, claims, places, edges, waits,
                  * rules;  and the  jobs that have claims or edges, with their living (WAITING, PENDING) triggers; and
                  * the  trigger row, living  or ended, of every claim */
    LOAD_WINDOW, /* a page of a place: jobs with wake_ms set, after (after_ms, after_id) in the order of (wake_ms, id),
                  * wake_ms <= until_ms, at most limit; with their living triggers */
    LOAD_KEYS,   /* what the keys name */
};

enum load_key_kind {
    KEY_JOB,  /* id: job with its living triggers, edges (both ways) and waits, and its latest skip (highest from_ms) */
    KEY_NAME, /* tenant, text: the same by name; the empty name is nobody's */
    KEY_TRIGGER, /* id: the trigger (living or ended), and KEY_JOB of its job; nothing where it has no row */
    KEY_IDEM,    /* tenant, text: the answer under a key */
    KEY_RANGE, /* id, from_ms, to_ms: every trigger of the job with scheduled_ms in [from, to), whatever kind and state
                */
};

struct load_key {
    enum load_key_kind kind;
    uint64_t id;
    struct str tenant;
    struct str text;
    int64_t from_ms, to_ms;
};

struct load {
    enum load_kind kind;
    uint64_t tag; /* the engine's; comes back with the rows */
    struct place place;
    int64_t after_ms; /* TIME_NONE: from the beginning */
    uint64_t after_id;
    int64_t until_ms;
    size_t limit;
    const struct load_key *keys;
    size_t key_count;
};

#endif
