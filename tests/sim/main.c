/* sim: worlds made of seeds, one after another, until something is found or the time is over.
 *
 * Exit: 0 nothing was found, 1 something was, 2 usage. A finding is run again with a trace, and its last events are
 * shown.
 *
 * See:  options.h
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "apart.h"
#include "base/chrono.h"
#include "options.h"

#define TRACE_SHOWN 60
/* A world that takes longer than this, in seconds, hangs. */
#define WORLD_SECONDS_MAX 60
#define SHRINK_SECONDS_MAX 10
/* Marks are asked for after this many worlds. */
#define MARKS_WORLDS_MIN 300
#define PROGRESS_EVERY_MS 5000

struct sim {
    struct options options;
    struct zone_cache *zones;
    struct apart *apart;
    /* All worlds so far. */
    uint64_t worlds, events, attempts;
    int64_t simulated_ms;
};

/* Once more with a trace: the same seed is the same world. */
static void explain(struct sim *sim, const struct swarm *swarm, const struct finding *finding)
{
    struct trace *trace = trace_new(false);

    options_print_swarm(swarm);
    (void)apart_run(sim->apart, swarm, sim->zones, trace, WORLD_SECONDS_MAX);
    if (trace != NULL) {
        trace_print(trace, TRACE_SHOWN);
    }
    if (strcmp(sim->apart->finding.text, finding->text) != 0) {
        (void)fprintf(stderr, "NOT THE SAME when run again: %s: %s\n", sim->apart->finding.rule,
                      sim->apart->finding.text);
    }
    trace_free(trace);
}

/* Whether the world still breaks this rule. */
static bool still_finds(struct sim *sim, const char *rule)
{
    struct swarm swarm;

    options_draw(&sim->options, sim->options.seed, &swarm);
    return !apart_run(sim->apart, &swarm, sim->zones, NULL, SHRINK_SECONDS_MAX) &&
           strcmp(sim->apart->finding.rule, rule) == 0;
}

/* Switches off whatever the finding does without, one after another. */
static void shrink(struct sim *sim)
{
    struct options *options = &sim->options;
    struct finding finding;
    struct swarm swarm;

    options_draw(options, options->seed, &swarm);
    if (apart_run(sim->apart, &swarm, sim->zones, NULL, SHRINK_SECONDS_MAX)) {
        return;
    }
    finding = sim->apart->finding;
    for (int i = 0; i < FAULT_COUNT; i++) {
        uint64_t before = options->no_faults;

        options->no_faults |= UINT64_C(1) << i;
        options->no_faults = still_finds(sim, finding.rule) ? options->no_faults : before;
    }
    for (int i = 0; i < FEATURE_COUNT; i++) {
        uint64_t before = options->no_features;

        options->no_features |= UINT64_C(1) << i;
        options->no_features = still_finds(sim, finding.rule) ? options->no_features : before;
    }
    sim->apart->marks = (struct marks){0};
}

static bool run_one(struct sim *sim, uint64_t seed)
{
    const struct options *options = &sim->options;
    struct apart *apart = sim->apart;
    struct trace *trace = options->is_verbose ? trace_new(true) : NULL;
    struct swarm swarm;
    struct finding finding;
    bool is_good;

    options_draw(options, seed, &swarm);
    if (options->is_verbose) {
        options_print_swarm(&swarm);
    }
    is_good = apart_run(apart, &swarm, sim->zones, trace, WORLD_SECONDS_MAX);
    trace_free(trace);
    finding = apart->finding;
    sim->worlds++;
    sim->events += apart->figures.engine_events;
    sim->attempts += apart->figures.attempts;
    sim->simulated_ms += apart->figures.simulated_ms;
    if (options->shows_digest) {
        printf("0x%016" PRIx64 " %s 0x%016" PRIx64 "\n", seed, profile_text(options->profile), apart->digest);
    }
    if (!is_good) {
        if (!options->goes_on && !options->is_verbose) {
            explain(sim, &swarm, &finding);
        }
        (void)fprintf(stderr, "FOUND: %s: %s\n", finding.rule, finding.text);
        options_print_replay(options, seed);
    }
    return is_good;
}

static void print_totals(const struct sim *sim, int64_t passed_ms)
{
    double seconds = passed_ms > 0 ? (double)passed_ms / 1000 : 0.001;

    (void)fprintf(stderr,
                  "%" PRIu64 " worlds, %" PRIu64 " engine events, %" PRIu64 " attempts, %.1f simulated hours in %.1f s "
                  "(%.0f worlds/s, %.0f events/s, %.0f attempts/s)\n",
                  sim->worlds, sim->events, sim->attempts, (double)sim->simulated_ms / 3600000, seconds,
                  (double)sim->worlds / seconds, (double)sim->events / seconds, (double)sim->attempts / seconds);
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

static bool run_all(struct sim *sim)
{
    const struct options *options = &sim->options;
    int64_t began_ms = chrono_mono_ms();
    int64_t until_ms = began_ms + (int64_t)(options->minutes * 60000);
    int64_t said_ms = began_ms;
    bool is_good = true;
    struct rng rng;

    rng_init(&rng, options->seed);
    while ((is_good || options->goes_on) && sim->worlds < options->seeds &&
           (options->seeds != UINT64_MAX || chrono_mono_ms() < until_ms)) {
        uint64_t seed = options->has_seed ? options->seed + sim->worlds : rng_next(&rng);

        is_good = run_one(sim, seed) && is_good;
        if (isatty(STDERR_FILENO) && chrono_mono_ms() - said_ms > PROGRESS_EVERY_MS) {
            said_ms = chrono_mono_ms();
            print_totals(sim, said_ms - began_ms);
        }
    }
    print_totals(sim, chrono_mono_ms() - began_ms);
    if ((is_good || options->goes_on) && sim->worlds >= MARKS_WORLDS_MIN && !print_marks(&sim->apart->marks) &&
        options->needs_marks) {
        (void)fprintf(stderr, "FOUND: marks that were never reached in %" PRIu64 " worlds\n", sim->worlds);
        is_good = false;
    }
    return is_good;
}

int main(int argc, char **argv)
{
    struct sim sim = {0};
    struct options *options = &sim.options;
    bool is_good;

    if (!options_read(argc, argv, options)) {
        return 2;
    }
    if (options->has_seed && options->seeds == UINT64_MAX) {
        options->seeds = 1;
    } else if (!options->has_seed &&
               getrandom(&options->seed, sizeof options->seed, 0) != (ssize_t)sizeof options->seed) {
        return 2;
    }
    sim.apart = apart_new();
    if (sim.apart == NULL) {
        return 2;
    }
    sim.zones = zone_cache_new(NULL);
    if (options->shrinks && options->has_seed) {
        shrink(&sim);
    }
    is_good = run_all(&sim);
    apart_free(sim.apart);
    zone_cache_free(sim.zones);
    return is_good ? 0 : 1;
}
