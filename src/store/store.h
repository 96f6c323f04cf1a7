/* store: what Belfry remembers. The door to every store.
 *
 * The engine decides; a store takes whole batches, gives rows back by window or by key, and answers reads. Policies
 * have no place here.
 *
 * Owns:  its connection or file. One store object serves one shard and is used by one thread; readers are objects of
 *        their own and may be used by another thread each.
 * Rules: (1) commit is all or nothing, and nothing of it can be lost once it said STORE_DONE.
 *        (2) fenced: after somebody else acquired the shard, no commit of this object changes anything (STORE_FENCED).
 *        (3) a load or read sees every batch that was committed before, and no part of any other.
 *        (4) lists are keyset-paged: a row that is there throughout is seen once, whatever is written meanwhile.
 *        (5) texts in rows live in the arena of struct rows.
 * See:   model/record.h, model/batch.h, tests/contract/ (one suite for every store)
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/batch.h"
#include "model/load.h"
#include "model/record.h"
#include "model/rows.h"

/* What became of a call. The first is success; who calls must look. */
enum store_outcome {
    STORE_DONE,
    STORE_AGAIN,   /* not applied; the same again may work at once (busy, serialization) */
    STORE_DOWN,    /* not applied; the store cannot work now (disk full, read-only, no connection) */
    STORE_REFUSED, /* not applied; this data will not do: a guard failed, or a value is impossible */
    STORE_FENCED,  /* not applied; somebody else owns the shard */
    STORE_UNKNOWN, /* applied or not: acquire anew before looking */
    STORE_BROKEN,  /* the medium failed (I/O error, failed sync, corrupt file): end the process, trust nothing */
};

const char *store_outcome_text(enum store_outcome outcome);

/* ---- reads: for people, on connections of their own ---- */

enum query_kind {
    QUERY_JOB,  /* id, or tenant and name */
    QUERY_JOBS, /* by id upwards, after id; filters below; looks at at most QUERY_SCAN_MAX rows a page (rows.after) */
    QUERY_VERSIONS, /* of job id, by version upwards, after number */
    QUERY_TRIGGER,  /* id: its row, its attempts, and the claims rows in which it has a living claim */
    QUERY_TRIGGERS, /* of job id, newest (highest id) first, before id after; rows only: see QUERY_CLAIMS for what runs
                     */
    QUERY_FIRE,     /* of job id the triggers for the nominal time at_ms: the scheduled one first, then by id upwards;
                     * rows only, and no second page */
    QUERY_ATTEMPTS, /* of trigger id, by number upwards, after number */
    QUERY_SKIPS,    /* of job id, newest (highest from_ms) first, before after_ms */
    QUERY_DEAD,     /* dead triggers without a replay, newest (highest id) first, before id after; filters tenant, type,
                     * error_code, since_ms */
    QUERY_CLAIMS,   /* every claims row, by id upwards, whatever the limit */
    QUERY_SETTINGS, /* all of scope, by tenant and name upwards, whatever the limit */
    QUERY_TENANTS,  /* by name upwards, after text */
    QUERY_COUNTS,   /* rows.counts of job id: its oldest QUERY_SCAN_MAX that live, those ended among its newest; of no
                     * job (id 0): those that QUERY_DEAD lists, up to QUERY_SCAN_MAX. A row never says RUNNING */
    QUERY_RULES, /* every kept time zone's rules, by hash (as a signed number), whatever the limit; with id: that one */
    QUERY_RULED, /* jobs with a cursor that follow the rules id, active or paused, by id upwards, after id */
    QUERY_NAMED, /* jobs of tenant whose name begins with name_prefix (whole characters), by name upwards, after
                  * after_text */
    QUERY_WAKES, /* rows.wakes: how many jobs have their wake_ms from since_ms to before until_ms, up to QUERY_SCAN_MAX
                  */
    /* What wakes in (after_ms, until_ms], of all places (but of at most QUERY_SCAN_MAX of them), in any order: of each
     * place the first limit jobs by (wake_ms, id). rows.places has the places with more than that, and when the first
     * that was not looked at wakes. */
    QUERY_STEPS,  /* how many: rows.steps, by place and whole step of step_ms, without the jobs themselves. has_more:
                   * there are other places */
    QUERY_WAKING, /* the jobs */
    /* Whole tables, for copies: every row, whether what it belongs to is there or not, by key upwards. */
    QUERY_ALL_VERSIONS, /* by (job, version), behind (id, after) */
    QUERY_ALL_TRIGGERS, /* by id, behind after */
    QUERY_ALL_ATTEMPTS, /* by (trigger, number), behind (id, after) */
    QUERY_ALL_SKIPS,    /* by (job, from_ms), behind (id, after_ms) */
    QUERY_ALL_IDEMS,    /* by (tenant, key), behind (tenant, after_text) */
};

struct query {
    enum query_kind kind;
    uint64_t id;
    uint64_t after;   /* id or number of the last row of the page before; 0: the first page */
    int64_t after_ms; /* likewise; TIME_NONE: the first page */
    struct str after_text;
    size_t limit;                                    /* at least 1 */
    struct str tenant, name, type, pool, error_code; /* empty: any */
    struct str name_prefix;                          /* QUERY_NAMED */
    struct str label_key, label_value;               /* QUERY_JOBS; an empty value: any */
    bool has_status;
    enum job_status status;
    int64_t since_ms; /* ended_ms from here on; TIME_NONE: any */
    int64_t until_ms; /* QUERY_WAKES, QUERY_STEPS, QUERY_WAKING */
    int64_t at_ms;    /* QUERY_FIRE */
    int64_t step_ms;  /* QUERY_STEPS: at least 1; and its bounds are not within one of the ends of time */
    enum scope scope;
};

/* ---- what is old ---- */

/* What may go, for its age. Nothing goes that somebody who lives can still ask for:
 * - a trigger goes when it has ended, no claims row names it (a claim whose trigger has no row is taken for a living
 * one: rule 2 of record.h), and it ended before history_ms, or before dead_ms where it is DEAD, or its job's row is
 * gone. A one-time job's own trigger that is not DEAD stays as long as the job's row: it tells how the job ended. Its
 * attempts go with it.
 * - skips go that were decided before history_ms, or whose job's row is gone; versions, when their job's row is gone;
 *   answers under a key that were given before idem_ms.
 * An instant that is TIME_NONE lets nothing go. */
struct store_ages {
    int64_t history_ms;
    int64_t dead_ms;
    int64_t idem_ms;
    size_t rows_max; /* to look at in one step, for each kind of row */
};

/* ---- stores that several servers share ---- */

#define STORE_OWNER_NAME_BYTES 256
#define STORE_OWNER_URL_BYTES 512
#define STORE_HELD_BYTES 256
#define STORE_SYSTEM_BYTES 40

/* Who owns the shard, as the store says. */
struct store_ownership {
    bool is_owned; /* somebody does, and counts as alive */
    uint64_t epoch;
    char name[STORE_OWNER_NAME_BYTES];
    char url[STORE_OWNER_URL_BYTES];
    uint64_t last_batch;         /* the shard's */
    int64_t id_high_ms;          /* likewise */
    char held[STORE_HELD_BYTES]; /* why nothing is to be given to workers until somebody accepts it; "": it is */
};

/* What all who share the store agree on. */
struct store_trust {
    int64_t until_mono_ms;    /* the shard may be taken from who has it after this, and not before; 0: it is not ours */
    bool has_clock;           /* the store has a clock of its own: */
    int64_t ahead_of_mono_ms; /* what to add to chrono_mono_ms() */
    /* Which copy of itself the store is: a history that was forked, by a failover or a restore, is another one. */
    char system[STORE_SYSTEM_BYTES];
    uint32_t timeline;
};

/* ---- the interface ---- */

/* Who acquires. */
struct store_owner {
    struct str name; /* for people */
    struct str url;
    uint64_t nonce[2]; /* random, new for each acquisition */
    bool is_filling;   /* to fill it with a copy of another store, not to serve it */
};

struct store;
struct store_reader;
struct store_members; /* store/members.h */

struct store_methods {
    enum store_outcome (*acquire)(struct store *store, const struct store_owner *owner, uint64_t *ret_epoch,
                                  struct error *reterr);
    enum store_outcome (*commit)(struct store *store, const struct batch *batch, struct error *reterr);
    enum store_outcome (*load)(struct store *store, const struct load *load, struct rows *rows, struct error *reterr);
    /* Housekeeping between batches, a little at a time (checkpoints). Returns true where there is more to do. */
    bool (*tidy)(struct store *store, bool is_idle);
    /* Both may be NULL: nothing gets old there. */
    enum store_outcome (*old)(struct store *store, const struct store_ages *ages, struct rows *rows, bool *ret_has_more,
                              struct error *reterr);
    enum store_outcome (*forget)(struct store *store, const struct rows *rows, struct error *reterr);
    /* NULL where nobody shares the store; then all four are. */
    enum store_outcome (*renew)(struct store *store, struct error *reterr);
    enum store_outcome (*release)(struct store *store, struct error *reterr);
    enum store_outcome (*look)(struct store *store, struct store_ownership *ret_ownership,
                               struct store_trust *ret_trust, struct error *reterr);
    enum store_outcome (*set_held)(struct store *store, const char *why, struct error *reterr);
    /* NULL where a store cannot be filled; then both are. */
    enum store_outcome (*fill_begin)(struct store *store, struct error *reterr);
    enum store_outcome (*fill_end)(struct store *store, const struct shard_row *shard, struct error *reterr);
    /* NULL where nobody shares the store. */
    struct store_members *(*members_open)(struct store *store);
    enum store_outcome (*backup)(struct store *store, const char *path, struct error *reterr);
    enum store_outcome (*reader_open)(struct store *store, struct store_reader **ret_reader, struct error *reterr);
    void (*close)(struct store *store);
};

struct store {
    const struct store_methods *methods;
};

struct store_reader_methods {
    enum store_outcome (*read)(struct store_reader *reader, const struct query *query, struct rows *rows,
                               struct error *reterr);
    /* NULL where it is not known. */
    enum store_outcome (*size)(struct store_reader *reader, int64_t *ret_bytes, struct error *reterr);
    void (*close)(struct store_reader *reader);
};

struct store_reader {
    const struct store_reader_methods *methods;
};

/* Takes the shard: from now on everybody else's commits are fenced. The epoch is higher than any before. STORE_REFUSED
 * where a copy into the store was begun and has not ended, and the owner does not come to fill it. */
enum store_outcome store_acquire(struct store *store, const struct store_owner *owner, uint64_t *ret_epoch,
                                 struct error *reterr);

/* batch->number must be one more than shard.last_batch, else STORE_REFUSED. */
enum store_outcome store_commit(struct store *store, const struct batch *batch, struct error *reterr);

/* Fills rows, which the caller has initialised. */
enum store_outcome store_load(struct store *store, const struct load *load, struct rows *rows, struct error *reterr);
bool store_tidy(struct store *store, bool is_idle);

/* The next of what may go: triggers with their attempts, skips, versions, idems. A step of a round: without has_more
 * the round is over, and the next call begins another. Rows may be empty with has_more. */
enum store_outcome store_old(struct store *store, const struct store_ages *ages, struct rows *rows, bool *ret_has_more,
                             struct error *reterr);

/* Removes exactly the rows that the last store_old gave, if nothing was committed or loaded in between; all or nothing,
 * and fenced like a commit. */
enum store_outcome store_forget(struct store *store, const struct rows *rows, struct error *reterr);

/* Whether several servers may share the store: then acquire is STORE_FENCED while another one owns the shard and lives,
 * and who owns it says so now and then (store_renew, or a commit). */
bool store_is_shared(const struct store *store);

/* Only on stores that are shared. Renew: I live; STORE_FENCED where the shard is somebody else's. Release: it is
 * anybody's who takes it. Look: who owns it; and what the last call that reached the store said of the time, without
 * asking for that (ret_ownership may be NULL, and then nothing is asked). */
enum store_outcome store_renew(struct store *store, struct error *reterr);
enum store_outcome store_release(struct store *store, struct error *reterr);
enum store_outcome store_look(struct store *store, struct store_ownership *ret_ownership, struct store_trust *ret_trust,
                              struct error *reterr);

/* Marks the shard: nothing of it is to be given to workers, and why ("": it is). Outlives everything; fenced like a
 * commit, and as often as one likes. */
enum store_outcome store_set_held(struct store *store, const char *why, struct error *reterr);

/* ---- filling a store with the rows of another (store/copy.h) ---- */

/* Marks the store as one that is being filled; the mark outlives everything but store_fill_end. Where it was there
 * already, all rows go first, in steps: STORE_AGAIN says that there is more to remove. Fenced like a commit. */
enum store_outcome store_fill_begin(struct store *store, struct error *reterr);

/* Takes the mark off. Batches and ids go on behind those of shard, if they are not behind them already. */
enum store_outcome store_fill_end(struct store *store, const struct shard_row *shard, struct error *reterr);

/* A consistent copy into a new file, while the store works on: a large one is made in steps, and STORE_AGAIN says that
 * there is more to copy. Call again with the same path, after whatever else is to be done. The file is there when it is
 * whole and on the disk (STORE_DONE), and holds all that was committed by then. */
enum store_outcome store_backup(struct store *store, const char *path, struct error *reterr);

/* Its readers are closed before. */
void store_close(struct store *store);

enum store_outcome store_reader_open(struct store *store, struct store_reader **ret_reader, struct error *reterr);
enum store_outcome store_read(struct store_reader *reader, const struct query *query, struct rows *rows,
                              struct error *reterr);
/* What it takes on disk, with what is written beside it (a log that is not yet in its place); STORE_REFUSED where that
 * is not known. */
enum store_outcome store_size(struct store_reader *reader, int64_t *ret_bytes, struct error *reterr);
void store_reader_close(struct store_reader *reader);

#endif
