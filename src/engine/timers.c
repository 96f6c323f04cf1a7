#include "engine/timers.h"

/* Handed out in one step: a million that are due at once are many batches, and not one that fills the memory. What is
 * left is due at once, so that steps follow each other until there is none. */
#define TIMERS_STEP_MAX 20000

void timer_init(struct timer *timer, enum timer_kind kind)
{
    wheel_node_init(&timer->node);
    list_node_init(&timer->node.link);
    timer->node.tag = (uint16_t)kind;
}

bool timer_armed(const struct timer *timer)
{
    return wheel_linked(&timer->node);
}

static bool is_wall(const struct timer *timer)
{
    enum timer_kind kind = timer_kind_of(timer);

    return kind == TIMER_FIRE || kind == TIMER_TRIGGER || kind == TIMER_PLACE;
}

void timer_stop(struct engine *engine, struct timer *timer)
{
    if (wheel_linked(&timer->node)) {
        wheel_remove(is_wall(timer) ? &engine->wall : &engine->mono, &timer->node);
    } else {
        list_remove(&timer->node.link); /* rule 2: it may be due now */
    }
    list_node_init(&timer->node.link);
}

void timer_arm_wall(struct engine *engine, struct timer *timer, int64_t due_ms)
{
    timer_stop(engine, timer);
    wheel_add(&engine->wall, &timer->node, due_ms);
}

void timer_arm_mono(struct engine *engine, struct timer *timer, int64_t due_mono_ms)
{
    timer_stop(engine, timer);
    wheel_add(&engine->mono, &timer->node, due_mono_ms);
}

/* Rule 1. */
int64_t engine_believes_ms(const struct engine_config *config, struct moment believed, struct moment at,
                           bool *ret_is_held)
{
    int64_t expected_ms = plus_ms(believed.wall_ms, max_ms(at.mono_ms - believed.mono_ms, 0));

    *ret_is_held = !config->accept_clock && at.wall_ms > plus_ms(expected_ms, ENGINE_CLOCK_JUMP_MS);
    return *ret_is_held ? expected_ms : max_ms(believed.wall_ms, at.wall_ms);
}

static void believe(struct engine *engine, struct moment at)
{
    struct moment believed = {.wall_ms = engine->now_ms, .mono_ms = engine->mono_ms};

    engine->now_ms = engine_believes_ms(&engine->config, believed, at, &engine->is_clock_held);
    engine->mono_ms = max_ms(at.mono_ms, engine->mono_ms);
    engine->wall_ms = at.wall_ms;
}

void timers_begin(struct engine *engine, struct moment at)
{
    struct moment believed = engine->config.believed;

    at = (struct moment){.wall_ms = max_ms(at.wall_ms, 0), .mono_ms = max_ms(at.mono_ms, 0)};
    believed = believed.mono_ms > 0 ? believed : at;
    engine->now_ms = believed.wall_ms;
    engine->mono_ms = believed.mono_ms;
    believe(engine, at);
    wheel_init(&engine->wall, engine->now_ms);
    wheel_init(&engine->mono, engine->mono_ms);
}

void timers_accept_clock(struct engine *engine)
{
    engine->now_ms = max_ms(engine->now_ms, engine->wall_ms);
    engine->is_clock_held = false;
}

void timers_advance(struct engine *engine, struct moment at, struct list *due)
{
    believe(engine, at);
    /* Fires first: what ends in the same step was still running when they were due. */
    size_t fires = wheel_advance(&engine->wall, engine->now_ms, TIMERS_STEP_MAX, due);

    (void)wheel_advance(&engine->mono, engine->mono_ms, TIMERS_STEP_MAX - fires, due);
}

int64_t wall_of_mono(const struct engine *engine, int64_t mono_ms)
{
    return plus_ms(engine->now_ms, mono_ms - engine->mono_ms);
}

int64_t mono_of_wall(const struct engine *engine, int64_t wall_ms)
{
    return plus_ms(engine->mono_ms, wall_ms - engine->now_ms);
}

int64_t timers_next_mono_ms(const struct engine *engine)
{
    int64_t wall_ms = wheel_next_ms(&engine->wall);
    int64_t mono_ms = wheel_next_ms(&engine->mono);
    int64_t gates_ms = ready_next_ms(engine->ready);

    if (wall_ms != WHEEL_NEVER) {
        /* Behind a clock that was set back, engine time stands still until the clock has caught up. */
        int64_t from_ms = engine->is_clock_held ? engine->now_ms : min_ms(engine->now_ms, engine->wall_ms);

        mono_ms = min_ms(mono_ms, plus_ms(engine->mono_ms, wall_ms - from_ms));
    }
    return min_ms(mono_ms, gates_ms);
}
