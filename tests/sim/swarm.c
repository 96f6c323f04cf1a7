#include "swarm.h"

#include <string.h>

#include "base/hash.h"

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

#define BIT(n) (UINT64_C(1) << (n))
#define ALL_FEATURES (BIT(FEATURE_COUNT) - 1)
#define ALL_FAULTS (BIT(FAULT_COUNT) - 1)

static const struct {
    const char *text;
    unsigned lack;
} features[] = {
#define X(name, lack) {#name, lack},
    FEATURE_TABLE(X)
#undef X
};

static const struct {
    const char *text;
    unsigned chance;
} faults[] = {
#define X(name, chance) {#name, chance},
    FAULT_TABLE(X)
#undef X
};

static const struct {
    const char *text;
    const char *about;
} profiles[] = {
#define X(name, text, about) {text, about},
    PROFILE_TABLE(X)
#undef X
};

const char *profile_text(enum profile profile)
{
    return profiles[profile].text;
}

const char *profile_about(enum profile profile)
{
    return profiles[profile].about;
}

enum profile profile_parse(const char *text)
{
    int i = 0;

    while (i < PROFILE_COUNT && strcmp(profiles[i].text, text) != 0) {
        i++;
    }
    return (enum profile)i;
}

const char *feature_text(enum feature feature)
{
    return features[feature].text;
}

const char *fault_text(enum fault fault)
{
    return faults[fault].text;
}

enum feature feature_parse(const char *text)
{
    int i = 0;

    while (i < FEATURE_COUNT && strcmp(features[i].text, text) != 0) {
        i++;
    }
    return (enum feature)i;
}

enum fault fault_parse(const char *text)
{
    int i = 0;

    while (i < FAULT_COUNT && strcmp(faults[i].text, text) != 0) {
        i++;
    }
    return (enum fault)i;
}

void swarm_rng(uint64_t seed, const char *component, struct rng *rng)
{
    rng_init(rng, hash64(component, strlen(component), seed));
}

int64_t swarm_beats(const struct swarm *swarm, struct rng *rng, int64_t from, int64_t to)
{
    int64_t ms = rng_between(rng, from * swarm->beat_ms, to * swarm->beat_ms);

    return ms > 0 ? ms : 1;
}

/* Somewhere from min to max, each power of two as likely as the next. */
static int64_t draw_scale(struct rng *rng, int64_t min, int64_t max)
{
    unsigned doublings = 0;
    int64_t low;

    while ((min << doublings) < max) {
        doublings++;
    }
    low = min << rng_below(rng, doublings + 1);
    low = low < max ? low : max;
    return rng_between(rng, low, low < max / 2 ? 2 * low : max);
}

static void draw_subsets(struct swarm *swarm, struct rng *rng)
{
    for (int i = 0; i < FEATURE_TARGETS; i++) {
        swarm->features |= rng_chance(rng, features[i].lack - 1, features[i].lack) ? BIT(i) : 0;
    }
    for (int i = 0; i < FAULT_COUNT; i++) {
        swarm->faults |= rng_chance(rng, 1, faults[i].chance) ? BIT(i) : 0;
    }
    if (rng_chance(rng, 1, 10)) {
        swarm->faults = 0;
    }
}

/* It came later: what the other features and the faults of a seed are stays as it was. */
static void draw_targets(struct swarm *swarm, struct rng *rng)
{
    unsigned lack = features[FEATURE_TARGETS].lack;

    swarm->features |= rng_chance(rng, lack - 1, lack) ? BIT(FEATURE_TARGETS) : 0;
}

/* Shortly before clocks change somewhere: New York, Berlin, Lord Howe (half an hour), Apia's lost day, Troll (two
 * hours) and others, in UTC. */
static const int64_t changes_s[] = {
    1772953200, /* 2026-03-08 07:00 New York, forward */
    1793512800, /* 2026-11-01 06:00 New York, back */
    1774746000, /* 2026-03-29 01:00 Berlin, London, Troll, forward */
    1792890000, /* 2026-10-25 01:00 Berlin, London, Troll, back */
    1775314800, /* 2026-04-04 15:00 Lord Howe, back by half an hour */
    1791041400, /* 2026-10-03 15:30 Lord Howe, forward */
    1775311200, /* 2026-04-04 14:00 Auckland, back */
    1790431200, /* 2026-09-26 14:00 Auckland, forward */
    1775358000, /* 2026-04-05 03:00 Santiago, back at midnight */
    1788667200, /* 2026-09-06 04:00 Santiago, forward at midnight */
};

static int64_t draw_start(const struct swarm *swarm, struct rng *rng)
{
    int64_t ms;

    if (rng_chance(rng, 1, 2)) {
        ms = changes_s[rng_below(rng, sizeof changes_s / sizeof changes_s[0])] * 1000;
        ms -= rng_between(rng, 0, swarm->length_ms);
    } else {
        ms = rng_between(rng, INT64_C(1735689600000), INT64_C(1893456000000)); /* 2025 to 2030 */
    }
    return rng_chance(rng, 1, 4) ? ms / MINUTE_MS * MINUTE_MS : ms;
}

static void draw_sizes(struct swarm *swarm, struct rng *rng)
{
    swarm->nodes = (unsigned)rng_between(rng, 1, 3);
    swarm->workers = (unsigned)rng_between(rng, 1, 6);
    swarm->clients = (unsigned)rng_between(rng, 1, 3);
    swarm->pools = (unsigned)rng_between(rng, 1, 3);
    swarm->tenants = (unsigned)rng_between(rng, 1, 4);
    swarm->types = (unsigned)rng_between(rng, 1, 3);
    swarm->names = (unsigned)rng_between(rng, 4, 40);
    swarm->jobs_max = (unsigned)rng_between(rng, 5, 60);
    swarm->capacity = (unsigned)draw_scale(rng, 1, 16);
    swarm->length_ms = draw_scale(rng, 2 * MINUTE_MS, 2 * DAY_MS);
    swarm->op_every_ms = swarm->length_ms / draw_scale(rng, 40, 600);
    swarm->fault_every_ms = swarm->length_ms / draw_scale(rng, 3, 40);
    swarm->net_ms = draw_scale(rng, 1, 20);
    swarm->commit_ms = draw_scale(rng, 1, 20);
    swarm->skew_ms = draw_scale(rng, 1, 5000);
    swarm->jump_ms = draw_scale(rng, 1000, 5 * MINUTE_MS);
    swarm->check_every = (unsigned)draw_scale(rng, 50, 1000);
    swarm->is_resolving = rng_chance(rng, 1, 2);
    swarm->events_max = 12000;
}

/* Small windows and pages, so that most of the jobs are behind an edge; sometimes what production has. */
static void draw_engine(struct swarm *swarm, struct rng *rng)
{
    if (rng_chance(rng, 1, 4)) {
        return;
    }
    swarm->window_ms = swarm_beats(swarm, rng, 1, SWARM_BEATS / 4);
    swarm->page_rows = (uint64_t)draw_scale(rng, 1, 64);
    if (rng_chance(rng, 1, 2)) {
        swarm->engine_jobs_max = (uint64_t)draw_scale(rng, 8, 256);
    }
    if (rng_chance(rng, 1, 3)) {
        swarm->def_bytes_max = (uint64_t)draw_scale(rng, 256, 64 * 1024);
    }
}

static void apply_workers(struct swarm *swarm)
{
    swarm->faults = BIT(FAULT_NET_DELAY) | BIT(FAULT_NET_LOSS) | BIT(FAULT_NET_DOUBLE);
    for (int i = FAULT_WORKER_DIE; i < FAULT_COUNT; i++) {
        swarm->faults |= BIT(i);
    }
    swarm->features |= BIT(FEATURE_RETRY) | BIT(FEATURE_TIMEOUT) | BIT(FEATURE_LEASE) | BIT(FEATURE_NOW);
}

static void apply_herd(struct swarm *swarm, struct rng *rng)
{
    swarm->features |= BIT(FEATURE_MANY) | BIT(FEATURE_RUN_AT) | BIT(FEATURE_NOW);
    swarm->features &= ~(BIT(FEATURE_CRON) | BIT(FEATURE_EVERY) | BIT(FEATURE_DEPENDS));
    swarm->op_every_ms = swarm->length_ms / 200;
    swarm->jobs_max = 2000;
    swarm->workers = (unsigned)rng_between(rng, 2, 6);
    swarm->capacity = 32;
    swarm->page_rows = (uint64_t)draw_scale(rng, 1, 32);
    swarm->engine_jobs_max = (uint64_t)draw_scale(rng, 8, 64);
}

static void apply_profile(struct swarm *swarm, struct rng *rng)
{
    switch (swarm->profile) {
    case PROFILE_SWARM:
    case PROFILE_COUNT:
        break;
    case PROFILE_CALM:
        swarm->features = ALL_FEATURES;
        swarm->faults = 0;
        break;
    case PROFILE_FAULTS:
        swarm->features &= ~(BIT(FEATURE_DEPENDS) | BIT(FEATURE_BREAKERS) | BIT(FEATURE_DEAD_POLICY));
        swarm->faults = ALL_FAULTS;
        swarm->nodes = 2 + swarm->nodes % 2;
        break;
    case PROFILE_HERD:
        apply_herd(swarm, rng);
        break;
    case PROFILE_DST:
        swarm->features = BIT(FEATURE_CRON) | BIT(FEATURE_ZONES) | BIT(FEATURE_OVERLAP) | BIT(FEATURE_MISFIRE) |
                          BIT(FEATURE_JITTER) | BIT(FEATURE_NAMES) | BIT(FEATURE_BOUNDS) | BIT(FEATURE_PATCH);
        swarm->length_ms = rng_between(rng, 6 * HOUR_MS, 2 * DAY_MS);
        break;
    case PROFILE_DEPS:
        swarm->features |= BIT(FEATURE_DEPENDS) | BIT(FEATURE_NAMES) | BIT(FEATURE_CRON) | BIT(FEATURE_NOW);
        break;
    case PROFILE_GATES:
        swarm->features |= BIT(FEATURE_CAPS) | BIT(FEATURE_RATES) | BIT(FEATURE_WEIGHTS) | BIT(FEATURE_PAUSES) |
                           BIT(FEATURE_BREAKERS) | BIT(FEATURE_KEYS) | BIT(FEATURE_PRIORITY);
        swarm->faults |= BIT(FAULT_WORKER_FAIL) | BIT(FAULT_WORKER_SLOW);
        break;
    case PROFILE_OVERLAPS:
        swarm->features |= BIT(FEATURE_CRON) | BIT(FEATURE_EVERY) | BIT(FEATURE_OVERLAP) | BIT(FEATURE_MISFIRE);
        swarm->faults |= BIT(FAULT_WORKER_SLOW) | BIT(FAULT_STORE_DOWN) | BIT(FAULT_NO_WORKER);
        break;
    case PROFILE_WORKERS:
        apply_workers(swarm);
        break;
    case PROFILE_CLOCKS:
        swarm->faults |= BIT(FAULT_CLOCK_SKEW) | BIT(FAULT_CLOCK_JUMP) | BIT(FAULT_CRASH) | BIT(FAULT_PAUSE);
        break;
    case PROFILE_TINY:
        swarm->length_ms = rng_between(rng, 2 * MINUTE_MS, 20 * MINUTE_MS);
        swarm->op_every_ms = swarm->length_ms / 20;
        swarm->jobs_max = 3;
        swarm->names = 3;
        swarm->workers = 1;
        break;
    case PROFILE_PINNED:
        swarm->features &= ~BIT(FEATURE_ZONES);
        break;
    }
}

void swarm_draw(uint64_t seed, enum profile profile, struct swarm *ret_swarm)
{
    struct rng subsets, targets, sizes;

    *ret_swarm = (struct swarm){.seed = seed, .profile = profile};
    swarm_rng(seed, "swarm.subsets", &subsets);
    swarm_rng(seed, "swarm.targets", &targets);
    swarm_rng(seed, "swarm.sizes", &sizes);
    draw_subsets(ret_swarm, &subsets);
    draw_targets(ret_swarm, &targets);
    draw_sizes(ret_swarm, &sizes);
    apply_profile(ret_swarm, &sizes);
    ret_swarm->beat_ms = ret_swarm->length_ms / SWARM_BEATS;
    ret_swarm->beat_ms = ret_swarm->beat_ms > 0 ? ret_swarm->beat_ms : 1;
    ret_swarm->lease_ms = ret_swarm->beat_ms > 1000 ? 5 * ret_swarm->beat_ms : 5000;
    ret_swarm->start_ms = draw_start(ret_swarm, &sizes);
    if (ret_swarm->page_rows == 0) {
        draw_engine(ret_swarm, &sizes);
    }
}
