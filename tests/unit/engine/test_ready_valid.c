/* ready_valid sees each rule that is broken: every other test of the ready queue, and the simulator, rely on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/ready_internal.h"
#include "noticed.h"
#include "ready_world.h"

#define SEEN(field, wrong) NOTICED(is_valid(), field, wrong)

static struct world world;

static int set_up(void **state)
{
    (void)state;
    world_init(&world);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    world_done(&world);
    return 0;
}

static bool is_valid(void)
{
    return ready_valid(world.ready, world.now_ms);
}

static struct ready_strand *strand_of(int number)
{
    return world_thing(&world, number)->bucket->strand;
}

/* Whether it is noticed that a node has left its list; the node is last in it. */
static bool is_missed(struct list *list, struct list_node *node)
{
    bool is_noticed;

    list_remove(node);
    is_noticed = !is_valid();
    list_push_back(list, node);
    return is_noticed && is_valid();
}

/* Whether it is noticed that a node which is in no list stands in one. */
static bool is_out_of_place(struct list_node *node)
{
    struct list list;
    bool is_noticed;

    list_init(&list);
    list_push_back(&list, node);
    is_noticed = !is_valid();
    list_remove(node);
    return is_noticed && is_valid();
}

/* Whether it is noticed that a gate's timer comes too late, or never. */
static bool is_timer_needed(struct ready_domain *domain)
{
    int64_t due_ms = domain->timer.due_ms;
    bool is_noticed;

    wheel_remove(&world.ready->wheel, &domain->timer);
    is_noticed = !is_valid();
    wheel_add(&world.ready->wheel, &domain->timer, due_ms + 100000);
    is_noticed = is_noticed && !is_valid();
    wheel_remove(&world.ready->wheel, &domain->timer);
    wheel_add(&world.ready->wheel, &domain->timer, due_ms);
    return is_noticed && is_valid();
}

static void time_that_goes_back_is_seen(void **state)
{
    (void)state;
    assert_true(is_valid());
    assert_false(ready_valid(world.ready, world.now_ms - 1));
    SEEN(world.ready->wheel.count, 1);
}

static void a_wrong_bucket_is_seen(void **state)
{
    (void)state;
    int entry = world_add(&world, (struct what){0});
    int other = world_add(&world, (struct what){.type = "sync"});
    struct ready_bucket *bucket = world_thing(&world, entry)->bucket;

    SEEN(bucket->holds, 0);
    SEEN(bucket->strand, strand_of(other));
    SEEN(bucket->priority, 4);
    SEEN(bucket->node.place, 0); /* nobody would find it */
    SEEN(bucket->node.place, 7);
    SEEN(world_thing(&world, entry)->entry.node.place, 2);
}

static void a_wrong_strand_is_seen(void **state)
{
    (void)state;
    struct ready_strand *strand = strand_of(world_add(&world, (struct what){0}));

    SEEN(strand->count, 2);
    SEEN(strand->users, 2);
    SEEN(strand->wait, READY_WAIT_PAIR); /* at no gate, and its bucket is shown */
    assert_true(is_out_of_place(&strand->link));
}

static void a_strand_without_buckets_is_seen(void **state)
{
    (void)state;
    struct ready_strand *strand = strand_of(world_add(&world, (struct what){0}));
    struct ready_bucket *bucket = strand->buckets[2];

    strand->buckets[2] = NULL;
    assert_false(is_valid());
    strand->users = 0;
    strand->count = 0;
    assert_false(is_valid());
    strand->users = 1;
    strand->count = 1;
    strand->buckets[2] = bucket;
    assert_true(is_valid());
}

static void an_empty_strand_that_waits_is_seen(void **state)
{
    (void)state;
    struct ready_bucket *bucket = world_bucket(&world, (struct what){0});
    struct list gate;

    list_init(&gate);
    list_push_back(&gate, &bucket->strand->link);
    bucket->strand->wait = READY_WAIT_PAIR;
    assert_false(is_valid());
    bucket->strand->wait = READY_WAIT_NOT;
    list_remove(&bucket->strand->link);
    assert_true(is_valid());
    ready_bucket_put(world.ready, bucket);
}

static void a_wrong_lane_is_seen(void **state)
{
    (void)state;
    int entry = world_add(&world, (struct what){0});
    int other = world_add(&world, (struct what){.pool = "other"});
    struct ready_lane *lane = strand_of(entry)->lane;

    SEEN(lane->open_count, 2);
    SEEN(lane->users, 0);
    SEEN(lane->deficit, -1);
    SEEN(lane->is_waiting, true);
    SEEN(lane->leader, strand_of(other));
    SEEN(lane->leader, strand_of(entry)); /* whom no queue woke */
    SEEN(lane->pool, strand_of(other)->lane->pool);
    assert_true(is_missed(&lane->pool->sides[TARGET_NONE].ring, &lane->link));
}

static void an_empty_lane_that_has_a_turn_or_waits_is_seen(void **state)
{
    (void)state;
    struct ready_bucket *bucket = world_bucket(&world, (struct what){0});
    struct ready_lane *lane = bucket->strand->lane;

    SEEN(lane->deficit, 1);
    SEEN(lane->is_waiting, true);
    assert_true(is_out_of_place(&lane->link));
    ready_bucket_put(world.ready, bucket);
}

static void a_wrong_queue_is_seen(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_at_most(1));
    int first = world_add(&world, (struct what){.tenant = "a"});
    int waits = world_add(&world, (struct what){.tenant = "b"});
    int other = world_add(&world, (struct what){.tenant = "c", .type = "sync"});

    assert_int_equal(world_start(&world), first);
    assert_int_equal(world_start(&world), other);
    assert_int_equal(world_start(&world), 0);
    struct ready_strand *strand = strand_of(waits);
    struct ready_queue *queue = strand->queue;
    struct gate *gate = &queue->type->domain.gate;

    assert_int_equal(strand->wait, READY_WAIT_TYPE);
    SEEN(strand->wait, READY_WAIT_PAIR);
    SEEN(strand->queue, strand_of(other)->queue);
    SEEN(queue->users, 0);
    SEEN(queue->leaders, -1);
    SEEN(queue->leaders, 1);
    SEEN(gate->in_flight_max, 9); /* there is room, and nobody was woken */
    assert_true(is_missed(&gate->waiters, &queue->type_link));
    assert_true(is_out_of_place(&queue->hungry_link));
    list_push_back(&world.ready->hungry, &queue->hungry_link);
    assert_false(is_valid());
    list_remove(&queue->hungry_link);
    world_end(&world, first);
    world_end(&world, other);
}

static void a_wrong_wait_at_a_pair_is_seen(void **state)
{
    (void)state;
    world_set_pair(&world, "acme", "mail", world_per_second(1, 1));
    int first = world_add(&world, (struct what){0});
    int second = world_add(&world, (struct what){0});
    int other = world_add(&world, (struct what){.type = "sync"});

    assert_int_equal(world_start(&world), first);
    assert_int_equal(world_start(&world), other);
    assert_int_equal(world_start(&world), 0);
    struct ready_strand *strand = strand_of(second);

    assert_int_equal(strand->wait, READY_WAIT_PAIR);
    SEEN(strand->wait, READY_WAIT_TYPE);
    SEEN(strand->pair, strand_of(other)->pair);
    SEEN(strand->pair->domain.gate.period_us, 0); /* an open gate, and somebody waits at it */
    assert_true(is_timer_needed(&strand->pair->domain));
    world_end(&world, first);
    world_end(&world, other);
}

static void a_wrong_wait_at_a_tenant_is_seen(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TENANT, "acme", world_per_second(1, 1));
    int first = world_add(&world, (struct what){0});
    int second = world_add(&world, (struct what){0});
    int other = world_add(&world, (struct what){.tenant = "other"});

    assert_int_equal(world_start(&world), first);
    assert_int_equal(world_start(&world), other);
    assert_int_equal(world_start(&world), 0);
    struct ready_lane *lane = strand_of(second)->lane;

    assert_true(lane->is_waiting);
    SEEN(lane->is_waiting, false);
    SEEN(lane->tenant, strand_of(other)->lane->tenant);
    SEEN(lane->tenant->domain.gate.period_us, 0);
    assert_true(is_timer_needed(&lane->tenant->domain));
    world_end(&world, first);
    world_end(&world, other);
}

static void a_type_or_a_pool_that_nothing_will_open_is_seen(void **state)
{
    (void)state;
    world_set(&world, SCOPE_TYPE, "mail", world_per_second(1, 1));
    world_set(&world, SCOPE_POOL, "other", world_per_second(1, 1));
    int first = world_add(&world, (struct what){0});
    int waits = world_add(&world, (struct what){0});
    int third = world_add(&world, (struct what){.pool = "other", .type = "sync"});
    int held = world_add(&world, (struct what){.pool = "other", .type = "sync"});

    assert_int_equal(world_start(&world), first);
    assert_int_equal(world_start(&world), 0);
    assert_int_equal(world_start_in(&world, "other"), third);
    assert_int_equal(world_start_in(&world, "other"), 0);
    struct ready_pool *pool = strand_of(held)->lane->pool;

    assert_true(pool->is_refused);
    assert_true(is_timer_needed(&pool->domain));
    assert_true(is_timer_needed(&strand_of(waits)->queue->type->domain));
    world_end(&world, first);
    world_end(&world, third);
}

static void wrong_counts_are_seen(void **state)
{
    (void)state;
    int entry = world_add(&world, (struct what){0});
    struct ready_strand *strand = strand_of(entry);

    SEEN(world.ready->count, 0);
    SEEN(strand->lane->pool->count, 0);
    SEEN(strand->lane->pool->domain.users, 0);
    SEEN(strand->lane->tenant->domain.users, 0);
    SEEN(strand->pair->domain.users, 0);
    SEEN(strand->queue->type->domain.users, 0);
    SEEN(strand->pair->domain.gate.in_flight, 1);
    SEEN(strand->pair->domain.gate.in_flight, -1);
    SEEN(strand->lane->pool->domain.scope, SCOPE_TENANT);
}

static void wrong_maps_are_seen(void **state)
{
    (void)state;
    world_add(&world, (struct what){0});
    SEEN(world.ready->strands.count, 0);
    SEEN(world.ready->lanes.count, 0);
    SEEN(world.ready->queues.count, 0);
    SEEN(world.ready->domains[SCOPE_TYPE].count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(time_that_goes_back_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_bucket_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_strand_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_strand_without_buckets_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_strand_that_waits_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_lane_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_lane_that_has_a_turn_or_waits_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_queue_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_wait_at_a_pair_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_wait_at_a_tenant_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_type_or_a_pool_that_nothing_will_open_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_counts_are_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_maps_are_seen, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
