/* Large batches, housekeeping, backups, and others who read meanwhile. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "contract_tests.h"
#include "samples.h"

void claims_and_waits_of_a_thousand_come_back(struct contract *c)
{
    static const char *const workers[] = {"w-1", "", "w-with-a-much-longer-name-0123456789abcdef", "w-1"};
    struct claim *claims = mem_alloc_array(1000, sizeof *claims);
    uint64_t *ended = mem_alloc_array(DEPENDS_ON_MAX, sizeof *ended);

    for (uint64_t i = 0; i < 1000; i++) {
        claims[i] = sample_claim(1000 - i, 5000 + i, (uint32_t)i + 1);
        claims[i].worker = str_from(workers[i % 4]);
        claims[i].kind = (enum trigger_kind)(i % 5);
    }
    for (uint64_t i = 0; i < DEPENDS_ON_MAX; i++) {
        ended[i] = (i * 7919) % 100003 + 1;
    }
    add_claims(c, 1, claims, 1000);
    add_wait(c, OP_WAIT_PUT, (struct wait_row){1, NOW_MS, 0, 2, false, ended, DEPENDS_ON_MAX});
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.claims.items[0].count, 1000);
    assert_memory_equal(c->rows.waits.items[0].ended, ended, DEPENDS_ON_MAX * sizeof *ended);
    mem_free(claims);
    mem_free(ended);
}

/* Two and a half operations for each job. */
static void add_many(struct contract *c, uint64_t jobs)
{
    for (uint64_t id = 1; id <= jobs; id++) {
        struct job_row job = sample_waiting(id, (int64_t)(id * 7919 % 1000));

        job.place.priority = (int)(id % 5) + 1;
        add_job(c, OP_JOB_INSERT, job);
        add_trigger(c, OP_TRIGGER_INSERT,
                    sample_trigger_in(id + 10000, id, id % 3 == 0 ? TRIGGER_DEAD : TRIGGER_PENDING));
        if (id % 2 == 0) {
            add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(id + 10000, 1));
        }
    }
}

void ten_thousand_operations_are_one_batch(struct contract *c)
{
    add_many(c, 4000);
    assert_int_equal(c->batch.op_count, 10000);
    commit(c);
    for (uint64_t id = 1; id <= 4000; id++) {
        if (id % 4 == 0) {
            add_id(c, OP_TRIGGER_DELETE, id + 10000);
            add_id(c, OP_JOB_DELETE, id);
        } else {
            add_job(c, OP_JOB_UPDATE, sample_waiting(id, (int64_t)(id % 100)));
        }
    }
    commit(c);
    ask_start(c);
    assert_int_equal(c->rows.shard.last_batch, 2);
    assert_int_equal(c->rows.places.count, 1);
}

void ten_thousand_operations_are_refused_as_one(struct contract *c)
{
    add_tenant(c, "acme", 1);
    commit(c);
    add_many(c, 4000);
    add_job(c, OP_JOB_INSERT, sample_job(1));
    commit_refused(c);
    ask_start(c);
    assert_int_equal(c->rows.shard.last_batch, 1);
    assert_int_equal(c->rows.places.count, 0);
    ask_query(c, query_of(QUERY_JOBS));
    assert_int_equal(c->rows.jobs.count, 0);
}

void tidying_changes_nothing_and_comes_to_an_end(struct contract *c)
{
    for (uint64_t round = 0; round < 20; round++) {
        for (uint64_t id = 1; id <= 50; id++) {
            add_job(c, OP_JOB_INSERT, sample_job(round * 100 + id));
        }
        commit(c);
        (void)store_tidy(c->store, round % 2 == 0);
    }
    check_all(c);
    for (int step = 0; store_tidy(c->store, true); step++) {
        assert_true(step < 100000);
    }
    add_tenant(c, "acme", 1);
    commit(c);
}

void a_backup_is_a_store_of_its_own(struct contract *c)
{
    const uint64_t jobs = 600;
    struct error error = {0};
    struct store *backup;
    struct store *mine = c->store;

    add_many(c, jobs);
    commit(c);
    if (contract_kind.open_backup == NULL) { /* says so, and goes on */
        assert_int_equal(store_backup(c->store, "nowhere", &error), STORE_REFUSED);
        return;
    }
    assert_int_equal(store_backup(c->store, contract_kind.backup_path(c->data), &error), STORE_DONE);
    check_load(c, (struct load){.kind = LOAD_START});
    backup = contract_kind.open_backup(c->data);
    c->store = backup;
    check_load(c, (struct load){.kind = LOAD_START});
    for (uint64_t id = 1; id <= jobs; id += 37) {
        struct load_key key = {.kind = KEY_JOB, .id = id};

        check_load(c, (struct load){.kind = LOAD_KEYS, .keys = &key, .key_count = 1});
    }
    c->store = mine;
    store_close(backup);
    add_tenant(c, "acme", 1); /* the store works on */
    commit(c);
}

/* ---- threads ---- */

struct watcher {
    struct store_reader *reader;
    atomic_bool is_over;
    atomic_int reads;
    bool has_failed;
};

/* Two settings are written together; nobody may see them differ. */
static void *watch(void *arg)
{
    struct watcher *watcher = arg;
    struct query q = query_of(QUERY_SETTINGS);

    q.scope = SCOPE_POOL;
    while (!atomic_load(&watcher->is_over)) {
        struct rows rows;
        struct error error = {0};

        rows_init(&rows);
        if (store_read(watcher->reader, &q, &rows, &error) != STORE_DONE || rows.settings.count != 2 ||
            !str_equal(rows.settings.items[0].text, rows.settings.items[1].text)) {
            watcher->has_failed = true;
        }
        rows_done(&rows);
        atomic_fetch_add(&watcher->reads, 1);
    }
    return NULL;
}

static void add_pair(struct contract *c, struct str text)
{
    add_setting(c, (struct setting_row){SCOPE_POOL, STR(""), STR("first"), text});
    add_setting(c, (struct setting_row){SCOPE_POOL, STR(""), STR("second"), text});
}

void readers_on_other_threads_see_whole_batches(struct contract *c)
{
    struct watcher watcher = {0};
    struct error error = {0};
    pthread_t thread;

    if (!contract_kind.has_threads) {
        return;
    }
    add_pair(c, STR("0"));
    commit(c);
    assert_int_equal(store_reader_open(c->store, &watcher.reader, &error), STORE_DONE);
    assert_int_equal(pthread_create(&thread, NULL, watch, &watcher), 0);
    for (int round = 0; round < 200 || atomic_load(&watcher.reads) < 200; round++) {
        add_pair(c, batch_text(&c->batch, str_from(round % 2 == 0 ? "even" : "odd")));
        commit(c);
        (void)store_tidy(c->store, false);
    }
    atomic_store(&watcher.is_over, true);
    pthread_join(thread, NULL);
    store_reader_close(watcher.reader);
    assert_false(watcher.has_failed);
}
