/* witness_jobs: the jobs that a witness watches, with a calendar of its own for each.
 *
 * Owns:  its jobs. Borrows the zones.
 * Rules: (1) at most WITNESS_JOBS_MAX; jobs that fire once are watched only where they are named.
 *        (2) what a job should do is known without the server: its schedule is kept, and survives in the file of state.
 * See:   cli/witness.c
 */
#ifndef CLI_WITNESS_JOBS_H
#define CLI_WITNESS_JOBS_H

#include "base/arena.h"
#include "base/json_write.h"
#include "calendar/zone_cache.h"
#include "cli/api.h"
#include "model/schedule.h"

#define WITNESS_JOBS_MAX 1000
#define WITNESS_NAME_BYTES 208
#define WITNESS_DEF_BYTES 2048

struct witness_job {
    char id[32];
    char tenant[WITNESS_NAME_BYTES], name[WITNESS_NAME_BYTES];
    char def[WITNESS_DEF_BYTES]; /* what its schedule is made of, as JSON; "": it fires once */
    int64_t version;
    bool is_active;
    bool has_schedule;
    struct schedule schedule; /* where it has one */
    int64_t next_ms;          /* nominal time of the fire that is expected; WHEN_NONE: none */
    bool is_listed;           /* the last list had it */
    bool is_missing;          /* a fire of it was decided and left no trace, or was skipped: until one is well again */
};

struct witness_filter {
    const struct option_list *names; /* count 0: all that recur */
    struct str tenant, label;        /* ptr NULL: any */
};

struct witness_jobs {
    struct zone_cache *zones;
    struct witness_job *items; /* room for WITNESS_JOBS_MAX */
    size_t count;
    bool is_cut; /* there are more */
};

void witness_jobs_init(struct witness_jobs *jobs, struct zone_cache *zones);
void witness_jobs_done(struct witness_jobs *jobs);

/* Reads them anew from the server: new ones come, others change or go. EXIT_DONE, or what api_try said. */
int witness_jobs_list(struct witness_jobs *jobs, struct api *api, const struct witness_filter *filter,
                      struct error *reterr);

/* Takes what the server says of one job (a Job of the contract, and its text). */
void witness_jobs_take(struct witness_jobs *jobs, struct witness_job *job, struct jr item, struct str text);

/* When the expected fire is due. */
int64_t witness_job_due_ms(const struct witness_job *job);
/* The one after it; false where there is none that could be known. */
bool witness_job_step(struct witness_job *job);

void witness_jobs_write(const struct witness_jobs *jobs, struct jw *jw);
void witness_jobs_read(struct witness_jobs *jobs, struct jr root);

#endif
