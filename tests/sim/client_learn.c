/* What clients learn from answers. */
#include <stdio.h>

#include "sim_client.h"

static void know(struct sim_client *client, const struct job_def *def, const struct reply_job *answer,
                 struct def_tag tag)
{
    struct known_job *job = client_find(client, answer->id);
    unsigned tenant = 0;

    if (job == NULL && client->job_count < client->world->swarm.jobs_max) {
        job = &client->jobs[client->job_count++];
        *job = (struct known_job){0};
    } else if (job == NULL) {
        job = &client->jobs[rng_below(&client->rng, client->job_count)];
        if (job->may_be_paused || job->name_may_be_paused) { /* it must be resumed one day */
            return;
        }
        *job = (struct known_job){0};
    }
    while (!str_equal(sim_tenant_name(tenant), def->tenant) && tenant < TENANTS_MAX - 1) {
        tenant++;
    }
    job->id = answer->id;
    job->tenant = tenant;
    job->version = answer->version;
    job->family = tag.family;
    job->is_once = tag.is_once;
    job->is_dependent = def->when == WHEN_UPSTREAM;
    (void)snprintf(job->name, sizeof job->name, "%.*s", STR_ARGS(def->name));
}

static void learn_created(struct sim_client *client, const struct sim_message *message, const struct reply *reply)
{
    const struct command *command = &message->command;
    struct world *world = client->world;

    if (reply->job_count > 1) {
        MARK(world, CREATED_MANY);
    }
    if (!str_empty(command->idem_key) && message->asked > 1) {
        MARK(world, KEY_AGAIN);
    }
    for (size_t i = 0; i < reply->job_count && i < command->def_count; i++) {
        if (reply->jobs[i].is_existing) {
            MARK(world, CREATED_AGAIN);
        } else {
            MARK(world, CREATED);
        }
        know(client, &command->defs[i], &reply->jobs[i], message->tags[i]);
    }
}

static void forget(struct sim_client *client, uint64_t id)
{
    struct known_job *job = client_find(client, id);

    if (job != NULL) {
        *job = client->jobs[--client->job_count];
    }
}

static void learn_changed(struct sim_client *client, const struct command *command, uint64_t subject,
                          const struct reply *reply)
{
    struct world *world = client->world;
    struct known_job *job = client_find(client, subject);

    if (command->kind == COMMAND_PATCH) {
        MARK(world, PATCHED);
        if (reply->job_count > 0 && reply->jobs[0].skipped > 0) {
            MARK(world, PATCH_SKIPPED);
        }
        if (job != NULL && reply->job_count > 0) {
            job->version = reply->jobs[0].version;
        }
    } else if (command->kind == COMMAND_DELETE) {
        MARK(world, JOB_DELETED);
        forget(client, subject);
    } else if (command->status == JOB_PAUSED) {
        MARK(world, JOB_PAUSED);
    } else if (command->status == JOB_ACTIVE) {
        MARK(world, JOB_RESUMED);
    } else {
        MARK(world, JOB_CANCELLED);
    }
}

static void learn_triggers(struct world *world, const struct command *command, const struct reply *reply)
{
    if (command->kind == COMMAND_BACKFILL && reply->not_needed > 0) {
        MARK(world, BACKFILL_NOT_NEEDED);
    }
    if (reply->trigger_count == 0) {
        return;
    }
    if (command->kind == COMMAND_RUN) {
        MARK(world, RUN_MANUAL);
    } else if (command->kind == COMMAND_BACKFILL) {
        MARK(world, BACKFILLED);
    } else if (command->kind == COMMAND_REPLAY) {
        MARK(world, REPLAYED);
    } else if (command->kind == COMMAND_DISCARD) {
        MARK(world, DISCARDED);
    } else if (command->kind == COMMAND_CANCEL) {
        MARK(world, TRIGGER_CANCELLED);
    } else if (command->kind == COMMAND_RETRY) {
        MARK(world, RETRIED);
    }
    for (size_t i = 0; i < reply->trigger_count; i++) {
        recent_add(&world->recent_living, reply->triggers[i]);
    }
}

static void learn_refused(struct sim_client *client, const struct command *command, uint64_t subject,
                          const struct error *error)
{
    struct world *world = client->world;

    if (command->kind == COMMAND_CREATE && error->code == ERR_CONFLICT) {
        MARK(world, CREATED_OTHER);
    } else if (command->kind == COMMAND_DELETE && error->code == ERR_CONFLICT) {
        MARK(world, DELETE_REFUSED);
    } else if (error->code == ERR_KEY_REUSED) {
        MARK(world, KEY_REUSED);
    } else if (error->code == ERR_CYCLE) {
        MARK(world, CYCLE_REFUSED);
    } else if (error->code == ERR_VERSION) {
        MARK(world, VERSION_REFUSED);
    } else if (error->code == ERR_NOT_FOUND && subject != 0) {
        forget(client, subject);
    }
}

void client_learn(struct sim_client *client, const struct sim_message *message, uint64_t subject,
                  const struct reply *reply)
{
    const struct command *command = &message->command;
    struct world *world = client->world;

    switch (reply->kind) {
    case REPLY_ERROR:
        learn_refused(client, command, subject, &reply->error);
        break;
    case REPLY_JOBS:
        if (command->kind == COMMAND_CREATE) {
            learn_created(client, message, reply);
        } else {
            learn_changed(client, command, subject, reply);
        }
        break;
    case REPLY_TRIGGERS:
        learn_triggers(world, command, reply);
        break;
    case REPLY_WHY:
        MARK(world, WHY_ASKED);
        break;
    case REPLY_DONE:
        if (command->kind == COMMAND_ACCEPT_CLOCK) {
            MARK(world, CLOCK_ACCEPTED);
        }
        break;
    case REPLY_WORK:
        world_find(world, "answer", "a command was answered with work");
        break;
    }
}
