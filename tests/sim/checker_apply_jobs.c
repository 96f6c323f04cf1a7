#include "checker_state.h"

/* ---- jobs ---- */

struct place checker_keep_place(struct checker *checker, const struct place *old, const struct place *place)
{
    return (struct place){
        .pool = checker_keep(checker, old->pool, place->pool),
        .tenant = checker_keep(checker, old->tenant, place->tenant),
        .type = checker_keep(checker, old->type, place->type),
        .priority = place->priority,
    };
}

/* The row with texts of our own. */
static void take_job_row(struct checker *checker, struct job *job, const struct job_row *row)
{
    struct job_row old = job->row;

    job->row = *row;
    job->row.place = checker_keep_place(checker, &old.place, &row->place);
    job->row.name = checker_keep(checker, old.name, row->name);
    job->row.def = str_empty(row->def) ? old.def : checker_keep(checker, old.def, row->def);
    if (!str_empty(row->def) && checker_version(job, row->version) == NULL) {
        (void)checker_add_version(checker, job, row->def, row->version, row->anchor_ms);
    }
}

static void insert_job(struct checker *checker, const struct job_row *row)
{
    struct job *job = checker_job_get(checker, row->id);
    struct job_change *change = checker_touch_job(checker, job);
    struct batch_view *view = &checker->view;

    if (!checker_expect(checker, RULE_GUARD, !job->was_there && !str_empty(row->def), "INSERT of %s, which was there",
                        checker_job_text(job))) {
        return;
    }
    take_job_row(checker, job, row);
    job->is_there = true;
    job->was_there = true;
    job->inserted_batch = view->number;
    change->is_written = true;
    change->is_inserted = true;
    checker->figures.jobs++;
    struct tenant_state *tenant = checker_tenant_get(checker, row->place.tenant);
    tenant->jobs++;
    tenant->inserted++;
    view->job_low = view->job_low == 0 || row->id < view->job_low ? row->id : view->job_low;
    view->job_high = row->id > view->job_high ? row->id : view->job_high;
    if (str_empty(row->name)) {
        return;
    }
    struct str key = checker_key(checker, (struct str[]){row->place.tenant, row->name}, 2);
    checker_expect(checker, RULE_CREATE,
                   map_insert_text(&checker->names, &job->by_name, checker_copy(checker, key)) == NULL,
                   "there is another job called as %s", checker_job_text(job));
}

static void update_job(struct checker *checker, const struct job_row *row)
{
    struct job *job = checker_job_get(checker, row->id);
    struct job_change *change = checker_touch_job(checker, job);
    struct job_row next = *row;

    checker_expect(checker, RULE_GUARD, job->is_there, "UPDATE of %s, which is not there", checker_job_text(job));
    if (!checker_expect(checker, RULE_GUARD, !change->is_written, "%s is written twice", checker_job_text(job))) {
        return;
    }
    next.place.tenant = job->row.place.tenant;
    next.name = job->row.name;
    next.created_ms = job->row.created_ms;
    change->is_written = true;
    take_job_row(checker, job, &next);
}

static void delete_job(struct checker *checker, uint64_t id)
{
    struct job *job = checker_job_get(checker, id);
    struct job_change *change = checker_touch_job(checker, job);

    if (!checker_expect(checker, RULE_GUARD, job->is_there, "DELETE of %s, which is not there",
                        checker_job_text(job))) {
        return;
    }
    job->is_there = false;
    change->is_deleted = true;
    checker->figures.jobs--;
    struct tenant_state *tenant = checker_tenant_get(checker, job->row.place.tenant);
    tenant->jobs--;
    tenant->deleted++;
    if (job->by_name.is_linked) {
        map_remove(&checker->names, &job->by_name);
    }
}

static void insert_version(struct checker *checker, const struct version_row *row)
{
    struct job *job = checker_job_get(checker, row->job);
    struct def_version *def = checker_version(job, row->version);

    (void)checker_touch_job(checker, job);
    if (def == NULL) {
        def = checker_add_version(checker, job, row->def, row->version, row->anchor_ms);
    }
    if (def == NULL) {
        return;
    }
    checker_expect(checker, RULE_GUARD, !def->has_row, "version %u of %s was kept before", row->version,
                   checker_job_text(job));
    checker_expect(checker, RULE_ROW, str_equal(def->text, row->def) && def->anchor_ms == row->anchor_ms,
                   "version %u of %s is kept as something else", row->version, checker_job_text(job));
    def->has_row = true;
}

void checker_apply_job(struct checker *checker, const struct op *op)
{
    if (op->kind == OP_JOB_INSERT) {
        insert_job(checker, &op->job);
    } else if (op->kind == OP_JOB_UPDATE) {
        update_job(checker, &op->job);
    } else if (op->kind == OP_JOB_DELETE) {
        delete_job(checker, op->id);
    } else {
        insert_version(checker, &op->version);
    }
}
