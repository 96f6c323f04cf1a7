/* swarm: what kind of world a seed makes.
 *
 * A run with every feature and every fault at once meets none of them deeply. So a seed first picks a subset of
 * features and faults, then sizes, rates and a date; a profile narrows the choice.
 *
 * Owns:  nothing; a struct swarm is plain data.
 * Rules: (1) one stream of random numbers for each component, from the seed and the component's name: switching one
 * thing off leaves the draws of all others as they were. (2) times in a world are counted in beats: a world of minutes
 * and one of days have about as many events.
 */
#ifndef TESTS_SIM_SWARM_H
#define TESTS_SIM_SWARM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/str.h"

/* name, one chance in how many that a seed lacks it */
#define FEATURE_TABLE(X)                                                                                               \
    X(NOW, 8)                                                                                                          \
    X(DELAY, 3)                                                                                                        \
    X(RUN_AT, 3)                                                                                                       \
    X(CRON, 2)                                                                                                         \
    X(EVERY, 3)                                                                                                        \
    X(AFTER_FINISH, 2)                                                                                                 \
    X(JITTER, 2)                                                                                                       \
    X(BOUNDS, 2)                                                                                                       \
    X(MAX_FIRES, 2)                                                                                                    \
    X(OVERLAP, 3)                                                                                                      \
    X(MISFIRE, 3)                                                                                                      \
    X(EXPIRES, 2)                                                                                                      \
    X(RETRY, 3)                                                                                                        \
    X(TIMEOUT, 2)                                                                                                      \
    X(LEASE, 2)                                                                                                        \
    X(PRIORITY, 2)                                                                                                     \
    X(KEYS, 2)                                                                                                         \
    X(DEPENDS, 2)                                                                                                      \
    X(NAMES, 5)                                                                                                        \
    X(MANY, 3)                                                                                                         \
    X(IDEM, 2)                                                                                                         \
    X(PATCH, 2)                                                                                                        \
    X(STATUS, 2)                                                                                                       \
    X(DELETE, 2)                                                                                                       \
    X(RUN, 2)                                                                                                          \
    X(BACKFILL, 2)                                                                                                     \
    X(DEAD, 2)                                                                                                         \
    X(CANCEL, 2)                                                                                                       \
    X(WHY, 2)                                                                                                          \
    X(CAPS, 2)                                                                                                         \
    X(RATES, 2)                                                                                                        \
    X(WEIGHTS, 2)                                                                                                      \
    X(PAUSES, 2)                                                                                                       \
    X(BREAKERS, 2)                                                                                                     \
    X(DEAD_POLICY, 2)                                                                                                  \
    X(ZONES, 2)                                                                                                        \
    X(TARGETS, 2) /* drawn from a stream of its own */

enum feature {
#define X(name, lack) FEATURE_##name,
    FEATURE_TABLE(X)
#undef X
        FEATURE_COUNT
};

/* name, one chance in how many that a seed has it */
#define FAULT_TABLE(X)                                                                                                 \
    X(NET_DELAY, 2)     /* requests and answers overtake each other */                                                 \
    X(NET_LOSS, 2)      /* a request or an answer is lost */                                                           \
    X(NET_DOUBLE, 2)    /* a request arrives twice */                                                                  \
    X(STORE_SLOW, 2)    /* commits and loads take long now and then */                                                 \
    X(STORE_AGAIN, 3)   /* busy */                                                                                     \
    X(STORE_DOWN, 3)    /* for a while */                                                                              \
    X(STORE_UNKNOWN, 2) /* both ways */                                                                                \
    X(STORE_LATE, 3)    /* a straggler */                                                                              \
    X(CRASH, 2)         /* of the owner */                                                                             \
    X(PAUSE, 2)         /* of the owner: it becomes a zombie */                                                        \
    X(PARTITION, 3)     /* the owner cannot reach the store */                                                         \
    X(DRAIN, 3)         /* planned restarts */                                                                         \
    X(CLOCK_SKEW, 3)    /* offsets and drift */                                                                        \
    X(CLOCK_JUMP, 4)    /* forward and back */                                                                         \
    X(TICK_LATE, 2)     /* the owner is woken late */                                                                  \
    X(WORKER_DIE, 2)                                                                                                   \
    X(WORKER_SLEEP, 2) /* longer than its leases, then back */                                                         \
    X(WORKER_SLOW, 2)                                                                                                  \
    X(WORKER_FAIL, 2) /* more failures than usual */                                                                   \
    X(WORKER_HANG, 2) /* attempts that are never finished */                                                           \
    X(WORKER_DROP, 2) /* attempts forgotten without a word */                                                          \
    X(WORKER_RELEASE, 2)                                                                                               \
    X(WORKER_LIE, 2)   /* contradictions, wrong numbers, invented triggers */                                          \
    X(WORKER_TWICE, 2) /* reports again */                                                                             \
    X(WORKER_DEAF, 3)  /* ignores cancel */                                                                            \
    X(WORKER_SEQ, 3)   /* none, or the same again */                                                                   \
    X(NO_WORKER, 4)    /* a pool that nobody serves for a while */

enum fault {
#define X(name, chance) FAULT_##name,
    FAULT_TABLE(X)
#undef X
        FAULT_COUNT
};

/* name, what it is about */
#define PROFILE_TABLE(X)                                                                                               \
    X(SWARM, "swarm", "any subset of everything")                                                                      \
    X(CALM, "calm", "every feature, no fault")                                                                         \
    X(FAULTS, "faults", "few features, every fault")                                                                   \
    X(HERD, "herd", "many jobs due at once, and a small window")                                                       \
    X(DST, "dst", "cron in odd zones, around changes of the clocks")                                                   \
    X(DEPS, "deps", "dependencies: chains, diamonds, fans")                                                            \
    X(GATES, "gates", "caps, rates, weights, pauses, breakers, keys")                                                  \
    X(OVERLAPS, "overlaps", "every overlap with every misfire, slow work, long outages")                               \
    X(WORKERS, "workers", "every mischief of workers")                                                                 \
    X(CLOCKS, "clocks", "clocks that are wrong and jump")                                                              \
    X(TINY, "tiny", "a few jobs and one worker: short histories")                                                      \
    X(PINNED, "pinned", "everything that does not depend on tzdata: for comparing compilers")

enum profile {
#define X(name, text, about) PROFILE_##name,
    PROFILE_TABLE(X)
#undef X
        PROFILE_COUNT
};

struct swarm {
    uint64_t seed;
    enum profile profile;
    uint64_t features;   /* bits */
    uint64_t faults;     /* bits */
    int64_t start_ms;    /* true time at which the world begins */
    int64_t length_ms;   /* of the first phase */
    int64_t beat_ms;     /* length_ms / SWARM_BEATS, at least 1 */
    uint64_t events_max; /* of engines, in the first phase */
    unsigned nodes, workers, clients;
    unsigned pools, tenants, types;
    unsigned names;         /* that clients draw from */
    unsigned jobs_max;      /* that clients know of at a time */
    unsigned capacity;      /* of a worker */
    int64_t op_every_ms;    /* mean time between a client's commands */
    int64_t fault_every_ms; /* mean time between faults of machines */
    int64_t lease_ms;       /* of the shard: its owner renews it five times in that, and trusts it four fifths of it */
    int64_t net_ms;         /* usual delay of a message, at most */
    int64_t commit_ms;      /* usual length of a commit, at most */
    int64_t skew_ms;        /* of wall clocks, at most */
    int64_t jump_ms;        /* of wall clocks, at most */
    unsigned check_every;   /* engine steps between looks at all of an engine */
    bool is_resolving;      /* owners look up unknown commits instead of answering "unknown" */
    /* Of engines. */
    int64_t window_ms;
    uint64_t page_rows, engine_jobs_max, def_bytes_max;
};

#define SWARM_BEATS 2000

/* A component's stream. */
void swarm_rng(uint64_t seed, const char *component, struct rng *rng);

void swarm_draw(uint64_t seed, enum profile profile, struct swarm *ret_swarm);

static inline bool swarm_has(const struct swarm *swarm, enum feature feature)
{
    return (swarm->features >> feature & 1) != 0;
}

static inline bool swarm_faulty(const struct swarm *swarm, enum fault fault)
{
    return (swarm->faults >> fault & 1) != 0;
}

/* from to to beats, at least 1 ms. */
int64_t swarm_beats(const struct swarm *swarm, struct rng *rng, int64_t from, int64_t to);

const char *profile_text(enum profile profile);
const char *profile_about(enum profile profile);

/* PROFILE_COUNT where there is none of that name. */
enum profile profile_parse(const char *text);

const char *feature_text(enum feature feature);
const char *fault_text(enum fault fault);

/* FEATURE_COUNT and FAULT_COUNT where there is none of that name. */
enum feature feature_parse(const char *text);
enum fault fault_parse(const char *text);

#endif
