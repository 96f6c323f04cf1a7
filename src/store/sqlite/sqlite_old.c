/* What may go for its age (store.h says when): a round through the tables in small steps. Triggers are looked at up to
 * the id that the youngest instant gives, since ids sort by time and a trigger never ends before it begins; so the
 * round is over what is old, not over everything. The history of deleted jobs is young, and is found by their ids. */
#include "store/claims_pack.h"
#include "store/sqlite/sqlite_inside.h"
#include "store/sqlite/sqlite_take.h"

/* Attempts of one trigger: far more than a budget allows. */
#define ATTEMPTS_MAX 10000

struct step {
    struct sqlite_store *store;
    const struct store_ages *ages;
    struct rows *rows;
    struct taking *taking;
    struct error *reterr;
};

/* ---- what stays ---- */

static enum store_outcome is_job_there(struct step *step, uint64_t id, bool *ret_is_there)
{
    struct sql_call call = sql_begin(&step->store->conn, SQL_JOB_STATUS);

    sql_id(&call, id);
    *ret_is_there = sql_next(&call);
    return sql_end(&call, step->reterr);
}

/* Every trigger that a claims row names. */
static enum store_outcome claimed(struct step *step, struct ids *ids)
{
    struct sql_call call = sql_begin(&step->store->conn, SQL_CLAIMS_ALL);
    enum store_outcome outcome = STORE_DONE;
    struct arena scratch;

    arena_init(&scratch, ROWS_BLOCK_BYTES, ROWS_BYTES_MAX);
    while (outcome == STORE_DONE && sql_next(&call)) {
        struct sql_row row = sql_row(&call);
        struct claims_row claims = {.id = sql_take_id(&row)};
        struct error why;

        if (claims_unpack(sql_take_blob(&row), &scratch, &claims, &why) != ERR_OK) {
            outcome = sql_bad_row(&step->store->conn, "claims", claims.id, why.text, step->reterr);
        }
        for (size_t i = 0; outcome == STORE_DONE && i < claims.count; i++) {
            (void)ids_add(ids, claims.claims[i].trigger);
        }
        arena_reset(&scratch);
    }
    arena_done(&scratch);
    enum store_outcome end = sql_end(&call, step->reterr);
    return outcome == STORE_DONE ? end : outcome;
}

static enum store_outcome may_trigger_go(struct step *step, const struct trigger_row *row, bool *ret_may)
{
    bool is_there = true;
    enum store_outcome outcome = STORE_DONE;

    *ret_may = old_is_trigger(row, step->ages);
    if (!*ret_may && trigger_ended(row->state)) {
        outcome = is_job_there(step, row->job, &is_there);
        *ret_may = !is_there;
    }
    return outcome;
}

/* Takes those out of the list that stay, and gets the attempts of the others. */
static enum store_outcome sift_triggers(struct step *step)
{
    struct rows *rows = step->rows;
    struct ids ids = {0};
    enum store_outcome outcome = rows->triggers.count > 0 ? claimed(step, &ids) : STORE_DONE;
    size_t kept = 0;

    for (size_t i = 0; outcome == STORE_DONE && i < rows->triggers.count; i++) {
        const struct trigger_row *row = &rows->triggers.items[i];
        bool may = false;

        if (!ids_has(&ids, row->id)) {
            outcome = may_trigger_go(step, row, &may);
        }
        if (may) {
            rows->triggers.items[kept++] = *row;
        }
    }
    ids_done(&ids);
    rows->triggers.count = kept;
    for (size_t i = 0; outcome == STORE_DONE && i < kept; i++) {
        struct sql_call call = sql_begin(&step->store->conn, SQL_ATTEMPTS_AFTER);

        sql_id(&call, rows->triggers.items[i].id);
        sql_int(&call, 0);
        sql_int(&call, ATTEMPTS_MAX);
        outcome = sqlite_take_all(step->taking, &call, sqlite_take_attempt);
    }
    return outcome;
}

static enum store_outcome sift_skips(struct step *step)
{
    struct rows *rows = step->rows;
    enum store_outcome outcome = STORE_DONE;
    size_t kept = 0;

    for (size_t i = 0; outcome == STORE_DONE && i < rows->skips.count; i++) {
        bool stays = !old_is_before(rows->skips.items[i].decided_ms, step->ages->history_ms);

        if (stays) {
            outcome = is_job_there(step, rows->skips.items[i].job, &stays);
        }
        if (!stays) {
            rows->skips.items[kept++] = rows->skips.items[i];
        }
    }
    rows->skips.count = kept;
    return outcome;
}

static enum store_outcome sift_versions(struct step *step)
{
    struct rows *rows = step->rows;
    enum store_outcome outcome = STORE_DONE;
    size_t kept = 0;

    for (size_t i = 0; outcome == STORE_DONE && i < rows->versions.count; i++) {
        bool stays = true;

        outcome = is_job_there(step, rows->versions.items[i].job, &stays);
        if (!stays) {
            rows->versions.items[kept++] = rows->versions.items[i];
        }
    }
    rows->versions.count = kept;
    return outcome;
}

/* ---- steps ---- */

/* The history of one deleted job, a part of it. True in *ret_is_over when there is nothing more of it to remove. */
static enum store_outcome look_at_gone(struct step *step, uint64_t job, bool *ret_is_over)
{
    const enum sql_statement statements[] = {SQL_TRIGGERS_UP_TO, SQL_SKIPS_UP_TO, SQL_VERSIONS_AFTER};
    taker *const takers[] = {sqlite_take_trigger, sqlite_take_skip, sqlite_take_version};
    enum store_outcome outcome = sqlite_take_of(step->taking, SQL_TRIGGER_OWN, job, sqlite_take_trigger);

    for (size_t i = 0; outcome == STORE_DONE && i < 3; i++) {
        struct sql_call call = sql_begin(&step->store->conn, statements[i]);

        sql_id(&call, job);
        sql_int(&call, statements[i] == SQL_VERSIONS_AFTER ? 0 : INT64_MAX);
        sql_int(&call, (int64_t)step->ages->rows_max);
        outcome = sqlite_take_all(step->taking, &call, takers[i]);
    }
    if (outcome == STORE_DONE) {
        outcome = sift_triggers(step);
    }
    if (outcome == STORE_DONE) {
        outcome = sift_skips(step);
    }
    if (outcome == STORE_DONE) {
        outcome = sift_versions(step);
    }
    *ret_is_over = step->rows->triggers.count + step->rows->skips.count + step->rows->versions.count == 0;
    return outcome;
}

static enum store_outcome step_gone(struct step *step, bool *ret_is_over)
{
    struct old_round *old = &step->store->old;
    enum store_outcome outcome = STORE_DONE;
    bool is_over = old->gone_count > 0;

    /* Those without any history are many, and cost nothing. */
    for (size_t i = 0; outcome == STORE_DONE && is_over && i < step->ages->rows_max; i++) {
        outcome = look_at_gone(step, old->gone[old->gone_count - 1], &is_over);
        old->gone_count -= outcome == STORE_DONE && is_over ? 1 : 0;
        is_over = is_over && old->gone_count > 0;
    }
    *ret_is_over = old->gone_count == 0;
    return outcome;
}

static enum store_outcome step_triggers(struct step *step, bool *ret_is_over)
{
    struct old_round *old = &step->store->old;
    struct sql_call call = sql_begin(&step->store->conn, SQL_TRIGGERS_BETWEEN);

    sql_id(&call, old->id);
    sql_id(&call, old_last_trigger(step->ages));
    sql_int(&call, (int64_t)step->ages->rows_max);
    enum store_outcome outcome = sqlite_take_all(step->taking, &call, sqlite_take_trigger);

    size_t looked = step->rows->triggers.count;
    *ret_is_over = looked < step->ages->rows_max;
    old->id = looked > 0 ? step->rows->triggers.items[looked - 1].id : old->id;
    return outcome == STORE_DONE ? sift_triggers(step) : outcome;
}

static enum store_outcome step_skips(struct step *step, bool *ret_is_over)
{
    struct old_round *old = &step->store->old;
    struct sql_call call = sql_begin(&step->store->conn, SQL_SKIPS_BEHIND);

    sql_id(&call, old->id);
    sql_int(&call, old->number);
    sql_int(&call, (int64_t)step->ages->rows_max);
    enum store_outcome outcome = sqlite_take_all(step->taking, &call, sqlite_take_skip);

    size_t looked = step->rows->skips.count;
    *ret_is_over = looked < step->ages->rows_max;
    if (looked > 0) {
        old->id = step->rows->skips.items[looked - 1].job;
        old->number = step->rows->skips.items[looked - 1].from_ms;
    }
    return outcome == STORE_DONE ? sift_skips(step) : outcome;
}

static enum store_outcome step_versions(struct step *step, bool *ret_is_over)
{
    struct old_round *old = &step->store->old;
    struct sql_call call = sql_begin(&step->store->conn, SQL_VERSIONS_BEHIND);

    sql_id(&call, old->id);
    sql_int(&call, old->number);
    sql_int(&call, (int64_t)step->ages->rows_max);
    enum store_outcome outcome = sqlite_take_all(step->taking, &call, sqlite_take_version);

    size_t looked = step->rows->versions.count;
    *ret_is_over = looked < step->ages->rows_max;
    if (looked > 0) {
        old->id = step->rows->versions.items[looked - 1].job;
        old->number = step->rows->versions.items[looked - 1].version;
    }
    return outcome == STORE_DONE ? sift_versions(step) : outcome;
}

static enum store_outcome step_idems(struct step *step, bool *ret_is_over)
{
    struct old_round *old = &step->store->old;
    struct sql_call call = sql_begin(&step->store->conn, SQL_IDEMS_BEHIND);

    sql_text(&call, buf_str(&old->tenant));
    sql_text(&call, buf_str(&old->key));
    sql_int(&call, (int64_t)step->ages->rows_max);
    enum store_outcome outcome = sqlite_take_all(step->taking, &call, sqlite_take_idem);

    *ret_is_over = old_round_idems(old, step->rows, step->ages);
    return outcome;
}

enum store_outcome sqlite_old(struct store *base, const struct store_ages *ages, struct rows *rows, bool *ret_has_more,
                              struct error *reterr)
{
    static enum store_outcome (*const steps[OLD_PHASES])(struct step * step, bool *ret_is_over) = {
        [OLD_GONE] = step_gone,         [OLD_TRIGGERS] = step_triggers, [OLD_SKIPS] = step_skips,
        [OLD_VERSIONS] = step_versions, [OLD_IDEMS] = step_idems,
    };
    struct sqlite_store *store = sqlite_store_of(base);
    struct taking taking;
    struct step step = {store, ages, rows, &taking, reterr};
    bool is_over = false;

    if (store->is_broken) {
        return sqlite_is_broken(store, reterr);
    }
    int phase = store->old.phase;
    sqlite_taking_init(&taking, &store->conn, rows, reterr);
    enum store_outcome outcome = steps[phase](&step, &is_over);
    sqlite_taking_done(&taking);
    *ret_has_more = !is_over || phase + 1 < OLD_PHASES;
    if (outcome == STORE_DONE && is_over) {
        old_round_begin(&store->old, phase + 1);
    }
    return sqlite_note(store, outcome);
}
