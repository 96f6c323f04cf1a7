/* bench_engine: what the engine costs by itself: batches are cut and thrown away, as if every commit took no time.
 *
 *     bench_engine [lifecycle] [herd] [tenants] [steady]
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "engine/engine.h"

#define START_MS INT64_C(1775638800000) /* a Wednesday in 2026 */
#define WANT 1000

struct bench {
    struct engine *engine;
    struct effects effects;
    struct moment at;
    struct arena arena;
    uint64_t events, grants, ops;
    struct report *reports; /* of what was granted and is to be reported */
    size_t report_count;
    int64_t last_due_ms; /* to see that grants come in order */
    uint64_t last_id;
    bool is_out_of_order;
};

static void bench_init(struct bench *bench, size_t jobs_max)
{
    struct engine_config config = {.seed = 7, .zones = zone_cache_new(NULL), .jobs_max = jobs_max};
    struct rows rows;
    struct error error;

    *bench = (struct bench){.at = {.wall_ms = START_MS, .mono_ms = 1000}};
    bench->reports = mem_alloc_array(WANT, sizeof *bench->reports);
    effects_init(&bench->effects);
    arena_init(&bench->arena, 1 << 20, 8UL << 30);
    rows_init(&rows);
    if (engine_new(&config, &rows, bench->at, &bench->engine, &error) != ERR_OK) {
        (void)fprintf(stderr, "%s\n", error.text);
    }
    rows_done(&rows);
}

static void bench_done(struct bench *bench)
{
    engine_free(bench->engine);
    effects_done(&bench->effects);
    arena_done(&bench->arena);
    mem_free(bench->reports);
}

static void step(struct bench *bench, struct event event)
{
    event.at = bench->at;
    engine_step(bench->engine, &event, &bench->effects);
    bench->events++;
}

/* Remembers what was granted, to be reported with the next exchange. */
static void take_replies(struct bench *bench, const struct outbox *outbox)
{
    for (const struct reply *reply = outbox->first; reply != NULL; reply = reply->next) {
        for (size_t i = 0; i < reply->grant_count; i++) {
            const struct grant *grant = &reply->grants[i];

            bench->is_out_of_order = bench->is_out_of_order || grant->due_ms < bench->last_due_ms ||
                                     (grant->due_ms == bench->last_due_ms && grant->job < bench->last_id);
            bench->last_due_ms = grant->due_ms;
            bench->last_id = grant->job;
            bench->grants++;
            bench->reports[bench->report_count++] = (struct report){
                .trigger = grant->trigger, .number = grant->number, .state = ATTEMPT_SUCCEEDED, .result = STR("")};
        }
        if (reply->kind == REPLY_ERROR) {
            (void)fprintf(stderr, "%s\n", reply->error.text);
        }
    }
}

static void commit(struct bench *bench)
{
    struct outbox *outbox = engine_cut(bench->engine, bench->at);

    if (outbox == NULL) {
        return;
    }
    uint64_t number = outbox->number;

    bench->ops += outbox->batch.op_count;
    take_replies(bench, outbox);
    outbox_free(outbox);
    step(bench, (struct event){.kind = EVENT_COMMITTED, .batch = number});
}

/* A worker that asks for WANT, and reports what is to be reported. */
static void poll_as(struct bench *bench, struct str worker)
{
    struct str pools[] = {STR("default")};
    struct exchange exchange = {.token = 1,
                                .worker = worker,
                                .seq = -1,
                                .pools = pools,
                                .pool_count = 1,
                                .want = WANT,
                                .reports = bench->reports,
                                .report_count = bench->report_count};

    step(bench, (struct event){.kind = EVENT_EXCHANGE, .exchange = &exchange});
    bench->report_count = 0;
    commit(bench);
}

static void poll(struct bench *bench)
{
    poll_as(bench, STR("w"));
}

/* A new worker each time, that never reports: only the decisions count. */
static void poll_only(struct bench *bench)
{
    char name[32];

    (void)snprintf(name, sizeof name, "w%llu", (unsigned long long)bench->grants);
    poll_as(bench, str_from(name));
    bench->report_count = 0;
}

static void create(struct bench *bench, struct job_def *def)
{
    struct command command = {.kind = COMMAND_CREATE, .token = 2, .defs = def, .def_count = 1};

    step(bench, (struct event){.kind = EVENT_COMMAND, .command = &command});
}

/* The clock on the wall, and the processor's: on a machine that has other things to do only the second one is ours. */
struct began {
    int64_t ns;
    clock_t cpu;
};

static struct began begin(void)
{
    return (struct began){.ns = chrono_mono_ns(), .cpu = clock()};
}

static double seconds_since(struct began began)
{
    return (double)(chrono_mono_ns() - began.ns) / 1e9;
}

static double cpu_since(struct began began)
{
    return (double)(clock() - began.cpu) / CLOCKS_PER_SEC;
}

/* Create, claim, finish: in batches of 500, as a busy server has them. */
static void lifecycle(void)
{
    struct bench bench;
    struct job_def def = job_def_default();
    const int rounds = 400, size = 500;

    bench_init(&bench, 0);
    struct began began = begin();
    for (int i = 0; i < rounds; i++) {
        bench.at.wall_ms += 5;
        bench.at.mono_ms += 5;
        for (int k = 0; k < size; k++) {
            create(&bench, &def);
        }
        poll(&bench);
    }
    double s = seconds_since(began), cpu = cpu_since(began);

    printf("lifecycle  %d jobs created, claimed, finished: %.2f s (%.2f s of processor), %.0f jobs/s, %.2f row "
           "operations a job\n",
           rounds * size, s, cpu, rounds * size / s, (double)bench.ops / (rounds * size));
    bench_done(&bench);
}

/* Many jobs due at one instant. */
static void herd(void)
{
    struct bench bench;
    struct job_def def = job_def_default();
    const int count = 1000000;

    bench_init(&bench, 2000000);
    def.when = WHEN_AT;
    def.run_at_ms = START_MS + 60000;
    for (int i = 0; i < count; i++) {
        create(&bench, &def);
        if (i % 10000 == 0) {
            commit(&bench);
        }
    }
    commit(&bench);
    bench.at.wall_ms += 60000;
    bench.at.mono_ms += 60000;
    struct began began = begin();
    while (bench.grants < (uint64_t)count) {
        poll_only(&bench);
    }
    printf("herd       %d jobs due at one instant: decided in %.2f s (%.2f s of processor), %s\n", count,
           seconds_since(began), cpu_since(began), bench.is_out_of_order ? "OUT OF ORDER" : "in order");
    bench_done(&bench);
}

/* A decision with many tenants that all have work. */
static void tenants(void)
{
    struct bench bench;
    struct job_def def = job_def_default();
    const int count = 10000, each = 20;

    bench_init(&bench, 0);
    for (int t = 0; t < count; t++) {
        char name[32];

        (void)snprintf(name, sizeof name, "tenant-%d", t);
        def.tenant = str_from(arena_strdup(&bench.arena, name));
        for (int k = 0; k < each; k++) {
            create(&bench, &def);
        }
        commit(&bench);
    }
    struct began began = begin();
    while (bench.grants < (uint64_t)count * (uint64_t)each) {
        poll_only(&bench);
    }
    printf("tenants    %d tenants with %d jobs each: %.2f us a claim (%.2f us of processor)\n", count, each,
           seconds_since(began) * 1e6 / (count * each), cpu_since(began) * 1e6 / (count * each));
    bench_done(&bench);
}

/* 50 attempts a second, recurring, with heartbeats: how much faster than life. */
static void steady(void)
{
    struct bench bench;
    struct job_def def = job_def_default();
    const int jobs = 500, minutes = 30;

    bench_init(&bench, 0);
    def.when = WHEN_EVERY;
    def.every_ms = 10000;
    for (int i = 0; i < jobs; i++) {
        bench.at.wall_ms += 20;
        bench.at.mono_ms += 20;
        create(&bench, &def);
        commit(&bench);
    }
    struct began began = begin();
    int64_t end_ms = bench.at.mono_ms + minutes * 60000LL;

    while (bench.at.mono_ms < end_ms) {
        int64_t next_ms =
            bench.effects.wake_mono_ms > bench.at.mono_ms ? bench.effects.wake_mono_ms : bench.at.mono_ms + 1;

        bench.at.wall_ms += next_ms - bench.at.mono_ms;
        bench.at.mono_ms = next_ms;
        step(&bench, (struct event){.kind = EVENT_TICK});
        poll(&bench);
    }
    double s = seconds_since(began), cpu = cpu_since(began);

    printf("steady     %d simulated minutes at %.1f attempts/s: %.0f times life, %.0f events/s (%.0f a second of "
           "processor)\n",
           minutes, (double)bench.grants / (minutes * 60), minutes * 60 / s, (double)bench.events / s,
           (double)bench.events / cpu);
    bench_done(&bench);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"lifecycle", lifecycle}, {"herd", herd}, {"tenants", tenants}, {"steady", steady}};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bool is_wanted = argc < 2;

        for (int a = 1; a < argc; a++) {
            is_wanted = is_wanted || strcmp(argv[a], parts[i].name) == 0;
        }
        if (is_wanted) {
            parts[i].run();
        }
    }
    return 0;
}
