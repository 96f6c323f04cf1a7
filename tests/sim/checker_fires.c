#include "checker_state.h"

int64_t fires_due_ms(const struct def_version *def, const struct job *job, int64_t fire_ms)
{
    return schedule_due_ms(&def->schedule, job->by_id.key.number, fire_ms);
}

int64_t fires_last(const struct def_version *def, int64_t at_ms)
{
    int64_t fire_ms;

    return schedule_prev(&def->schedule, at_ms + 1, &fire_ms) ? fire_ms : TIME_NONE;
}

int64_t fires_last_due(const struct def_version *def, const struct job *job, int64_t at_ms)
{
    int64_t fire_ms = fires_last(def, at_ms);

    /* Nominal times come first; jitter ends before the next one, so this goes one step back at most. */
    while (fire_ms != TIME_NONE && fires_due_ms(def, job, fire_ms) > at_ms) {
        fire_ms = fires_last(def, fire_ms - 1);
    }
    return fire_ms;
}

int64_t fires_next(const struct def_version *def, int64_t after_ms, int64_t fired)
{
    int64_t fire_ms;

    return schedule_next_counted(&def->schedule, after_ms, fired, &fire_ms) ? fire_ms : TIME_NONE;
}

bool fires_is(const struct def_version *def, int64_t fire_ms)
{
    int64_t next_ms;

    return schedule_next(&def->schedule, fire_ms - 1, &next_ms) && next_ms == fire_ms;
}

int64_t fires_count(const struct def_version *def, int64_t from_ms, int64_t to_ms)
{
    return schedule_count(&def->schedule, from_ms, to_ms + 1);
}

bool fires_after_finish(const struct def_version *def)
{
    return def->has_schedule && def->schedule.kind == SCHEDULE_EVERY && def->schedule.after_finish;
}

bool fires_same(const struct def_version *a, const struct def_version *b)
{
    const struct job_def *x = &a->def;
    const struct job_def *y = &b->def;

    return x->when == y->when && x->run_at_ms == y->run_at_ms && x->delay_ms == y->delay_ms &&
           str_equal(x->cron, y->cron) && x->every_ms == y->every_ms && x->after_finish == y->after_finish &&
           str_equal(x->timezone, y->timezone) && x->dst.gap == y->dst.gap && x->dst.fold == y->dst.fold &&
           x->starts_at_ms == y->starts_at_ms && x->ends_at_ms == y->ends_at_ms && x->max_fires == y->max_fires &&
           a->anchor_ms == b->anchor_ms;
}
