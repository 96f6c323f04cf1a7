/* disk: the rows of a memory store and the orders they are kept in.
 *
 * Owns:  every entry: a row, its texts and its nodes in one piece of memory.
 * Rules: (1) a row never changes: a change is another entry in its place, so that the old one can be put back.
 *        (2) the key of each kind is the one record.h and batch.h name.
 *        (3) a place is there while a job waits in it.
 * See:   memory_store.h, ordered.h, shape.h
 */
#ifndef STORE_MEMORY_DISK_H
#define STORE_MEMORY_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/container.h"
#include "model/record.h"
#include "model/rows.h"
#include "store/memory/memory_store.h"
#include "store/memory/ordered.h"
#include "store/memory/shape.h"

/* What every entry begins with. */
struct entry {
    struct ordered_node by_key;
    uint64_t batch; /* number of the batch that wrote it */
    uint64_t given; /* number of the answer that had it last */
};

/* Jobs that wait in one place. */
struct place_entry {
    struct ordered_node by_place;
    struct ordered jobs; /* by (wake_ms, id) */
    struct place place;
};

struct job_entry {
    struct entry entry;
    struct ordered_node by_name; /* where the name is not empty */
    struct ordered_node by_wake; /* where it waits: in its place */
    struct place_entry *place;   /* NULL: it does not wait */
    struct job_row row;
};

struct trigger_entry {
    struct entry entry;
    struct ordered_node by_job;   /* (job, id) */
    struct ordered_node by_time;  /* (job, scheduled_ms, id) */
    struct ordered_node by_state; /* living: (job, id); a dead letter: id; else nowhere */
    struct trigger_row row;
};

struct edge_entry {
    struct entry entry;
    struct ordered_node by_downstream; /* (downstream, upstream) */
    struct edge_row row;
};

/* The other kinds have their key only. */
#define PLAIN_ENTRY(name, type)                                                                                        \
    struct name {                                                                                                      \
        struct entry entry;                                                                                            \
        struct type row;                                                                                               \
    }
PLAIN_ENTRY(version_entry, version_row);
PLAIN_ENTRY(attempt_entry, attempt_row);
PLAIN_ENTRY(claims_entry, claims_row);
PLAIN_ENTRY(skip_entry, skip_row);
PLAIN_ENTRY(wait_entry, wait_row);
PLAIN_ENTRY(setting_entry, setting_row);
PLAIN_ENTRY(limiter_entry, limiter_row);
PLAIN_ENTRY(circuit_entry, circuit_row);
PLAIN_ENTRY(idem_entry, idem_row);
PLAIN_ENTRY(tenant_entry, tenant_row);
PLAIN_ENTRY(rules_entry, rules_row);

/* One step of a batch: an entry in the place of another. */
struct change {
    const struct op *op; /* NULL: goes along with the one before */
    enum row_kind kind;
    struct entry *old, *entry; /* NULL: none */
};

struct memory_disk {
    struct ordered tables[ROW_KINDS]; /* by key */
    struct ordered jobs_by_name;
    struct ordered places;
    struct ordered triggers_by_job;
    struct ordered triggers_by_time;
    struct ordered living;
    struct ordered dead;
    struct ordered edges_by_downstream;
    struct shard_row shard;
    struct change *changes; /* of the batch at hand */
    size_t change_count, change_cap;
    uint64_t answers; /* given so far */
    size_t open_count;
    memory_observer *observer;
    void *observer_ctx;
};

/* The row of an entry. */
const void *disk_row(enum row_kind kind, const struct entry *entry);

/* An entry with a copy of row, in no order yet. */
struct entry *disk_entry_new(enum row_kind kind, const void *row, uint64_t batch);

/* Puts an entry in the place of another with the same key; either may be NULL. Frees nothing. Key and name of entry
 * must be free, or old's. */
void disk_change(struct memory_disk *disk, enum row_kind kind, struct entry *old, struct entry *entry);

/* By key: the fields of row that make it up. NULL where there is none. */
struct entry *disk_find(const struct memory_disk *disk, enum row_kind kind, const void *row);
struct job_entry *disk_find_job(const struct memory_disk *disk, uint64_t id);
struct job_entry *disk_find_name(const struct memory_disk *disk, struct str tenant, struct str name);
struct trigger_entry *disk_find_trigger(const struct memory_disk *disk, uint64_t id);
struct place_entry *disk_find_place(const struct memory_disk *disk, const struct place *place);

bool disk_is_living(const struct trigger_row *row);
/* Whether it is on the list of dead letters. */
bool disk_is_letter(const struct trigger_row *row);

/* Appends a copy of the entry's row to its list. */
void disk_give(struct rows *rows, enum row_kind kind, const struct entry *entry);

/* The same, once for each answer; disk->answers was raised when the answer began. False where it was given before. */
bool disk_give_once(const struct memory_disk *disk, struct rows *rows, enum row_kind kind, struct entry *entry);

/* ---- the methods of struct store ---- */

enum store_outcome memory_commit(struct memory_disk *disk, const struct batch *batch, struct error *reterr);
void memory_load(struct memory_disk *disk, const struct load *load, struct rows *rows);
void memory_read(struct memory_disk *disk, const struct query *query, struct rows *rows);
/* QUERY_COUNTS of it. */
void memory_counts(const struct memory_disk *disk, uint64_t job, struct rows *rows);
/* QUERY_STEPS and QUERY_WAKING of it. */
void memory_waking(const struct memory_disk *disk, const struct query *query, struct rows *rows);
/* QUERY_ALL_ and a table's name. */
void memory_read_table(const struct memory_disk *disk, const struct query *query, struct rows *rows);
/* Every row goes. */
void memory_clear(struct memory_disk *disk);
void memory_old(struct memory_disk *disk, const struct store_ages *ages, struct rows *rows, bool *ret_has_more);
void memory_forget(struct memory_disk *disk, const struct rows *rows);

#endif
