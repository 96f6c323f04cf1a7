/* When a drawn job fires. */
#include <stdio.h>

#include "calendar/duration.h"
#include "calendar/instant.h"
#include "draw_def.h"

#define SECOND_MS 1000
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* Gaps and folds of half an hour, an hour and two; at midnight; offsets that are no whole hours; none at all. */
static const char *const zones[] = {
    "America/New_York",  "Europe/Berlin",      "Europe/London",     "Australia/Lord_Howe", "Antarctica/Troll",
    "America/Santiago",  "Pacific/Auckland",   "Asia/Kathmandu",    "Pacific/Chatham",     "America/St_Johns",
    "Africa/Casablanca", "Pacific/Kiritimati", "America/Sao_Paulo", "Asia/Tehran",         "UTC",
};

void draw_duration(struct jw *jw, const char *key, int64_t ms)
{
    char text[DURATION_BYTES];

    jw_key(jw, key);
    jw_text(jw, duration_format(ms, text));
}

static void draw_instant(struct jw *jw, const char *key, int64_t ms)
{
    char text[INSTANT_BYTES];

    jw_key(jw, key);
    jw_text(jw, instant_format(ms, text));
}

void draw_once(struct world *world, struct rng *rng, struct jw *jw)
{
    const struct swarm *swarm = &world->swarm;
    uint64_t way = rng_below(rng, 3);

    if (way == 0 && swarm_has(swarm, FEATURE_DELAY)) {
        draw_duration(jw, "delay", swarm_beats(swarm, rng, 0, 200));
    } else if (way == 1 && swarm_has(swarm, FEATURE_RUN_AT)) {
        int64_t at_ms = world->now_ms + rng_between(rng, -20, 250) * swarm->beat_ms;
        int64_t round_ms = 100 * swarm->beat_ms;

        /* Half of them together, so that a herd is due at one instant. */
        draw_instant(jw, "run_at", rng_chance(rng, 1, 2) ? at_ms / round_ms * round_ms : at_ms);
    }
}

/* An expression that fires about every step_ms. */
static void draw_expression(struct rng *rng, int64_t step_ms, char *out, size_t size)
{
    int minute = (int)rng_below(rng, 60);

    if (step_ms < MINUTE_MS) {
        int64_t seconds = step_ms / SECOND_MS;

        (void)snprintf(out, size, "%d/%lld * * * * ?", (int)rng_below(rng, 4), (long long)(seconds > 0 ? seconds : 1));
    } else if (step_ms < HOUR_MS) {
        (void)snprintf(out, size, rng_chance(rng, 1, 4) ? "H/%lld * * * *" : "*/%lld * * * *",
                       (long long)(step_ms / MINUTE_MS));
    } else if (step_ms < 6 * HOUR_MS && rng_chance(rng, 2, 3)) {
        (void)snprintf(out, size, "%d */%lld * * *", minute, (long long)(step_ms / HOUR_MS));
    } else if (rng_chance(rng, 1, 3)) {
        (void)snprintf(out, size, "%d 1-3 * * *", minute);
    } else {
        static const int hours[] = {0, 1, 2, 2, 2, 3, 23};

        (void)snprintf(out, size, "%d %d * * *", minute, hours[rng_below(rng, sizeof hours / sizeof hours[0])]);
    }
}

static void draw_cron(struct world *world, struct rng *rng, struct jw *jw)
{
    static const char *const gaps[] = {"after", "shift", "skip"};
    static const char *const folds[] = {"first", "second", "both"};
    char expression[64];

    draw_expression(rng, swarm_beats(&world->swarm, rng, 15, 400), expression, sizeof expression);
    jw_key(jw, "cron");
    jw_text(jw, expression);
    if (swarm_has(&world->swarm, FEATURE_ZONES)) {
        jw_key(jw, "timezone");
        jw_text(jw, zones[rng_below(rng, sizeof zones / sizeof zones[0])]);
        if (rng_chance(rng, 1, 2)) {
            jw_key(jw, "dst");
            jw_begin_object(jw);
            jw_key(jw, "gap");
            jw_text(jw, gaps[rng_below(rng, 3)]);
            jw_key(jw, "fold");
            jw_text(jw, folds[rng_below(rng, 3)]);
            jw_end_object(jw);
        }
    }
}

static void draw_every(struct world *world, struct rng *rng, bool may_finish, struct jw *jw)
{
    int64_t every_ms = swarm_beats(&world->swarm, rng, 15, 400);
    char text[DURATION_BYTES];

    every_ms = every_ms < EVERY_MIN_MS ? EVERY_MIN_MS : every_ms;
    if (!may_finish || !swarm_has(&world->swarm, FEATURE_AFTER_FINISH) || rng_chance(rng, 1, 2)) {
        draw_duration(jw, "every", every_ms);
        return;
    }
    jw_key(jw, "every");
    jw_begin_object(jw);
    jw_key(jw, "interval");
    jw_text(jw, duration_format(every_ms, text));
    jw_key(jw, "after");
    jw_text(jw, "finish");
    jw_end_object(jw);
}

static void draw_bounds(struct world *world, struct rng *rng, struct jw *jw)
{
    const struct swarm *swarm = &world->swarm;

    if (swarm_has(swarm, FEATURE_BOUNDS) && rng_chance(rng, 1, 3)) {
        if (rng_chance(rng, 1, 2)) {
            draw_instant(jw, "starts_at", world->now_ms + rng_between(rng, -100, 200) * swarm->beat_ms);
        }
        if (rng_chance(rng, 1, 2)) {
            draw_instant(jw, "ends_at", world->now_ms + rng_between(rng, 250, 1500) * swarm->beat_ms);
        }
    }
    if (swarm_has(swarm, FEATURE_MAX_FIRES) && rng_chance(rng, 1, 3)) {
        jw_key(jw, "max_fires");
        jw_int(jw, rng_between(rng, 1, 12));
    }
}

void draw_recurring(struct world *world, struct rng *rng, struct jw *jw)
{
    const struct swarm *swarm = &world->swarm;

    if (!swarm_has(swarm, FEATURE_EVERY) || (swarm_has(swarm, FEATURE_CRON) && rng_chance(rng, 1, 2))) {
        draw_cron(world, rng, jw);
    } else {
        draw_every(world, rng, true, jw);
    }
    draw_bounds(world, rng, jw);
}

void draw_reschedule(struct world *world, struct rng *rng, struct jw *jw)
{
    const struct swarm *swarm = &world->swarm;
    bool is_cron = !swarm_has(swarm, FEATURE_EVERY) || (swarm_has(swarm, FEATURE_CRON) && rng_chance(rng, 1, 2));

    if (is_cron) {
        draw_cron(world, rng, jw);
    } else {
        draw_every(world, rng, true, jw);
    }
    /* There is one way of saying when: the other one goes. */
    jw_key(jw, is_cron ? "every" : "cron");
    jw_null(jw);
    draw_bounds(world, rng, jw);
}

/* The same each time it is drawn: from a stream of its own, and with starts_at, so that every counts from one instant.
 */
void draw_family(struct world *world, int family, struct jw *jw)
{
    const struct swarm *swarm = &world->swarm;
    char stream[16];
    struct rng rng;

    (void)snprintf(stream, sizeof stream, "family.%d", family);
    swarm_rng(swarm->seed, stream, &rng);
    if (swarm_has(swarm, FEATURE_CRON) && rng_chance(&rng, 1, 2)) {
        draw_cron(world, &rng, jw);
    } else {
        draw_every(world, &rng, false, jw);
        draw_instant(jw, "starts_at", swarm->start_ms + rng_between(&rng, 0, 50) * swarm->beat_ms);
    }
    if (swarm_has(swarm, FEATURE_MAX_FIRES) && rng_chance(&rng, 1, 4)) {
        jw_key(jw, "max_fires");
        jw_int(jw, rng_between(&rng, 2, 20));
    }
}
