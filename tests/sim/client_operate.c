/* What operators ask for. */
#include "sim_client.h"

/* ---- settings ---- */

static void draw_scope(struct sim_client *client, struct command *command)
{
    const struct swarm *swarm = &client->world->swarm;

    switch (rng_below(&client->rng, 4)) {
    case 0:
        command->scope = SCOPE_TENANT;
        command->name = sim_tenant_name((unsigned)rng_below(&client->rng, swarm->tenants));
        break;
    case 1:
        command->scope = SCOPE_POOL;
        command->name = sim_pool_name((unsigned)rng_below(&client->rng, swarm->pools));
        break;
    case 2:
        command->scope = SCOPE_TYPE;
        command->name = sim_type_name((unsigned)rng_below(&client->rng, swarm->types));
        break;
    default:
        command->scope = SCOPE_TENANT_TYPE;
        command->tenant = sim_tenant_name((unsigned)rng_below(&client->rng, swarm->tenants));
        command->name = sim_type_name((unsigned)rng_below(&client->rng, swarm->types));
        break;
    }
}

static void draw_breaker(struct sim_client *client, struct settings *settings)
{
    const struct swarm *swarm = &client->world->swarm;
    int64_t window_ms = swarm_beats(swarm, &client->rng, 20, 200);
    int64_t open_ms = swarm_beats(swarm, &client->rng, 2, 40);

    settings->has_breaker = true;
    settings->breaker = breaker_settings_default();
    settings->breaker.failure_milli = (int)rng_between(&client->rng, 200, 900);
    settings->breaker.min_attempts = (int)rng_between(&client->rng, 2, 8);
    settings->breaker.window_ms = window_ms < 1000 ? 1000 : window_ms < 3600 * 1000 ? window_ms : 3600 * 1000;
    settings->breaker.open_ms = open_ms < 100 ? 100 : open_ms < 86400 * 1000 ? open_ms : 86400 * 1000;
    settings->breaker.closing_successes = (int)rng_between(&client->rng, 1, 4);
    settings->breaker.is_off = rng_chance(&client->rng, 1, 10);
}

static void draw_rate(struct sim_client *client, struct settings *settings)
{
    static const int64_t periods_ms[] = {1000, 60 * 1000, 3600 * 1000};
    int64_t per_beat_ms = client->world->swarm.beat_ms;
    int64_t period_ms = periods_ms[rng_below(&client->rng, 3)];
    int64_t count = period_ms / (per_beat_ms * rng_between(&client->rng, 1, 5));

    settings->rate_period_ms = period_ms;
    settings->rate_count = count > 0 ? count : 1;
    settings->burst = rng_chance(&client->rng, 1, 2) ? rng_between(&client->rng, 1, 10) : 1;
}

struct sim_message *client_draw_settings(struct sim_client *client)
{
    const struct swarm *swarm = &client->world->swarm;
    struct sim_message *message = sim_message_new(false);
    struct command *command = &message->command;
    struct settings *settings = &command->settings;
    bool is_type;

    command->kind = COMMAND_SETTINGS;
    draw_scope(client, command);
    is_type = command->scope == SCOPE_TYPE || command->scope == SCOPE_TENANT_TYPE;
    *settings = settings_none();
    if (rng_chance(&client->rng, 1, 3)) { /* lifted */
        return message;
    }
    if (swarm_has(swarm, FEATURE_CAPS) && rng_chance(&client->rng, 1, 2)) {
        settings->max_in_flight = rng_chance(&client->rng, 1, 12) ? 0 : rng_between(&client->rng, 1, 12);
    }
    if (swarm_has(swarm, FEATURE_RATES) && rng_chance(&client->rng, 1, 3)) {
        draw_rate(client, settings);
    }
    if (command->scope == SCOPE_TENANT && swarm_has(swarm, FEATURE_WEIGHTS)) {
        settings->weight = rng_between(&client->rng, 1, 9);
    }
    if (command->scope == SCOPE_TENANT && swarm_has(swarm, FEATURE_CAPS) && rng_chance(&client->rng, 1, 4)) {
        settings->max_jobs = rng_between(&client->rng, 5, 200);
    }
    if (is_type && swarm_has(swarm, FEATURE_BREAKERS)) {
        draw_breaker(client, settings);
    }
    if (command->scope == SCOPE_TYPE && swarm_has(swarm, FEATURE_TIMEOUT) && rng_chance(&client->rng, 1, 4)) {
        settings->timeout_ms = swarm_beats(swarm, &client->rng, 5, 100);
    }
    return message;
}

struct sim_message *client_draw_pause(struct sim_client *client, bool is_resume)
{
    struct sim_message *message = sim_message_new(false);

    message->command.kind = is_resume ? COMMAND_RESUME : COMMAND_PAUSE;
    if (is_resume && client->paused_count > 0) { /* mostly what it has paused */
        const struct command *paused = &client->paused[--client->paused_count];

        message->command.scope = paused->scope;
        message->command.tenant = paused->tenant;
        message->command.name = paused->name;
    } else {
        draw_scope(client, &message->command);
    }
    if (!is_resume && client->paused_count < CLIENT_PAUSED_MAX) {
        client->paused[client->paused_count++] = message->command;
    }
    if (is_resume && rng_chance(&client->rng, 1, 2)) {
        message->command.ramp_ms = swarm_beats(&client->world->swarm, &client->rng, 5, 100);
    }
    return message;
}

/* ---- healing ---- */

static struct sim_message *lift(enum command_kind kind, enum scope scope, struct str tenant, struct str name)
{
    struct sim_message *message = sim_message_new(false);

    message->command.kind = kind;
    message->command.scope = scope;
    message->command.tenant = tenant;
    message->command.name = name;
    message->command.settings = settings_none();
    return message;
}

/* Every scope there is, numbered; false behind the last. */
static bool nth_scope(const struct swarm *swarm, unsigned n, enum scope *ret_scope, struct str *ret_tenant,
                      struct str *ret_name)
{
    *ret_tenant = STR("");
    if (n < swarm->tenants) {
        *ret_scope = SCOPE_TENANT;
        *ret_name = sim_tenant_name(n);
        return true;
    }
    n -= swarm->tenants;
    if (n < swarm->pools) {
        *ret_scope = SCOPE_POOL;
        *ret_name = sim_pool_name(n);
        return true;
    }
    n -= swarm->pools;
    if (n < swarm->types) {
        *ret_scope = SCOPE_TYPE;
        *ret_name = sim_type_name(n);
        return true;
    }
    n -= swarm->types;
    *ret_scope = SCOPE_TENANT_TYPE;
    *ret_tenant = sim_tenant_name(n / swarm->types);
    *ret_name = sim_type_name(n % swarm->types);
    return n < swarm->tenants * swarm->types;
}

struct sim_message *client_heal_question(struct sim_client *client, unsigned n)
{
    enum scope scope;
    struct str tenant, name;

    if (client->index == 0) { /* one of them operates the whole */
        if (n == 0) {
            return lift(COMMAND_ACCEPT_CLOCK, SCOPE_TENANT, STR(""), STR(""));
        }
        if (nth_scope(&client->world->swarm, (n - 1) / 2, &scope, &tenant, &name)) {
            return lift(n % 2 == 1 ? COMMAND_SETTINGS : COMMAND_RESUME, scope, tenant, name);
        }
    }
    for (unsigned i = 0; i < client->job_count; i++) {
        struct known_job *job = &client->jobs[i];

        if (job->may_be_paused || job->name_may_be_paused) {
            struct sim_message *message = sim_message_new(false);

            message->command.kind = COMMAND_STATUS;
            message->command.status = JOB_ACTIVE;
            if (job->may_be_paused) {
                message->command.ref.id = job->id;
                job->may_be_paused = false;
            } else { /* by then another job may have had the name */
                message->command.ref.tenant = sim_tenant_name(job->tenant);
                message->command.ref.name = str_from(arena_strdup(&message->arena, job->name));
                job->name_may_be_paused = false;
            }
            return message;
        }
    }
    return NULL;
}
