/* bench_ready: what one decision of the ready queue costs.
 *
 *     ./dev bench ready
 *
 * A decision is pick, start, end, and putting the entry back for the next round. It is measured with one tenant and
 * with ten thousand, without gates and with all kinds of them: the cost must not grow with the number of tenants but
 * for the caches they fall out of. Then a million entries of one bucket are added and started in order.
 */
#include <stdio.h>
#include <time.h>

#include "base/heap.h"
#include "base/mem.h"
#include "base/rng.h"
#include "engine/ready.h"

#define TENANTS 10000
#define DECISIONS 2000000
#define MILLION 1000000
#define RUNNING_MAX 256 /* attempts out at once, the oldest ends first */
#define STARTS_PER_MS 100

struct item {
    struct ready_entry entry;
    struct ready_bucket *bucket;
};

struct bench {
    struct ready *ready;
    struct item *items;
    size_t count;
    int64_t now_ms;
    struct item *running[RUNNING_MAX];
    size_t out, first;
    uint64_t last_id;
    size_t nothing; /* picks that gave none */
};

/* Processor time, not the time that passed: others use the machine, too. */
static double since_ns(clock_t began, size_t calls)
{
    return (double)(clock() - began) * 1e9 / CLOCKS_PER_SEC / (double)calls;
}

static void add(struct bench *bench, struct item *item)
{
    bench->last_id++;
    ready_add(bench->ready, item->bucket, &item->entry, (int64_t)bench->last_id, bench->last_id);
}

static void make(struct bench *bench, size_t tenants, size_t each, size_t types)
{
    *bench = (struct bench){.ready = ready_new(1), .count = tenants * each, .now_ms = 1000000};
    bench->items = mem_zalloc(bench->count * sizeof *bench->items);
    for (size_t i = 0; i < bench->count; i++) {
        char tenant[32];
        char type[32];
        struct ready_place place = {.pool = STR("main"), .priority = 3};

        snprintf(tenant, sizeof tenant, "tenant-%zu", i % tenants);
        snprintf(type, sizeof type, "type-%zu", i / tenants % types);
        place.tenant = str_from(tenant);
        place.type = str_from(type);
        bench->items[i].bucket = ready_bucket_get(bench->ready, &place);
        add(bench, &bench->items[i]);
    }
}

static void done(struct bench *bench)
{
    ready_free(bench->ready);
    mem_free(bench->items);
}

static void set_all(struct bench *bench, enum scope scope, const char *prefix, size_t count,
                    const struct settings *settings)
{
    for (size_t i = 0; i < count; i++) {
        char name[32];

        snprintf(name, sizeof name, "%s-%zu", prefix, i);
        ready_set(bench->ready, scope, (struct str){NULL, 0}, str_from(name), settings, bench->now_ms, bench->now_ms);
    }
}

static void end_oldest(struct bench *bench)
{
    struct item *item = bench->running[bench->first];

    ready_end(bench->ready, item->bucket, READY_SUCCEEDED, false, bench->now_ms);
    add(bench, item);
    bench->first = (bench->first + 1) % RUNNING_MAX;
    bench->out--;
}

/* One start; where there is nothing, the oldest ends or a millisecond passes. */
static void decide(struct bench *bench)
{
    struct ready_entry *entry;

    while ((entry = ready_pick(bench->ready, STR("main"), TARGET_NONE, bench->now_ms)) == NULL) {
        bench->nothing++;
        if (bench->out > 0) {
            end_oldest(bench);
        } else {
            bench->now_ms++;
            ready_advance(bench->ready, bench->now_ms);
        }
    }
    if (bench->out == RUNNING_MAX) {
        end_oldest(bench);
    }
    ready_start(bench->ready, entry, bench->now_ms);
    bench->running[(bench->first + bench->out) % RUNNING_MAX] = CONTAINER_OF(entry, struct item, entry);
    bench->out++;
}

static void run(struct bench *bench, const char *title)
{
    clock_t began;
    size_t decisions = 0;

    for (size_t i = 0; i < bench->count; i++) { /* everybody once, so that caches and rings are as in use */
        decide(bench);
    }
    bench->nothing = 0;
    began = clock();
    for (; decisions < DECISIONS; decisions++) {
        if (decisions % STARTS_PER_MS == 0) {
            bench->now_ms++;
            ready_advance(bench->ready, bench->now_ms);
        }
        decide(bench);
    }
    printf("  %-58s %6.0f ns   %5.2f picks for nothing\n", title, since_ns(began, decisions),
           (double)bench->nothing / (double)decisions);
}

static void with_tenants(size_t tenants)
{
    struct settings at_most = settings_none();
    struct settings rate = settings_none();
    struct settings narrow = settings_none();
    struct bench bench;

    at_most.max_in_flight = 1;
    rate.rate_count = 100;
    rate.rate_period_ms = 1000;
    rate.burst = 2;
    narrow.max_in_flight = 16;

    printf("%zu tenants, two entries of each of two types\n", tenants);
    make(&bench, tenants, 4, 2);
    run(&bench, "no gates");
    done(&bench);
    make(&bench, tenants, 4, 2);
    set_all(&bench, SCOPE_TENANT, "tenant", tenants, &at_most);
    run(&bench, "at most 1 of each tenant in flight");
    done(&bench);
    make(&bench, tenants, 4, 2);
    set_all(&bench, SCOPE_TYPE, "type", 2, &narrow);
    run(&bench, "at most 16 of each type in flight: everybody waits");
    done(&bench);
    make(&bench, tenants, 4, 2);
    set_all(&bench, SCOPE_TENANT, "tenant", tenants, &rate);
    run(&bench, "each tenant 100/s, burst 2");
    done(&bench);
    make(&bench, tenants, 4, 2);
    rate.rate_count = 40000;
    set_all(&bench, SCOPE_TYPE, "type", 2, &rate);
    set_all(&bench, SCOPE_TENANT, "tenant", tenants, &at_most);
    run(&bench, "each type 40000/s, at most 1 of each tenant");
    done(&bench);
}

static void one_bucket(void)
{
    struct bench bench = {.ready = ready_new(1), .count = MILLION};
    struct ready_place place = {
        .pool = STR_INIT("main"), .tenant = STR_INIT("acme"), .type = STR_INIT("mail"), .priority = 3};
    struct ready_bucket *bucket = ready_bucket_get(bench.ready, &place);
    struct ready_entry *entry;
    clock_t began = clock();
    int64_t last_ms = INT64_MIN;
    size_t started = 0;
    struct rng rng;

    rng_init(&rng, 1);
    bench.items = mem_zalloc(bench.count * sizeof *bench.items);
    for (size_t i = 0; i < bench.count; i++) {
        ready_add(bench.ready, bucket, &bench.items[i].entry, (int64_t)rng_below(&rng, MILLION), i);
    }
    printf("1000000 entries in one bucket, due in no order\n");
    printf("  %-58s %6.0f ns\n", "add", since_ns(began, bench.count));
    began = clock();
    while ((entry = ready_pick(bench.ready, STR("main"), TARGET_NONE, 1)) != NULL) {
        if (entry->due_ms < last_ms) {
            printf("  out of order\n");
            break;
        }
        last_ms = entry->due_ms;
        ready_start(bench.ready, entry, 1);
        ready_end(bench.ready, bucket, READY_SUCCEEDED, false, 1);
        started++;
    }
    printf("  %-58s %6.0f ns   %zu started in order\n", "pick, start, end", since_ns(began, started), started);
    done(&bench);
}

int main(void)
{
    with_tenants(1);
    with_tenants(100);
    with_tenants(TENANTS);
    one_bucket();
    return 0;
}
