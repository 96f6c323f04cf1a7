#include "checker_state.h"

/* ---- refusals ---- */

static bool is_reused(const struct command *command, const struct idem *idem)
{
    return idem != NULL && (idem->hash[0] != command->idem_hash[0] || idem->hash[1] != command->idem_hash[1]);
}

/* What was certainly so all the time is not denied. */
static void check_error(struct checker *checker, const struct reply *reply, const struct ask *ask)
{
    const struct command *command = &ask->command;
    const struct job *job = checker_asked_job(checker, command);
    bool was_there = ask->job != NULL && job == ask->job;

    checker_expect(checker, RULE_ANSWER, !ask->is_used || ask->is_unsure,
                   "command %llu is refused (%s), and was done in batch %llu", (unsigned long long)command->token,
                   reply->error.text, (unsigned long long)ask->used_batch);
    if (reply->error.code == ERR_NOT_FOUND && command->kind != COMMAND_WHY) {
        checker_expect(checker, RULE_ANSWER, !was_there, "%s is there, and command %llu is told it is not",
                       checker_job_text(job), (unsigned long long)command->token);
    }
    if (reply->error.code == ERR_VERSION) {
        checker_expect(
            checker, RULE_ANSWER, !was_there || ask->version != command->if_match || job->row.version != ask->version,
            "%s has version %u, and a patch of that version is refused", checker_job_text(job), command->if_match);
    }
    if (reply->error.code == ERR_KEY_REUSED) {
        checker_expect(checker, RULE_IDEM,
                       is_reused(command, checker_idem(checker, command->idem_tenant, command->idem_key)),
                       "the key %.*s is said to be used by another request, and is not", STR_ARGS(command->idem_key));
    }
}

/* ---- keys ---- */

/* A request under a key is answered only where the key is its own. */
static bool is_key_right(struct checker *checker, const struct ask *ask)
{
    const struct command *command = &ask->command;

    if (str_empty(command->idem_key)) {
        return true;
    }
    const struct idem *idem = checker_idem(checker, command->idem_tenant, command->idem_key);
    return checker_expect(checker, RULE_IDEM, idem != NULL && !is_reused(command, idem),
                          "the key %.*s is answered, and is %s", STR_ARGS(command->idem_key),
                          idem == NULL ? "not kept" : "another request's");
}

/* The same request under one key gets the same ids. */
static void check_ids(struct checker *checker, const struct ask *ask, const uint64_t *ids, size_t count)
{
    const struct command *command = &ask->command;
    struct idem *idem = checker_idem(checker, command->idem_tenant, command->idem_key);

    if (str_empty(command->idem_key) || idem == NULL) {
        return;
    }
    if (!idem->has_ids) {
        idem->has_ids = true;
        idem->id_count = count;
        idem->ids = arena_alloc_array(&checker->forever, count, sizeof *ids);
        if (count > 0) {
            memcpy(idem->ids, ids, count * sizeof *ids);
        }
        return;
    }
    bool is_same = idem->id_count == count && (count == 0 || memcmp(idem->ids, ids, count * sizeof *ids) == 0);
    checker_expect(checker, RULE_IDEM, is_same, "the key %.*s is answered with other ids than before",
                   STR_ARGS(command->idem_key));
}

static bool has_key_from_before(struct checker *checker, const struct ask *ask)
{
    return (!ask->is_used || ask->is_unsure) && !str_empty(ask->command.idem_key) &&
           checker_idem(checker, ask->command.idem_tenant, ask->command.idem_key) != NULL;
}

/* ---- jobs ---- */

static bool has_def(const struct job *job, struct str text)
{
    for (const struct def_version *def = job->now; def != NULL; def = def->older) {
        if (str_equal(def->text, text)) {
            return true;
        }
    }
    return false;
}

static void check_created_job(struct checker *checker, const struct ask *ask, size_t i, const struct reply_job *answer)
{
    struct ask_part *part = &ask->parts[i];
    struct job *job = checker_job(checker, answer->id);

    if (!checker_expect(checker, RULE_CREATE, job != NULL && job->was_there,
                        "job %llu is acknowledged, and is not durable", (unsigned long long)answer->id)) {
        return;
    }
    checker_expect(checker, RULE_CREATE, has_def(job, part->def), "%s is not what was sent: %.*s",
                   checker_job_text(job), STR_ARGS(part->def));
    checker_expect(checker, RULE_CREATE,
                   str_equal(job->row.name, part->name) && str_equal(job->row.place.tenant, part->tenant),
                   "%s is called otherwise than was asked", checker_job_text(job));
    if (!answer->is_existing) {
        checker_settle_ask(&job->made_by, part);
    }
    if (answer->is_existing || has_key_from_before(checker, ask)) {
        checker_expect(checker, RULE_CREATE,
                       !str_empty(part->name) || !answer->is_existing || has_key_from_before(checker, ask),
                       "%s is said to be there already, and has no name", checker_job_text(job));
        return;
    }
    checker_expect(checker, RULE_CREATE,
                   ask->is_unsure || (ask->is_used && part->job == job && job->inserted_batch == ask->used_batch),
                   "%s is acknowledged as new, and another request made it", checker_job_text(job));
}

static void check_create(struct checker *checker, const struct reply *reply, const struct ask *ask)
{
    uint64_t batch = 0;

    if (!checker_expect(checker, RULE_CREATE, reply->job_count == ask->part_count, "%zu jobs sent, %zu answered",
                        ask->part_count, reply->job_count)) {
        return;
    }
    uint64_t *ids = arena_alloc_array(&checker->of_batch, reply->job_count, sizeof *ids);
    for (size_t i = 0; i < reply->job_count && !checker_is_failed(checker); i++) {
        const struct job *job = checker_job(checker, reply->jobs[i].id);

        ids[i] = reply->jobs[i].id;
        check_created_job(checker, ask, i, &reply->jobs[i]);
        if (job != NULL && !reply->jobs[i].is_existing) {
            checker_expect(checker, RULE_CREATE, batch == 0 || batch == job->inserted_batch,
                           "jobs of one request came in batches %llu and %llu", (unsigned long long)batch,
                           (unsigned long long)job->inserted_batch);
            batch = job->inserted_batch;
        }
    }
    if (!checker_is_failed(checker)) {
        check_ids(checker, ask, ids, reply->job_count);
    }
}

static void check_patch(struct checker *checker, const struct reply_job *answer, const struct ask *ask,
                        const struct job *job)
{
    struct def_version *def = checker_version(job, answer->version);

    if (def != NULL) {
        checker_settle_ask(&def->made_by, &ask->parts[0]);
    }
    checker_expect(checker, RULE_ANSWER, def != NULL, "%s has no version %u", checker_job_text(job), answer->version);
    if (def == NULL || ask->is_unsure) {
        return;
    }
    if (ask->is_used) {
        checker_expect(checker, RULE_ANSWER, answer->version == ask->used_version && answer->skipped == ask->edited,
                       "%s: the patch made version %u and skipped %lld, and is answered with %u and %lld",
                       checker_job_text(job), ask->used_version, (long long)ask->edited, answer->version,
                       (long long)answer->skipped);
        return;
    }
    struct str patched = checker_patched(checker, def->text, ask->command.text, true);
    struct str replaced = checker_patched(checker, def->text, ask->command.text, false);
    checker_expect(checker, RULE_ANSWER, str_equal(patched, def->text) || str_equal(replaced, def->text),
                   "%s: a patch is acknowledged, and is not in version %u", checker_job_text(job), answer->version);
    checker_expect(checker, RULE_ANSWER, ask->command.if_match == 0 || ask->command.if_match == answer->version,
                   "%s: a patch of version %u is taken for version %u", checker_job_text(job), ask->command.if_match,
                   answer->version);
}

static void check_status(struct checker *checker, const struct reply_job *answer, const struct ask *ask,
                         const struct job *job)
{
    enum job_status asked = ask->command.status;

    checker_expect(checker, RULE_ANSWER,
                   answer->status == asked || (asked == JOB_ACTIVE && answer->status == JOB_COMPLETED),
                   "%s was to be %s, and the answer says %s", checker_job_text(job), job_status_text(asked),
                   job_status_text(answer->status));
    if (checker_is_alone(checker, ask) && job->is_there) {
        checker_expect(checker, RULE_ANSWER, job->row.status == asked || job->row.status == JOB_COMPLETED,
                       "%s is acknowledged as %s, and is %s", checker_job_text(job), job_status_text(asked),
                       job_status_text(job->row.status));
    }
    /* Another version may be no one-time job any more. */
    bool was_claimed = ask->was_claimed && answer->version == ask->version;

    checker_expect(checker, RULE_ANSWER, asked != JOB_CANCELLED || !ask->is_used || ask->is_unsure || !was_claimed,
                   "%s is cancelled, and had fired before", checker_job_text(job));
}

static void check_jobs(struct checker *checker, const struct reply *reply, const struct ask *ask)
{
    if (ask->command.kind == COMMAND_CREATE) {
        check_create(checker, reply, ask);
        return;
    }
    const struct job *job = reply->job_count == 1 ? checker_job(checker, reply->jobs[0].id) : NULL;

    if (!checker_expect(checker, RULE_ANSWER,
                        job != NULL && job->was_there &&
                            (ask->command.ref.id != 0 ? ask->command.ref.id == job->by_id.key.number
                                                      : str_equal(ask->command.ref.name, job->row.name)),
                        "command %llu is answered with another job, or none", (unsigned long long)ask->command.token)) {
        return;
    }
    if (ask->command.kind == COMMAND_PATCH) {
        check_patch(checker, &reply->jobs[0], ask, job);
    } else if (ask->command.kind == COMMAND_STATUS) {
        check_status(checker, &reply->jobs[0], ask, job);
    } else {
        checker_expect(checker, RULE_ANSWER, !job->is_there, "%s is acknowledged as deleted, and is there",
                       checker_job_text(job));
    }
}

/* ---- settings ---- */

static void check_done(struct checker *checker, const struct ask *ask)
{
    const struct command *command = &ask->command;
    const struct scope_state *scope;

    if (command->kind == COMMAND_ACCEPT_CLOCK || !checker_is_alone(checker, ask)) {
        return;
    }
    scope = checker_scope_get(checker, command->scope, command->tenant, command->name);
    if (command->kind == COMMAND_SETTINGS) {
        checker_expect(checker, RULE_ANSWER,
                       scope->settings.max_in_flight == command->settings.max_in_flight &&
                           scope->settings.rate_count == command->settings.rate_count &&
                           scope->settings.burst == command->settings.burst &&
                           scope->settings.max_jobs == command->settings.max_jobs &&
                           scope->settings.weight == command->settings.weight,
                       "the settings of %s %.*s are acknowledged, and are others", scope_text(command->scope),
                       STR_ARGS(command->name));
        return;
    }
    checker_expect(checker, RULE_ANSWER, scope->settings.is_paused == (command->kind == COMMAND_PAUSE),
                   "%s %.*s is acknowledged as %s, and is not", scope_text(command->scope), STR_ARGS(command->name),
                   command->kind == COMMAND_PAUSE ? "paused" : "resumed");
}

/* ---- all ---- */

static enum reply_kind kind_of(enum command_kind kind)
{
    switch (kind) {
    case COMMAND_CREATE:
    case COMMAND_PATCH:
    case COMMAND_REZONE:
    case COMMAND_STATUS:
    case COMMAND_DELETE:
        return REPLY_JOBS;
    case COMMAND_RUN:
    case COMMAND_BACKFILL:
    case COMMAND_REPLAY:
    case COMMAND_DISCARD:
    case COMMAND_CANCEL:
    case COMMAND_RETRY:
        return REPLY_TRIGGERS;
    case COMMAND_WHY:
        return REPLY_WHY;
    case COMMAND_SETTINGS:
    case COMMAND_PAUSE:
    case COMMAND_RESUME:
    case COMMAND_ACCEPT_CLOCK:
    case COMMAND_ACCEPT_HELD:
        break;
    }
    return REPLY_DONE;
}

void checker_answer(struct checker *checker, const struct reply *reply, struct ask *ask)
{
    if (reply->kind == REPLY_ERROR) {
        check_error(checker, reply, ask);
    } else if (checker_expect(checker, RULE_ANSWER, reply->kind == kind_of(ask->command.kind),
                              "command %llu (%d) has an answer of kind %d", (unsigned long long)ask->command.token,
                              (int)ask->command.kind, (int)reply->kind) &&
               is_key_right(checker, ask)) {
        if (reply->kind == REPLY_JOBS) {
            check_jobs(checker, reply, ask);
        } else if (reply->kind == REPLY_TRIGGERS) {
            checker_answer_triggers(checker, reply, ask);
            if (!checker_is_failed(checker)) {
                check_ids(checker, ask, reply->triggers, reply->trigger_count);
            }
        } else if (reply->kind == REPLY_DONE) {
            check_done(checker, ask);
        }
    }
    checker_forget_ask(checker, ask);
}
