/* draw_def: definitions of jobs, drawn from all there is.
 *
 * See: sim_client.h (who sends them), model/job_def.h (what they mean)
 */
#ifndef TESTS_SIM_DRAW_DEF_H
#define TESTS_SIM_DRAW_DEF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "base/rng.h"
#include "world.h"

/* Schedules that several jobs of a world have in common: what depends on more than one of them must have equal roots.
 */
#define FAMILIES 3
#define FAMILY_NONE (-1)

#define UPSTREAMS_MAX 4

/* What is asked of a definition. */
struct draw_ask {
    struct str tenant;
    struct str name; /* empty: none */
    struct str upstreams[UPSTREAMS_MAX];
    unsigned upstream_count; /* 0: it has a time of its own */
    bool wants_once;         /* a one-time job */
    int family;              /* the schedule of one of them; FAMILY_NONE: any */
};

/* Writes one definition as JSON. */
void draw_def(struct world *world, struct rng *rng, const struct draw_ask *ask, struct buf *out);

/* Writes a patch: some fields of a definition, some of them null. May it change the schedule? */
void draw_patch(struct world *world, struct rng *rng, bool may_reschedule, struct buf *out);

/* ---- between draw_def.c and draw_schedule.c ---- */

/* Appends the fields that say when. */
void draw_once(struct world *world, struct rng *rng, struct jw *jw);
void draw_recurring(struct world *world, struct rng *rng, struct jw *jw);
void draw_reschedule(struct world *world, struct rng *rng, struct jw *jw);
void draw_family(struct world *world, int family, struct jw *jw);

void draw_duration(struct jw *jw, const char *key, int64_t ms);

#endif
