#include "api/attention.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "calendar/duration.h"
#include "wire/put.h"

#define SUCCESS_SHARE_MIN 0.95
#define PROVES_SOMETHING 20 /* attempts; fewer show nothing */
#define OVERDUE_MAX 10
#define DEAD_MAX 1000
#define TEXT_BYTES 700 /* two names of 200 bytes, and words */

struct list {
    struct jw *jw;
    size_t count;
};

struct item {
    const char *kind, *severity;
    struct str tenant, subject; /* empty: of none */
    int64_t count;
    const char *look; /* a path of the API, or its part before the subject's name */
};

__attribute__((format(printf, 3, 4))) static void put(struct list *list, const struct item *item, const char *format,
                                                      ...)
{
    char text[TEXT_BYTES], look[TEXT_BYTES];
    va_list args;

    if (list->count == ATTENTION_MAX) {
        return;
    }
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool is_of_one = item->look[strlen(item->look) - 1] == '/';

    (void)snprintf(look, sizeof look, "%s%.*s", item->look, STR_ARGS(is_of_one ? item->subject : STR("")));
    list->count++;
    jw_begin_object(list->jw);
    wire_put_word(list->jw, "kind", item->kind);
    wire_put_word(list->jw, "severity", item->severity);
    wire_put_text(list->jw, "tenant", item->tenant);
    wire_put_text(list->jw, "subject", item->subject);
    wire_put_int(list->jw, "count", item->count);
    wire_put_word(list->jw, "detail", text);
    wire_put_word(list->jw, "look", look);
    jw_end_object(list->jw);
}

static void put_clock(struct list *list, const struct view_health *health)
{
    char ahead[DURATION_BYTES];

    if (health->is_clock_held) {
        put(list, &(struct item){"clock_held", "critical", .count = health->clock_ahead_ms, .look = "/v1/doctor"},
            "the clock jumped forward by %s and is not believed: schedules are held",
            duration_format_short(health->clock_ahead_ms, ahead));
    }
    if (health->is_held) {
        put(list, &(struct item){"held", "critical", .look = "/v1/doctor"},
            "nothing is given to workers: the store was restored, perhaps, and what is due may have run already");
    }
    if (health->unreadable > 0) {
        put(list,
            &(struct item){"jobs_unreadable", "critical", .count = (int64_t)health->unreadable, .look = "/v1/doctor"},
            "%zu jobs could not be read back from the store", health->unreadable);
    }
}

static void put_pools(struct list *list, const struct attention *attention)
{
    for (size_t i = 0; i < attention->pool_count; i++) {
        const struct view_scope *pool = &attention->pools[i];

        if (pool->ready > 0 && pool->workers == 0) {
            put(list,
                &(struct item){"pool_without_workers", "critical", .subject = pool->name, .count = pool->ready,
                               .look = "/v1/pools/"},
                "pool %.*s has %" PRId64 " ready and no worker", STR_ARGS(pool->name), pool->ready);
        } else if (pool->ready > 0 && pool->capacity > 0 && pool->running >= pool->capacity) {
            put(list,
                &(struct item){"pool_saturated", "warning", .subject = pool->name, .count = pool->ready,
                               .look = "/v1/pools/"},
                "pool %.*s runs %" PRId64 " of %" PRId64 " and has %" PRId64 " ready", STR_ARGS(pool->name),
                pool->running, pool->capacity, pool->ready);
        }
    }
}

static void put_paused(struct list *list, const char *kind, const char *what, const char *look,
                       const struct view_scope *scopes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (scopes[i].settings.is_paused && scopes[i].ready > 0) {
            put(list,
                &(struct item){kind, "warning", .subject = scopes[i].name, .count = scopes[i].ready, .look = look},
                "%s %.*s is paused and has %" PRId64 " ready", what, STR_ARGS(scopes[i].name), scopes[i].ready);
        }
    }
}

static void put_breakers(struct list *list, const struct attention *attention)
{
    for (size_t i = 0; i < attention->breaker_count; i++) {
        const struct view_breaker *breaker = &attention->breakers[i];

        put(list,
            &(struct item){"breaker_open", "warning", breaker->tenant, breaker->type, .count = 1, .look = "/v1/types/"},
            "the breaker of type %.*s in tenant %.*s is %s", STR_ARGS(breaker->type), STR_ARGS(breaker->tenant),
            breaker->state == BREAKER_OPEN ? "open" : "half open");
    }
}

static void put_types(struct list *list, const struct attention *attention)
{
    for (size_t i = 0; i < attention->type_day_count; i++) {
        const struct counters_row *row = &attention->type_days[i];
        double rate = tally_success_rate(&row->tally);

        if (tally_judged(&row->tally) >= PROVES_SOMETHING && rate < SUCCESS_SHARE_MIN) {
            put(list,
                &(struct item){"type_failing", rate < 0.5 ? "critical" : "warning", .subject = row->place.type,
                               .count = (int64_t)tally_failed(&row->tally), .look = "/v1/types/"},
                "%.1f %% of the attempts of type %.*s succeeded in the last 24 hours", rate * 100,
                STR_ARGS(row->place.type));
        }
    }
}

static void put_late(struct list *list, const struct attention *attention)
{
    char late[DURATION_BYTES];
    int64_t oldest_ms = attention->all->oldest_ms, overdue = attention->all->overdue;
    int64_t late_ms = oldest_ms != TIME_NONE && oldest_ms < attention->now_ms ? attention->now_ms - oldest_ms : 0;

    if (overdue > 0) {
        put(list,
            &(struct item){"overdue", overdue > OVERDUE_MAX ? "critical" : "warning", .count = overdue,
                           .look = "/v1/doctor"},
            "%" PRId64 " have been ready for more than a minute, the oldest for %s", overdue,
            duration_format_short(late_ms, late));
    }
    if (attention->dead > 0) {
        put(list,
            &(struct item){"dead_letters", attention->dead > DEAD_MAX ? "critical" : "warning",
                           .count = attention->dead, .look = "/v1/dead/groups"},
            "%" PRId64 "%s dead letters wait for a decision", attention->dead,
            attention->dead >= QUERY_SCAN_MAX ? " or more" : "");
    }
}

void attention_write(struct jw *jw, const struct attention *attention)
{
    struct list list = {.jw = jw};

    jw_begin_array(jw);
    if (!attention->is_narrowed) {
        put_clock(&list, attention->health);
        put_pools(&list, attention);
        put_late(&list, attention);
        put_paused(&list, "tenant_paused", "tenant", "/v1/tenants/", attention->tenants, attention->tenant_count);
        put_paused(&list, "pool_paused", "pool", "/v1/pools/", attention->pools, attention->pool_count);
        put_paused(&list, "type_paused", "type", "/v1/types/", attention->types, attention->type_count);
    }
    put_breakers(&list, attention);
    put_types(&list, attention);
    jw_end_array(jw);
}
