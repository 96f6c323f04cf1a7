/* What clients ask for: jobs created, changed, run, backfilled, replayed, cancelled, and why. */
#include "sim_client.h"

#define DEF_BYTES_MAX 8192
#define BACKFILL_FIRES_MAX 40

/* ---- helpers ---- */

struct known_job *client_find(struct sim_client *client, uint64_t id)
{
    for (unsigned i = 0; i < client->job_count; i++) {
        if (client->jobs[i].id == id) {
            return &client->jobs[i];
        }
    }
    return NULL;
}

struct known_job *client_pick(struct sim_client *client)
{
    return &client->jobs[rng_below(&client->rng, client->job_count)];
}

static void refer(struct sim_client *client, struct sim_message *message, const struct known_job *job)
{
    struct job_ref *ref = &message->command.ref;

    if (job->name[0] != '\0' && rng_chance(&client->rng, 1, 2)) {
        ref->tenant = sim_tenant_name(job->tenant);
        ref->name = client_keep(message, str_from(job->name));
    } else {
        ref->id = job->id;
        ref->tenant = rng_chance(&client->rng, 1, 2) ? sim_tenant_name(job->tenant) : STR("");
    }
}

/* ---- changing ---- */

static struct sim_message *draw_again(struct sim_client *client)
{
    struct sim_message *old = client->old[rng_below(&client->rng, CLIENT_OLD_MAX)];

    return old != NULL ? sim_message_hold(old) : NULL;
}

/* A question about a job that it knows; the job is *ret_job. NULL: it knows none. */
static struct sim_message *about_job(struct sim_client *client, enum command_kind kind, struct known_job **ret_job)
{
    struct sim_message *message;

    if (client->job_count == 0) {
        return NULL;
    }
    *ret_job = client_pick(client);
    message = sim_message_new(false);
    message->command.kind = kind;
    refer(client, message, *ret_job);
    return message;
}

static struct sim_message *draw_change(struct sim_client *client, enum command_kind kind, uint64_t *ret_subject)
{
    struct known_job *job;
    struct sim_message *message = about_job(client, kind, &job);

    if (message == NULL) {
        return NULL;
    }
    *ret_subject = job->id;
    if (kind == COMMAND_PATCH) {
        struct buf text;

        buf_init(&text, DEF_BYTES_MAX);
        draw_patch(client->world, &client->rng, !job->is_dependent, &text);
        message->command.text = client_keep(message, buf_str(&text));
        message->command.if_match = rng_chance(&client->rng, 1, 3) ? job->version : 0;
        buf_done(&text);
    } else if (kind == COMMAND_STATUS) {
        static const enum job_status statuses[] = {JOB_PAUSED, JOB_PAUSED, JOB_ACTIVE, JOB_ACTIVE, JOB_CANCELLED};

        message->command.status = statuses[rng_below(&client->rng, 5)];
        if (message->command.status == JOB_PAUSED) {
            job->may_be_paused = true;
            job->name_may_be_paused = job->name[0] != '\0';
        }
    } else if (kind == COMMAND_RUN) {
        message->command.text = rng_chance(&client->rng, 1, 3) ? STR("{\"by\":\"hand\"}") : STR("");
        client_set_key(client, message, job->tenant, message->command.text);
    }
    return message;
}

static struct sim_message *draw_backfill(struct sim_client *client, uint64_t *ret_subject)
{
    struct world *world = client->world;
    struct known_job *job;
    struct sim_message *message = about_job(client, COMMAND_BACKFILL, &job);

    if (message != NULL) {
        *ret_subject = job->id;
        message->command.to_ms = world->now_ms - rng_between(&client->rng, 0, 50) * world->swarm.beat_ms;
        message->command.from_ms =
            message->command.to_ms - rng_between(&client->rng, 0, 15L * BACKFILL_FIRES_MAX) * world->swarm.beat_ms;
        client_set_key(client, message, job->tenant, message->command.ref.name);
    }
    return message;
}

static struct sim_message *draw_triggers(struct sim_client *client, enum command_kind kind, struct recent *recent,
                                         size_t max)
{
    struct sim_message *message;
    uint64_t *triggers;
    size_t count = (size_t)rng_between(&client->rng, 1, (int64_t)max);

    if (recent->count == 0) {
        return NULL;
    }
    message = sim_message_new(false);
    triggers = arena_alloc_array(&message->arena, count, sizeof *triggers);
    for (size_t i = 0; i < count; i++) {
        triggers[i] = recent_pick(recent, &client->rng);
        for (size_t j = 0; j < i; j++) { /* each once */
            if (triggers[j] == triggers[i]) {
                count = i;
                break;
            }
        }
    }
    message->command.kind = kind;
    message->command.triggers = triggers;
    message->command.trigger_count = count;
    /* A filter finds many. */
    message->command.is_by_filter = (kind == COMMAND_REPLAY || kind == COMMAND_DISCARD) && 2 * count > max;
    if (kind == COMMAND_REPLAY) {
        client_set_key(client, message, 0, str_from_bytes(triggers, count * sizeof *triggers));
    }
    return message;
}

static struct sim_message *draw_why(struct sim_client *client, uint64_t *ret_subject)
{
    if (rng_chance(&client->rng, 1, 2)) {
        return draw_triggers(client, COMMAND_WHY, &client->world->recent_living, 1);
    }
    return draw_change(client, COMMAND_WHY, ret_subject);
}

/* ---- choosing ---- */

enum ask {
    ASK_CREATE,
    ASK_AGAIN,
    ASK_KEY_THIEF,
    ASK_PATCH,
    ASK_STATUS,
    ASK_DELETE,
    ASK_RUN,
    ASK_BACKFILL,
    ASK_REPLAY,
    ASK_DISCARD,
    ASK_RETRY,
    ASK_CANCEL,
    ASK_WHY,
    ASK_SETTINGS,
    ASK_PAUSE,
    ASK_RESUME,
    ASK_COUNT
};

static const struct {
    unsigned weight;
    int feature; /* that it needs; -1: none */
} asks[ASK_COUNT] = {
    [ASK_CREATE] = {40, -1},
    [ASK_AGAIN] = {6, -1},
    [ASK_KEY_THIEF] = {2, FEATURE_IDEM},
    [ASK_PATCH] = {8, FEATURE_PATCH},
    [ASK_STATUS] = {8, FEATURE_STATUS},
    [ASK_DELETE] = {3, FEATURE_DELETE},
    [ASK_RUN] = {6, FEATURE_RUN},
    [ASK_BACKFILL] = {3, FEATURE_BACKFILL},
    [ASK_REPLAY] = {3, FEATURE_DEAD},
    [ASK_DISCARD] = {1, FEATURE_DEAD},
    [ASK_RETRY] = {3, FEATURE_DEAD},
    [ASK_CANCEL] = {4, FEATURE_CANCEL},
    [ASK_WHY] = {4, FEATURE_WHY},
    [ASK_SETTINGS] = {6, -1},
    [ASK_PAUSE] = {2, FEATURE_PAUSES},
    [ASK_RESUME] = {6, FEATURE_PAUSES},
};

static enum ask choose(struct sim_client *client)
{
    unsigned total = 0;
    uint64_t drawn;
    int i = 0;

    for (int j = 0; j < ASK_COUNT; j++) {
        total += asks[j].weight;
    }
    drawn = rng_below(&client->rng, total);
    while (drawn >= asks[i].weight) {
        drawn -= asks[i++].weight;
    }
    if (asks[i].feature >= 0 && !swarm_has(&client->world->swarm, (enum feature)asks[i].feature)) {
        return ASK_CREATE;
    }
    return (enum ask)i;
}

struct sim_message *client_draw(struct sim_client *client, uint64_t *ret_subject)
{
    struct world *world = client->world;

    switch (choose(client)) {
    case ASK_AGAIN:
        return draw_again(client);
    case ASK_KEY_THIEF:
        return client_draw_key_thief(client);
    case ASK_PATCH:
        return draw_change(client, COMMAND_PATCH, ret_subject);
    case ASK_STATUS:
        return draw_change(client, COMMAND_STATUS, ret_subject);
    case ASK_DELETE:
        return draw_change(client, COMMAND_DELETE, ret_subject);
    case ASK_RUN:
        return draw_change(client, COMMAND_RUN, ret_subject);
    case ASK_BACKFILL:
        return draw_backfill(client, ret_subject);
    case ASK_REPLAY:
        return draw_triggers(client, COMMAND_REPLAY, &world->recent_dead, 4);
    case ASK_DISCARD:
        return draw_triggers(client, COMMAND_DISCARD, &world->recent_dead, 2);
    case ASK_RETRY:
        return draw_triggers(client, COMMAND_RETRY,
                             rng_chance(&client->rng, 1, 2) ? &world->recent_dead : &world->recent_living, 1);
    case ASK_CANCEL:
        return draw_triggers(client, COMMAND_CANCEL, &world->recent_living, 3);
    case ASK_WHY:
        return draw_why(client, ret_subject);
    case ASK_SETTINGS:
        return client_draw_settings(client);
    case ASK_PAUSE:
        return client_draw_pause(client, false);
    case ASK_RESUME:
        return client_draw_pause(client, true);
    case ASK_CREATE:
    case ASK_COUNT:
        break;
    }
    return client_draw_create(client);
}
