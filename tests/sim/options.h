/* options: what sim is asked for on its command line.
 *
 * --seed N, --seeds N, --minutes X, --profile NAME
 * --without NAME   switches one feature or fault off (names as printed with a finding)
 * --only NAMES     switches all off but the ones named, with commas between them
 * --shrink         looks for how many of them a finding does without
 * --all            goes on after a finding
 * --digest, --marks, --verbose
 */
#ifndef TESTS_SIM_OPTIONS_H
#define TESTS_SIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "swarm.h"

struct options {
    uint64_t seed;
    bool has_seed;
    uint64_t seeds; /* how many; UINT64_MAX: by time */
    double minutes;
    enum profile profile;
    uint64_t no_features, no_faults; /* bits that are switched off */
    bool is_verbose, shows_digest, needs_marks, shrinks, goes_on;
};

/* False: usage was printed. */
bool options_read(int argc, char **argv, struct options *ret_options);

/* The world of a seed, with what was switched off. */
void options_draw(const struct options *options, uint64_t seed, struct swarm *ret_swarm);

/* To standard error: how to see the world of this seed again, and what is in it. */
void options_print_replay(const struct options *options, uint64_t seed);
void options_print_swarm(const struct swarm *swarm);

#endif
