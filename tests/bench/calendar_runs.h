/* calendar_runs: the things bench_calendar measures, each a loop around one function of the calendar.
 */
#ifndef TESTS_BENCH_CALENDAR_RUNS_H
#define TESTS_BENCH_CALENDAR_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "calendar/cron_fire.h"

#define RANDOM_INSTANTS 4096

#define CHAIN_START_S 1767225600LL /* 2026 */
#define CHAIN_END_S 7226582400LL   /* 2199: start again */

/* One cell of a table. */
struct cell {
    const char *text;
    struct cron cron;
    struct cron_clock clock;
    const int64_t *instants_s; /* RANDOM_INSTANTS of them */
    int64_t sink;              /* so that no answer is left out */
};

/* How often cron_next was called, for who counts its instructions. */
extern size_t run_next_calls;

/* All of them take a struct cell. A chain asks each time from the last answer. */
void run_next_chain(void *context, size_t calls);
void run_prev_chain(void *context, size_t calls);
void run_next_random(void *context, size_t calls);
void run_prev_random(void *context, size_t calls);
void run_count_year(void *context, size_t calls);
void run_count_always(void *context, size_t calls);
void run_parse(void *context, size_t calls);
void run_look_up_local(void *context, size_t calls);
void run_look_up_utc(void *context, size_t calls);
void run_naive_chain(void *context, size_t calls);

#endif
