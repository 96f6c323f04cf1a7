/* engine_check names each rule that is broken. Every story and every simulated world relies on it, so it is shown here
 * that it can fail: one field at a time is made wrong, and mended again. */
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

#include "engine/core.h"
#include "engine/ready_internal.h"
#include "engine/trigger.h"

/* Fails the test unless the wrong value is noticed as this rule of engine.h. */
#define BREAKS(rig, rule, field, wrong)                                                                                \
    do {                                                                                                               \
        char right_[sizeof(field)];                                                                                    \
                                                                                                                       \
        memcpy(right_, &(field), sizeof right_);                                                                       \
        assert_int_equal(broken_rule(rig), 0);                                                                         \
        (field) = (wrong);                                                                                             \
        assert_int_equal(broken_rule(rig), rule);                                                                      \
        memcpy(&(field), right_, sizeof right_);                                                                       \
        assert_int_equal(broken_rule(rig), 0);                                                                         \
    } while (0)

/* What must be there for the story to be one. */
static void *there(void *thing)
{
    if (thing == NULL) {
        abort();
    }
    return thing;
}

#define LONG_RUN "'lease':'1h','timeout':'2h'"

/* 0: none. */
static int broken_rule(struct rig *rig)
{
    struct error error = {0};
    int rule = 0;

    if (!engine_check(rig_engine(rig), &error)) {
        assert_int_equal(error.code, ERR_CORRUPT);
        assert_int_equal(strncmp(error.text, "rule ", 5), 0);
        rule = error.text[5] - '0';
    }
    return rule;
}

static struct job *job_in(struct rig *rig, uint64_t job)
{
    struct job *found = idmap_find(&rig_engine(rig)->jobs, job);

    assert_non_null(found);
    return found;
}

static struct trigger *trigger_in(struct rig *rig, uint64_t trigger)
{
    struct trigger *found = trigger_by_id(rig_engine(rig), trigger);

    assert_non_null(found);
    return found;
}

static void a_cursor_that_nothing_wakes_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);
    struct job *job = job_in(rig, make(rig, "{'every':'1m'}"));

    BREAKS(rig, 2, job->fire.place, ENTRY_IDLE);
    BREAKS(rig, 2, job->fire.due_ms, 7);
    BREAKS(rig, 2, job->fire.place, ENTRY_READY); /* which the ready queue does not know */
    BREAKS(rig, 6, job->fire.timer.node.place, 0);
    rig_free(rig);
}

static void a_fire_of_a_job_that_is_paused_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t id = make(rig, "{'name':'a','every':'1m'}");

    make(rig, "{'depends_on':['a']}"); /* what has dependents stays in memory */
    rig_status(rig, id, JOB_PAUSED);
    BREAKS(rig, 2, job_in(rig, id)->fire.place, ENTRY_LINE);
    rig_free(rig);
}

static void a_due_fire_that_is_not_in_the_ready_queue_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);
    struct job *job = job_in(rig, make(rig, "{'every':'1m'}"));

    rig_wait(rig, MINUTE);
    assert_int_equal(job->fire.place, ENTRY_READY);
    BREAKS(rig, 2, job->fire.place, ENTRY_TIMED);
    BREAKS(rig, 2, job->fire.place, ENTRY_LINE);
    rig_free(rig);
}

static void a_pending_trigger_that_nothing_wakes_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t id = make(rig, "{'every':'1h'}");
    struct trigger *first = trigger_in(rig, rig_run(rig, id));
    struct trigger *second = trigger_in(rig, rig_run(rig, id));

    assert_int_equal(first->entry.place, ENTRY_READY);
    assert_int_equal(second->entry.place, ENTRY_LINE);
    BREAKS(rig, 6, second->entry.place, ENTRY_IDLE);
    BREAKS(rig, 3, second->entry.due_ms, minute(1));
    BREAKS(rig, 3, first->entry.due_ms, minute(1));
    BREAKS(rig, 6, second->entry.place, ENTRY_TIMED);
    BREAKS(rig, 6, second->state, TRIGGER_SUCCEEDED);
    BREAKS(rig, 6, second->state, TRIGGER_DEAD);
    BREAKS(rig, 6, second->state, TRIGGER_CANCELLED);
    BREAKS(rig, 6, job_in(rig, id)->front, NULL); /* nothing would move the line up */
    rig_free(rig);
}

static void a_trigger_of_a_paused_job_that_is_in_a_line_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t id = make(rig, "{'name':'a','every':'1h'}");

    make(rig, "{'depends_on':['a']}");
    struct trigger *pending = trigger_in(rig, rig_run(rig, id));
    rig_status(rig, id, JOB_PAUSED);
    assert_int_equal(pending->entry.place, ENTRY_IDLE);
    BREAKS(rig, 6, pending->entry.place, ENTRY_TIMED);
    rig_free(rig);
}

static void a_trigger_of_a_cancelled_job_that_is_in_a_line_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t id = make(rig, "{}");

    rig_succeed(rig, "w1", take(rig, "w1"));
    assert_int_equal(trigger_in(rig, rig_run(rig, id))->entry.place, ENTRY_READY);
    BREAKS(rig, 6, job_in(rig, id)->status, JOB_CANCELLED);
    rig_free(rig);
}

static void a_fire_in_a_line_that_nothing_moves_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t id = make(rig, "{'every':'1m','overlap':'queue'}");

    rig_run(rig, id);
    rig_wait(rig, MINUTE);
    struct job *job = job_in(rig, id);
    assert_int_equal(job->fire.place, ENTRY_LINE);
    BREAKS(rig, 6, job->front, NULL);
    rig_free(rig);
}

static void a_wrong_lease_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t id = make(rig, "{'every':'1m'," LONG_RUN "}");

    rig_wait(rig, MINUTE);
    struct trigger *runs = trigger_in(rig, take(rig, "w1")->trigger);
    struct trigger *other = trigger_in(rig, rig_run(rig, make(rig, "{'every':'1h'}")));
    struct lease *lease = runs->lease;

    BREAKS(rig, 4, runs->lease, NULL);
    BREAKS(rig, 4, lease->number, 0);
    BREAKS(rig, 6, lease->lease_timer.node.place, 0);
    BREAKS(rig, 6, lease->timeout_timer.node.place, 0);
    BREAKS(rig, 4, runs->entry.place, ENTRY_LINE);
    BREAKS(rig, 4, other->lease, lease);
    BREAKS(rig, 6, job_in(rig, id)->front, &job_in(rig, id)->fire);
    rig_free(rig);
}

static void wrong_counts_are_noticed(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t id = make(rig, "{'every':'1m'," LONG_RUN "}");
    struct engine *engine = rig_engine(rig);

    rig_wait(rig, MINUTE);
    take(rig, "w1");
    BREAKS(rig, 7, job_in(rig, id)->running, 0);
    BREAKS(rig, 7, job_in(rig, id)->living, 2);
    BREAKS(rig, 7, job_in(rig, id)->retrying, 1);
    BREAKS(rig, 7, engine->running, 0);
    BREAKS(rig, 6, engine->wall.count, 0);
    BREAKS(rig, 6, engine->mono.count, 0);
    BREAKS(rig, 6, engine->ready->count, 9);
    rig_free(rig);
}

static void a_wrong_concurrency_key_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);

    for (int i = 0; i < 3; i++) {
        make(rig, "{'every':'1m','concurrency':{'key':'k','max':1}," LONG_RUN "}");
    }
    rig_wait(rig, MINUTE);
    struct trigger *runs = trigger_in(rig, take(rig, "w1")->trigger);
    assert_nothing_to_do(rig);
    struct key *key = runs->lease->key;
    struct key_group *group = CONTAINER_OF(there(list_first(&key->groups)), struct key_group, link);
    struct entry *waits = CONTAINER_OF((struct heap_node *)there(heap_first(&group->waiting)), struct entry, node);

    assert_int_equal(waits->place, ENTRY_KEYED);
    BREAKS(rig, 6, waits->node.place, 0);
    BREAKS(rig, 6, waits->node.place, 9);
    BREAKS(rig, 6, key->running, 0); /* there is room, and they wait */
    BREAKS(rig, 7, key->running, 2);
    BREAKS(rig, 6, group->awake, &runs->entry); /* which it did not wake */
    rig_free(rig);
}

static void a_wrong_wait_for_upstreams_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);
    uint64_t first = make(rig, "{'name':'a','every':'1m'}");

    make(rig, "{'name':'b','every':'1m'}");
    uint64_t both = make(rig, "{'name':'c','depends_on':['a','b']}");
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", first));
    struct job *job = job_in(rig, both);
    struct trigger *waits = CONTAINER_OF(there(list_first(&job->triggers)), struct trigger, link);

    assert_int_equal(waits->state, TRIGGER_WAITING);
    BREAKS(rig, 6, waits->entry.place, ENTRY_LINE);
    BREAKS(rig, 6, waits->join->trigger, NULL);
    BREAKS(rig, 6, waits->join, NULL);
    BREAKS(rig, 6, job->graph->up_count, 1); /* the first has ended: it waits for nothing */
    rig_free(rig);
}

static void a_window_that_nothing_moves_is_noticed(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'every':'1m'}");
    struct window *window = CONTAINER_OF(there(list_first(&rig_engine(rig)->windows)), struct window, all);
    assert_int_equal(window->next_ms, TIME_NONE);
    BREAKS(rig, 2, window->next_ms, minute(60));
    BREAKS(rig, 7, window->jobs, 0);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(a_cursor_that_nothing_wakes_is_noticed),
        ONCE(a_fire_of_a_job_that_is_paused_is_noticed),
        ONCE(a_due_fire_that_is_not_in_the_ready_queue_is_noticed),
        ONCE(a_pending_trigger_that_nothing_wakes_is_noticed),
        ONCE(a_trigger_of_a_paused_job_that_is_in_a_line_is_noticed),
        ONCE(a_trigger_of_a_cancelled_job_that_is_in_a_line_is_noticed),
        ONCE(a_fire_in_a_line_that_nothing_moves_is_noticed),
        ONCE(a_wrong_lease_is_noticed),
        ONCE(wrong_counts_are_noticed),
        ONCE(a_wrong_concurrency_key_is_noticed),
        ONCE(a_wrong_wait_for_upstreams_is_noticed),
        ONCE(a_window_that_nothing_moves_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
