#include "worst.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "calendar/cron_fire.h"
#include "calendar/expression.h"
#include "calendar/instant.h"
#include "measure.h"
#include "rare.h"

#define TARGET_US 100.0
#define SEED 20260408
#define RANDOM_EXPRESSIONS 3000
#define FINALISTS 24
#define REPEATS_FIRST 3
#define REPEATS_FINAL 40
#define SHOWN 3

enum question {
    ASK_NEXT,
    ASK_PREV,
    ASK_PARSE, /* also of what is refused: that it can never fire must be found out in time */
};
#define QUESTIONS 3

struct candidate {
    enum question question;
    char text[RARE_BYTES];
    struct cron cron; /* not for PARSE */
    const struct zone *zone;
    struct dst dst;
    int64_t instant_s;
    double us; /* the shortest time seen */
};

/* The slowest so far of one question, slowest first. */
struct finalists {
    size_t count;
    struct candidate slowest[FINALISTS];
};

static const int64_t instants_s[] = {
    TIME_START_S - 1,      TIME_START_S,
    94694400 /* 1973 */,   378691200 /* 1982 */,
    1199145600 /* 2008 */, 4107542400 /* March 2100 */,
    7258118400 /* 2200 */, TIME_END_S,
};
#define INSTANTS (sizeof instants_s / sizeof instants_s[0])

static int64_t ask(const struct candidate *candidate)
{
    struct cron_clock clock = {.cron = &candidate->cron, .zone = candidate->zone, .dst = candidate->dst};
    int64_t fire_s = 0;

    if (candidate->question == ASK_PARSE) {
        struct expression expression;

        return expression_parse(str_from(candidate->text), STR("seed"), &expression, NULL) == ERR_OK;
    }
    bool found = candidate->question == ASK_NEXT ? cron_next(&clock, candidate->instant_s, &fire_s)
                                                 : cron_prev(&clock, candidate->instant_s, &fire_s);
    return found ? fire_s : 0;
}

static void ask_measured(void *context, size_t calls)
{
    volatile int64_t answer = 0;

    for (size_t i = 0; i < calls; i++) {
        answer = ask(context);
    }
    (void)answer;
}

static void consider(struct finalists by_question[QUESTIONS], struct candidate *candidate)
{
    struct finalists *finalists = &by_question[candidate->question];
    size_t place = finalists->count;

    candidate->us = measure_ns(ask_measured, candidate, 1, REPEATS_FIRST) / 1000.0;
    while (place > 0 && finalists->slowest[place - 1].us < candidate->us) {
        place--;
    }
    if (place == FINALISTS) {
        return;
    }
    size_t moved = (finalists->count < FINALISTS ? finalists->count : FINALISTS - 1) - place;
    memmove(&finalists->slowest[place + 1], &finalists->slowest[place], moved * sizeof *candidate);
    finalists->slowest[place] = *candidate;
    finalists->count += finalists->count < FINALISTS;
}

/* Parses the candidate's text, which takes time as well; false if it is refused. */
static bool consider_parse(struct finalists by_question[QUESTIONS], struct candidate *candidate)
{
    struct expression expression;

    candidate->question = ASK_PARSE;
    consider(by_question, candidate);
    if (expression_parse(str_from(candidate->text), STR("seed"), &expression, NULL) != ERR_OK) {
        return false;
    }
    candidate->cron = expression.cron;
    return true;
}

/* Asks for fires from everywhere, under all policies. */
static void consider_fires(struct finalists by_question[QUESTIONS], struct candidate *candidate)
{
    for (size_t i = 0; i < 9 * INSTANTS; i++) {
        candidate->instant_s = instants_s[i / 9];
        candidate->dst = (struct dst){.gap = (enum dst_gap)(i % 3), .fold = (enum dst_fold)(i / 3 % 3)};
        candidate->question = ASK_NEXT;
        consider(by_question, candidate);
        candidate->question = ASK_PREV;
        consider(by_question, candidate);
    }
}

/* Of all that tzdata lists. */
static const struct zone *busiest_zone(struct zone_cache *zones)
{
    const struct zone *busiest = NULL;
    char line[512];
    char name[ZONE_NAME_BYTES_MAX + 1];

    if (zone_cache_get(zones, STR("Europe/London"), &busiest, NULL) != ERR_OK) {
        return NULL;
    }
    FILE *table = fopen(ZONE_DIR_DEFAULT "/zone1970.tab", "r");
    while (table != NULL && fgets(line, sizeof line, table) != NULL) {
        const struct zone *zone;

        if (line[0] != '#' && sscanf(line, "%*s %*s %64s", name) == 1 &&
            zone_cache_get(zones, str_from(name), &zone, NULL) == ERR_OK && zone->count > busiest->count) {
            busiest = zone;
        }
    }
    if (table != NULL) {
        (void)fclose(table);
    }
    return busiest;
}

static int by_time(const void *a, const void *b)
{
    double us_a = ((const struct candidate *)a)->us;
    double us_b = ((const struct candidate *)b)->us;

    return (us_a < us_b) - (us_a > us_b);
}

static void print_candidate(const struct candidate *candidate)
{
    static const char *const gaps[] = {"after", "shift", "skip"};
    static const char *const folds[] = {"first", "second", "both"};
    char instant[INSTANT_BYTES];

    if (candidate->question == ASK_PARSE) {
        printf("  %7.2f us  parse of \"%s\"\n", candidate->us, candidate->text);
        return;
    }
    printf("  %7.2f us  %s \"%s\" %s %s in %s, gap %s, fold %s\n", candidate->us,
           candidate->question == ASK_NEXT ? "next of" : "previous of", candidate->text,
           candidate->question == ASK_NEXT ? "after" : "before",
           instant_format_short(candidate->instant_s * 1000, instant), candidate->zone->name, gaps[candidate->dst.gap],
           folds[candidate->dst.fold]);
}

/* Measures the slowest of a question again and prints the worst of them. */
static void print_worst(struct finalists *finalists, const char *what)
{
    for (size_t i = 0; i < finalists->count; i++) {
        finalists->slowest[i].us = measure_ns(ask_measured, &finalists->slowest[i], 1, REPEATS_FINAL) / 1000.0;
    }
    qsort(finalists->slowest, finalists->count, sizeof finalists->slowest[0], by_time);
    printf("slowest %s found: %.2f us; target < %.0f us: %s\n", what, finalists->slowest[0].us, TARGET_US,
           measure_verdict(finalists->slowest[0].us, TARGET_US));
    for (size_t i = 0; i < finalists->count && i < SHOWN; i++) {
        print_candidate(&finalists->slowest[i]);
    }
}

/* The expressions that somebody thought of, in the zones they are meant for and in the busiest. */
static void consider_rare(struct finalists by_question[QUESTIONS], struct zone_cache *zones, const struct zone *busiest)
{
    static const char *const names[] = {"Europe/London", "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll"};
    struct candidate candidate = {0};

    for (size_t i = 0; i < RARE_EXPRESSIONS; i++) {
        (void)snprintf(candidate.text, sizeof candidate.text, "%s", rare_expressions[i]);
        candidate.zone = busiest;
        if (!consider_parse(by_question, &candidate)) {
            continue;
        }
        consider_fires(by_question, &candidate);
        for (size_t z = 0; z < sizeof names / sizeof names[0]; z++) {
            if (zone_cache_get(zones, str_from(names[z]), &candidate.zone, NULL) == ERR_OK &&
                candidate.zone != busiest) {
                consider_fires(by_question, &candidate);
            }
        }
    }
}

static void consider_random(struct finalists by_question[QUESTIONS], const struct zone *busiest)
{
    struct candidate candidate = {.zone = busiest};
    struct rng rng;

    rng_init(&rng, SEED);
    for (size_t i = 0; i < RANDOM_EXPRESSIONS; i++) {
        rare_random(&rng, candidate.text);
        if (consider_parse(by_question, &candidate)) {
            consider_fires(by_question, &candidate);
        }
    }
}

void worst_print(struct zone_cache *zones)
{
    static struct finalists by_question[QUESTIONS];
    static const char *const names[] = {"next fire", "previous fire", "parse"};
    const struct zone *busiest = busiest_zone(zones);

    if (busiest == NULL) {
        printf("no tzdata, no search for the worst expression\n");
        return;
    }
    consider_rare(by_question, zones, busiest);
    consider_random(by_question, busiest);
    printf("%d expressions, mostly in %s (%zu changes), from %zu instants, under all policies\n",
           RARE_EXPRESSIONS + RANDOM_EXPRESSIONS, busiest->name, busiest->count - 1, INSTANTS);
    for (size_t i = 0; i < QUESTIONS; i++) {
        print_worst(&by_question[i], names[i]);
    }
}
