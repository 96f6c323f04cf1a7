/* What is not applied, and that nothing of it is. */
#include "contract_tests.h"
#include "samples.h"

/* One of each kind, so that there is something to run into. */
static void add_one_of_each(struct contract *c, uint64_t id)
{
    static struct claim claim;

    claim = sample_claim(20, 1, 1);
    add_job(c, OP_JOB_INSERT, sample_job(id));
    add_version(c, sample_version(id, 1));
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger(id + 20, id));
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(id + 20, 1));
    add_claims(c, id + 40, &claim, 1);
    add_edge(c, OP_EDGE_INSERT, sample_edge(id, id + 1));
    add_wait(c, OP_WAIT_PUT, sample_wait(id, NOW_MS, 0));
    add_circuit(c, OP_CIRCUIT_PUT, sample_circuit("acme", "send", id));
}

/* Adds an operation of the kind on the rows with that id. */
static void add_on(struct contract *c, enum op_kind kind, uint64_t id)
{
    static struct claim claim;
    struct op *op = add(c, kind);

    claim = sample_claim(20, 1, 1);
    if (kind == OP_JOB_INSERT || kind == OP_JOB_UPDATE) {
        op->job = sample_job(id);
    } else if (kind == OP_VERSION_INSERT) {
        op->version = sample_version(id, 1);
    } else if (kind == OP_TRIGGER_INSERT || kind == OP_TRIGGER_UPDATE || kind == OP_TRIGGER_REPLAYED) {
        op->trigger = sample_trigger(id + 20, id);
    } else if (kind == OP_ATTEMPT_INSERT || kind == OP_ATTEMPT_DELETE) {
        op->attempt = sample_attempt(id + 20, 1);
    } else if (kind == OP_CLAIMS_INSERT) {
        op->claims = (struct claims_row){id + 40, &claim, 1};
    } else if (kind == OP_EDGE_INSERT || kind == OP_EDGE_DELETE) {
        op->edge = sample_edge(id, id + 1);
    } else if (kind == OP_WAIT_DELETE) {
        op->wait = sample_wait(id, NOW_MS, 0);
    } else if (kind == OP_CIRCUIT_DELETE) {
        op->circuit = sample_circuit("acme", "send", id);
    } else {
        op->id = kind == OP_TRIGGER_DELETE ? id + 20 : kind == OP_CLAIMS_DELETE ? id + 40 : id;
    }
}

/* Each of the kinds is refused for id, alone and as the last or the first of a batch; for good it works. */
static void check_refused(struct contract *c, const enum op_kind *kinds, size_t count, uint64_t id, uint64_t good)
{
    for (size_t i = 0; i < count; i++) {
        add_on(c, kinds[i], id);
        commit_refused(c);
        add_tenant(c, "marked", 1);
        add_ids(c, NOW_MS);
        add_on(c, kinds[i], id);
        commit_refused(c);
        add_on(c, kinds[i], id);
        add_tenant(c, "marked", 1);
        commit_refused(c);
        check_all(c);
        add_on(c, kinds[i], good);
        commit(c);
    }
    ask_start(c);
    assert_int_equal(c->rows.tenants.count, 0);
    assert_int_equal(c->rows.shard.id_high_ms, 0);
}

void inserting_what_is_there_is_refused(struct contract *c)
{
    static const enum op_kind kinds[] = {OP_JOB_INSERT,     OP_VERSION_INSERT, OP_TRIGGER_INSERT,
                                         OP_ATTEMPT_INSERT, OP_CLAIMS_INSERT,  OP_EDGE_INSERT};

    add_one_of_each(c, 1);
    commit(c);
    check_refused(c, kinds, sizeof kinds / sizeof kinds[0], 1, 5);
}

void updating_what_is_not_there_is_refused(struct contract *c)
{
    static const enum op_kind kinds[] = {OP_JOB_UPDATE, OP_TRIGGER_UPDATE, OP_TRIGGER_REPLAYED};

    add_one_of_each(c, 1);
    commit(c);
    check_refused(c, kinds, sizeof kinds / sizeof kinds[0], 5, 1);
}

void deleting_what_is_not_there_is_refused(struct contract *c)
{
    static const enum op_kind kinds[] = {OP_ATTEMPT_DELETE, OP_JOB_DELETE,  OP_TRIGGER_DELETE, OP_CLAIMS_DELETE,
                                         OP_WAIT_DELETE,    OP_EDGE_DELETE, OP_CIRCUIT_DELETE};

    add_one_of_each(c, 1);
    commit(c);
    check_refused(c, kinds, sizeof kinds / sizeof kinds[0], 5, 1);
    add_id(c, OP_JOB_DELETE, 1); /* gone is gone */
    commit_refused(c);
}

/* Something of every kind is changed, added and removed. */
static void add_everything(struct contract *c)
{
    struct job_row job = sample_named(1, "");
    struct trigger_row trigger = sample_trigger_in(21, 1, TRIGGER_SUCCEEDED);

    job.wake_ms = TIME_NONE;
    job.place.pool = STR("web");
    add_job(c, OP_JOB_UPDATE, job);
    add_trigger(c, OP_TRIGGER_UPDATE, trigger);
    add_id(c, OP_TRIGGER_DELETE, 23);
    add_id(c, OP_JOB_DELETE, 3);
    add_one_of_each(c, 7);
    add_attempt(c, OP_ATTEMPT_DELETE, sample_attempt(21, 1));
    add_id(c, OP_CLAIMS_DELETE, 41);
    add_edge(c, OP_EDGE_DELETE, sample_edge(1, 2));
    add_wait(c, OP_WAIT_DELETE, sample_wait(1, NOW_MS, 0));
    add_circuit(c, OP_CIRCUIT_DELETE, sample_circuit("acme", "send", 1));
    add_skip(c, sample_skip(1, NOW_MS));
    add_setting(c, sample_setting(SCOPE_POOL, "", "mail"));
    add_limiter(c, sample_limiter(SCOPE_POOL, "", "mail"));
    add_idem(c, sample_idem("acme", "k"));
    add_tenant(c, "acme", 2);
    add_ids(c, NOW_MS);
}

void a_refused_batch_leaves_nothing_behind(struct contract *c)
{
    add_one_of_each(c, 1);
    add_one_of_each(c, 3);
    add_skip(c, sample_skip(1, NOW_MS));
    add_setting(c, sample_setting(SCOPE_POOL, "", "mail"));
    add_tenant(c, "acme", 1);
    add_ids(c, 1000);
    commit(c);

    add_everything(c);
    add_id(c, OP_JOB_DELETE, 99);
    commit_refused(c);
    check_all(c);
    reopen(c); /* nor does it come back */
    check_all(c);
    add_everything(c); /* the number is still free */
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.shard.last_batch, 2);
}

void a_name_is_given_once_in_a_tenant(struct contract *c)
{
    struct job_row other = sample_named(2, "nightly");

    add_job(c, OP_JOB_INSERT, sample_named(1, "nightly"));
    add_job(c, OP_JOB_INSERT, sample_named(10, ""));
    add_job(c, OP_JOB_INSERT, sample_named(11, "")); /* no name is no name */
    commit(c);
    add_job(c, OP_JOB_INSERT, other);
    commit_refused(c);
    other.place.tenant = STR("globex");
    add_job(c, OP_JOB_INSERT, other);
    add_job(c, OP_JOB_INSERT, sample_named(3, "Nightly")); /* case tells names apart */
    add_job(c, OP_JOB_INSERT, sample_named(4, "nightly "));
    commit(c);
    add_job(c, OP_JOB_INSERT, sample_named(5, "twice"));
    add_job(c, OP_JOB_INSERT, sample_named(6, "twice"));
    commit_refused(c);
    add_id(c, OP_JOB_DELETE, 1);
    add_job(c, OP_JOB_INSERT, sample_named(7, "nightly")); /* free again, at once */
    commit(c);
    ask_key(c, (struct load_key){.kind = KEY_NAME, .tenant = STR("acme"), .text = STR("nightly")});
    assert_int_equal(c->rows.jobs.items[0].id, 7);
}

static struct trigger_row scheduled(uint64_t id, uint64_t job, int64_t scheduled_ms)
{
    struct trigger_row row = sample_trigger(id, job);

    row.kind = TRIGGER_SCHEDULE;
    row.scheduled_ms = scheduled_ms;
    return row;
}

void no_job_fires_twice_for_one_time(struct contract *c)
{
    struct trigger_row manual = scheduled(25, 1, NOW_MS);

    add_trigger(c, OP_TRIGGER_INSERT, scheduled(20, 1, NOW_MS));
    commit(c);
    add_trigger(c, OP_TRIGGER_INSERT, scheduled(21, 1, NOW_MS));
    commit_refused(c);
    add_trigger(c, OP_TRIGGER_INSERT, scheduled(22, 1, NOW_MS + 1));
    add_trigger(c, OP_TRIGGER_INSERT, scheduled(23, 2, NOW_MS));
    commit(c);
    add_trigger(c, OP_TRIGGER_INSERT, scheduled(24, 3, NOW_MS));
    add_trigger(c, OP_TRIGGER_INSERT, scheduled(26, 3, NOW_MS));
    commit_refused(c);
    for (int kind = TRIGGER_MANUAL; kind <= TRIGGER_DEPENDENCY; kind++) { /* the others do as they like */
        for (int i = 0; i < 2; i++) {
            manual.kind = (enum trigger_kind)kind;
            manual.id++;
            manual.last.trigger = manual.id;
            add_trigger(c, OP_TRIGGER_INSERT, manual);
        }
    }
    commit(c);
    add_trigger(c, OP_TRIGGER_UPDATE, scheduled(20, 1, NOW_MS)); /* itself is not in its way */
    commit(c);
    add_id(c, OP_TRIGGER_DELETE, 20);
    commit(c);
    add_trigger(c, OP_TRIGGER_INSERT, scheduled(40, 1, NOW_MS));
    commit(c);
}

void batch_numbers_have_no_gaps_and_no_repeats(struct contract *c)
{
    add_tenant(c, "acme", 1);
    commit_numbered(c, 0, STORE_REFUSED);
    add_tenant(c, "acme", 1);
    commit_numbered(c, 2, STORE_REFUSED);
    add_tenant(c, "acme", 1);
    commit(c);
    for (uint64_t number = 0; number < 5; number++) {
        if (number != 2) {
            add_tenant(c, "acme", 100);
            commit_numbered(c, number, STORE_REFUSED);
        }
    }
    add_tenant(c, "acme", 100);
    commit_numbered(c, UINT64_MAX, STORE_REFUSED);
    check_all(c);
    add_tenant(c, "acme", 2);
    commit(c);
    reopen(c);
    add_tenant(c, "acme", 3);
    commit_numbered(c, 2, STORE_REFUSED);
    add_tenant(c, "acme", 3);
    commit(c);
}
