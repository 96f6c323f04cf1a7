/* ready_world: a ready queue and a handful of entries, for tests that read as sentences.
 *
 * Entries are named by their number, from 1. Whatever is not said has its usual value: pool "main", tenant "acme", type
 * "mail", priority 3, due in the order of adding. After each step the rules are checked.
 */
#ifndef TESTS_UNIT_ENGINE_READY_WORLD_H
#define TESTS_UNIT_ENGINE_READY_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/ready.h"

#define WORLD_NOW_MS INT64_C(1000000)
#define WORLD_WALL_MS INT64_C(1775638800000)
#define WORLD_ENTRIES 3000

struct thing {
    struct ready_entry entry;
    struct ready_bucket *bucket; /* held until it ends or goes */
    bool is_probe;
};

struct world {
    struct ready *ready;
    int64_t now_ms;
    int count;
    struct thing things[WORLD_ENTRIES];
};

/* What is not said is NULL or 0. */
struct what {
    const char *pool, *tenant, *type;
    int priority;
    int64_t due_ms;
};

static inline void world_check(struct world *world)
{
    assert_true(ready_valid(world->ready, world->now_ms));
}

static inline void world_init(struct world *world)
{
    *world = (struct world){.ready = ready_new(7), .now_ms = WORLD_NOW_MS};
    ready_advance(world->ready, world->now_ms);
}

static inline void world_done(struct world *world)
{
    ready_free(world->ready);
}

static inline struct thing *world_thing(struct world *world, int number)
{
    assert_in_range(number, 1, world->count);
    return &world->things[number - 1];
}

static inline struct ready_bucket *world_bucket(struct world *world, struct what what)
{
    struct ready_place place = {.pool = str_from(what.pool != NULL ? what.pool : "main"),
                                .tenant = str_from(what.tenant != NULL ? what.tenant : "acme"),
                                .type = str_from(what.type != NULL ? what.type : "mail"),
                                .priority = what.priority != 0 ? what.priority : 3};

    return ready_bucket_get(world->ready, &place);
}

/* The new entry's number. */
static inline int world_add(struct world *world, struct what what)
{
    struct thing *thing = &world->things[world->count];

    assert_in_range(world->count, 0, WORLD_ENTRIES - 1);
    world->count++;
    thing->bucket = world_bucket(world, what);
    ready_add(world->ready, thing->bucket, &thing->entry, what.due_ms != 0 ? what.due_ms : world->count,
              (uint64_t)world->count);
    world_check(world);
    return world->count;
}

static inline void world_add_many(struct world *world, struct what what, int count)
{
    for (int i = 0; i < count; i++) {
        world_add(world, what);
    }
}

/* Starts the next of a pool; its number, 0 where there is none. */
static inline int world_start_in(struct world *world, const char *pool)
{
    struct ready_entry *entry = ready_pick(world->ready, str_from(pool), TARGET_NONE, world->now_ms);
    struct thing *thing;

    world_check(world);
    if (entry == NULL) {
        return 0;
    }
    thing = CONTAINER_OF(entry, struct thing, entry);
    thing->is_probe = ready_start(world->ready, entry, world->now_ms);
    world_check(world);
    return (int)(thing - world->things) + 1;
}

static inline int world_start(struct world *world)
{
    return world_start_in(world, "main");
}

static inline void world_end_as(struct world *world, int number, enum ready_outcome outcome)
{
    struct thing *thing = world_thing(world, number);

    ready_end(world->ready, thing->bucket, outcome, thing->is_probe, world->now_ms);
    world_check(world);
    ready_bucket_put(world->ready, thing->bucket);
    world_check(world);
}

static inline void world_end(struct world *world, int number)
{
    world_end_as(world, number, READY_SUCCEEDED);
}

static inline void world_remove(struct world *world, int number)
{
    struct thing *thing = world_thing(world, number);

    ready_remove(world->ready, &thing->entry);
    ready_bucket_put(world->ready, thing->bucket);
    world_check(world);
}

static inline void world_pass(struct world *world, int64_t ms)
{
    world->now_ms += ms;
    ready_advance(world->ready, world->now_ms);
    world_check(world);
}

static inline void world_set(struct world *world, enum scope scope, const char *name, struct settings settings)
{
    ready_set(world->ready, scope, (struct str){NULL, 0}, str_from(name), &settings, world->now_ms,
              WORLD_WALL_MS + world->now_ms - WORLD_NOW_MS);
    world_check(world);
}

static inline void world_set_pair(struct world *world, const char *tenant, const char *type, struct settings settings)
{
    ready_set(world->ready, SCOPE_TENANT_TYPE, str_from(tenant), str_from(type), &settings, world->now_ms,
              WORLD_WALL_MS + world->now_ms - WORLD_NOW_MS);
    world_check(world);
}

/* Whose the thing is. */
static inline struct str world_tenant(struct world *world, int number)
{
    return ready_bucket_place(world_thing(world, number)->bucket).tenant;
}

/* Whether a pool was told to have changed since the last question. */
static inline bool world_told(struct world *world, const char *pool)
{
    bool is_told = false;
    struct str name;
    enum job_target target;

    while (ready_take_changed_pool(world->ready, &name, &target)) {
        is_told = is_told || str_is(name, pool);
    }
    return is_told;
}

/* ---- settings, one at a time ---- */

static inline struct settings world_paused(void)
{
    struct settings settings = settings_none();

    settings.is_paused = true;
    return settings;
}

static inline struct settings world_at_most(int64_t max)
{
    struct settings settings = settings_none();

    settings.max_in_flight = max;
    return settings;
}

static inline struct settings world_per_second(int64_t count, int64_t burst)
{
    struct settings settings = settings_none();

    settings.rate_count = count;
    settings.rate_period_ms = 1000;
    settings.burst = burst;
    return settings;
}

static inline struct settings world_weight(int64_t weight)
{
    struct settings settings = settings_none();

    settings.weight = weight;
    return settings;
}

/* Opens when two of two failed, for a second; two successes close it. */
static inline struct settings world_breaker(void)
{
    struct settings settings = settings_none();

    settings.has_breaker = true;
    settings.breaker = (struct breaker_settings){
        .failure_milli = 1000, .min_attempts = 2, .window_ms = 10000, .open_ms = 1000, .closing_successes = 2};
    return settings;
}

#endif
