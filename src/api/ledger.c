/* The fire ledger of a job: triggers, skips and what is due, as one list.
 *
 * Triggers go by id and skips by their first nominal time, both downwards; a trigger's time is the one in its id. The
 * mark of a page is how far each of the two has come, so that a row that is there throughout is seen once. */
#include "api/handlers.h"
#include "api/inside.h"
#include "api/list.h"
#include "api/progress.h"
#include "api/running.h"
#include "api/scheduled.h"
#include "api/show.h"
#include "base/id.h"
#include "base/mem.h"
#include "wire/mark.h"
#include "wire/put.h"

enum { RECORD_TRIGGER = 1, RECORD_SKIP = 2, RECORD_DUE = 4, RECORD_ALL = 7 };

struct ledger {
    struct job_ref ref;
    size_t limit;
    unsigned records; /* RECORD_ bits */
    bool is_first;    /* page */
    int64_t after_ms; /* skips before it; TIME_NONE */
    uint64_t after;   /* triggers below it; 0 */

    struct job_row *job;
    uint32_t max_attempts;
    struct running running;
    struct rows triggers, skips;
    const struct claim **claims; /* of triggers of the job, newest first */
    size_t claim_count, claim_at, trigger_at, skip_at;
};

static bool params(struct api_request *request, struct ledger *ledger)
{
    static const char *const words[] = {"trigger", "skip", "due", NULL};
    struct str after, record;
    struct error error;

    if (!api_params_only(request, "tenant", "record", "limit", "after", NULL) ||
        !api_job_ref(request, 0, &ledger->ref) || !api_paging(request, &ledger->limit, &after)) {
        return false;
    }
    ledger->is_first = str_empty(after);
    ledger->after_ms = TIME_NONE;
    ledger->records = RECORD_ALL;
    if (api_param(request, "record", &record)) {
        int index = str_index_in(record, words);

        if (index < 0) {
            err_in_field(&error, err_set(&error, ERR_INVALID, "record is trigger, skip or due"), "record");
            api_problem(request, &error);
            return false;
        }
        ledger->records = 1U << (unsigned)index;
    }
    if (!ledger->is_first && wire_mark_read_pair(after, &ledger->after_ms, &ledger->after, &error) != ERR_OK) {
        api_problem(request, &error);
        return false;
    }
    return true;
}

/* ---- the triggers: rows, and claims that have none ---- */

/* Whether the rows that were read reach down to this id. */
static bool is_covered(const struct ledger *ledger, uint64_t id)
{
    const struct rows *rows = &ledger->triggers;
    const struct trigger_row *items = rows->triggers.items;

    return !rows->has_more || (items != NULL && rows->triggers.count > 0 && id > items[rows->triggers.count - 1].id);
}

static bool has_row(const struct ledger *ledger, uint64_t id)
{
    for (size_t i = 0; i < ledger->triggers.triggers.count; i++) {
        if (ledger->triggers.triggers.items[i].id == id) {
            return true;
        }
    }
    return false;
}

/* The next trigger without a row, whose first attempt runs; NULL. */
static const struct claim *next_claim(struct ledger *ledger)
{
    for (; ledger->claim_at < ledger->claim_count; ledger->claim_at++) {
        const struct claim *claim = ledger->claims[ledger->claim_at];

        if (!is_covered(ledger, claim->trigger)) {
            return NULL;
        }
        if (!has_row(ledger, claim->trigger) &&
            running_of(&ledger->running, claim->trigger, NULL, ledger->job) != NULL) {
            return claim;
        }
    }
    return NULL;
}

static const struct trigger_row *next_row(const struct ledger *ledger)
{
    return ledger->trigger_at < ledger->triggers.triggers.count ? &ledger->triggers.triggers.items[ledger->trigger_at]
                                                                : NULL;
}

static void put_trigger(struct api_request *request, struct jw *jw, struct ledger *ledger,
                        const struct trigger_row *row, const struct claim *claim)
{
    struct wire_trigger trigger = {
        .row = row, .claim = claim, .name = ledger->job->name, .max_attempts = ledger->max_attempts};
    struct wire_progress progress;

    if (claim != NULL && progress_find(request->api->progress, row->id, claim->number, request->arena, &progress)) {
        trigger.progress = &progress;
    }
    wire_trigger(jw, &trigger);
    ledger->after = row->id;
}

/* ---- merging ---- */

/* Writes the next entry; false where there is none. */
static bool put_next(struct api_request *request, struct jw *jw, struct ledger *ledger)
{
    const struct trigger_row *row = next_row(ledger);
    const struct claim *claim = next_claim(ledger);
    const struct skip_row *skip =
        ledger->skip_at < ledger->skips.skips.count ? &ledger->skips.skips.items[ledger->skip_at] : NULL;
    bool is_claim = claim != NULL && (row == NULL || claim->trigger > row->id);
    uint64_t id = is_claim ? claim->trigger : row != NULL ? row->id : 0;

    if (id == 0 && skip == NULL) {
        return false;
    }
    if (id == 0 || (skip != NULL && skip->from_ms > id_time_ms(id))) {
        wire_skip(jw, skip);
        ledger->after_ms = skip->from_ms;
        ledger->skip_at++;
    } else if (is_claim) {
        struct trigger_row claimed = wire_claimed_row(ledger->job, claim);

        ledger->claim_at++;
        put_trigger(request, jw, ledger, &claimed, claim);
    } else {
        ledger->trigger_at++;
        put_trigger(request, jw, ledger, row, running_of(&ledger->running, row->id, row, ledger->job));
    }
    return true;
}

static bool has_next(struct ledger *ledger)
{
    return next_row(ledger) != NULL || next_claim(ledger) != NULL || ledger->skip_at < ledger->skips.skips.count ||
           ledger->triggers.has_more || ledger->skips.has_more;
}

/* One entry for all that is due. Whether there was any. */
static bool put_due(struct api_request *request, struct jw *jw, const struct ledger *ledger)
{
    struct scheduled scheduled;
    int64_t to_ms = 0;

    if (!ledger->is_first || (ledger->records & RECORD_DUE) == 0 ||
        scheduled_read(ledger->job, request->config->zones, request->arena, &scheduled, NULL) != ERR_OK) {
        return false;
    }
    int64_t count =
        scheduled_due(&scheduled, ledger->job, shard_now_ms(request->config->shard), WIRE_DUE_COUNT_MAX, &to_ms);

    if (count > 0) {
        wire_due(jw, ledger->job->id, ledger->job->cursor_ms, to_ms, count);
    }
    return count > 0;
}

static void answer(struct api_request *request, struct ledger *ledger)
{
    char mark[WIRE_MARK_BYTES];
    size_t count = 0;
    struct jw jw;

    api_json(request, &jw);
    wire_list_begin(&jw);
    count += put_due(request, &jw, ledger) ? 1 : 0;
    while (count < ledger->limit && put_next(request, &jw, ledger)) {
        count++;
    }
    api_answer_list(request, &jw, has_next(ledger) ? wire_mark_pair(ledger->after_ms, ledger->after, mark) : NULL);
}

/* ---- reading ---- */

static bool read_all(struct api_request *request, struct store_reader *reader, struct ledger *ledger)
{
    struct query query = {.id = ledger->job->id,
                          .limit = ledger->limit,
                          .after = ledger->after,
                          .after_ms = ledger->after_ms,
                          .since_ms = TIME_NONE};

    if (!running_read(request, reader, &ledger->running)) {
        return false;
    }
    running_settle(&ledger->running, ledger->job);
    if ((ledger->records & RECORD_TRIGGER) != 0) {
        ledger->claim_count =
            running_list(&ledger->running, ledger->job->id, ledger->after, request->arena, &ledger->claims);
        query.kind = QUERY_TRIGGERS;
        if (!api_query(request, reader, &query, &ledger->triggers)) {
            return false;
        }
    }
    query.kind = QUERY_SKIPS;
    return (ledger->records & RECORD_SKIP) == 0 || api_query(request, reader, &query, &ledger->skips);
}

static void ledger_read(struct api_request *request, struct store_reader *reader)
{
    struct ledger *ledger = request->state;
    struct shown_job shown;

    if (!show_job_read(request, reader, &ledger->ref, false, &shown)) {
        return;
    }
    ledger->job = &shown.job_rows.jobs.items[0];
    ledger->max_attempts = (uint32_t)shown.def.retry.max_attempts;
    running_init(&ledger->running);
    rows_init(&ledger->triggers);
    rows_init(&ledger->skips);
    /* The request's memory may go with its answer: what is still to be ended is moved here. */
    struct ledger own = *ledger;

    if (read_all(request, reader, &own)) {
        answer(request, &own);
    }
    rows_done(&own.triggers);
    rows_done(&own.skips);
    running_done(&own.running);
    shown_job_done(&shown);
}

void api_job_ledger(struct api *api, struct api_request *request)
{
    struct ledger *ledger = arena_zalloc(request->arena, sizeof *ledger);

    (void)api;
    if (params(request, ledger)) {
        request->state = ledger;
        api_read(request, ledger_read);
    }
}
