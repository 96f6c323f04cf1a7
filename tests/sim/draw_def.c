#include "draw_def.h"

#include <stdio.h>

#include "base/limits.h"
#include "calendar/duration.h"
#include "sim_names.h"

/* Beats longer than this make the default lease too short to be worth simulating. */
#define LONG_BEAT_MS 1000

static void draw_retry(struct world *world, struct rng *rng, struct jw *jw)
{
    char text[DURATION_BYTES];

    jw_key(jw, "retry");
    jw_begin_object(jw);
    jw_key(jw, "max_attempts");
    jw_int(jw, rng_between(rng, 1, 6));
    if (rng_chance(rng, 1, 2)) {
        uint64_t count = rng_below(rng, 4) + 1;

        jw_key(jw, "delays");
        jw_begin_array(jw);
        for (uint64_t i = 0; i < count; i++) {
            jw_text(jw, duration_format(swarm_beats(&world->swarm, rng, 0, 60), text));
        }
        jw_end_array(jw);
    } else {
        draw_duration(jw, "base", swarm_beats(&world->swarm, rng, 0, 20));
        jw_key(jw, "factor");
        jw_int(jw, rng_between(rng, 1, 3));
        draw_duration(jw, "max", swarm_beats(&world->swarm, rng, 20, 100));
    }
    if (rng_chance(rng, 1, 2)) {
        jw_key(jw, "jitter");
        jw_raw(jw, rng_chance(rng, 1, 2) ? STR("0") : STR("0.5"));
    }
    jw_end_object(jw);
}

static void draw_policies(struct world *world, struct rng *rng, struct jw *jw)
{
    static const char *const overlaps[] = {"skip", "queue", "collapse", "allow"};
    static const char *const misfires[] = {"fire_latest", "fire_now", "skip", "backfill"};
    const struct swarm *swarm = &world->swarm;

    if (swarm_has(swarm, FEATURE_OVERLAP) && rng_chance(rng, 3, 4)) {
        jw_key(jw, "overlap");
        jw_text(jw, overlaps[rng_below(rng, 4)]);
    }
    if (swarm_has(swarm, FEATURE_MISFIRE) && rng_chance(rng, 3, 4)) {
        jw_key(jw, "misfire");
        jw_text(jw, misfires[rng_below(rng, 4)]);
        if (rng_chance(rng, 3, 4)) {
            draw_duration(jw, "misfire_after", swarm_beats(swarm, rng, 0, 100));
        }
    }
    if (swarm_has(swarm, FEATURE_RETRY) && rng_chance(rng, 3, 4)) {
        draw_retry(world, rng, jw);
    }
    if (swarm_has(swarm, FEATURE_TIMEOUT) && rng_chance(rng, 1, 2)) {
        draw_duration(jw, "timeout", swarm_beats(swarm, rng, 2, 80));
    }
    if (swarm_has(swarm, FEATURE_EXPIRES) && rng_chance(rng, 1, 3)) {
        draw_duration(jw, "expires_after", swarm_beats(swarm, rng, 1, 300));
    }
    if (swarm_has(swarm, FEATURE_JITTER) && rng_chance(rng, 1, 4)) {
        draw_duration(jw, "jitter", swarm_beats(swarm, rng, 1, 40));
    }
}

static void draw_lease(struct world *world, struct rng *rng, struct jw *jw)
{
    const struct swarm *swarm = &world->swarm;
    int64_t lease_ms = swarm_beats(swarm, rng, 20, 60);

    if (swarm->beat_ms > LONG_BEAT_MS || (swarm_has(swarm, FEATURE_LEASE) && rng_chance(rng, 1, 2))) {
        lease_ms = lease_ms > LEASE_MIN_MS ? lease_ms : LEASE_MIN_MS;
        draw_duration(jw, "lease", lease_ms < LEASE_MAX_MS ? lease_ms : LEASE_MAX_MS);
    }
}

/* What is to be called or run, of any kind; null is none. */
static void draw_target(struct world *world, struct jw *jw)
{
    static const char *const targets[] = {"null", "{\"http\":{\"url\":\"http://localhost/\"}}",
                                          "{\"exec\":{\"argv\":[\"true\"]}}"};

    if (swarm_has(&world->swarm, FEATURE_TARGETS) && rng_chance(&world->target_rng, 3, 4)) {
        jw_key(jw, "target");
        jw_raw(jw, str_from(targets[rng_below(&world->target_rng, sizeof targets / sizeof targets[0])]));
    }
}

static void draw_place(struct world *world, struct rng *rng, struct jw *jw)
{
    const struct swarm *swarm = &world->swarm;
    unsigned pool = (unsigned)rng_below(rng, swarm->pools);
    unsigned type = (unsigned)rng_below(rng, swarm->types);

    if (pool > 0) {
        jw_key(jw, "pool");
        jw_str(jw, sim_pool_name(pool));
    }
    if (type > 0) {
        jw_key(jw, "type");
        jw_str(jw, sim_type_name(type));
    }
    if (swarm_has(swarm, FEATURE_PRIORITY) && rng_chance(rng, 1, 2)) {
        jw_key(jw, "priority");
        jw_int(jw, rng_between(rng, 1, 5));
    }
    draw_target(world, jw);
}

static void draw_key(struct world *world, struct rng *rng, struct jw *jw)
{
    static const char *const keys[] = {"k1", "k2"};

    if (!swarm_has(&world->swarm, FEATURE_KEYS) || rng_chance(rng, 2, 3)) {
        return;
    }
    jw_key(jw, "concurrency");
    jw_begin_object(jw);
    jw_key(jw, "key");
    jw_text(jw, keys[rng_below(rng, 2)]);
    if (rng_chance(rng, 2, 3)) {
        jw_key(jw, "max");
        jw_int(jw, rng_between(rng, 1, 3));
    }
    jw_end_object(jw);
}

static void draw_rest(struct world *world, struct rng *rng, struct jw *jw)
{
    char payload[48];

    if (rng_chance(rng, 1, 2)) {
        (void)snprintf(payload, sizeof payload, "{\"n\":%llu}", (unsigned long long)rng_below(rng, 1000));
        jw_key(jw, "payload");
        jw_raw(jw, str_from(payload));
    }
    if (swarm_has(&world->swarm, FEATURE_DEAD_POLICY) && rng_chance(rng, 1, 4)) {
        int64_t after_ms = swarm_beats(&world->swarm, rng, 5, 60);

        jw_key(jw, "dead_policy");
        jw_begin_object(jw);
        draw_duration(jw, "replay_after", after_ms > 1000 ? after_ms : 1000);
        jw_key(jw, "max_replays");
        jw_int(jw, rng_between(rng, 1, 3));
        jw_end_object(jw);
    }
}

static void draw_upstreams(struct rng *rng, const struct draw_ask *ask, struct jw *jw)
{
    static const char *const edges[] = {"success", "success", "failure", "done"};

    jw_key(jw, "depends_on");
    jw_begin_array(jw);
    for (unsigned i = 0; i < ask->upstream_count; i++) {
        if (rng_chance(rng, 1, 3)) {
            jw_str(jw, ask->upstreams[i]);
            continue;
        }
        jw_begin_object(jw);
        jw_key(jw, "job");
        jw_str(jw, ask->upstreams[i]);
        jw_key(jw, "on");
        jw_text(jw, edges[rng_below(rng, 4)]);
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

void draw_def(struct world *world, struct rng *rng, const struct draw_ask *ask, struct buf *out)
{
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    if (!str_is(ask->tenant, "default")) {
        jw_key(&jw, "tenant");
        jw_str(&jw, ask->tenant);
    }
    if (!str_empty(ask->name)) {
        jw_key(&jw, "name");
        jw_str(&jw, ask->name);
    }
    if (ask->upstream_count > 0) {
        draw_upstreams(rng, ask, &jw);
    } else if (ask->family != FAMILY_NONE) {
        draw_family(world, ask->family, &jw);
    } else if (ask->wants_once) {
        draw_once(world, rng, &jw);
    } else {
        draw_recurring(world, rng, &jw);
    }
    draw_place(world, rng, &jw);
    draw_policies(world, rng, &jw);
    draw_lease(world, rng, &jw);
    draw_key(world, rng, &jw);
    draw_rest(world, rng, &jw);
    jw_end_object(&jw);
    jw_done(&jw);
}

void draw_patch(struct world *world, struct rng *rng, bool may_reschedule, struct buf *out)
{
    static const char *const nulls[] = {"retry", "overlap", "misfire", "expires_after", "priority", "concurrency"};
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    switch (rng_below(rng, may_reschedule ? 7 : 6)) {
    case 0:
        draw_policies(world, rng, &jw);
        break;
    case 1:
        draw_place(world, rng, &jw);
        break;
    case 2:
        draw_key(world, rng, &jw);
        break;
    case 3:
        draw_lease(world, rng, &jw);
        draw_rest(world, rng, &jw);
        break;
    case 4:
        jw_key(&jw, nulls[rng_below(rng, sizeof nulls / sizeof nulls[0])]);
        jw_null(&jw);
        break;
    case 5:
        draw_duration(&jw, "jitter", swarm_beats(&world->swarm, rng, 0, 40));
        break;
    default:
        if (rng_chance(rng, 1, 3)) {
            draw_once(world, rng, &jw);
        } else {
            draw_reschedule(world, rng, &jw);
        }
        break;
    }
    jw_end_object(&jw);
    jw_done(&jw);
}
