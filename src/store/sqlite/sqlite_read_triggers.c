#include "base/limits.h"
#include "store/claims_pack.h"
#include "store/sqlite/sqlite_read.h"

/* ---- one trigger ---- */

/* Whether a job is there and goes on. */
static enum store_outcome job_goes_on(struct taking *taking, const struct claim *claim, bool *ret_goes_on)
{
    struct sql_call call = sql_begin(taking->conn, SQL_JOB_STATUS);

    *ret_goes_on = false;
    sql_id(&call, claim->job);
    if (sql_next(&call)) {
        struct sql_row row = sql_row(&call);
        int64_t status = sql_take_int(&row);

        /* Only a one-time job, whose trigger has its id, ends with its run (record.h, rules 2 and 4). */
        *ret_goes_on = claim->trigger != claim->job || (status != JOB_COMPLETED && status != JOB_CANCELLED);
    }
    return sql_end(&call, taking->reterr);
}

/* model/record.h, rule 2. The trigger's row, if it has one, was taken before. */
static enum store_outcome claim_lives(struct taking *taking, const struct claim *claim, bool *ret_lives)
{
    if (taking->rows->triggers.count > 0) {
        const struct trigger_row *trigger = &taking->rows->triggers.items[0];

        *ret_lives = !trigger_ended(trigger->state) && claim->number > trigger->attempts;
        return STORE_DONE;
    }
    return job_goes_on(taking, claim, ret_lives);
}

/* Whether the trigger has a living claim among those of a row. */
static enum store_outcome has_living(struct taking *taking, const struct claims_row *claims, uint64_t trigger,
                                     bool *ret_has)
{
    enum store_outcome outcome = STORE_DONE;

    *ret_has = false;
    for (size_t i = 0; outcome == STORE_DONE && !*ret_has && i < claims->count; i++) {
        if (claims->claims[i].trigger == trigger) {
            outcome = claim_lives(taking, &claims->claims[i], ret_has);
        }
    }
    return outcome;
}

/* Takes a row of claims if the trigger lives in it. */
static enum store_outcome look_into(struct page *page, struct arena *scratch, struct sql_row *row)
{
    struct taking *taking = page->taking;
    struct sql_row peek = *row;
    struct claims_row claims = {.id = sql_take_id(&peek)};
    struct error why;
    bool has;

    if (claims_unpack(sql_take_blob(&peek), scratch, &claims, &why) != ERR_OK) {
        return sql_bad_row(taking->conn, "claims", claims.id, why.text, taking->reterr);
    }
    enum store_outcome outcome = has_living(taking, &claims, page->query->id, &has);

    return outcome == STORE_DONE && has ? sqlite_take_claims(taking, row) : outcome;
}

/* Claims are packed, so all of them are looked through: as many as run now, not as many as ever ran. */
static enum store_outcome read_claims_of(struct page *page)
{
    struct sql_call call = sql_begin(page->taking->conn, SQL_CLAIMS_ALL);
    enum store_outcome outcome = STORE_DONE;
    struct arena scratch;

    arena_init(&scratch, ROWS_BLOCK_BYTES, ROWS_BYTES_MAX);
    while (outcome == STORE_DONE && sql_next(&call)) {
        struct sql_row row = sql_row(&call);

        outcome = look_into(page, &scratch, &row);
        arena_reset(&scratch);
    }
    arena_done(&scratch);
    enum store_outcome ended = sql_end(&call, outcome == STORE_DONE ? page->taking->reterr : NULL);

    return outcome != STORE_DONE ? outcome : ended;
}

enum store_outcome sqlite_read_trigger(struct page *page)
{
    struct taking *taking = page->taking;
    enum store_outcome outcome = sqlite_take_of(taking, SQL_TRIGGER_BY_ID, page->query->id, sqlite_take_trigger);

    if (outcome == STORE_DONE) {
        struct sql_call call = sql_begin(taking->conn, SQL_ATTEMPTS_AFTER);

        sql_id(&call, page->query->id);
        sql_int(&call, 0);
        sql_int(&call, INT64_MAX);
        outcome = sqlite_take_all(taking, &call, sqlite_take_attempt);
    }
    return outcome == STORE_DONE ? read_claims_of(page) : outcome;
}

/* ---- lists, the highest id first ---- */

/* The highest id that may be on the page. */
static int64_t last_id(const struct query *query)
{
    return query->after != 0 && query->after <= INT64_MAX ? (int64_t)query->after - 1 : INT64_MAX;
}

/* The scheduled trigger of a one-time job. *ret_goes_on: the page does not end before it. */
static enum store_outcome read_own(struct page *page, bool *ret_goes_on)
{
    struct sql_call call = sql_begin(page->taking->conn, SQL_TRIGGER_OWN);
    enum store_outcome outcome = STORE_DONE;

    *ret_goes_on = true;
    sql_id(&call, page->query->id);
    if (sql_next(&call)) {
        struct sql_row row = sql_row(&call);

        *ret_goes_on = sqlite_page_looks(page, true, page->query->id);
        outcome = *ret_goes_on ? sqlite_take_trigger(page->taking, &row) : STORE_DONE;
    }
    enum store_outcome ended = sql_end(&call, outcome == STORE_DONE ? page->taking->reterr : NULL);

    return outcome != STORE_DONE ? outcome : ended;
}

enum store_outcome sqlite_read_fire(struct page *page)
{
    struct sql_call own = sql_begin(page->taking->conn, SQL_TRIGGER_OWN_FIRE);

    sql_id(&own, page->query->id);
    sql_int(&own, page->query->at_ms);
    enum store_outcome outcome = sqlite_read_list(page, &own, sqlite_take_trigger, 0);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    struct sql_call others = sql_begin(page->taking->conn, SQL_TRIGGERS_FIRE);

    sql_id(&others, page->query->id);
    sql_int(&others, page->query->at_ms);
    return sqlite_read_list(page, &others, sqlite_take_trigger, 0);
}

enum store_outcome sqlite_read_triggers(struct page *page)
{
    const uint64_t job = page->query->id;
    struct sql_call call = sql_begin(page->taking->conn, SQL_TRIGGERS_UP_TO);
    enum store_outcome outcome = STORE_DONE;
    bool owes_own = (int64_t)job <= last_id(page->query); /* it is in no index, and comes where its id stands */
    bool goes_on = true;

    sql_id(&call, job);
    sql_int(&call, last_id(page->query));
    sql_int(&call, sqlite_page_limit(page, false));
    while (outcome == STORE_DONE && goes_on && sql_next(&call)) {
        struct sql_row row = sql_row(&call);
        uint64_t id = (uint64_t)sqlite3_column_int64(row.stmt, 0);

        if (owes_own && id < job) {
            owes_own = false;
            outcome = read_own(page, &goes_on);
        }
        if (outcome == STORE_DONE && goes_on) {
            goes_on = sqlite_page_looks(page, true, id);
            outcome = goes_on ? sqlite_take_trigger(page->taking, &row) : STORE_DONE;
        }
    }
    enum store_outcome ended = sql_end(&call, outcome == STORE_DONE ? page->taking->reterr : NULL);

    outcome = outcome != STORE_DONE ? outcome : ended;
    return outcome == STORE_DONE && goes_on && owes_own ? read_own(page, &goes_on) : outcome;
}

/* Where SQL_TRIGGER_COLUMNS has what filters look at. */
enum { COLUMN_PLACE = 2, COLUMN_ENDED = 16, COLUMN_ERROR_CODE = 23 };

static bool matches(struct str wanted, struct str text)
{
    return str_empty(wanted) || str_equal(wanted, text);
}

static enum store_outcome dead_is_wanted(struct page *page, const struct sql_row *row, bool *ret_is_wanted)
{
    const struct query *query = page->query;
    struct sql_row ended = {.stmt = row->stmt, .taken = COLUMN_ENDED};
    struct sql_row code = {.stmt = row->stmt, .taken = COLUMN_ERROR_CODE};
    const struct place *place;
    enum store_outcome outcome = sqlite_places_get(page->taking->conn, sqlite3_column_int64(row->stmt, COLUMN_PLACE),
                                                   &place, page->taking->reterr);

    if (outcome == STORE_DONE) {
        *ret_is_wanted = matches(query->tenant, place->tenant) && matches(query->type, place->type) &&
                         matches(query->error_code, sql_take_text(&code)) &&
                         (query->since_ms == TIME_NONE || sql_take_time(&ended) >= query->since_ms);
    }
    return outcome;
}

enum store_outcome sqlite_read_dead(struct page *page)
{
    struct sql_call call = sql_begin(page->taking->conn, SQL_TRIGGERS_DEAD);
    enum store_outcome outcome = STORE_DONE;

    sql_int(&call, last_id(page->query));
    sql_int(&call, sqlite_page_limit(page, true));
    while (outcome == STORE_DONE && sql_next(&call)) {
        struct sql_row row = sql_row(&call);
        bool is_wanted = false;

        outcome = dead_is_wanted(page, &row, &is_wanted);
        if (outcome == STORE_DONE) {
            if (!sqlite_page_looks(page, is_wanted, (uint64_t)sqlite3_column_int64(row.stmt, 0))) {
                break;
            }
            outcome = is_wanted ? sqlite_take_trigger(page->taking, &row) : STORE_DONE;
        }
    }
    enum store_outcome ended = sql_end(&call, outcome == STORE_DONE ? page->taking->reterr : NULL);

    return outcome != STORE_DONE ? outcome : ended;
}
