/* sim: worlds made of seeds, one after another, until something is found or the time is over.
 *
 * Exit: 0 nothing was found, 1 something was, 2 usage. A finding is run again with a trace, and its last events are
 * shown.
 * See:  options.h
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/hash.h"
#include "options.h"
#include "world.h"

#define TRACE_SHOWN 60
/* A world that takes longer than this, in seconds, hangs. */
#define WORLD_SECONDS_MAX 60
#define SHRINK_SECONDS_MAX 10
/* Marks are asked for after this many worlds. */
#define MARKS_WORLDS_MIN 300

struct totals {
    uint64_t worlds, events, attempts;
    int64_t simulated_ms;
};

/* For the handler of signals: an assertion or a crash in the engine is a finding like any other. */
static uint64_t current_seed;
static const struct options *current_options;
static struct trace *current_trace;

static void on_abort(int number)
{
    if (current_trace != NULL && !current_trace->is_loud) {
        trace_print(current_trace, TRACE_SHOWN);
    }
    (void)fprintf(stderr, "FOUND: %s\n",
                  number == SIGABRT   ? "an assertion failed (above)"
                  : number == SIGALRM ? "a world hangs"
                                      : strsignal(number));
    options_print_replay(current_options, current_seed);
    _exit(1);
}

/* Once more with a trace: the same seed is the same world. */
static void explain(const struct options *options, const struct swarm *swarm, struct zone_cache *zones,
                    const struct finding *finding)
{
    struct marks marks = {0};
    struct finding again;
    struct world_figures figures;
    uint64_t digest;

    current_trace = trace_new(false);
    options_print_swarm(swarm);
    (void)world_run(swarm, zones, &marks, current_trace, &again, &digest, &figures);
    trace_print(current_trace, TRACE_SHOWN);
    if (strcmp(again.text, finding->text) != 0) {
        (void)fprintf(stderr, "NOT THE SAME when run again: %s: %s\n", again.rule, again.text);
    }
    (void)fprintf(stderr, "FOUND: %s: %s\n", finding->rule, finding->text);
    options_print_replay(options, current_seed);
    trace_free(current_trace);
    current_trace = NULL;
}

/* What a world finds, asked in a process of its own: 0 nothing, else a number that stands for the rule or signal. */
static int finds(const struct options *options, struct zone_cache *zones)
{
    struct swarm swarm;
    struct finding finding;
    struct world_figures figures;
    struct marks marks = {0};
    uint64_t digest;
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        (void)signal(SIGSEGV, SIG_DFL);
        (void)signal(SIGALRM, SIG_DFL);
        (void)alarm(SHRINK_SECONDS_MAX);
        if (freopen("/dev/null", "w", stderr) == NULL) {
            _exit(0);
        }
        options_draw(options, options->seed, &swarm);
        if (world_run(&swarm, zones, &marks, NULL, &finding, &digest, &figures)) {
            _exit(0);
        }
        _exit(1 + (int)(hash64(finding.rule, strlen(finding.rule), 0) % 100));
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : 0;
}

/* Switches off whatever the finding does without, one after another. */
static void shrink(struct options *options, struct zone_cache *zones)
{
    int found = finds(options, zones);

    for (int i = 0; i < FAULT_COUNT; i++) {
        uint64_t before = options->no_faults;

        options->no_faults |= UINT64_C(1) << i;
        options->no_faults = finds(options, zones) == found ? options->no_faults : before;
    }
    for (int i = 0; i < FEATURE_COUNT; i++) {
        uint64_t before = options->no_features;

        options->no_features |= UINT64_C(1) << i;
        options->no_features = finds(options, zones) == found ? options->no_features : before;
    }
}

static bool run_one(const struct options *options, uint64_t seed, struct zone_cache *zones, struct marks *marks,
                    struct totals *totals)
{
    struct swarm swarm;
    struct finding finding;
    struct world_figures figures;
    uint64_t digest;
    bool is_good;

    current_seed = seed;
    current_options = options;
    options_draw(options, seed, &swarm);
    if (options->is_verbose) {
        options_print_swarm(&swarm);
        current_trace = trace_new(true);
    } else if (options->has_seed && options->seeds == 1) { /* so that an assertion shows what led to it */
        current_trace = trace_new(false);
    }
    (void)alarm(WORLD_SECONDS_MAX);
    is_good = world_run(&swarm, zones, marks, current_trace, &finding, &digest, &figures);
    trace_free(current_trace);
    current_trace = NULL;
    totals->worlds++;
    totals->events += figures.engine_events;
    totals->attempts += figures.attempts;
    totals->simulated_ms += figures.simulated_ms;
    if (options->shows_digest) {
        printf("0x%016" PRIx64 " %s 0x%016" PRIx64 "\n", seed, profile_text(options->profile), digest);
    }
    if (!is_good && options->goes_on) {
        (void)fprintf(stderr, "FOUND: %.250s\n", finding.text);
        options_print_replay(options, current_seed);
    } else if (!is_good) {
        explain(options, &swarm, zones, &finding);
    }
    return is_good;
}

static void print_totals(const struct totals *totals, int64_t passed_ms)
{
    double seconds = (double)passed_ms / 1000 > 0.001 ? (double)passed_ms / 1000 : 0.001;

    (void)fprintf(stderr,
                  "%" PRIu64 " worlds, %" PRIu64 " engine events, %" PRIu64 " attempts, %.1f simulated hours in %.1f s "
                  "(%.0f worlds/s, %.0f events/s, %.0f attempts/s)\n",
                  totals->worlds, totals->events, totals->attempts, (double)totals->simulated_ms / 3600000, seconds,
                  (double)totals->worlds / seconds, (double)totals->events / seconds,
                  (double)totals->attempts / seconds);
}

/* Marks that were never reached; true if there are none. */
static bool print_marks(const struct marks *marks)
{
    int missing = 0;

    for (int i = 0; i < MARK_COUNT; i++) {
        if (marks->hits[i] == 0) {
            (void)fprintf(stderr, "%s  %-22s %s\n", missing++ == 0 ? "never happened:\n" : "", mark_name((enum mark)i),
                          mark_text((enum mark)i));
        }
    }
    return missing == 0;
}

static bool run_all(const struct options *options, struct zone_cache *zones)
{
    struct marks marks = {0};
    struct totals totals = {0};
    int64_t began_ms = chrono_mono_ms();
    int64_t until_ms = began_ms + (int64_t)(options->minutes * 60000);
    int64_t said_ms = began_ms;
    bool is_good = true;
    struct rng rng;

    rng_init(&rng, options->seed);
    while ((is_good || options->goes_on) && totals.worlds < options->seeds &&
           (options->seeds != UINT64_MAX || chrono_mono_ms() < until_ms)) {
        uint64_t seed = options->has_seed ? options->seed + totals.worlds : rng_next(&rng);

        is_good = run_one(options, seed, zones, &marks, &totals) && is_good;
        if (isatty(STDERR_FILENO) && chrono_mono_ms() - said_ms > 5000) {
            said_ms = chrono_mono_ms();
            print_totals(&totals, said_ms - began_ms);
        }
    }
    print_totals(&totals, chrono_mono_ms() - began_ms);
    if ((is_good || options->goes_on) && totals.worlds >= MARKS_WORLDS_MIN && !print_marks(&marks) &&
        options->needs_marks) {
        (void)fprintf(stderr, "FOUND: marks that were never reached in %" PRIu64 " worlds\n", totals.worlds);
        is_good = false;
    }
    return is_good;
}

int main(int argc, char **argv)
{
    struct options options;
    struct zone_cache *zones;
    bool is_good;

    if (!options_read(argc, argv, &options)) {
        return 2;
    }
    if (options.has_seed && options.seeds == UINT64_MAX) {
        options.seeds = 1;
    } else if (!options.has_seed && getrandom(&options.seed, sizeof options.seed, 0) != (ssize_t)sizeof options.seed) {
        return 2;
    }
    (void)signal(SIGABRT, on_abort);
    (void)signal(SIGSEGV, on_abort);
    (void)signal(SIGFPE, on_abort);
    (void)signal(SIGALRM, on_abort);
    zones = zone_cache_new(NULL);
    if (options.shrinks && options.has_seed && finds(&options, zones) != 0) {
        shrink(&options, zones);
    }
    is_good = run_all(&options, zones);
    zone_cache_free(zones);
    return is_good ? 0 : 1;
}
