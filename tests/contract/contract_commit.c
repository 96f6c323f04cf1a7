/* What each operation does. */
#include "contract_tests.h"
#include "samples.h"

void every_kind_of_row_comes_back_as_it_was_written(struct contract *c)
{
    const struct claim claims[] = {sample_claim(20, 1, 2), sample_claim(1, 1, 1)};

    add_job(c, OP_JOB_INSERT, sample_named(1, "welcome"));
    add_version(c, sample_version(1, 1));
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger(20, 1));
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(20, 1));
    add_claims(c, 30, claims, 2);
    add_skip(c, sample_skip(1, NOW_MS));
    add_wait(c, OP_WAIT_PUT, sample_wait(1, NOW_MS, 9));
    add_edge(c, OP_EDGE_INSERT, sample_edge(1, 2));
    add_setting(c, sample_setting(SCOPE_TENANT_TYPE, "acme", "send"));
    add_limiter(c, sample_limiter(SCOPE_POOL, "", "mail"));
    add_circuit(c, OP_CIRCUIT_PUT, sample_circuit("acme", "send", 0));
    add_idem(c, sample_idem("acme", "k-1"));
    add_tenant(c, "acme", 12);
    add_ids(c, NOW_MS);
    commit(c);

    ask_start(c);
    assert_int_equal(c->rows.shard.last_batch, 1);
    assert_int_equal(c->rows.shard.id_high_ms, NOW_MS);
    assert_int_equal(c->rows.claims.count, 1);
    assert_int_equal(c->rows.claims.items[0].count, 2);
    assert_int_equal(c->rows.claims.items[0].claims[1].kind, TRIGGER_SCHEDULE);
    assert_int_equal(c->rows.waits.items[0].ended[1], 1); /* the order of the array stays */
    assert_true(c->rows.circuits.items[0].is_half_open);
    ask_key(c, (struct load_key){.kind = KEY_JOB, .id = 1});
    assert_true(str_is(c->rows.jobs.items[0].name, "welcome"));
    assert_int_equal(c->rows.jobs.items[0].missed_to_ms, NOW_MS - 6);
    assert_true(str_is(c->rows.triggers.items[0].last.error_code, "smtp_421"));
}

void a_put_writes_a_row_and_writes_it_again(struct contract *c)
{
    static const uint64_t ended[] = {8};

    for (int64_t round = 0; round < 3; round++) {
        struct skip_row skip = sample_skip(1, NOW_MS);
        struct wait_row wait = sample_wait(1, NOW_MS, 0);
        struct setting_row setting = sample_setting(SCOPE_POOL, "", "mail");
        struct limiter_row limiter = sample_limiter(SCOPE_TYPE, "", "send");
        struct circuit_row circuit = sample_circuit("acme", "", 5);
        struct idem_row idem = sample_idem("acme", "k");

        skip.to_ms += round;
        skip.count += round;
        skip.reason = round == 1 ? SKIP_OVERLAP : SKIP_LIMIT;
        skip.version += (uint32_t)round;
        skip.blocked_by += (uint64_t)round;
        skip.decided_ms += round;
        wait.trigger += (uint64_t)round;
        wait.is_over = round == 1;
        wait.ended = ended;
        wait.ended_count = round == 2 ? 1 : 0;
        setting.text = round == 1 ? STR("{}") : STR("{\"weight\":2}");
        limiter.tat_ms += round;
        circuit.is_half_open = round == 1;
        circuit.open_until_ms += round;
        idem.hash[0] += (uint64_t)round;
        idem.hash[1] -= (uint64_t)round;
        idem.result = round == 1 ? STR("[1]") : STR("[2]");
        idem.created_ms += round;
        add_skip(c, skip);
        add_wait(c, OP_WAIT_PUT, wait);
        add_setting(c, setting);
        add_limiter(c, limiter);
        add_circuit(c, OP_CIRCUIT_PUT, circuit);
        add_idem(c, idem);
        add_tenant(c, "acme", 12 + round);
        commit(c);
        check_all(c);
    }
    ask_start(c);
    assert_int_equal(c->rows.tenants.count, 1);
    assert_int_equal(c->rows.tenants.items[0].jobs, 14);
    assert_int_equal(c->rows.waits.items[0].ended_count, 1);
    assert_false(c->rows.circuits.items[0].is_half_open);
}

/* Neighbours that share all of the key but one part, and texts that would be equal if they were glued together. */
static void put_neighbours(struct contract *c)
{
    static const char *const pairs[][2] = {{"a", "bc"}, {"ab", "c"}, {"abc", ""},
                                           {"", "abc"}, {"A", "bc"}, {"a ", "bc"}};

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        add_setting(c, sample_setting(SCOPE_TENANT_TYPE, pairs[i][0], pairs[i][1]));
        add_limiter(c, sample_limiter(SCOPE_TENANT_TYPE, pairs[i][0], pairs[i][1]));
        add_circuit(c, OP_CIRCUIT_PUT, sample_circuit(pairs[i][0], pairs[i][1], 0));
        add_idem(c, sample_idem(pairs[i][0], pairs[i][1]));
    }
    for (int scope = SCOPE_TENANT; scope < SCOPE_TENANT_TYPE; scope++) {
        add_setting(c, sample_setting((enum scope)scope, "", "abc"));
        add_limiter(c, sample_limiter((enum scope)scope, "", "abc"));
    }
    add_circuit(c, OP_CIRCUIT_PUT, sample_circuit("a", "bc", 1));
    add_circuit(c, OP_CIRCUIT_PUT, sample_circuit("a", "bc", 2));
}

void rows_are_told_apart_by_every_part_of_their_key(struct contract *c)
{
    for (uint64_t a = 1; a <= 2; a++) {
        for (uint64_t b = 1; b <= 2; b++) {
            add_version(c, sample_version(a, (uint32_t)b));
            add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(a, (uint32_t)b));
            add_skip(c, sample_skip(a, (int64_t)b));
            add_edge(c, OP_EDGE_INSERT, sample_edge(a, b));
            add_wait(c, OP_WAIT_PUT, sample_wait(a, (int64_t)b, 0));
            add_wait(c, OP_WAIT_PUT, sample_wait(a, (int64_t)b, 1));
        }
    }
    put_neighbours(c);
    commit(c);
    check_all(c);

    add_attempt(c, OP_ATTEMPT_DELETE, sample_attempt(1, 2));
    add_edge(c, OP_EDGE_DELETE, sample_edge(1, 2));
    add_wait(c, OP_WAIT_DELETE, sample_wait(2, 1, 1));
    add_circuit(c, OP_CIRCUIT_DELETE, sample_circuit("a", "bc", 1));
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.edges.count, 3);
    assert_int_equal(c->rows.waits.count, 7);
    assert_int_equal(c->rows.circuits.count, 7);
    assert_int_equal(c->rows.settings.count, 9);
    assert_int_equal(c->rows.limiters.count, 9);
}

void an_update_of_a_job_leaves_what_never_changes(struct contract *c)
{
    struct job_row row = sample_named(1, "welcome");

    add_job(c, OP_JOB_INSERT, row);
    commit(c);
    row = (struct job_row){
        .id = 1,
        .place = {STR("web"), STR("somebody else"), STR("crawl"), 5},
        .name = STR("another name"),
        .status = JOB_PAUSED,
        .version = 9,
        .cursor_ms = 1,
        .wake_ms = 2,
        .held_to_ms = 3,
        .missed_to_ms = 4,
        .fired = 5,
        .anchor_ms = 6,
        .created_ms = 7,
        .updated_ms = 8,
        .def = STR("{}"),
    };
    add_job(c, OP_JOB_UPDATE, row);
    commit(c);

    ask_key(c, (struct load_key){.kind = KEY_NAME, .tenant = STR("acme"), .text = STR("welcome")});
    assert_int_equal(c->rows.jobs.count, 1);
    const struct job_row *job = &c->rows.jobs.items[0];
    assert_true(str_is(job->place.tenant, "acme"));
    assert_true(str_is(job->place.pool, "web"));
    assert_true(str_is(job->place.type, "crawl"));
    assert_int_equal(job->place.priority, 5);
    assert_int_equal(job->created_ms, NOW_MS - 200);
    assert_int_equal(job->status, JOB_PAUSED);
    assert_int_equal(job->anchor_ms, 6);
    assert_int_equal(job->updated_ms, 8);
    assert_true(str_is(job->def, "{}"));
    ask_key(c, (struct load_key){.kind = KEY_NAME, .tenant = STR("acme"), .text = STR("another name")});
    assert_int_equal(c->rows.jobs.count, 0);
}

void an_update_without_a_definition_keeps_the_old_one(struct contract *c)
{
    struct job_row row = sample_job(1);

    row.def = STR("{\"payload\":[1.50,1e2]}");
    add_job(c, OP_JOB_INSERT, row);
    commit(c);
    row.def = STR("");
    row.fired = 8;
    add_job(c, OP_JOB_UPDATE, row);
    commit(c);
    ask_key(c, (struct load_key){.kind = KEY_JOB, .id = 1});
    assert_int_equal(c->rows.jobs.items[0].fired, 8);
    assert_true(str_is(c->rows.jobs.items[0].def, "{\"payload\":[1.50,1e2]}"));
}

void an_update_of_a_trigger_leaves_what_never_changes(struct contract *c)
{
    struct trigger_row row = sample_trigger(20, 1);

    add_trigger(c, OP_TRIGGER_INSERT, row);
    commit(c);
    row = (struct trigger_row){
        .id = 20,
        .job = 2,
        .place = {STR("web"), STR("other"), STR("crawl"), 1},
        .kind = TRIGGER_BACKFILL,
        .state = TRIGGER_DEAD,
        .version = 8,
        .target = TARGET_EXEC,
        .scheduled_ms = 1,
        .due_ms = 2,
        .attempts = 3,
        .failures = 4,
        .lost_run = 5,
        .released_run = 6,
        .replays = 7,
        .replay_of = 8,
        .replayed_by = 12,
        .root = 9,
        .created_ms = 10,
        .ended_ms = 11,
        .reason = STR("exhausted"),
        .payload = STR("[]"),
        .last = sample_attempt(20, 3),
    };
    row.last.state = ATTEMPT_TIMED_OUT;
    row.last.result = STR("");
    add_trigger(c, OP_TRIGGER_UPDATE, row);
    commit(c);

    ask_key(c, (struct load_key){.kind = KEY_TRIGGER, .id = 20});
    const struct trigger_row *trigger = &c->rows.triggers.items[0];
    assert_int_equal(trigger->job, 1);
    assert_int_equal(trigger->kind, TRIGGER_MANUAL);
    assert_int_equal(trigger->created_ms, NOW_MS - 1);
    assert_true(str_is(trigger->payload, "{\"only\":\"this run\"}"));
    assert_int_equal(trigger->state, TRIGGER_DEAD);
    assert_int_equal(trigger->version, 8);
    assert_int_equal(trigger->target, TARGET_EXEC);
    assert_int_equal(trigger->scheduled_ms, 1);
    assert_int_equal(trigger->replay_of, 8);
    assert_int_equal(trigger->replayed_by, 12);
    assert_int_equal(trigger->root, 9);
    assert_int_equal(trigger->ended_ms, 11);
    assert_true(str_is(trigger->place.pool, "web"));
    assert_true(str_is(trigger->reason, "exhausted"));
    assert_int_equal(trigger->last.number, 3);
    assert_int_equal(trigger->last.state, ATTEMPT_TIMED_OUT);
}

void deleting_a_job_deletes_its_row_alone(struct contract *c)
{
    const struct claim claim = sample_claim(20, 1, 2);

    add_job(c, OP_JOB_INSERT, sample_named(1, "gone"));
    add_version(c, sample_version(1, 1));
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger(20, 1));
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(20, 1));
    add_claims(c, 30, &claim, 1);
    add_skip(c, sample_skip(1, NOW_MS));
    add_wait(c, OP_WAIT_PUT, sample_wait(1, NOW_MS, 0));
    add_edge(c, OP_EDGE_INSERT, sample_edge(1, 2));
    commit(c);
    add_id(c, OP_JOB_DELETE, 1);
    commit(c);
    check_all(c);
    ask_start(c);
    assert_int_equal(c->rows.jobs.count, 0);
    assert_int_equal(c->rows.places.count, 0);
    assert_int_equal(c->rows.claims.count, 1);
    assert_int_equal(c->rows.edges.count, 1);
    assert_int_equal(c->rows.waits.count, 1);
    assert_int_equal(c->rows.triggers.count, 1); /* the claim's */
}

void deleting_a_trigger_takes_its_attempts_along(struct contract *c)
{
    struct query q = query_of(QUERY_ATTEMPTS);

    for (uint64_t id = 20; id <= 22; id++) {
        add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(id, 1, TRIGGER_DEAD));
        for (uint32_t number = 1; number <= 3; number++) {
            add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(id, number));
        }
    }
    commit(c);
    add_id(c, OP_TRIGGER_DELETE, 21);
    commit(c);
    for (uint64_t id = 20; id <= 22; id++) {
        q.id = id;
        ask_query(c, q);
        assert_int_equal(c->rows.attempts.count, id == 21 ? 0 : 3);
    }
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger(21, 1)); /* nothing is in the way of another */
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(21, 2));
    commit(c);
}

void operations_are_applied_in_their_order(struct contract *c)
{
    const struct claim claim = sample_claim(20, 1, 1);

    add_job(c, OP_JOB_INSERT, sample_named(1, "first"));
    add_edge(c, OP_EDGE_INSERT, sample_edge(1, 2));
    add_circuit(c, OP_CIRCUIT_PUT, sample_circuit("acme", "send", 0));
    add_wait(c, OP_WAIT_PUT, sample_wait(1, NOW_MS, 0));
    commit(c);
    /* Out and in again. */
    struct edge_row edge = sample_edge(1, 2);
    struct job_row job = sample_named(1, "second");

    edge.on = EDGE_DONE;
    job.created_ms = 5;
    add_id(c, OP_JOB_DELETE, 1);
    add_job(c, OP_JOB_INSERT, job);
    add_edge(c, OP_EDGE_DELETE, edge);
    add_edge(c, OP_EDGE_INSERT, edge);
    add_circuit(c, OP_CIRCUIT_DELETE, sample_circuit("acme", "send", 0));
    add_wait(c, OP_WAIT_DELETE, sample_wait(1, NOW_MS, 0));
    commit(c);
    check_all(c);
    /* In and out again. */
    add_job(c, OP_JOB_INSERT, sample_named(2, "third"));
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger(20, 2));
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(20, 1));
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(20, 2));
    add_claims(c, 30, &claim, 1);
    add_wait(c, OP_WAIT_PUT, sample_wait(1, NOW_MS, 0));
    add_wait(c, OP_WAIT_DELETE, sample_wait(1, NOW_MS, 0));
    add_id(c, OP_CLAIMS_DELETE, 30);
    add_attempt(c, OP_ATTEMPT_DELETE, sample_attempt(20, 1));
    add_id(c, OP_TRIGGER_DELETE, 20);
    add_id(c, OP_JOB_DELETE, 2);
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.jobs.count, 1);
    assert_int_equal(c->rows.jobs.items[0].created_ms, 5);
    assert_int_equal(c->rows.edges.items[0].on, EDGE_DONE);
    assert_int_equal(c->rows.circuits.count + c->rows.waits.count + c->rows.claims.count, 0);
}

void reserved_ids_only_rise(struct contract *c)
{
    const int64_t ms[] = {100, 50, 200, -1, 200};
    const int64_t wanted[] = {100, 100, 200, 200, 200};

    ask_start(c);
    assert_int_equal(c->rows.shard.id_high_ms, 0);
    for (size_t i = 0; i < sizeof ms / sizeof ms[0]; i++) {
        add_ids(c, ms[i]);
        commit(c);
        ask_start(c);
        assert_int_equal(c->rows.shard.id_high_ms, wanted[i]);
    }
}

void an_empty_batch_counts(struct contract *c)
{
    commit(c);
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.shard.last_batch, 2);
}
