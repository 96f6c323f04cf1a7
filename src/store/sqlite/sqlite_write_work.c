/* Jobs, versions, triggers, attempts, claims. */
#include "store/sqlite/sqlite_write.h"

#include <string.h>

#include "store/claims_pack.h"

/* Of a tenant, with room to spare: the model allows less. */
#define TENANT_ROOM_BYTES 1024

/* ---- jobs ---- */

static void bind_instants(struct sql_call *call, const struct job_row *job)
{
    sql_time(call, job->cursor_ms);
    sql_time(call, job->wake_ms);
    sql_time(call, job->held_to_ms);
    sql_time(call, job->missed_to_ms);
    sql_int(call, job->fired);
    sql_time(call, job->anchor_ms);
}

enum store_outcome sqlite_write_job_insert(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    const struct job_row *job = &op->job;
    int64_t place;
    enum store_outcome outcome = sqlite_places_intern(&store->conn, &job->place, &place, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    struct sql_call call = sql_begin(&store->conn, SQL_JOB_INSERT);

    sql_id(&call, job->id);
    sql_int(&call, place);
    sql_int(&call, job->status);
    sql_int(&call, job->version);
    bind_instants(&call, job);
    sql_time(&call, job->created_ms);
    sql_time(&call, job->updated_ms);
    sql_text_opt(&call, job->name);
    sql_text(&call, job->def);
    sql_id(&call, job->rules);
    sql_text_opt(&call, str_empty(job->name) ? job->name : job->place.tenant);
    return sql_run(&call, reterr);
}

/* Everything but the place, of a job that is in that place. *ret_is_there: there is one. */
static enum store_outcome update_in_place(struct sqlite_store *store, const struct job_row *job, int64_t place,
                                          bool *ret_is_there, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, str_empty(job->def) ? SQL_JOB_UPDATE : SQL_JOB_UPDATE_DEF);

    sql_int(&call, job->status);
    sql_int(&call, job->version);
    bind_instants(&call, job);
    sql_time(&call, job->updated_ms);
    if (!str_empty(job->def)) {
        sql_text(&call, job->def);
        sql_id(&call, job->rules);
    }
    sql_id(&call, job->id);
    sql_int(&call, place);
    enum store_outcome outcome = sql_run(&call, reterr);

    *ret_is_there = sqlite3_changes64(store->conn.db) == 1;
    return outcome;
}

/* The place where a job is to be: the given one, but for the tenant, which is the job's own. */
static enum store_outcome new_place(struct sqlite_store *store, const struct job_row *job, int64_t *ret_place,
                                    struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_JOB_PLACE);
    const struct place *old;
    int64_t id = 0;

    sql_id(&call, job->id);
    if (sql_next(&call)) {
        struct sql_row row = sql_row(&call);

        id = sql_take_int(&row);
    }
    enum store_outcome outcome = sql_end(&call, reterr);

    if (outcome == STORE_DONE && id == 0) {
        (void)err_set(reterr, ERR_CONFLICT, "there is no such row");
        return STORE_REFUSED;
    }
    if (outcome == STORE_DONE) {
        outcome = sqlite_places_get(&store->conn, id, &old, reterr);
    }
    if (outcome != STORE_DONE) {
        return outcome;
    }
    char tenant[TENANT_ROOM_BYTES];
    struct place place = job->place;

    if (old->tenant.len > sizeof tenant) {
        return sql_bad_row(&store->conn, "places", (uint64_t)id, "the tenant's name is too long", reterr);
    }
    place.tenant = (struct str){memcpy(tenant, old->tenant.ptr, old->tenant.len), old->tenant.len};
    return sqlite_places_intern(&store->conn, &place, ret_place, reterr);
}

/* A job that is not where the update says it is: it moves there first. */
static enum store_outcome update_and_move(struct sqlite_store *store, const struct job_row *job, struct error *reterr)
{
    int64_t place = 0;
    bool is_there;
    enum store_outcome outcome = new_place(store, job, &place, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    struct sql_call call = sql_begin(&store->conn, SQL_JOB_MOVE);

    sql_int(&call, place);
    sql_id(&call, job->id);
    outcome = sqlite_write_guarded(&call, reterr);
    return outcome == STORE_DONE ? update_in_place(store, job, place, &is_there, reterr) : outcome;
}

enum store_outcome sqlite_write_job_update(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    int64_t place;
    bool is_there = false;
    enum store_outcome outcome = sqlite_places_find(&store->conn, &op->job.place, &place, reterr);

    if (outcome == STORE_DONE && place != 0) {
        outcome = update_in_place(store, &op->job, place, &is_there, reterr);
    }
    return outcome == STORE_DONE && !is_there ? update_and_move(store, &op->job, reterr) : outcome;
}

enum store_outcome sqlite_write_version_insert(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_VERSION_INSERT);

    sql_id(&call, op->version.job);
    sql_int(&call, op->version.version);
    sql_time(&call, op->version.from_ms);
    sql_time(&call, op->version.anchor_ms);
    sql_id(&call, op->version.rules);
    sql_text(&call, op->version.def);
    return sql_run(&call, reterr);
}

/* ---- triggers and attempts ---- */

static void bind_counts(struct sql_call *call, const struct trigger_row *trigger)
{
    sql_int(call, trigger->version);
    sql_int(call, trigger->scheduled_ms);
    sql_time(call, trigger->due_ms);
    sql_int(call, trigger->attempts);
    sql_int(call, trigger->failures);
    sql_int(call, trigger->lost_run);
    sql_int(call, trigger->released_run);
    sql_int(call, trigger->replays);
    sql_id(call, trigger->replay_of);
    sql_id(call, trigger->root);
}

static void bind_attempt(struct sql_call *call, const struct attempt_row *attempt)
{
    sql_int(call, attempt->number);
    sql_int(call, attempt->state);
    sql_time(call, attempt->started_ms);
    sql_time(call, attempt->ended_ms);
    sql_text_opt(call, attempt->worker);
    sql_text_opt(call, attempt->error_code);
    sql_text_opt(call, attempt->error_message);
    sql_text_opt(call, attempt->result);
}

enum store_outcome sqlite_write_trigger_insert(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    const struct trigger_row *trigger = &op->trigger;
    int64_t place;
    enum store_outcome outcome = sqlite_places_intern(&store->conn, &trigger->place, &place, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    struct sql_call call = sql_begin(&store->conn, SQL_TRIGGER_INSERT);

    sql_id(&call, trigger->id);
    sql_id(&call, trigger->job);
    sql_int(&call, place);
    sql_int(&call, trigger->kind);
    sql_int(&call, trigger->state);
    bind_counts(&call, trigger);
    sql_time(&call, trigger->created_ms);
    sql_time(&call, trigger->ended_ms);
    sql_text_opt(&call, trigger->reason);
    bind_attempt(&call, &trigger->last);
    sql_text_opt(&call, trigger->payload);
    sql_int(&call, trigger->target);
    sql_id(&call, trigger->replayed_by);
    return sql_run(&call, reterr);
}

enum store_outcome sqlite_write_trigger_update(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    const struct trigger_row *trigger = &op->trigger;
    int64_t place;
    enum store_outcome outcome = sqlite_places_intern(&store->conn, &trigger->place, &place, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    struct sql_call call = sql_begin(&store->conn, SQL_TRIGGER_UPDATE);

    sql_int(&call, place);
    sql_int(&call, trigger->state);
    bind_counts(&call, trigger);
    sql_time(&call, trigger->ended_ms);
    sql_text_opt(&call, trigger->reason);
    bind_attempt(&call, &trigger->last);
    sql_int(&call, trigger->target);
    sql_id(&call, trigger->replayed_by);
    sql_id(&call, trigger->id);
    return sqlite_write_guarded(&call, reterr);
}

enum store_outcome sqlite_write_trigger_replayed(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_TRIGGER_REPLAYED);

    sql_id(&call, op->trigger.replayed_by);
    sql_id(&call, op->trigger.id);
    return sqlite_write_guarded(&call, reterr);
}

enum store_outcome sqlite_write_trigger_delete(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    enum store_outcome outcome = sqlite_write_delete_by_id(store, SQL_TRIGGER_DELETE, op->id, reterr);

    if (outcome == STORE_DONE) {
        struct sql_call call = sql_begin(&store->conn, SQL_ATTEMPTS_DELETE);

        sql_id(&call, op->id);
        outcome = sql_run(&call, reterr);
    }
    return outcome;
}

enum store_outcome sqlite_write_attempt_insert(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_ATTEMPT_INSERT);

    sql_id(&call, op->attempt.trigger);
    bind_attempt(&call, &op->attempt);
    return sql_run(&call, reterr);
}

enum store_outcome sqlite_write_attempt_delete(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_ATTEMPT_DELETE);

    sql_id(&call, op->attempt.trigger);
    sql_int(&call, op->attempt.number);
    return sqlite_write_guarded(&call, reterr);
}

enum store_outcome sqlite_write_claims_insert(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    buf_reset(&store->packed);
    if (claims_pack(&op->claims, &store->packed, reterr) != ERR_OK) {
        return STORE_REFUSED;
    }
    struct sql_call call = sql_begin(&store->conn, SQL_CLAIMS_INSERT);

    sql_id(&call, op->claims.id);
    sql_blob(&call, store->packed.data, store->packed.len);
    return sql_run(&call, reterr);
}
