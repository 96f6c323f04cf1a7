/* rows: what a store gives back: lists of rows of every kind.
 *
 * Owns:  its rows and their texts (in its arena).
 * See:   model/record.h, model/load.h, store/store.h
 */
#ifndef MODEL_ROWS_H
#define MODEL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/record.h"

/* A place in which jobs wait, and when the first of them (that was not looked at) is to wake. */
struct place_row {
    struct place place;
    int64_t wake_ms;
};

/* How many jobs of a place are to wake in a step of time. */
struct step_row {
    struct place place;
    int64_t from_ms; /* a multiple of the step's length */
    int64_t count;
};

/* The beginning of the step in which an instant lies. */
static inline int64_t wake_step(int64_t ms, int64_t step_ms)
{
    int64_t within_ms = ms % step_ms;

    return ms - within_ms - (within_ms < 0 ? step_ms : 0);
}

#define ROWS_LIST(type, name)                                                                                          \
    struct {                                                                                                           \
        struct type *items;                                                                                            \
        size_t count, cap;                                                                                             \
    } name

/* Rows of any kinds, each list in the order its request names. */
struct rows {
    struct arena arena;
    ROWS_LIST(job_row, jobs);
    ROWS_LIST(version_row, versions);
    ROWS_LIST(trigger_row, triggers);
    ROWS_LIST(attempt_row, attempts);
    ROWS_LIST(claims_row, claims);
    ROWS_LIST(skip_row, skips);
    ROWS_LIST(wait_row, waits);
    ROWS_LIST(edge_row, edges);
    ROWS_LIST(setting_row, settings);
    ROWS_LIST(limiter_row, limiters);
    ROWS_LIST(circuit_row, circuits);
    ROWS_LIST(idem_row, idems);
    ROWS_LIST(tenant_row, tenants);
    ROWS_LIST(place_row, places);
    ROWS_LIST(step_row, steps);
    ROWS_LIST(rules_row, rules);
    int64_t counts[TRIGGER_CANCELLED + 1]; /* of triggers, by state: what a query that counts gives */
    int64_t wakes;                         /* of jobs: what QUERY_WAKES gives */
    struct shard_row shard;
    size_t text_bytes;
    bool is_cut;    /* there were more texts than ROWS_TEXT_BYTES_MAX: some are missing, and nothing here may be used */
    bool has_more;  /* a page ended by its limit, not by the end: ask again */
    uint64_t after; /* with has_more, lists by id or number: the last row looked at; the next page begins behind it. A
                     * page that found nothing among QUERY_SCAN_MAX rows goes on from here */
    int64_t
        next_wake_ms; /* WINDOW: wake of the first job that was not given (behind the limit or the window); TIME_NONE */
};

void rows_init(struct rows *rows);
void rows_done(struct rows *rows);

/* Appends a zeroed row to a list: struct job_row *row = ROWS_ADD(rows, jobs); */
#define ROWS_ADD(rows, name)                                                                                           \
    ((__typeof__((rows)->name.items))rows_add_(&(rows)->arena, (void **)&(rows)->name.items, &(rows)->name.count,      \
                                               &(rows)->name.cap, sizeof *(rows)->name.items))
void *rows_add_(struct arena *arena, void **items, size_t *count, size_t *cap, size_t size);
struct str rows_text(struct rows *rows, struct str text);

#endif
