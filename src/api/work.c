/* The work exchange: what workers call, and the hottest path of the server beside creating jobs. */
#include "api/handlers.h"
#include "api/inside.h"
#include "api/progress.h"
#include "api/tracer.h"
#include "wire/work_answer.h"
#include "wire/work_read.h"

#include <stdlib.h>

_Static_assert(TARGET_NONE == 0 && TARGET_EXEC == 2, "a mask of targets is the same for wire and engine");

/* Payloads and definitions of one answer. What is granted beyond is left out: the worker does not name it the next time
 * and gets it then (an attempt that is not named is sent again).
 *
 * So an exchange takes less of its arena than the 128 MiB it has: 64 MiB for the request as it was read (work_read.h),
 * 6 MiB for what it holds and reports, and, as the engine gives 2,000 attempts at most (a thousand sent again and a
 * thousand new ones), 24 MiB for what came with them, 24 MiB and one more for what is read, 4 MiB for all the rest. */
#define ANSWER_ITEM_BYTES_MAX (24UL * 1024 * 1024)

/* The answer while texts are missing. */
struct answering {
    struct wire_work_answer answer;
    const bool *is_payload_left; /* of each item: it has one of its own, which is in the store */
};

/* ---- the answer ---- */

static struct wire_item item_of(const struct grant *grant)
{
    return (struct wire_item){
        .trigger = grant->trigger,
        .job = grant->job,
        .number = grant->number,
        .failures = grant->failures,
        .max_attempts = grant->max_attempts,
        .version = grant->version,
        .kind = grant->kind,
        .replay_of = grant->replay_of,
        .scheduled_ms = grant->scheduled_ms,
        .due_ms = grant->due_ms,
        .timeout_ms = grant->timeout_ms,
        .lease_ms = grant->lease_ms,
        .place = grant->place,
        .name = grant->name,
        .payload = grant->payload,
        .def = grant->def,
    };
}

/* How many of the items go into one answer, the first in any case. */
static size_t fitting(const struct wire_item *items, size_t count)
{
    size_t bytes = 0, fits = 0;

    while (fits < count) {
        bytes += items[fits].payload.len + items[fits].def.len;
        if (fits > 0 && bytes > ANSWER_ITEM_BYTES_MAX) {
            break;
        }
        fits++;
    }
    return fits;
}

static void take_trace(const struct api_request *request, struct wire_item *item)
{
    if (!str_empty(item->def)) {
        item->trace = tracer_granted(request->api->tracer, item->trigger, item->def);
    }
}

static struct answering *answer_of(const struct api_request *request, const struct reply *reply)
{
    struct arena *arena = request->arena;
    struct answering *answering = arena_zalloc(arena, sizeof *answering);
    struct wire_item *items = arena_alloc_array(arena, reply->grant_count, sizeof *items);
    bool *is_left = arena_alloc_array(arena, reply->grant_count, sizeof *is_left);
    struct wire_refusal *refused = arena_alloc_array(arena, reply->refused_count, sizeof *refused);
    struct wire_attempt_ref *cancel = arena_alloc_array(arena, reply->cancel_count, sizeof *cancel);

    for (size_t i = 0; i < reply->grant_count; i++) {
        items[i] = item_of(&reply->grants[i]);
        take_trace(request, &items[i]);
        is_left[i] = reply->grants[i].is_payload_left;
    }
    for (size_t i = 0; i < reply->refused_count; i++) {
        const struct refused *one = &reply->refused[i];

        refused[i] = (struct wire_refusal){.attempt = {one->attempt.trigger, one->attempt.number},
                                           .reason = refusal_text(one->reason)};
    }
    for (size_t i = 0; i < reply->cancel_count; i++) {
        cancel[i] = (struct wire_attempt_ref){reply->cancel[i].trigger, reply->cancel[i].number};
    }
    answering->is_payload_left = is_left;
    answering->answer = (struct wire_work_answer){
        .items = items,
        .item_count = fitting(items, reply->grant_count),
        .refused = refused,
        .refused_count = reply->refused_count,
        .cancel = cancel,
        .cancel_count = reply->cancel_count,
        .is_draining = reply->is_draining,
    };
    return answering;
}

static void send(struct api_request *request, const struct wire_work_answer *answer)
{
    struct jw jw;

    api_json(request, &jw);
    wire_work_answer(&jw, answer);
    api_answer_json(request, 200, &jw, NULL);
}

/* ---- definitions and payloads that did not come with the reply ---- */

static struct str kept(struct arena *arena, struct str text)
{
    return (struct str){arena_strdup_str(arena, text), text.len};
}

/* The definition of that version into the arena; empty where the job has been deleted meanwhile. False: answered. */
static bool read_def(struct api_request *request, struct store_reader *reader, const struct wire_item *item,
                     struct str *ret_def)
{
    struct query query = {.kind = QUERY_JOB, .id = item->job, .limit = 1, .since_ms = TIME_NONE};
    struct rows rows;

    *ret_def = STR("");
    rows_init(&rows);
    bool is_read = api_query(request, reader, &query, &rows);

    if (is_read && rows.jobs.count > 0 && rows.jobs.items[0].version != item->version) {
        query.kind = QUERY_VERSIONS;
        query.after = item->version - 1;
        is_read = api_query(request, reader, &query, &rows);
    }
    if (is_read && rows.versions.count > 0 && rows.versions.items[0].version == item->version) {
        *ret_def = kept(request->arena, rows.versions.items[0].def);
    } else if (is_read && rows.jobs.count > 0 && rows.jobs.items[0].version == item->version) {
        *ret_def = kept(request->arena, rows.jobs.items[0].def);
    }
    rows_done(&rows);
    return is_read;
}

/* Likewise for the payload of a trigger. */
static bool read_payload(struct api_request *request, struct store_reader *reader, struct wire_item *item)
{
    struct query query = {.kind = QUERY_TRIGGER, .id = item->trigger, .limit = 1, .since_ms = TIME_NONE};
    struct rows rows;

    rows_init(&rows);
    bool is_read = api_query(request, reader, &query, &rows);

    if (is_read && rows.triggers.count > 0) {
        item->payload = kept(request->arena, rows.triggers.items[0].payload);
    } else {
        item->def = STR(""); /* its job has been deleted meanwhile */
    }
    rows_done(&rows);
    return is_read;
}

static bool read_missing(struct api_request *request, struct store_reader *reader, struct wire_item *item, bool is_left)
{
    return (!str_empty(item->def) || read_def(request, reader, item, &item->def)) &&
           (!is_left || read_payload(request, reader, item));
}

/* An item whose job is gone is left out: its attempt has been cancelled. */
static void fill_in(struct api_request *request, struct store_reader *reader)
{
    struct answering *answering = request->state;
    struct wire_work_answer *answer = &answering->answer;
    struct wire_item *items = arena_alloc_array(request->arena, answer->item_count, sizeof *items);
    size_t count = 0, bytes = 0;

    for (size_t i = 0; i < answer->item_count && bytes < ANSWER_ITEM_BYTES_MAX; i++) {
        items[count] = answer->items[i];
        if (!read_missing(request, reader, &items[count], answering->is_payload_left[i])) {
            return;
        }
        take_trace(request, &items[count]);
        bytes += items[count].payload.len + items[count].def.len;
        count += str_empty(items[count].def) ? 0 : 1;
    }
    answer->items = items;
    answer->item_count = count;
    send(request, answer);
}

/* The reply's texts go with it: those that are needed on another thread are copied. */
static void fill_in_later(struct api_request *request, struct answering *answering)
{
    struct arena *arena = request->arena;
    struct wire_work_answer *answer = &answering->answer;
    struct wire_item *items = arena_alloc_array(arena, answer->item_count, sizeof *items);

    for (size_t i = 0; i < answer->item_count; i++) {
        struct wire_item *item = &items[i];

        *item = answer->items[i];
        item->place.pool = kept(arena, item->place.pool);
        item->place.tenant = kept(arena, item->place.tenant);
        item->place.type = kept(arena, item->place.type);
        item->name = kept(arena, item->name);
        item->payload = kept(arena, item->payload);
        item->def = kept(arena, item->def);
    }
    answer->items = items;
    request->state = answering;
    api_read(request, fill_in);
}

/* ---- progress ---- */

static int by_attempt(const void *a, const void *b)
{
    const struct attempt_ref *x = a, *y = b;

    if (x->trigger != y->trigger) {
        return x->trigger < y->trigger ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

static bool is_among(const struct attempt_ref *refs, size_t count, struct attempt_ref ref)
{
    return bsearch(&ref, refs, count, sizeof ref, by_attempt) != NULL;
}

/* Of what the worker holds, and was not told to stop. */
static void take_progress(struct api_request *request, const struct reply *reply, const struct wire_work *work)
{
    const struct exchange *exchange = &request->call.exchange;
    size_t held_count = exchange->holding_count, stopped_count = reply->cancel_count;
    struct attempt_ref *held = arena_alloc_array(request->arena, held_count, sizeof *held);
    struct attempt_ref *stopped = arena_alloc_array(request->arena, stopped_count, sizeof *stopped);
    int64_t now_ms = shard_now_ms(request->config->shard);

    if (held_count == 0) {
        return;
    }
    memcpy(held, exchange->holding, held_count * sizeof *held);
    qsort(held, held_count, sizeof *held, by_attempt);
    if (stopped_count > 0) {
        memcpy(stopped, reply->cancel, stopped_count * sizeof *stopped);
        qsort(stopped, stopped_count, sizeof *stopped, by_attempt);
    }
    for (size_t i = 0; i < work->progress_count; i++) {
        const struct wire_work_progress *said = &work->progress[i];
        struct attempt_ref ref = {said->attempt.trigger, said->attempt.number};
        struct wire_progress progress = {.percent = said->percent, .note = said->note, .at_ms = now_ms};

        if (is_among(held, held_count, ref) && !(stopped_count > 0 && is_among(stopped, stopped_count, ref))) {
            progress_put(request->api->progress, ref.trigger, ref.number, &progress);
        }
    }
}

/* ---- the exchange ---- */

static void exchanged(struct api_request *request, const struct reply *reply)
{
    const struct wire_work *work = request->state;
    struct answering *answering = answer_of(request, reply);
    const struct wire_work_answer *answer = &answering->answer;
    bool has_all = true;

    if (work->progress_count > 0) {
        take_progress(request, reply, work);
    }
    for (size_t i = 0; i < answer->item_count; i++) {
        has_all = has_all && !str_empty(answer->items[i].def) && !answering->is_payload_left[i];
    }
    if (has_all) {
        send(request, answer);
    } else {
        fill_in_later(request, answering);
    }
}

static const struct attempt_ref *refs_of(struct arena *arena, const struct wire_attempt_ref *refs, size_t count)
{
    struct attempt_ref *made = arena_alloc_array(arena, count, sizeof *made);

    for (size_t i = 0; i < count; i++) {
        made[i] = (struct attempt_ref){.trigger = refs[i].trigger, .number = refs[i].number};
    }
    return made;
}

static const struct report *reports_of(struct arena *arena, const struct wire_report *reports, size_t count)
{
    struct report *made = arena_alloc_array(arena, count, sizeof *made);

    for (size_t i = 0; i < count; i++) {
        made[i] = (struct report){
            .trigger = reports[i].attempt.trigger,
            .number = reports[i].attempt.number,
            .state = reports[i].state,
            .error_code = reports[i].error_code,
            .error_message = reports[i].error_message,
            .result = reports[i].result,
            .is_permanent = reports[i].is_permanent,
            .retry_after_ms = reports[i].retry_after_ms,
        };
    }
    return made;
}

/* Who takes no kind of target gets nothing; who takes them all is not asked (0: any). */
static struct exchange exchange_of(struct arena *arena, const struct wire_work *work)
{
    return (struct exchange){
        .worker = work->worker,
        .seq = work->seq,
        .name = work->name,
        .pools = work->pools,
        .pool_count = work->pool_count,
        .targets = work->targets == WIRE_TARGETS_ANY ? 0 : work->targets,
        .capacity = work->capacity,
        .want = work->targets == 0 ? 0 : work->want,
        .wait_ms = work->wait_ms,
        .holding = refs_of(arena, work->holding, work->holding_count),
        .holding_count = work->holding_count,
        .reports = reports_of(arena, work->finished, work->finished_count),
        .report_count = work->finished_count,
    };
}

void api_work(struct api *api, struct api_request *request)
{
    struct wire_work *work = arena_alloc(request->arena, sizeof *work);
    struct exchange exchange;
    struct error error;

    (void)api;
    if (!api_params_only(request, NULL) || !api_body_is_json(request)) {
        return;
    }
    if (wire_read_work(net_request_body(request->net), request->arena, work, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    request->state = work;
    exchange = exchange_of(request->arena, work);
    api_exchange(request, &exchange, exchanged);
}
