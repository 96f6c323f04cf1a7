#include "calendar_runs.h"

#include "calendar/expression.h"
#include "naive.h"

#define YEAR_S (365 * 86400LL)

size_t run_next_calls;

void run_next_chain(void *context, size_t calls)
{
    struct cell *cell = context;
    int64_t at_s = CHAIN_START_S;

    run_next_calls += calls;
    for (size_t i = 0; i < calls; i++) {
        if (!cron_next(&cell->clock, at_s, &at_s) || at_s >= CHAIN_END_S) {
            at_s = CHAIN_START_S;
        }
    }
    cell->sink += at_s;
}

void run_prev_chain(void *context, size_t calls)
{
    struct cell *cell = context;
    int64_t at_s = CHAIN_END_S;

    for (size_t i = 0; i < calls; i++) {
        if (!cron_prev(&cell->clock, at_s, &at_s)) {
            at_s = CHAIN_END_S;
        }
    }
    cell->sink += at_s;
}

void run_next_random(void *context, size_t calls)
{
    struct cell *cell = context;
    int64_t fire_s = 0;

    run_next_calls += calls;
    for (size_t i = 0; i < calls; i++) {
        cell->sink += cron_next(&cell->clock, cell->instants_s[i % RANDOM_INSTANTS], &fire_s) ? fire_s : 0;
    }
}

void run_prev_random(void *context, size_t calls)
{
    struct cell *cell = context;
    int64_t fire_s = 0;

    for (size_t i = 0; i < calls; i++) {
        cell->sink += cron_prev(&cell->clock, cell->instants_s[i % RANDOM_INSTANTS], &fire_s) ? fire_s : 0;
    }
}

void run_count_year(void *context, size_t calls)
{
    struct cell *cell = context;

    for (size_t i = 0; i < calls; i++) {
        int64_t from_s = cell->instants_s[i % RANDOM_INSTANTS];

        cell->sink += cron_count(&cell->clock, from_s, from_s + YEAR_S);
    }
}

void run_parse(void *context, size_t calls)
{
    struct cell *cell = context;
    struct expression expression;

    for (size_t i = 0; i < calls; i++) {
        cell->sink += expression_parse(str_from(cell->text), STR("seed"), &expression, NULL) == ERR_OK;
    }
}

void run_look_up_local(void *context, size_t calls)
{
    struct cell *cell = context;

    for (size_t i = 0; i < calls; i++) {
        cell->sink += zone_to_local(cell->clock.zone, cell->instants_s[i % RANDOM_INSTANTS]);
    }
}

void run_look_up_utc(void *context, size_t calls)
{
    struct cell *cell = context;

    for (size_t i = 0; i < calls; i++) {
        cell->sink += zone_from_local(cell->clock.zone, cell->instants_s[i % RANDOM_INSTANTS]).first_s;
    }
}

void run_naive_chain(void *context, size_t calls)
{
    struct cell *cell = context;
    int64_t at_s = CHAIN_START_S;

    for (size_t i = 0; i < calls; i++) {
        if (!naive_next(&cell->cron, cell->clock.zone, at_s, &at_s)) {
            at_s = CHAIN_START_S;
        }
    }
    cell->sink += at_s;
}

void run_count_always(void *context, size_t calls)
{
    struct cell *cell = context;

    for (size_t i = 0; i < calls; i++) {
        cell->sink += cron_count(&cell->clock, TIME_START_S, TIME_END_S);
    }
}
