/* batch: the changes of one commit, all or nothing.
 *
 * The engine gathers them; a store applies them in order.
 *
 * Owns:  the operations and every text in them (copied into its arena).
 * Rules: (1) at most one INSERT or UPDATE for a row in a batch: a later change of the row goes into the same operation.
 *        (2) guarded: INSERT of a row that is there, UPDATE or DELETE of one that is not, aborts the whole batch. PUT
 * is either, and removes nothing else. Guarded too: a job's (tenant, name) is unique where the name is not empty, and
 * so is (job, scheduled_ms) among triggers of kind SCHEDULE: no fire twice. (3) operations are applied in their order.
 * See:   model/record.h, store/store.h
 */
#ifndef MODEL_BATCH_H
#define MODEL_BATCH_H

#include "base/arena.h"
#include "model/record.h"

#define OP_TABLE(X)                                                                                                    \
    X(OP_JOB_INSERT, job)         /* the whole row */                                                                  \
    X(OP_JOB_UPDATE, job)         /* everything but id, tenant, name, created_ms; def only where not empty */          \
    X(OP_JOB_DELETE, id)          /* the row alone; what names it is removed in later steps */                         \
    X(OP_VERSION_INSERT, version) /* an earlier version */                                                             \
    X(OP_TRIGGER_INSERT, trigger)                                                                                      \
    X(OP_TRIGGER_UPDATE, trigger)   /* the whole row, but kind, job, created_ms, payload */                            \
    X(OP_TRIGGER_REPLAYED, trigger) /* an UPDATE of replayed_by alone, by id: a dead letter has a new replay */        \
    X(OP_TRIGGER_DELETE, id)        /* a discarded dead letter; its attempts too */                                    \
    X(OP_ATTEMPT_INSERT, attempt)                                                                                      \
    X(OP_ATTEMPT_DELETE, attempt) /* by trigger and number: a late report moved it into its trigger */                 \
    X(OP_CLAIMS_INSERT, claims)                                                                                        \
    X(OP_CLAIMS_DELETE, id)                                                                                            \
    X(OP_SKIP_PUT, skip)                                                                                               \
    X(OP_WAIT_PUT, wait)                                                                                               \
    X(OP_WAIT_DELETE, wait) /* by its key */                                                                           \
    X(OP_EDGE_INSERT, edge)                                                                                            \
    X(OP_EDGE_DELETE, edge)                                                                                            \
    X(OP_SETTING_PUT, setting)                                                                                         \
    X(OP_LIMITER_PUT, limiter)                                                                                         \
    X(OP_CIRCUIT_PUT, circuit)                                                                                         \
    X(OP_CIRCUIT_DELETE, circuit) /* closed again; by tenant, type, job */                                             \
    X(OP_IDEM_PUT, idem)                                                                                               \
    X(OP_TENANT_PUT, tenant)                                                                                           \
    X(OP_RULES_PUT, rules)                                                                                             \
    X(OP_IDS_RESERVE, ms) /* raises id_high_ms; a lower one changes nothing */

enum op_kind {
#define X(name, member) name,
    OP_TABLE(X)
#undef X
};

/* Whose it is, where the row does not say it: of triggers, jobs that are deleted and breakers of jobs. For those who
 * watch what becomes durable; no store looks at it. */
struct op_note {
    struct place place; /* texts may be empty where the row has them */
    struct str name;    /* the job's; empty: the client gave none */
};

struct op {
    enum op_kind kind;
    const struct op_note *note; /* NULL: there is none */
    union {
        struct job_row job;
        uint64_t id;
        struct version_row version;
        struct trigger_row trigger;
        struct attempt_row attempt;
        struct claims_row claims;
        struct skip_row skip;
        struct wait_row wait;
        struct edge_row edge;
        struct setting_row setting;
        struct limiter_row limiter;
        struct circuit_row circuit;
        struct idem_row idem;
        struct tenant_row tenant;
        struct rules_row rules;
        int64_t ms;
    };
};

#define BATCH_CHUNK_OPS 64

struct batch_chunk {
    struct batch_chunk *next;
    size_t count;
    struct op ops[BATCH_CHUNK_OPS];
};

struct batch {
    uint64_t number; /* one more than the batch before */
    size_t op_count;
    struct arena arena; /* of the operations and their texts; its used_bytes is how big the batch is */
    struct batch_chunk *first, *last;
};

void batch_init(struct batch *batch, uint64_t number);
void batch_done(struct batch *batch);

/* A new operation, zeroed but for its kind; it stays where it is until batch_done. Fill in the row with texts that
 * batch_text copied. */
struct op *batch_add(struct batch *batch, enum op_kind kind);

struct str batch_text(struct batch *batch, struct str text);

/* Every operation in order. */
#define BATCH_EACH(batch, chunk, i)                                                                                    \
    for (const struct batch_chunk *chunk = (batch)->first; chunk != NULL; chunk = chunk->next)                         \
        for (size_t i = 0; i < chunk->count; i++)

const char *op_kind_text(enum op_kind kind);

#endif
