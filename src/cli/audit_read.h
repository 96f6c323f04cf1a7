/* audit_read: a job, its versions and its ledger, read over the API for an audit.
 *
 * The job is read first: what is decided after that lies at or behind its cursor and is left out.
 *
 * Owns:  what it has read, until audit_job_done.
 * See:   audit.c, ledger_audit.h
 */
#ifndef CLI_AUDIT_READ_H
#define CLI_AUDIT_READ_H

#include "base/arena.h"
#include "calendar/zone_cache.h"
#include "cli/api.h"
#include "cli/ledger_audit.h"
#include "model/job_def.h"

/* A job that fired every second for two months. More are audited from a later instant on. */
#define AUDIT_DECISIONS_MAX (5 * 1000 * 1000)
#define AUDIT_VERSIONS_MAX 10000

struct audit_version {
    uint32_t version;
    int64_t anchor_ms; /* since when its schedule has held */
    uint64_t rules;    /* of its time zone; 0: none are named */
    struct job_def def;
};

struct audit_decision {
    struct ledger_decision decision;
    uint32_t version;
    int64_t ended_ms; /* of a trigger that has ended, WHEN_NONE otherwise */
};

struct audit_job {
    char id[32];
    char name[408]; /* for people */
    char status[32];
    uint32_t version;
    int64_t created_ms;
    int64_t updated_ms;
    int64_t cursor_ms; /* WHEN_NONE: nothing is to come */
    bool is_partial;   /* the server does not tell of earlier versions */
    struct arena arena;
    struct audit_version *versions; /* by version upwards */
    size_t version_count;
    struct audit_decision *decisions; /* by from_ms upwards */
    size_t decision_count;
    size_t decision_room;
};

/* EXIT_DONE, or what was said on the way. since_ms: decisions before are not kept (WHEN_NONE: all). */
int audit_job_read(struct api *api, const struct command *command, struct str ref, struct str tenant, int64_t since_ms,
                   struct audit_job *ret_job);
void audit_job_done(struct audit_job *job);

#endif
