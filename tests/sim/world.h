/* world: everything around engines, simulated: time, nodes, disk, network, workers, clients, mishaps.
 *
 * One seed makes one world; it runs through two phases. First anything goes wrong that the seed's swarm allows. Then it
 * is healed: one healthy node, healthy workers for every pool, everything resumed; after a while everything that was
 * due must have ended. All along the checker watches, engines are asked to check themselves, and at the end an engine
 * restored from the disk must see what the last one saw.
 *
 * Owns:  all of it. Nothing in a world looks at the machine it runs on.
 * Rules: (1) things happen in the order of (time, tie), where ties are random: nothing can rely on who came first.
 *        (2) the first finding ends the world.
 * See:   swarm.h (what a seed makes of it), checker.h (what must hold)
 */
#ifndef TESTS_SIM_WORLD_H
#define TESTS_SIM_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/list.h"
#include "base/rng.h"
#include "calendar/zone_cache.h"
#include "checker.h"
#include "digest.h"
#include "marks.h"
#include "recent.h"
#include "swarm.h"
#include "trace.h"

struct memory_disk;
struct sim_client;
struct sim_nemesis;
struct sim_node;
struct sim_worker;
struct world;

/* Something that will happen. Embedded in whatever it happens to. Zeroed: not armed. */
struct sim_timer {
    struct heap_node node;
    int64_t at_ms; /* true time */
    uint64_t tie;
    void (*fire)(struct sim_timer *timer);
};

enum world_phase { PHASE_FAULTS, PHASE_HEALED };

/* What was found: the first rule that did not hold. */
#define FINDING_RULE_BYTES 48
#define FINDING_TEXT_BYTES 2048
struct finding {
    char rule[FINDING_RULE_BYTES]; /* empty: nothing */
    char text[FINDING_TEXT_BYTES];
};

struct world_figures {
    uint64_t engine_events;
    int64_t simulated_ms;
    uint64_t attempts; /* grants that reached a worker */
};

struct world {
    struct swarm swarm;
    struct zone_cache *zones; /* borrowed */
    struct marks *marks;      /* borrowed */
    struct trace *trace;      /* borrowed; NULL: nothing is written down */
    struct memory_disk *disk;
    struct checker *checker;
    struct digest digest;
    struct finding finding;
    enum world_phase phase;
    int64_t now_ms; /* true time */
    struct heap timers;
    struct rng tie_rng;
    uint64_t last_token;
    uint64_t engine_events;
    uint64_t grants; /* that reached a worker */

    struct list requests;        /* everything that is on its way or held */
    struct list stores;          /* every connection to the disk */
    struct recent recent_dead;   /* triggers that died lately */
    struct recent recent_living; /* that were claimed or made lately */
    struct rng net_rng;
    struct rng disk_rng;
    struct rng target_rng;      /* kinds of targets: of jobs and of workers */
    int64_t disk_down_until_ms; /* the store works for nobody until then */
    int64_t disk_slow_until_ms;

    /* Ownership, as a lease row and its lock would have it. */
    struct sim_node *holder;   /* whose lease it is; NULL: free */
    int64_t lease_until_ms;    /* true time */
    uint64_t acquired_epoch;   /* the store's latest */
    struct sim_node *acquirer; /* who has it */

    struct sim_node *nodes;
    struct sim_worker *workers;
    unsigned worker_count;
    struct sim_client *clients;
    struct sim_nemesis *nemesis;
    struct sim_timer heal_timer, end_timer, now_timer;
    unsigned end_waits;
    unsigned end_turns;  /* how often the end waited for a backlog */
    uint64_t end_grants; /* of the owner, when it last did */
    bool is_ended;
};

/* Runs one world to its end. Returns whether nothing was found; what was found, and the digest of all that happened,
 * are in *ret_finding and *ret_digest. trace may be NULL. */
bool world_run(const struct swarm *swarm, struct zone_cache *zones, struct marks *marks, struct trace *trace,
               struct finding *ret_finding, uint64_t *ret_digest, struct world_figures *ret_figures);

/* ---- for its parts ---- */

/* Arms it anew if it is armed. INT64_MAX: never. */
void world_arm(struct world *world, struct sim_timer *timer, int64_t at_ms);
void world_disarm(struct world *world, struct sim_timer *timer);

/* A rule does not hold: remembers the first. */
void world_find(struct world *world, const char *rule, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline bool world_over(const struct world *world)
{
    return world->finding.rule[0] != '\0';
}

static inline bool world_healed(const struct world *world)
{
    return world->phase == PHASE_HEALED;
}

/* Whether a fault of this class may happen now. */
static inline bool world_faulty(const struct world *world, enum fault fault)
{
    return world->phase == PHASE_FAULTS && swarm_faulty(&world->swarm, fault);
}

uint64_t world_token(struct world *world);

/* Looks whether the checker has found something. */
void world_ask_checker(struct world *world);

#define MARK(world, name) ((world)->marks->hits[MARK_##name]++)

/* Written down only where somebody reads it. */
#define TRACE(world, ...)                                                                                              \
    do {                                                                                                               \
        if ((world)->trace != NULL) {                                                                                  \
            trace_add((world)->trace, (world)->now_ms, __VA_ARGS__);                                                   \
        }                                                                                                              \
    } while (0)

#endif
