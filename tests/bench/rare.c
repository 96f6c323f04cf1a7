#include "rare.h"

#include <stdio.h>

#include "base/limits.h"

const char *const rare_expressions[RARE_EXPRESSIONS] = {
    "0 0 29 2 *",
    "0 0 29 2 */7",
    "59 23 29 2 */6",
    "0 0 31 12 *",
    "0 0 0 ? 2 7#5",
    "0 0 0 ? 2 1#5",
    "59 59 23 ? 2 5#5",
    "0 0 0 29W 2 ?",
    "0 0 0 31W * ?",
    "0 0 0 31W 12 ? 2199",
    "0 0 0 L-28 2 ?",
    "0 0 0 L-30 1 ? 2200",
    "0 0 0 LW 2 ?",
    "0 0 0 L-28W 2 ?",
    "0 0 0 29 2 ? 2196",
    "0 0 0 29 2 ? 1972",
    "59 59 23 31 12 ? 2200",
    "0 0 0 1 1 ? 1970",
    "0 0 0 ? 2 7#5 2192-2200",
    "0 0 0 ? 2 7L 2200",
    "0 30 2 29 2 ? 2004-2196/4",
    "0 0 0 29 2 ? 2097-2103",
    "0 0 0 30 2 ?",
    "0 0 30 2 *",
    "0 0 31 2,4,6,9,11 *",
    "0 0 0 31 2,4,6,9,11 ?",
    "0 0 0 31W 2,4,6,9,11 ?",
    "0 0 0 L-29 2 ?",
    "* * * * *",
    /* Always in the gap, in London, New York or Lord Howe: with gap skip looked for in vain each year. */
    "0 30 1 ? 3 1L",
    "59 59 1 ? 3 1L",
    "0 30 2 ? 3 1#2",
    "0 15 2 ? 10 1#1",
};

/* A piece of an expression around a number. */
struct piece {
    const char *before;
    int first;
    int last;
    const char *after;
};

static const struct piece days[] = {
    {"29 ", 2, 2, " ?"},     {"? 2 ", 1, 7, "#5"}, {"L-", 26, 28, " 2 ?"},  {"", 27, 29, "W 2 ?"},
    {"31W 1,", 2, 11, " ?"}, {"? 2 ", 1, 7, "L"},  {"30,31 ", 1, 12, " ?"},
};
static const struct piece years[] = {
    {"", YEAR_MIN, YEAR_MIN, "-2200"}, {"", YEAR_MIN, YEAR_MAX, ""},   {"", YEAR_MIN, YEAR_MAX, "-2200"},
    {"1970,", YEAR_MIN, YEAR_MAX, ""}, {"", YEAR_MIN, YEAR_MAX, "/7"}, {"1970-2199/", 1, 200, ""},
};

static int one_of(struct rng *rng, int first, int last)
{
    return (int)rng_between(rng, first, last);
}

void rare_random(struct rng *rng, char ret_text[RARE_BYTES])
{
    const struct piece *day = &days[rng_below(rng, sizeof days / sizeof days[0])];
    const struct piece *year = &years[rng_below(rng, sizeof years / sizeof years[0])];
    int second = one_of(rng, 0, 59);
    int minute = one_of(rng, 0, 59);
    int hour = one_of(rng, 0, 23);
    int day_number = one_of(rng, day->first, day->last);
    int year_number = one_of(rng, year->first, year->last);

    (void)snprintf(ret_text, RARE_BYTES, "%d %d %d %s%d%s %s%d%s", second, minute, hour, day->before, day_number,
                   day->after, year->before, year_number, year->after);
}
