/* recent: what was decided and is not durable yet, and no longer in memory otherwise.
 *
 * A load sees only what is committed. Until then these stand in: triggers that have ended, rows that go, replays of
 * dead letters, and answers under keys.
 *
 * Owns:  its entries, until their batch is durable.
 */
#ifndef ENGINE_RECENT_H
#define ENGINE_RECENT_H

#include "engine/core.h"

struct recent_end {
    struct list_node link; /* in engine.recent_ends, by batch */
    uint64_t batch;
    uint64_t id;
    uint32_t attempts;
    enum trigger_state state;
    enum attempt_state last_state;
    char *last_worker; /* NULL: no attempt */
};

struct recent_delete {
    struct list_node link; /* in engine.recent_deletes, by batch */
    uint64_t batch;
    uint64_t key; /* in engine.deletes */
};

struct recent_replay {
    struct list_node link; /* in engine.recent_replays, by batch */
    uint64_t batch;
    uint64_t dead, replay;
    struct op *op; /* while that batch is gathered: what the row of the dead one will say */
};

struct recent_idem {
    struct list_node link; /* in engine.recent_idems, by batch */
    struct map_node node;
    uint64_t batch;
    uint64_t hash[2];
    struct str result;
    char text[]; /* tenant, NUL, key, result */
};

void recent_ended(struct engine *engine, const struct trigger *trigger);
const struct recent_end *recent_find_end(const struct engine *engine, uint64_t trigger);

void recent_answered(struct engine *engine, struct str tenant, struct str key, const uint64_t hash[2],
                     struct str result);
const struct recent_idem *recent_find_idem(const struct engine *engine, struct str tenant, struct str key);

/* A row that is going: whoever reads it meanwhile reads an old story. A one-time job and its trigger have one id. */
void recent_deleted(struct engine *engine, enum id_kind kind, uint64_t id);
bool recent_is_deleted(const struct engine *engine, enum id_kind kind, uint64_t id);

/* A dead trigger names its newest replay: this batch writes it into its row. Which that is; 0: the row says it. */
void recent_replayed(struct engine *engine, uint64_t dead, uint64_t replay);
uint64_t recent_replay_of(const struct engine *engine, uint64_t dead);

/* Lets go of what is durable. */
void recent_settle(struct engine *engine);
void recent_free_all(struct engine *engine);

#endif
