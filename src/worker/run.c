#include "worker/run.h"

#include "base/chrono.h"
#include "base/mem.h"

static void end(struct run *run, const struct outcome *outcome)
{
    struct outcome forced = run->stop == RUN_TIMED_OUT ? outcome_timeout(run->item.timeout_ms) : outcome_released();

    loop_timer_clear(run->loop, &run->timeout);
    loop_timer_clear(run->loop, &run->ending);
    forced.result = outcome->result;
    forced.is_json = outcome->is_json;
    run->on_end(run->owner, run, run->stop, run->stop == RUN_GOES_ON ? outcome : &forced); /* rule 1 */
    item_done(&run->item);
    mem_free(run);
}

static void on_exec_end(void *owner, const struct outcome *outcome)
{
    struct run *run = owner;

    run->exec = NULL;
    end(run, outcome);
}

static void on_call_end(void *owner, const struct outcome *outcome)
{
    struct run *run = owner;

    run->call = NULL;
    end(run, outcome);
}

static void on_ending(void *owner)
{
    struct run *run = owner;

    end(run, &run->outcome);
}

static void on_timeout(void *owner)
{
    run_stop(owner, RUN_TIMED_OUT, false);
}

/* Ends it in the next turn: rule 3. */
static void end_soon(struct run *run, struct outcome outcome)
{
    run->outcome = outcome;
    loop_timer_set(run->loop, &run->ending, 0);
}

static void start_target(struct run *run, const struct run_tools *tools)
{
    struct outcome outcome = {0};

    switch (run->item.kind) {
    case ITEM_EXEC:
        if (!tools->is_exec_allowed) {
            outcome = outcome_failed(false, "exec_not_allowed",
                                     "this worker may not run programs; let it (its setting exec), or give the job a "
                                     "pool that is served by one that may");
            break;
        }
        run->exec = exec_start(tools->execs, &run->item, on_exec_end, run, &outcome);
        break;
    case ITEM_HTTP:
        run->call = http_call_start(tools->calls, &run->item, on_call_end, run, &outcome);
        break;
    case ITEM_NO_TARGET:
        outcome =
            outcome_failed(false, "no_target",
                           "the job has no target that this worker knows, so it is meant for a worker of your own; "
                           "give it a pool that only that worker serves, or a target");
        break;
    }
    if (run->exec == NULL && run->call == NULL) {
        end_soon(run, outcome);
    }
}

struct run *run_start(const struct run_tools *tools, struct item *item, run_on_end *on_end, void *owner)
{
    struct run *run = mem_zalloc(sizeof *run);

    *run = (struct run){.item = *item, .loop = tools->loop, .on_end = on_end, .owner = owner};
    *item = (struct item){0};
    run->started_mono_ms = chrono_mono_ms();
    list_node_init(&run->node);
    loop_timer_init(&run->timeout, on_timeout, run);
    loop_timer_init(&run->ending, on_ending, run);
    loop_timer_set(run->loop, &run->timeout, run->item.timeout_ms);
    start_target(run, tools);
    return run;
}

void run_stop(struct run *run, enum run_stop stop, bool is_hard)
{
    bool has_ended = run->exec != NULL ? exec_has_ended(run->exec) : run->call == NULL;

    if (has_ended && run->stop == RUN_GOES_ON && stop != RUN_CANCELLED) {
        return; /* rule 1 */
    }
    run->stop = stop > run->stop ? stop : run->stop; /* rule 1 */
    loop_timer_clear(run->loop, &run->timeout);
    if (run->exec != NULL) {
        exec_stop(run->exec, is_hard);
    } else if (run->call != NULL) {
        http_call_stop(run->call);
        run->call = NULL;
        end_soon(run, outcome_released());
    }
}
