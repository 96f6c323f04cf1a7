/* bench_wheel: the timing wheel with ten million entries, beside a binary heap of the same.
 *
 *     ./dev bench wheel
 *
 * Adds them with due times over a day, cancels one in ten, and lets the day pass in steps of 10 ms. The heap is what a
 * plainer engine would use: its cost grows with the number of entries, the wheel's does not.
 */
#include <stdio.h>

#include "base/chrono.h"
#include "base/heap.h"
#include "base/mem.h"
#include "base/rng.h"
#include "engine/wheel.h"

#define DAY_MS (24 * 3600 * 1000)
#define STEP_MS 10

struct entry {
    union {
        struct wheel_node wheel;
        struct {
            struct heap_node heap;
            int64_t due_ms;
        };
    };
};

struct timing {
    double add_ns;
    double cancel_ns;
    double expire_ns;
};

static double since_ns(int64_t began_ns, size_t calls)
{
    return (double)(chrono_mono_ns() - began_ns) / (double)calls;
}

static struct timing run_wheel(struct entry *entries, size_t count)
{
    struct wheel *wheel = mem_alloc(sizeof *wheel);
    struct timing timing;
    struct rng rng;
    struct list due;
    int64_t began_ns = chrono_mono_ns();

    rng_init(&rng, 1);
    list_init(&due);
    wheel_init(wheel, 0);
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct entry){0};
        wheel_add(wheel, &entries[i].wheel, 1 + (int64_t)rng_below(&rng, DAY_MS));
    }
    timing.add_ns = since_ns(began_ns, count);
    began_ns = chrono_mono_ns();
    for (size_t i = 0; i < count; i += 10) {
        wheel_remove(wheel, &entries[i].wheel);
    }
    timing.cancel_ns = since_ns(began_ns, count / 10);
    began_ns = chrono_mono_ns();
    for (int64_t now_ms = 0; now_ms <= DAY_MS; now_ms += STEP_MS) {
        (void)wheel_advance(wheel, now_ms, SIZE_MAX, &due);
        list_init(&due);
    }
    timing.expire_ns = since_ns(began_ns, count - count / 10);
    mem_free(wheel);
    return timing;
}

static bool due_before(const struct heap_node *a, const struct heap_node *b)
{
    return CONTAINER_OF_CONST(a, struct entry, heap)->due_ms < CONTAINER_OF_CONST(b, struct entry, heap)->due_ms;
}

static struct timing run_heap(struct entry *entries, size_t count)
{
    struct heap heap;
    struct timing timing;
    struct rng rng;
    int64_t began_ns = chrono_mono_ns();

    rng_init(&rng, 1);
    heap_init(&heap, due_before);
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct entry){.due_ms = 1 + (int64_t)rng_below(&rng, DAY_MS)};
        heap_push(&heap, &entries[i].heap);
    }
    timing.add_ns = since_ns(began_ns, count);
    began_ns = chrono_mono_ns();
    for (size_t i = 0; i < count; i += 10) {
        heap_remove(&heap, &entries[i].heap);
    }
    timing.cancel_ns = since_ns(began_ns, count / 10);
    began_ns = chrono_mono_ns();
    while (heap_pop(&heap) != NULL) {
    }
    timing.expire_ns = since_ns(began_ns, count - count / 10);
    heap_done(&heap);
    return timing;
}

static void print_row(const char *name, size_t count, struct timing timing)
{
    (void)printf("%-6s %12zu %10.0f %10.0f %10.0f\n", name, count, timing.add_ns, timing.cancel_ns, timing.expire_ns);
}

int main(void)
{
    const size_t counts[] = {100000, 1000000, 10000000};

    (void)printf("%-6s %12s %10s %10s %10s\n", "", "entries", "add", "cancel", "expire   (ns each)");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct entry *entries = mem_alloc_array(counts[i], sizeof *entries);

        print_row("wheel", counts[i], run_wheel(entries, counts[i]));
        print_row("heap", counts[i], run_heap(entries, counts[i]));
        mem_free(entries);
    }
    return 0;
}
