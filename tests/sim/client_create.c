/* What clients create: one job or many, under names, under keys, depending on others. */
#include "base/hash.h"
#include "base/id.h"
#include "sim_client.h"

#define DEF_BYTES_MAX 8192
/* That one client makes. */
#define RECURRING_MAX 12

struct str client_keep(struct sim_message *message, struct str text)
{
    return (struct str){arena_strdup_str(&message->arena, text), text.len};
}

void client_set_key(struct sim_client *client, struct sim_message *message, unsigned tenant, struct str request)
{
    struct command *command = &message->command;

    command->idem_hash[0] = hash64(request.ptr, request.len, 1);
    command->idem_hash[1] = hash64(request.ptr, request.len, 2);
    if (swarm_has(&client->world->swarm, FEATURE_IDEM) && rng_chance(&client->rng, 1, 2)) {
        command->idem_key =
            str_from(arena_printf(&message->arena, "c%u-%llu", client->index, (unsigned long long)client->keys++));
        command->idem_tenant = sim_tenant_name(tenant);
    }
}

/* Upstreams that go together: one-time jobs, or jobs of one family; of one tenant. */
static void draw_upstreams(struct sim_client *client, struct sim_message *message, unsigned *tenant,
                           struct draw_ask *ask)
{
    uint64_t wanted = rng_below(&client->rng, UPSTREAMS_MAX) + 1;
    struct known_job *first;

    if (client->job_count == 0) {
        return;
    }
    first = client_pick(client);
    if ((!first->is_once && first->family == FAMILY_NONE && !rng_chance(&client->rng, 1, 4))) {
        return;
    }
    *tenant = first->tenant;
    for (unsigned tries = 0; tries < 3 * UPSTREAMS_MAX && ask->upstream_count < wanted; tries++) {
        struct known_job *job = tries == 0 ? first : client_pick(client);
        bool fits = job->tenant == first->tenant && job->is_once == first->is_once && job->family == first->family;
        struct str text;

        if (!fits && !rng_chance(&client->rng, 1, 20)) {
            continue;
        }
        if (job->name[0] != '\0' && rng_chance(&client->rng, 2, 3)) {
            text = client_keep(message, str_from(job->name));
        } else {
            char id[ID_TEXT_BYTES];

            id_format(ID_JOB, job->id, id);
            text = client_keep(message, str_from(id));
        }
        for (unsigned i = 0; i < ask->upstream_count; i++) {
            if (str_equal(ask->upstreams[i], text)) {
                text = STR("");
            }
        }
        if (!str_empty(text)) {
            ask->upstreams[ask->upstream_count++] = text;
        }
    }
    ask->wants_once = first->is_once;
    ask->family = first->family;
}

static bool wants_recurring(struct sim_client *client)
{
    const struct swarm *swarm = &client->world->swarm;
    bool has_recurring = swarm_has(swarm, FEATURE_CRON) || swarm_has(swarm, FEATURE_EVERY);
    bool has_once =
        swarm_has(swarm, FEATURE_NOW) || swarm_has(swarm, FEATURE_DELAY) || swarm_has(swarm, FEATURE_RUN_AT);

    /* Those that go on for ever are not to eat up all the events. */
    if (!has_recurring || client->recurring >= RECURRING_MAX || (has_once && rng_chance(&client->rng, 2, 3))) {
        return false;
    }
    client->recurring++;
    return true;
}

static bool read_def(struct sim_client *client, struct sim_message *message, struct str text, struct job_def *ret_def)
{
    struct jr_doc doc = {0};
    struct error error = {0};
    enum err err = jr_parse(text, NULL, &doc, &error);

    if (err == ERR_OK) {
        err = job_def_read(text, jr_root(&doc), &message->arena, ret_def, &error);
    }
    jr_done(&doc);
    if (err != ERR_OK) {
        world_find(client->world, "world", "a drawn definition is refused: %s %s: %.*s", error.field, error.text,
                   STR_ARGS(text));
    }
    return err == ERR_OK;
}

static struct str draw_name(struct sim_client *client, struct sim_message *message)
{
    if (!swarm_has(&client->world->swarm, FEATURE_NAMES) || rng_chance(&client->rng, 1, 3)) {
        return STR("");
    }
    return str_from(arena_printf(&message->arena, "j%llu",
                                 (unsigned long long)rng_below(&client->rng, client->world->swarm.names)));
}

static bool draw_one(struct sim_client *client, struct sim_message *message, unsigned tenant, size_t index,
                     uint64_t *hash)
{
    struct world *world = client->world;
    struct draw_ask ask = {.name = draw_name(client, message), .family = FAMILY_NONE};
    struct buf text;
    bool is_good;

    if (swarm_has(&world->swarm, FEATURE_DEPENDS) && rng_chance(&client->rng, 1, 3)) {
        draw_upstreams(client, message, &tenant, &ask);
    }
    if (ask.upstream_count == 0) {
        ask.wants_once = !wants_recurring(client);
        ask.family = !ask.wants_once && swarm_has(&world->swarm, FEATURE_DEPENDS) && rng_chance(&client->rng, 1, 2)
                         ? (int)rng_below(&client->rng, FAMILIES)
                         : FAMILY_NONE;
    }
    ask.tenant = sim_tenant_name(tenant);
    buf_init(&text, DEF_BYTES_MAX);
    draw_def(world, &client->rng, &ask, &text);
    *hash = hash64(buf_text(&text), text.len, *hash);
    message->tags[index] = (struct def_tag){.family = ask.family, .is_once = ask.wants_once};
    is_good = read_def(client, message, client_keep(message, buf_str(&text)), &message->command.defs[index]);
    buf_done(&text);
    return is_good;
}

struct sim_message *client_draw_create(struct sim_client *client)
{
    struct world *world = client->world;
    struct sim_message *message = sim_message_new(false);
    unsigned tenant = (unsigned)rng_below(&client->rng, world->swarm.tenants);
    bool is_many = swarm_has(&world->swarm, FEATURE_MANY) && rng_chance(&client->rng, 1, 6);
    size_t count = is_many ? (size_t)rng_between(&client->rng, 2, CLIENT_MANY_MAX) : 1;
    uint64_t hash = 0;

    message->command.kind = COMMAND_CREATE;
    message->command.defs = arena_alloc_array(&message->arena, count, sizeof *message->command.defs);
    message->tags = arena_alloc_array(&message->arena, count, sizeof *message->tags);
    for (size_t i = 0; i < count; i++) {
        if (!draw_one(client, message, tenant, i, &hash)) {
            sim_message_drop(message);
            return NULL;
        }
        message->command.def_count++;
    }
    client_set_key(client, message, tenant, str_from_bytes(&hash, sizeof hash));
    return message;
}

/* The key of an earlier question with another one: that must be refused. */
struct sim_message *client_draw_key_thief(struct sim_client *client)
{
    const struct sim_message *old = client->old[rng_below(&client->rng, CLIENT_OLD_MAX)];
    struct sim_message *message;

    if (old == NULL || str_empty(old->command.idem_key)) {
        return NULL;
    }
    message = client_draw_create(client);
    if (message != NULL) {
        message->command.idem_key = client_keep(message, old->command.idem_key);
        message->command.idem_tenant = old->command.idem_tenant;
    }
    return message;
}
