/* fuzz: what a fuzz target is.
 *
 * A target eats any bytes and ends the process when a promise is broken: a failed assert, or what a sanitizer finds.
 * With libFuzzer (./dev fuzz) new inputs are made to reach new code; in every other build replay.c runs the target over
 * its corpus and some mutations of it, as a test.
 *
 * See: replay.c, corpus/ (one folder for each target), seeds.py
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's name for it. Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
