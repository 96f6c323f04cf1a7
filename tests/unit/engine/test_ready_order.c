#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../seed.h"
#include "ready_world.h"

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

/* Without gates the order is fully determined; here it is found in plain arrays. */

#define TENANTS 7
#define SLOTS 400

struct reference {
    int64_t weights[TENANTS];
    int64_t deficits[TENANTS];
    size_t ring[TENANTS];
    size_t ring_count;
    struct {
        bool is_in;
        size_t tenant;
        int priority;
        int64_t due_ms;
        int number;
    } slots[SLOTS];
};

static struct reference reference;
static const char *const names[TENANTS] = {"a", "b", "c", "d", "e", "f", "g"};

/* The tenant's next; SLOTS where there is none. */
static size_t reference_next(size_t tenant)
{
    size_t best = SLOTS;

    for (size_t i = 0; i < SLOTS; i++) {
        if (!reference.slots[i].is_in || reference.slots[i].tenant != tenant) {
            continue;
        }
        if (best == SLOTS || reference.slots[i].priority < reference.slots[best].priority ||
            (reference.slots[i].priority == reference.slots[best].priority &&
             (reference.slots[i].due_ms < reference.slots[best].due_ms ||
              (reference.slots[i].due_ms == reference.slots[best].due_ms &&
               reference.slots[i].number < reference.slots[best].number)))) {
            best = i;
        }
    }
    return best;
}

static void reference_leave(size_t at)
{
    reference.ring_count--;
    for (size_t i = at; i < reference.ring_count; i++) {
        reference.ring[i] = reference.ring[i + 1];
    }
}

/* Takes an item out; who has no more leaves the ring. */
static void reference_take(size_t slot)
{
    size_t tenant = reference.slots[slot].tenant;

    reference.slots[slot].is_in = false;
    if (reference_next(tenant) != SLOTS) {
        return;
    }
    reference.deficits[tenant] = 0;
    for (size_t i = 0; i < reference.ring_count; i++) {
        if (reference.ring[i] == tenant) {
            reference_leave(i);
            return;
        }
    }
}

static int reference_start(void)
{
    size_t tenant = reference.ring[0];
    size_t slot;

    if (reference.ring_count == 0) {
        return 0;
    }
    slot = reference_next(tenant);
    if (reference.deficits[tenant] == 0) {
        reference.deficits[tenant] = reference.weights[tenant];
    }
    reference.deficits[tenant]--;
    if (reference.deficits[tenant] == 0) {
        reference_leave(0);
        reference.ring[reference.ring_count++] = tenant;
    }
    reference_take(slot);
    return reference.slots[slot].number;
}

static void reference_add(struct rng *rng)
{
    static const char *const types[] = {"mail", "report", "sync"};
    size_t slot = (size_t)rng_below(rng, SLOTS);
    size_t tenant = (size_t)rng_below(rng, TENANTS);
    int priority = (int)rng_between(rng, 1, 5);
    int64_t due_ms = rng_between(rng, 1, 50);

    if (reference.slots[slot].is_in || world.count == WORLD_ENTRIES) {
        return;
    }
    if (reference_next(tenant) == SLOTS) {
        reference.ring[reference.ring_count++] = tenant;
    }
    reference.slots[slot].is_in = true;
    reference.slots[slot].tenant = tenant;
    reference.slots[slot].priority = priority;
    reference.slots[slot].due_ms = due_ms;
    reference.slots[slot].number = world_add(
        &world, (struct what){
                    .tenant = names[tenant], .type = types[rng_below(rng, 3)], .priority = priority, .due_ms = due_ms});
}

static void without_gates_the_order_is_that_of_a_plain_reference(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    reference = (struct reference){0};
    for (size_t i = 0; i < TENANTS; i++) {
        reference.weights[i] = rng_between(&rng, 1, 4);
        world_set(&world, SCOPE_TENANT, names[i], world_weight(reference.weights[i]));
    }
    for (int step = 0; step < 6000; step++) {
        uint64_t what = rng_below(&rng, 10);
        size_t slot = (size_t)rng_below(&rng, SLOTS);

        if (what < 5) {
            reference_add(&rng);
        } else if (what < 9) {
            int number = reference_start();

            assert_int_equal(world_start(&world), number);
            if (number != 0) {
                world_end(&world, number);
            }
        } else if (reference.slots[slot].is_in) {
            world_remove(&world, reference.slots[slot].number);
            reference_take(slot);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_gates_the_order_is_that_of_a_plain_reference, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
