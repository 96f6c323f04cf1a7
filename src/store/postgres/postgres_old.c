/* What may go for its age (store.h says when): a round through the tables in small steps. Triggers are looked at up to
 * the id that the youngest instant gives, since ids sort by time and a trigger never ends before it begins; so the
 * round is over what is old, not over everything. The history of deleted jobs is young, and is found by their ids. */
#include "store/postgres/postgres_inside.h"
#include "store/postgres/postgres_take.h"

struct step {
    struct postgres_store *store;
    const struct store_ages *ages;
    struct rows *rows;
    struct taking *taking;
};

/* ---- what stays ---- */

static enum store_outcome take_job_there(struct taking *taking, struct pg_row *row)
{
    (void)ids_add(&taking->jobs, pg_take_id(row));
    return STORE_DONE;
}

/* Which of the jobs that the rows name are there: asked with whatever else the caller has sent. */
static void ask_jobs(struct step *step)
{
    const struct rows *rows = step->rows;

    pg_array_reset(&step->taking->ids);
    for (size_t i = 0; i < rows->triggers.count; i++) {
        pg_array_id(&step->taking->ids, rows->triggers.items[i].job);
    }
    for (size_t i = 0; i < rows->skips.count; i++) {
        pg_array_id(&step->taking->ids, rows->skips.items[i].job);
    }
    for (size_t i = 0; i < rows->versions.count; i++) {
        pg_array_id(&step->taking->ids, rows->versions.items[i].job);
    }
    postgres_ask_ids(step->taking, SQL_JOB_STATUSES);
}

static bool may_trigger_go(const struct step *step, const struct trigger_row *row)
{
    return old_is_trigger(row, step->ages) || (trigger_ended(row->state) && !ids_has(&step->taking->jobs, row->job));
}

/* Takes those out of the lists that stay. */
static void sift(struct step *step, const struct ids *claimed)
{
    struct rows *rows = step->rows;
    size_t triggers = 0, skips = 0, versions = 0;

    for (size_t i = 0; i < rows->triggers.count; i++) {
        const struct trigger_row *row = &rows->triggers.items[i];

        if (!ids_has(claimed, row->id) && may_trigger_go(step, row)) {
            rows->triggers.items[triggers++] = *row;
        }
    }
    for (size_t i = 0; i < rows->skips.count; i++) {
        const struct skip_row *row = &rows->skips.items[i];

        if (old_is_before(row->decided_ms, step->ages->history_ms) || !ids_has(&step->taking->jobs, row->job)) {
            rows->skips.items[skips++] = *row;
        }
    }
    for (size_t i = 0; i < rows->versions.count; i++) {
        if (!ids_has(&step->taking->jobs, rows->versions.items[i].job)) {
            rows->versions.items[versions++] = rows->versions.items[i];
        }
    }
    rows->triggers.count = triggers;
    rows->skips.count = skips;
    rows->versions.count = versions;
}

/* Asks what is needed to know who stays, lets the others be, and gets the attempts of the triggers that go. */
static enum store_outcome keep_old_ones(struct step *step)
{
    struct taking *taking = step->taking;
    struct rows *rows = step->rows;
    struct ids claimed = {0};

    if (rows->triggers.count + rows->skips.count + rows->versions.count == 0) {
        return STORE_DONE;
    }
    ask_jobs(step);
    pg_send_for(taking->conn, SQL_CLAIMS_ALL, taking->shard);
    pg_sync(taking->conn);
    (void)postgres_take_answer(taking, take_job_there);
    (void)postgres_take_answer(taking, postgres_take_claims);
    enum store_outcome outcome = postgres_take_end(taking);

    for (size_t i = 0; i < rows->claims.count; i++) {
        for (size_t j = 0; j < rows->claims.items[i].count; j++) {
            (void)ids_add(&claimed, rows->claims.items[i].claims[j].trigger);
        }
    }
    rows->claims.count = 0;
    sift(step, &claimed);
    ids_done(&claimed);
    if (outcome != STORE_DONE || rows->triggers.count == 0) {
        return outcome;
    }
    pg_array_reset(&taking->ids);
    for (size_t i = 0; i < rows->triggers.count; i++) {
        pg_array_id(&taking->ids, rows->triggers.items[i].id);
    }
    postgres_ask_ids(taking, SQL_ATTEMPTS_OF);
    pg_sync(taking->conn);
    (void)postgres_take_answer(taking, postgres_take_attempt);
    return postgres_take_end(taking);
}

/* ---- steps ---- */

/* Sends a statement with two numbers and a limit. */
static void ask(struct step *step, enum pg_statement statement, uint64_t first, int64_t second)
{
    struct pg_call call;

    pg_call(&call, step->taking->conn, statement);
    pg_int2(&call, step->taking->shard);
    pg_id(&call, first);
    pg_int8(&call, second);
    pg_int8(&call, (int64_t)step->ages->rows_max);
    pg_send(&call);
}

/* The history of one deleted job, a part of it. True in *ret_is_over when there is nothing more of it to remove. */
static enum store_outcome look_at_gone(struct step *step, uint64_t job, bool *ret_is_over)
{
    struct taking *taking = step->taking;
    struct rows *rows = step->rows;

    ask(step, SQL_TRIGGERS_UP_TO, job, INT64_MAX);
    ask(step, SQL_SKIPS_UP_TO, job, INT64_MAX);
    ask(step, SQL_VERSIONS_AFTER, job, 0);
    pg_sync(taking->conn);
    (void)postgres_take_answer(taking, postgres_take_trigger);
    (void)postgres_take_answer(taking, postgres_take_skip);
    (void)postgres_take_answer(taking, postgres_take_version);
    enum store_outcome outcome = postgres_take_end(taking);

    if (outcome == STORE_DONE) {
        outcome = keep_old_ones(step);
    }
    *ret_is_over = rows->triggers.count + rows->skips.count + rows->versions.count == 0;
    return outcome;
}

static enum store_outcome step_gone(struct step *step, bool *ret_is_over)
{
    struct old_round *old = &step->store->old;
    enum store_outcome outcome = STORE_DONE;
    bool is_over = old->gone_count > 0;

    /* Those without any history are many, and cost little. */
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

    ask(step, SQL_TRIGGERS_BETWEEN, old->id, (int64_t)old_last_trigger(step->ages));
    pg_sync(step->taking->conn);
    size_t looked = postgres_take_answer(step->taking, postgres_take_trigger);
    enum store_outcome outcome = postgres_take_end(step->taking);

    *ret_is_over = looked < step->ages->rows_max;
    if (outcome == STORE_DONE && looked > 0) {
        old->id = step->rows->triggers.items[looked - 1].id;
    }
    return outcome == STORE_DONE ? keep_old_ones(step) : outcome;
}

static enum store_outcome step_skips(struct step *step, bool *ret_is_over)
{
    struct old_round *old = &step->store->old;

    ask(step, SQL_SKIPS_BEHIND, old->id, old->number);
    pg_sync(step->taking->conn);
    size_t looked = postgres_take_answer(step->taking, postgres_take_skip);
    enum store_outcome outcome = postgres_take_end(step->taking);

    *ret_is_over = looked < step->ages->rows_max;
    if (outcome == STORE_DONE && looked > 0) {
        old->id = step->rows->skips.items[looked - 1].job;
        old->number = step->rows->skips.items[looked - 1].from_ms;
    }
    return outcome == STORE_DONE ? keep_old_ones(step) : outcome;
}

static enum store_outcome step_versions(struct step *step, bool *ret_is_over)
{
    struct old_round *old = &step->store->old;

    ask(step, SQL_VERSIONS_BEHIND, old->id, old->number);
    pg_sync(step->taking->conn);
    size_t looked = postgres_take_answer(step->taking, postgres_take_version);
    enum store_outcome outcome = postgres_take_end(step->taking);

    *ret_is_over = looked < step->ages->rows_max;
    if (outcome == STORE_DONE && looked > 0) {
        old->id = step->rows->versions.items[looked - 1].job;
        old->number = step->rows->versions.items[looked - 1].version;
    }
    return outcome == STORE_DONE ? keep_old_ones(step) : outcome;
}

static enum store_outcome step_idems(struct step *step, bool *ret_is_over)
{
    struct old_round *old = &step->store->old;
    struct pg_call call;

    pg_call(&call, step->taking->conn, SQL_IDEMS_BEHIND);
    pg_int2(&call, step->taking->shard);
    pg_text(&call, buf_str(&old->tenant));
    pg_text(&call, buf_str(&old->key));
    pg_int8(&call, (int64_t)step->ages->rows_max);
    pg_send(&call);
    pg_sync(step->taking->conn);
    (void)postgres_take_answer(step->taking, postgres_take_idem);
    enum store_outcome outcome = postgres_take_end(step->taking);

    *ret_is_over = old_round_idems(old, step->rows, step->ages);
    return outcome;
}

enum store_outcome postgres_old(struct store *base, const struct store_ages *ages, struct rows *rows,
                                bool *ret_has_more, struct error *reterr)
{
    static enum store_outcome (*const steps[OLD_PHASES])(struct step * step, bool *ret_is_over) = {
        [OLD_GONE] = step_gone,         [OLD_TRIGGERS] = step_triggers, [OLD_SKIPS] = step_skips,
        [OLD_VERSIONS] = step_versions, [OLD_IDEMS] = step_idems,
    };
    struct postgres_store *store = postgres_store_of(base);
    enum store_outcome outcome = pg_start(&store->conn, store->call_ms, reterr);
    struct taking taking;
    struct step step = {.store = store, .ages = ages, .rows = rows, .taking = &taking};
    bool is_over = false;
    int phase = store->old.phase;

    if (outcome != STORE_DONE) {
        return outcome;
    }
    postgres_taking_init(&taking, &store->conn, store->shard, rows, reterr);
    postgres_take_snapshot(&taking);
    outcome = steps[phase](&step, &is_over);
    postgres_take_leave(&taking);
    postgres_taking_done(&taking);
    *ret_has_more = !is_over || phase + 1 < OLD_PHASES;
    if (outcome == STORE_DONE && is_over) {
        old_round_begin(&store->old, phase + 1);
    }
    return outcome;
}
