/* Jobs that follow former rules of their time zone are moved to the present ones. */
#include <string.h>

#include "engine/command.h"
#include "engine/deps.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/rules.h"

struct rezone {
    struct engine *engine;
    struct request *request;
    struct job **jobs; /* what is to be moved */
    size_t count;
    bool lacks; /* rows */
};

static void need(struct rezone *rezone, struct job *job, uint64_t id)
{
    if (job == NULL || job->def == NULL) {
        rezone->lacks = !request_needs_job(rezone->request, id) || rezone->lacks;
    }
}

static void add(struct rezone *rezone, struct job *job)
{
    struct schedule schedule;

    for (size_t i = 0; i < rezone->count; i++) {
        if (rezone->jobs[i] == job) {
            return;
        }
    }
    if (job->def != NULL && rules_are_former(rezone->engine, job, &schedule)) {
        rezone->jobs[rezone->count++] = job;
    }
}

static bool is_root(const struct job *job)
{
    return job->rhythm == RHYTHM_REPEAT && deps_has_dependents(job);
}

/* All roots that could have a dependent in common: of one tenant and zone. */
static bool go_together(const struct job *a, const struct job *b)
{
    return is_root(b) && is_root(a) && rules_of(a) != 0 && rules_of(b) != 0 &&
           strcmp(a->schedule->zone->name, b->schedule->zone->name) == 0 && str_equal(job_tenant(a), job_tenant(b));
}

static bool goes_with_one(const struct rezone *rezone, size_t named, const struct job *job)
{
    for (size_t i = 0; i < named; i++) {
        if (rezone->jobs[i] != job && go_together(rezone->jobs[i], job)) {
            return true;
        }
    }
    return false;
}

static bool has_root(const struct rezone *rezone)
{
    for (size_t i = 0; i < rezone->count; i++) {
        if (is_root(rezone->jobs[i])) {
            return true;
        }
    }
    return false;
}

/* Roots have to keep step: who moves one moves those that go with it. */
static void add_companions(struct rezone *rezone)
{
    size_t pos = 0, named = rezone->count;
    struct job *job;

    while (has_root(rezone) && (job = idmap_next(&rezone->engine->jobs, &pos, NULL)) != NULL) {
        if (goes_with_one(rezone, named, job)) {
            need(rezone, job, job->id);
            add(rezone, job);
        }
    }
}

/* A job waits if it has to, or if one that it goes together with has to. */
static bool waits(const struct rezone *rezone, const struct job *job)
{
    for (size_t i = 0; i < rezone->count; i++) {
        struct schedule schedule;
        struct job *other = rezone->jobs[i];

        if ((other == job || go_together(other, job)) && rules_are_former(rezone->engine, other, &schedule) &&
            rules_must_wait(rezone->engine, other, &schedule)) {
            return true;
        }
    }
    return false;
}

static size_t move_all(struct rezone *rezone)
{
    char *is_waiting = arena_zalloc(&rezone->engine->scratch, rezone->count + 1);
    size_t moved = 0;

    for (size_t i = 0; i < rezone->count; i++) {
        is_waiting[i] = waits(rezone, rezone->jobs[i]); /* of all, before the first is moved */
    }
    for (size_t i = 0; i < rezone->count; i++) {
        struct schedule schedule;
        struct job *job = rezone->jobs[i];

        if (!is_waiting[i] && rules_are_former(rezone->engine, job, &schedule)) {
            rules_move(rezone->engine, job, &schedule);
            rezone->jobs[moved++] = job;
        }
    }
    return moved;
}

enum command_result engine_command_rezone(struct engine *engine, struct request *request)
{
    const struct command *command = request->command;
    struct rezone rezone = {.engine = engine, .request = request};

    rezone.jobs =
        arena_alloc_array(&engine->scratch, command->job_count + idmap_count(&engine->jobs) + 1, sizeof(struct job *));
    for (size_t i = 0; i < command->job_count; i++) {
        struct job *job = job_by_id(engine, command->jobs[i]);

        need(&rezone, job, command->jobs[i]);
        if (job != NULL) {
            add(&rezone, job);
        }
    }
    size_t named = rezone.count;

    add_companions(&rezone);
    if (rezone.lacks) {
        return COMMAND_LACKS;
    }
    size_t all = rezone.count;
    size_t moved = move_all(&rezone);
    struct reply *reply = command_reply_jobs(engine, command, rezone.jobs, moved);

    reply->waiting = (int64_t)(all - moved);
    reply->not_needed = (int64_t)(command->job_count - named);
    return COMMAND_DONE;
}
