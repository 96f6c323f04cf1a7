/* run: one attempt in this worker, from the grant to its end.
 *
 * Owns:  the item, and the program or the call that executes it.
 * Rules: (1) a run that is being stopped ends as the stop says, whatever its program or its endpoint says meanwhile.
 *            One that has ended by itself is past that; only the server's word outweighs it.
 *        (2) it is held, and named to the server, until nothing of it is left.
 *        (3) on_end is called exactly once, never from inside run_start; the run is freed right after it.
 * See:   worker.h, exec.h, http_call.h
 */
#ifndef WORKER_RUN_H
#define WORKER_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/map.h"
#include "worker/exec.h"
#include "worker/http_call.h"
#include "worker/item.h"
#include "worker/loop.h"
#include "worker/outcome.h"

/* In order of weight (rule 1). */
enum run_stop {
    RUN_GOES_ON,
    RUN_RELEASED,  /* given back: the worker ends */
    RUN_TIMED_OUT, /* its own timeout */
    RUN_CANCELLED, /* by the server */
};

struct run;

/* stop: RUN_CANCELLED: there is nothing to report. */
typedef void run_on_end(void *owner, struct run *run, enum run_stop stop, const struct outcome *outcome);

struct run {
    struct list_node node; /* in the owner's list */
    struct map_node by_id; /* in the owner's map */
    struct item item;
    struct loop *loop;
    run_on_end *on_end;
    void *owner;
    struct exec_run *exec;  /* while its program runs */
    struct http_call *call; /* while its call is under way */
    enum run_stop stop;
    struct loop_timer timeout;
    struct loop_timer ending; /* for what ends at once */
    struct outcome outcome;   /* of what ends at once */
    int64_t started_mono_ms;
};

struct run_tools {
    struct loop *loop;
    struct execs *execs;
    struct http_calls *calls;
    bool is_exec_allowed;
};

/* Takes the item over. What cannot be executed ends in the next turn of the loop. */
struct run *run_start(const struct run_tools *tools, struct item *item, run_on_end *on_end, void *owner);

/* is_hard: programs get KILL, not TERM. */
void run_stop(struct run *run, enum run_stop stop, bool is_hard);

#endif
