/* store_scale: bench_store with much history, and with many jobs ahead. */
#ifndef TESTS_BENCH_STORE_SCALE_H
#define TESTS_BENCH_STORE_SCALE_H

#include <stddef.h>

/* What loading, claiming and finishing cost with little history, and with that many rows of it. */
void bench_history(size_t rows);

/* How long it takes to start with that many jobs a day ahead, and how much memory. */
void bench_memory(size_t jobs);

#endif
