/* Dead letters: replayed and discarded. */
#include "api/dead.h"
#include "api/handlers.h"
#include "api/inside.h"
#include "api/pacer.h"
#include "base/chrono.h"
#include "base/limits.h"
#include "base/mem.h"
#include "wire/mark.h"
#include "wire/trigger.h"
#include "wire/requests.h"

/* What a filter looks at in one call: enough for what it may take where most of them match. A read must not keep its
 * thread, and groups are not known to the store: without a bound a small one would go through all there are. */
#define LOOK_ROWS_MAX 20000
#define LOOK_MS_MAX 1000

struct choice {
    enum command_kind kind;
    struct wire_filters filters;
    uint64_t *triggers; /* chosen */
    size_t count;
    int64_t not_dead; /* named ones that are not */
    bool has_more;
    uint64_t after;     /* with has_more: the last one looked at */
    struct command key; /* idem_... of the request */
};

static bool is_by_filter(const struct choice *choice)
{
    return choice->filters.trigger_count == 0;
}

/* Whose keys it uses. */
static struct str tenant_of(const struct choice *choice)
{
    return str_empty(choice->filters.tenant) ? STR("default") : choice->filters.tenant;
}

static void answer(struct api_request *request, int64_t accepted, int64_t not_dead, const uint64_t *made, size_t count)
{
    const struct choice *choice = request->state;
    char mark[WIRE_MARK_BYTES];
    const char *next = choice->has_more ? wire_mark_id(choice->after, mark) : NULL;
    struct jw jw;

    api_json(request, &jw);
    if (choice->kind == COMMAND_REPLAY) {
        wire_replayed(&jw, accepted, not_dead, next, made, count);
    } else {
        wire_discarded(&jw, accepted, not_dead, next);
    }
    api_answer_json(request, 202, &jw, NULL);
}

static void done(struct api_request *request, const struct reply *reply)
{
    answer(request, (int64_t)reply->trigger_count, reply->not_needed, reply->triggers, reply->trigger_count);
}

/* All at once: one command. */
static void submit(struct api_request *request)
{
    const struct choice *choice = request->state;
    struct command command = choice->key;

    command.kind = choice->kind;
    command.triggers = choice->triggers;
    command.trigger_count = choice->count;
    command.is_by_filter = is_by_filter(choice);
    api_command(request, &command, done);
}

/* accepted: what the answer says; when it is given again, what it said the first time. */
static void pace(struct api_request *request, size_t accepted)
{
    const struct choice *choice = request->state;
    struct error error;
    struct pacer_task task = {
        .kind = choice->kind,
        .triggers = choice->triggers,
        .count = choice->count,
        .is_by_filter = is_by_filter(choice),
        .rate_count = choice->filters.rate_count,
        .rate_period_ms = choice->filters.rate_period_ms,
        .tenant = tenant_of(choice),
        .key = choice->key.idem_key,
        .hash = {choice->key.idem_hash[0], choice->key.idem_hash[1]},
    };

    if (pacer_add(request->api->pacer, &task, &error) != ERR_OK) {
        api_problem_failed(request, &error, true);
        return;
    }
    answer(request, (int64_t)accepted, choice->not_dead, NULL, 0);
}

static void promised(struct api_request *request, const struct reply *reply)
{
    pace(request, reply->trigger_count);
}

/* The key is taken before anything is said: it may have been used for something else. Who repeats the request has the
 * same answer, and what a restart has forgotten is begun again. */
static void promise(struct api_request *request)
{
    const struct choice *choice = request->state;
    struct command command = choice->key;

    if (str_empty(command.idem_key)) {
        pace(request, choice->count);
        return;
    }
    command.kind = COMMAND_REPLAY;
    command.is_promise = true;
    command.triggers = choice->triggers;
    command.trigger_count = choice->count;
    api_command(request, &command, promised);
}

static bool has_rate(const struct choice *choice)
{
    return choice->filters.rate_count != SETTING_NONE;
}

/* Those of a page that are of the group, as long as there is room; what comes behind them is more. */
static void choose_rows(struct choice *choice, const struct rows *rows)
{
    size_t i = 0;

    for (; i < rows->triggers.count && choice->count < WIRE_DEAD_TRIGGERS_MAX; i++) {
        if (dead_is_in_group(choice->filters.group, &rows->triggers.items[i])) {
            choice->triggers[choice->count++] = rows->triggers.items[i].id;
        }
    }
    bool is_whole = i == rows->triggers.count;

    choice->has_more = rows->has_more || !is_whole;
    choice->after = is_whole ? rows->after : rows->triggers.items[i - 1].id; /* of a full choice i is not 0 */
}

/* Those of the filter, newest first, up to what one call takes or looks at. False: answered. */
static bool choose_by_filter(struct api_request *request, struct store_reader *reader, struct choice *choice)
{
    struct query query = {
        .kind = QUERY_DEAD,
        .limit = PAGE_ROWS_MAX,
        .tenant = choice->filters.tenant,
        .type = choice->filters.type,
        .error_code = choice->filters.error_code,
        .since_ms = choice->filters.since_ms,
        .after = choice->filters.after,
    };
    int64_t end_mono_ms = chrono_mono_ms() + LOOK_MS_MAX;
    size_t looked_at = 0;

    choice->triggers = arena_alloc_array(request->arena, WIRE_DEAD_TRIGGERS_MAX, sizeof *choice->triggers);
    do {
        SCOPE(rows_done) struct rows rows;

        rows_init(&rows);
        if (!api_query(request, reader, &query, &rows)) {
            return false;
        }
        choose_rows(choice, &rows);
        query.after = choice->after;
        looked_at += rows.triggers.count;
    } while (choice->has_more && choice->count < WIRE_DEAD_TRIGGERS_MAX && looked_at < LOOK_ROWS_MAX &&
             chrono_mono_ms() < end_mono_ms);
    return true;
}

/* Named ones that are dead: what will be done later must be known now. False: answered. */
static bool choose_named(struct api_request *request, struct store_reader *reader, struct choice *choice)
{
    choice->triggers = arena_alloc_array(request->arena, choice->filters.trigger_count, sizeof *choice->triggers);
    for (size_t i = 0; i < choice->filters.trigger_count; i++) {
        struct query query = {
            .kind = QUERY_TRIGGER, .id = choice->filters.triggers[i], .limit = 1, .since_ms = TIME_NONE};
        struct rows rows;

        rows_init(&rows);
        bool is_read = api_query(request, reader, &query, &rows);

        if (is_read && rows.triggers.count > 0 && rows.triggers.items[0].state == TRIGGER_DEAD) {
            choice->triggers[choice->count++] = query.id;
        } else if (is_read) {
            choice->not_dead++;
        }
        rows_done(&rows);
        if (!is_read) {
            return false;
        }
    }
    return true;
}

static void choose(struct api_request *request, struct store_reader *reader)
{
    struct choice *choice = request->state;
    bool is_chosen =
        is_by_filter(choice) ? choose_by_filter(request, reader, choice) : choose_named(request, reader, choice);

    if (is_chosen && has_rate(choice)) {
        promise(request);
    } else if (is_chosen) {
        submit(request);
    }
}

static void change_dead(struct api_request *request, enum command_kind kind)
{
    struct choice *choice = arena_zalloc(request->arena, sizeof *choice);
    struct error error;

    choice->kind = kind;
    if (!api_params_only(request, NULL) || !api_body_is_json(request)) {
        return;
    }
    if (wire_read_filters(net_request_body(request->net), request->arena, &choice->filters, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    if (kind == COMMAND_REPLAY && !api_idempotency(request, tenant_of(choice), &choice->key)) {
        return;
    }
    request->state = choice;
    if (!is_by_filter(choice) && !has_rate(choice)) {
        choice->triggers = choice->filters.triggers;
        choice->count = choice->filters.trigger_count;
        submit(request);
    } else {
        api_read(request, choose);
    }
}

void api_dead_replay(struct api *api, struct api_request *request)
{
    (void)api;
    change_dead(request, COMMAND_REPLAY);
}

void api_dead_discard(struct api *api, struct api_request *request)
{
    (void)api;
    change_dead(request, COMMAND_DISCARD);
}
