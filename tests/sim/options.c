#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* ---- reading ---- */

static void print_usage(void)
{
    (void)fprintf(stderr, "Usage: sim [--seed N] [--seeds N] [--minutes X] [--profile NAME] [--without NAME]... "
                          "[--only NAMES] [--shrink] [--all] [--digest] [--marks] [--verbose]\nProfiles:\n");
    for (int i = 0; i < PROFILE_COUNT; i++) {
        (void)fprintf(stderr, "  %-10s %s\n", profile_text((enum profile)i), profile_about((enum profile)i));
    }
}

static bool read_number(const char *text, uint64_t *ret)
{
    char *end;

    *ret = strtoull(text, &end, 0);
    return end != text && *end == '\0';
}

static bool read_without(const char *name, struct options *options)
{
    enum feature feature = feature_parse(name);
    enum fault fault = fault_parse(name);

    options->no_features |= feature != FEATURE_COUNT ? UINT64_C(1) << feature : 0;
    options->no_faults |= fault != FAULT_COUNT ? UINT64_C(1) << fault : 0;
    return feature != FEATURE_COUNT || fault != FAULT_COUNT;
}

static bool read_only(const char *names, struct options *options)
{
    struct options named = {0};
    struct str rest = str_from(names);
    struct str piece;
    bool is_done = false;

    while (str_split(&rest, ',', &is_done, &piece)) {
        char name[64];

        (void)snprintf(name, sizeof name, "%.*s", STR_ARGS(piece));
        if (!read_without(name, &named) && strcmp(name, "NOTHING") != 0) {
            return false;
        }
    }
    options->no_features = ~named.no_features;
    options->no_faults = ~named.no_faults;
    return true;
}

/* An option that stands alone. */
static bool read_flag(const char *name, struct options *options)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"--verbose", &options->is_verbose}, {"--digest", &options->shows_digest}, {"--marks", &options->needs_marks},
        {"--shrink", &options->shrinks},     {"--all", &options->goes_on},
    };

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(name, flags[i].name) == 0) {
            *flags[i].flag = true;
            return true;
        }
    }
    return false;
}

/* One with a value. */
static bool read_pair(const char *name, const char *value, struct options *options)
{
    char *end = NULL;

    if (strcmp(name, "--without") == 0) {
        return read_without(value, options);
    }
    if (strcmp(name, "--only") == 0) {
        return read_only(value, options);
    }
    if (strcmp(name, "--seed") == 0) {
        options->has_seed = true;
        return read_number(value, &options->seed);
    }
    if (strcmp(name, "--seeds") == 0) {
        return read_number(value, &options->seeds);
    }
    if (strcmp(name, "--minutes") == 0) {
        options->minutes = strtod(value, &end);
        return options->minutes >= 0 && end != value && *end == '\0';
    }
    if (strcmp(name, "--profile") == 0) {
        options->profile = profile_parse(value);
        return options->profile != PROFILE_COUNT;
    }
    return false;
}

static bool read_all(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        if (read_flag(argv[i], options)) {
            continue;
        }
        if (i + 1 == argc || !read_pair(argv[i], argv[i + 1], options)) {
            return false;
        }
        i++;
    }
    return true;
}

bool options_read(int argc, char **argv, struct options *ret_options)
{
    *ret_options = (struct options){.seeds = UINT64_MAX, .minutes = 1, .profile = PROFILE_SWARM};
    if (!read_all(argc, argv, ret_options)) {
        print_usage();
        return false;
    }
    return true;
}

void options_draw(const struct options *options, uint64_t seed, struct swarm *ret_swarm)
{
    swarm_draw(seed, options->profile, ret_swarm);
    ret_swarm->features &= ~options->no_features;
    ret_swarm->faults &= ~options->no_faults;
}

/* ---- printing ---- */

/* What is left of features and faults, where some were switched off. */
static void print_only(const struct options *options, uint64_t seed)
{
    struct swarm swarm;
    const char *comma = "";

    swarm_draw(seed, options->profile, &swarm);
    (void)fprintf(stderr, " --only ");
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if ((swarm.features & ~options->no_features) >> i & 1) {
            (void)fprintf(stderr, "%s%s", comma, feature_text((enum feature)i));
            comma = ",";
        }
    }
    for (int i = 0; i < FAULT_COUNT; i++) {
        if ((swarm.faults & ~options->no_faults) >> i & 1) {
            (void)fprintf(stderr, "%s%s", comma, fault_text((enum fault)i));
            comma = ",";
        }
    }
    (void)fprintf(stderr, "%s", *comma == '\0' ? "NOTHING" : "");
}

void options_print_replay(const struct options *options, uint64_t seed)
{
    (void)fprintf(stderr, "replay: ./dev sim --seed 0x%" PRIx64 " --profile %s", seed, profile_text(options->profile));
    if (options->no_features != 0 || options->no_faults != 0) {
        print_only(options, seed);
    }
    (void)fprintf(stderr, "\n");
}

void options_print_swarm(const struct swarm *swarm)
{
    (void)fprintf(stderr,
                  "world: %u nodes, %u workers of %u, %u clients, %.1f min, beat %lld ms, profile %s\n"
                  "engine: window %lld ms, pages of %llu, at most %llu jobs, %llu bytes of definitions (0: the usual)\n"
                  "features:",
                  swarm->nodes, swarm->workers, swarm->capacity, swarm->clients, (double)swarm->length_ms / 60000,
                  (long long)swarm->beat_ms, profile_text(swarm->profile), (long long)swarm->window_ms,
                  (unsigned long long)swarm->page_rows, (unsigned long long)swarm->engine_jobs_max,
                  (unsigned long long)swarm->def_bytes_max);
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (swarm_has(swarm, (enum feature)i)) {
            (void)fprintf(stderr, " %s", feature_text((enum feature)i));
        }
    }
    (void)fprintf(stderr, "\nfaults:");
    for (int i = 0; i < FAULT_COUNT; i++) {
        if (swarm_faulty(swarm, (enum fault)i)) {
            (void)fprintf(stderr, " %s", fault_text((enum fault)i));
        }
    }
    (void)fprintf(stderr, "\n");
}
