#include "base/limits.h"
#include "store/claims_pack.h"
#include "store/postgres/postgres_read.h"

/* ---- one trigger ---- */

/* What a look through the claims needs to know. */
struct look {
    uint64_t trigger;
    const struct trigger_row *row; /* NULL: it has none */
    struct ids going;              /* jobs that are there and have not ended */
    struct ids over;               /* jobs that are there and have */
};

/* model/record.h, rule 2. Only a one-time job, whose trigger has its id, ends with its run. */
static bool claim_lives(const struct look *look, const struct claim *claim)
{
    if (look->row != NULL) {
        return !trigger_ended(look->row->state) && claim->number > look->row->attempts;
    }
    return ids_has(&look->going, claim->job) || (claim->trigger != claim->job && ids_has(&look->over, claim->job));
}

static bool has_living(const struct look *look, const struct claims_row *claims)
{
    for (size_t i = 0; i < claims->count; i++) {
        if (claims->claims[i].trigger == look->trigger && claim_lives(look, &claims->claims[i])) {
            return true;
        }
    }
    return false;
}

/* The jobs of the claims that name the trigger. */
static enum store_outcome ask_jobs(struct taking *taking, struct look *look)
{
    const struct rows *rows = taking->rows;

    pg_array_reset(&taking->ids);
    for (size_t i = 0; i < rows->claims.count; i++) {
        for (size_t j = 0; j < rows->claims.items[i].count; j++) {
            if (rows->claims.items[i].claims[j].trigger == look->trigger) {
                pg_array_id(&taking->ids, rows->claims.items[i].claims[j].job);
            }
        }
    }
    postgres_ask_ids(taking, SQL_JOB_STATUSES);
    postgres_take_last(taking);
    const PGresult *answer = pg_answer(taking->conn);

    for (int i = 0; answer != NULL && i < PQntuples(answer); i++) {
        struct pg_row row = pg_row(answer, i);
        uint64_t id = pg_take_id(&row);
        int64_t status = pg_take_int(&row);

        (void)ids_add(status == JOB_COMPLETED || status == JOB_CANCELLED ? &look->over : &look->going, id);
    }
    return postgres_take_end(taking);
}

/* Claims are packed, so all of them are looked through: as many as run now, not as many as ever ran. */
static enum store_outcome sift_claims(struct page *page)
{
    struct rows *rows = page->taking->rows;
    struct look look = {.trigger = page->query->id, .row = rows->triggers.count > 0 ? rows->triggers.items : NULL};
    enum store_outcome outcome = look.row == NULL ? ask_jobs(page->taking, &look) : STORE_DONE;
    size_t kept = 0;

    for (size_t i = 0; i < rows->claims.count; i++) {
        if (has_living(&look, &rows->claims.items[i])) {
            rows->claims.items[kept++] = rows->claims.items[i];
        }
    }
    rows->claims.count = kept;
    ids_done(&look.going);
    ids_done(&look.over);
    return outcome;
}

enum store_outcome postgres_read_trigger(struct page *page)
{
    struct taking *taking = page->taking;
    struct pg_call call;

    postgres_take_snapshot(taking);
    pg_array_id(&taking->ids, page->query->id);
    postgres_ask_ids(taking, SQL_TRIGGERS_BY_ID);
    pg_call(&call, taking->conn, SQL_ATTEMPTS_AFTER);
    pg_int2(&call, taking->shard);
    pg_id(&call, page->query->id);
    pg_int8(&call, 0);
    pg_int8(&call, INT64_MAX);
    pg_send(&call);
    pg_send_for(taking->conn, SQL_CLAIMS_ALL, taking->shard);
    pg_sync(taking->conn);
    (void)postgres_take_answer(taking, postgres_take_trigger);
    (void)postgres_take_answer(taking, postgres_take_attempt);
    (void)postgres_take_answer(taking, postgres_take_claims);
    enum store_outcome outcome = postgres_take_end(taking);

    return outcome == STORE_DONE ? sift_claims(page) : outcome;
}

/* ---- dead letters, the highest id first ---- */

static void ask_dead(struct page *page, int64_t from, int64_t last)
{
    const struct query *query = page->query;
    struct pg_call call;

    pg_call(&call, page->taking->conn, SQL_DEAD_FILTERED);
    pg_int2(&call, page->taking->shard);
    pg_int8(&call, from);
    pg_int8(&call, last);
    pg_text(&call, query->tenant);
    pg_text(&call, query->type);
    pg_text(&call, query->error_code);
    pg_int8(&call, query->since_ms);
    pg_int8(&call, postgres_page_limit(page));
    pg_send(&call);
    postgres_take_last(page->taking);
}

enum store_outcome postgres_read_dead(struct page *page)
{
    const struct query *query = page->query;
    struct rows *rows = page->taking->rows;
    int64_t last = 0;
    bool has_more = false;
    bool is_full = false;

    if (!postgres_is_storable(query->tenant) || !postgres_is_storable(query->type) ||
        !postgres_is_storable(query->error_code)) {
        return STORE_DONE;
    }
    enum store_outcome outcome =
        postgres_page_bound(page, SQL_DEAD_BOUND, postgres_page_up_to(query), QUERY_SCAN_MAX, &has_more, &last);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    ask_dead(page, postgres_page_up_to(query), has_more ? last : INT64_MIN);
    (void)postgres_take_answer(page->taking, postgres_take_trigger);
    outcome = postgres_take_end(page->taking);
    for (size_t i = 0; i < rows->triggers.count && !is_full; i++) {
        is_full = !postgres_page_looks(page, rows->triggers.items[i].id);
        rows->triggers.count = is_full ? i : rows->triggers.count;
    }
    if (outcome == STORE_DONE && has_more && !is_full) {
        rows->has_more = true;
        rows->after = (uint64_t)last;
    }
    return outcome;
}
