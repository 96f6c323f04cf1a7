#include "base/buf.h"
#include "base/mem.h"
#include "checker_state.h"

/* ---- jobs: created, edited, paused, deleted ---- */

/* Which of them nobody has used; NULL. others: there is another one. */
static struct ask_part *first_unused(const struct ask_list *list, bool *ret_has_others)
{
    struct ask_part *found = NULL;

    *ret_has_others = false;
    for (size_t i = 0; i < list->count; i++) {
        if (list->parts[i]->is_used) {
            continue;
        }
        if (found != NULL) {
            *ret_has_others = true;
            return found;
        }
        found = list->parts[i];
    }
    return found;
}

static void check_insert(struct checker *checker, struct job *job)
{
    const struct def_version *first = checker_version(job, 1);
    struct ask_list list = checker_asks_def(checker, first->text);
    bool has_others;
    struct ask_part *part = first_unused(&list, &has_others);

    if (!checker_expect(checker, RULE_CREATE, part != NULL, "%s is created, and nobody asked for it: %.*s",
                        checker_job_text(job), STR_ARGS(first->text))) {
        return;
    }
    part->is_used = true;
    part->job = job;
    job->made_by = part;
    for (size_t i = 0; i < list.count; i++) {
        list.parts[i]->ask->is_unsure = list.parts[i]->ask->is_unsure || has_others;
    }
    checker_use(checker, part->ask, has_others);
}

static bool makes(struct checker *checker, const struct ask *ask, const struct def_version *from,
                  const struct def_version *to)
{
    return str_equal(checker_patched(checker, from->text, ask->command.text, true), to->text) ||
           str_equal(checker_patched(checker, from->text, ask->command.text, false), to->text);
}

static int64_t count_edited(const struct job_change *change, uint32_t version)
{
    int64_t count = 0;

    for (const struct skipped *skip = change->skips; skip != NULL; skip = skip->next) {
        count += skip->row.reason == SKIP_EDITED && skip->row.version == version ? skip->count : 0;
    }
    return count;
}

static void check_edit(struct checker *checker, const struct job_change *change, const struct def_version *from,
                       struct def_version *to)
{
    struct ask_list list = checker_asks_job(checker, change->job, COMMAND_PATCH);
    struct ask_part *found = NULL;
    bool has_others = false;

    for (size_t i = 0; i < list.count; i++) {
        struct ask_part *part = list.parts[i];

        if (part->is_used || (part->ask->command.if_match != 0 && part->ask->command.if_match != from->version) ||
            !makes(checker, part->ask, from, to)) {
            continue;
        }
        has_others = has_others || found != NULL;
        part->ask->is_unsure = part->ask->is_unsure || has_others;
        found = found != NULL ? found : part;
    }
    if (checker_expect(checker, RULE_CHANGE, found != NULL, "version %u of %s is what nobody asked for: %.*s",
                       to->version, checker_job_text(change->job), STR_ARGS(to->text))) {
        found->is_used = true;
        to->made_by = found;
        found->ask->used_version = to->version;
        found->ask->edited = count_edited(change, from->version);
        checker_use(checker, found->ask, has_others);
    }
}

static void check_edits(struct checker *checker, const struct job_change *change)
{
    uint32_t version = change->def_before != NULL ? change->def_before->version : 1;

    for (; version < change->job->row.version && !checker_is_failed(checker); version++) {
        check_edit(checker, change, checker_version(change->job, version), checker_version(change->job, version + 1));
    }
}

static bool is_edited(const struct job_change *change)
{
    return change->def_before == NULL || change->def_before->version != change->job->row.version;
}

static void check_status(struct checker *checker, const struct job_change *change)
{
    enum job_status before = change->was_there ? change->before.status : JOB_ACTIVE;
    enum job_status now = change->job->row.status;
    struct ask_list list = checker_asks_job(checker, change->job, COMMAND_STATUS);
    bool is_asked = false;

    if (before == now || now == JOB_COMPLETED) {
        return;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (list.parts[i]->ask->command.status == now) {
            is_asked = true;
            checker_use(checker, list.parts[i]->ask, list.count > 1);
        }
    }
    checker_expect(checker, RULE_CHANGE,
                   is_asked || (before == JOB_COMPLETED && now == JOB_ACTIVE && is_edited(change)),
                   "%s was %s and is %s, and nobody asked for it", checker_job_text(change->job),
                   job_status_text(before), job_status_text(now));
}

static void check_delete(struct checker *checker, const struct job_change *change)
{
    struct job *job = change->job;
    struct ask_list list = checker_asks_job(checker, job, COMMAND_DELETE);
    const struct job *dependent = NULL;

    checker_expect(checker, RULE_CHANGE, list.count > 0, "%s is deleted, and nobody asked for it",
                   checker_job_text(job));
    for (size_t i = 0; i < list.count; i++) {
        checker_use(checker, list.parts[i]->ask, list.count > 1);
    }
    for (struct list_node *node = list_first(&job->downstreams); node != NULL && dependent == NULL;
         node = list_next(&job->downstreams, node)) {
        const struct edge *edge = CONTAINER_OF(node, struct edge, in_down);

        dependent = edge->downstream->is_there ? edge->downstream : NULL;
    }
    checker_expect(checker, RULE_EDGE, dependent == NULL, "%s is deleted, and %s depends on it", checker_job_text(job),
                   checker_job_text(dependent));
}

static void check_job(struct checker *checker, const struct job_change *change)
{
    if (change->is_deleted) {
        check_delete(checker, change);
        return;
    }
    if (!change->job->is_there) {
        return;
    }
    if (change->is_inserted) {
        check_insert(checker, change->job);
    }
    check_edits(checker, change);
    check_status(checker, change);
}

/* ---- settings ---- */

/* Limits and the like; not pause and ramp. */
static bool is_same_limits(const struct settings *a, const struct settings *b)
{
    struct settings x = *a;
    struct settings y = *b;
    SCOPE(buf_done) struct buf x_text;
    SCOPE(buf_done) struct buf y_text;

    buf_init(&x_text, JSON_BYTES_MAX);
    buf_init(&y_text, JSON_BYTES_MAX);
    settings_write(&x, false, &x_text);
    settings_write(&y, false, &y_text);
    return str_equal(buf_str(&x_text), buf_str(&y_text));
}

static bool is_one_of(const struct ask_list *list, const struct settings *settings)
{
    for (size_t i = 0; i < list->count; i++) {
        if (is_same_limits(&list->parts[i]->ask->command.settings, settings)) {
            return true;
        }
    }
    return false;
}

static void use_all(struct checker *checker, const struct ask_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        checker_use(checker, list->parts[i]->ask, list->count > 1);
    }
}

static void check_setting(struct checker *checker, const struct setting_row *row)
{
    const struct scope_state *scope = checker_scope_get(checker, row->scope, row->tenant, row->name);
    const enum command_kind kinds[] = {COMMAND_SETTINGS, COMMAND_PAUSE, COMMAND_RESUME};
    struct ask_list lists[3];
    size_t count = 0;

    for (size_t i = 0; i < 3; i++) {
        lists[i] = checker_asks_setting(checker, row->scope, row->tenant, row->name, kinds[i]);
        count += lists[i].count;
        use_all(checker, &lists[i]);
    }
    checker_expect(checker, RULE_CHANGE,
                   count > 0 &&
                       (is_same_limits(&scope->settings, &scope->before) || is_one_of(&lists[0], &scope->settings)),
                   "the settings of %s %.*s become %.*s, which nobody asked for", scope_text(row->scope),
                   STR_ARGS(row->name), STR_ARGS(row->text));
    checker_expect(checker, RULE_CHANGE,
                   scope->settings.is_paused == scope->before.is_paused ||
                       lists[scope->settings.is_paused ? 1 : 2].count > 0,
                   "%s %.*s is %s, and nobody asked for it", scope_text(row->scope), STR_ARGS(row->name),
                   scope->settings.is_paused ? "paused" : "resumed");
}

/* ---- whole commands ---- */

/* All or none: a definition that was not inserted has a job of its name already. */
static void check_whole(struct checker *checker, const struct ask *ask)
{
    for (size_t i = 0; i < ask->part_count && ask->command.kind == COMMAND_CREATE && !ask->is_unsure; i++) {
        const struct ask_part *part = &ask->parts[i];

        checker_expect(checker, RULE_CREATE,
                       part->is_used ||
                           (!str_empty(part->name) && checker_job_named(checker, part->tenant, part->name) != NULL),
                       "of %zu jobs of one request, number %zu is not there", ask->part_count, i);
    }
}

/* What every answer under this key has to say. */
static void learn_ids(struct checker *checker, const struct ask *ask, struct idem *idem)
{
    for (size_t i = 0; i < ask->part_count; i++) {
        if (ask->parts[i].job == NULL) {
            return;
        }
    }
    idem->has_ids = true;
    idem->id_count = ask->part_count;
    idem->ids = arena_alloc_array(&checker->forever, ask->part_count, sizeof *idem->ids);
    for (size_t i = 0; i < ask->part_count; i++) {
        idem->ids[i] = ask->parts[i].job->by_id.key.number;
    }
}

static void check_key(struct checker *checker, const struct ask *ask)
{
    const struct command *command = &ask->command;
    bool has_key = command->kind == COMMAND_CREATE || command->kind == COMMAND_RUN ||
                   command->kind == COMMAND_BACKFILL || command->kind == COMMAND_REPLAY;

    if (!has_key || str_empty(command->idem_key) || ask->is_unsure) {
        return;
    }
    struct idem *idem = checker_idem(checker, command->idem_tenant, command->idem_key);
    checker_expect(checker, RULE_IDEM,
                   idem != NULL && idem->batch == checker->view.number && idem->hash[0] == command->idem_hash[0] &&
                       idem->hash[1] == command->idem_hash[1],
                   "what was asked under the key %.*s is done, and the key is %s", STR_ARGS(command->idem_key),
                   idem == NULL ? "not kept" : "an earlier request's");
    if (idem != NULL && command->kind == COMMAND_CREATE) {
        learn_ids(checker, ask, idem);
    }
}

void checker_changes(struct checker *checker)
{
    for (struct job_change *change = checker->view.jobs; change != NULL && !checker_is_failed(checker);
         change = change->next) {
        check_job(checker, change);
    }
    checker_change_triggers(checker);
    BATCH_EACH(checker->view.batch, chunk, i)
    {
        if (chunk->ops[i].kind == OP_SETTING_PUT && !checker_is_failed(checker)) {
            check_setting(checker, &chunk->ops[i].setting);
        }
    }
    for (const struct ask *ask = checker->view.used; ask != NULL && !checker_is_failed(checker); ask = ask->next_used) {
        check_whole(checker, ask);
        check_key(checker, ask);
    }
}
