/* acknowledged: what clients and workers were told, and whether a store still knows it.
 *
 * The other side of a promise: a reply that was given says that something is durable. Everything such replies said is
 * kept here, apart from engine and store, and can be looked for in a store that was opened after a crash.
 *
 * Owns:  copies of all texts.
 * Rules: (1) it is a lower bound: the batch that was in flight may be there, too.
 *        (2) of a job whose deletion was asked for nothing is expected, until the answer says that it is gone.
 * See:   engine_script.h
 */
#ifndef LITESIM_ACKNOWLEDGED_H
#define LITESIM_ACKNOWLEDGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/job_def.h"
#include "model/state.h"
#include "store/store.h"

#define ACKED_MAX 600

struct acked_job {
    uint64_t id;
    struct str name;
    uint32_t version;
    struct str def; /* canonical, of that version */
    bool is_cancelled;
    bool is_doomed;  /* its deletion was asked for */
    bool is_deleted; /* and answered */
};

struct acked_attempt {
    uint64_t trigger;
    uint64_t job;
    uint32_t number;
    enum attempt_state state; /* STARTED: it was granted; else what was reported */
};

/* The answer under an idempotency key. */
struct acked_key {
    struct str key;
    uint64_t hash;
    uint64_t id;    /* of the job or trigger it made */
    bool is_manual; /* a trigger */
};

struct acked_setting {
    enum scope scope;
    struct str name;
    struct str text; /* as it is stored */
};

struct acked {
    struct arena arena;
    struct acked_job jobs[ACKED_MAX];
    size_t job_count;
    struct acked_attempt attempts[ACKED_MAX];
    size_t attempt_count;
    struct acked_key keys[ACKED_MAX];
    size_t key_count;
    struct acked_setting settings[ACKED_MAX];
    size_t setting_count;
    char lost[256]; /* what acked_lost found */
};

void acked_init(struct acked *acked);
void acked_done(struct acked *acked);

/* A job has this definition; the same id again is a new version of it. */
void acked_job(struct acked *acked, uint64_t id, uint32_t version, struct job_def *def);
/* NULL: no such job was acknowledged. */
struct acked_job *acked_find(struct acked *acked, struct str name);
/* A grant; false: this very attempt was given before. */
bool acked_grant(struct acked *acked, uint64_t trigger, uint64_t job, uint32_t number);
void acked_report(struct acked *acked, uint64_t trigger, uint32_t number, enum attempt_state state);
/* False: another answer was given under the key. */
bool acked_key(struct acked *acked, const struct acked_key *key);
void acked_setting(struct acked *acked, enum scope scope, struct str name, const struct settings *settings);

/* What the store does not know any more; NULL: it knows everything. Good until the next call. */
const char *acked_lost(struct acked *acked, struct store *store);

#endif
