/* Everything comes back as it was, whatever its size. */
#include <string.h>

#include "base/mem.h"
#include "contract_tests.h"
#include "samples.h"

/* Puts the text wherever a row has one. */
static void add_text_everywhere(struct contract *c, uint64_t id, struct str text)
{
    struct job_row job = sample_job(id);
    struct version_row version = sample_version(id, 1);
    struct trigger_row trigger = sample_trigger(id + 100, id);
    struct attempt_row attempt = sample_attempt(id + 100, 1);
    struct claim *claim = arena_alloc(&c->batch.arena, sizeof *claim);

    job.place = (struct place){text, text, text, 3};
    job.name = text;
    trigger.place = (struct place){text, text, text, 3};
    trigger.reason = text;
    trigger.payload = text;
    attempt.worker = text;
    attempt.error_code = text;
    attempt.error_message = text;
    attempt.result = text;
    trigger.last = attempt;
    *claim = sample_claim(id + 200, id, 1);
    claim->worker = text;
    add_job(c, OP_JOB_INSERT, job);
    add_version(c, version);
    add_trigger(c, OP_TRIGGER_INSERT, trigger);
    add_attempt(c, OP_ATTEMPT_INSERT, attempt);
    add_claims(c, id, claim, 1);
    add_setting(c, (struct setting_row){SCOPE_TENANT_TYPE, text, text, text});
    add_limiter(c, (struct limiter_row){SCOPE_TENANT_TYPE, text, text, NOW_MS});
    add_circuit(c, OP_CIRCUIT_PUT, (struct circuit_row){text, text, id, false, NOW_MS});
    add_idem(c, (struct idem_row){text, text, {1, 2}, text, NOW_MS});
    add(c, OP_TENANT_PUT)->tenant = (struct tenant_row){text, (int64_t)id};
}

void texts_come_back_byte_for_byte(struct contract *c)
{
    static const char *const texts[] = {
        "x",
        " ",
        "  two blanks before and one behind ",
        "a'b\"c`d\\e",
        "'; DROP TABLE jobs; --",
        "%_*?[]{}()$1 :name @x ?1",
        "line\nline\r\nline\ttab",
        "\x01\x02\x1f\x7f",
        "gr\xc3\xbc\xc3\x9f",
        "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
        "\xf0\x9f\x94\x94\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9",
        "e\xcc\x81", /* not the same as the next, though it looks so */
        "\xc3\xa9",
        "\xef\xbb\xbfmark",
        "\xef\xbf\xbe\xef\xbf\xbf",
        "\xf4\x8f\xbf\xbf",
        "NULL",
        "null",
        "0",
        "007",
        "1e5",
        "-0.0",
        "12345678901234567890.10",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        add_text_everywhere(c, i + 1, str_from(texts[i]));
    }
    commit(c);
    ask_key(c, (struct load_key){
                   .kind = KEY_NAME, .tenant = STR("12345678901234567890.10"), .text = STR("12345678901234567890.10")});
    assert_int_equal(c->rows.jobs.count, 1);
    ask_key(c, (struct load_key){.kind = KEY_NAME, .tenant = STR("\xc3\xa9"), .text = STR("\xc3\xa9")});
    assert_int_equal(c->rows.jobs.count, 1);
    assert_int_equal(c->rows.jobs.items[0].id, 13);
}

void large_texts_come_back_byte_for_byte(struct contract *c)
{
    char *payload = mem_alloc(PAYLOAD_BYTES_MAX);
    char *def = mem_alloc(PAYLOAD_BYTES_MAX + 64);
    struct job_row job = sample_job(1);
    struct trigger_row trigger = sample_trigger(20, 1);
    struct version_row version = sample_version(1, 1);

    for (size_t i = 0; i < PAYLOAD_BYTES_MAX; i++) {
        payload[i] = (char)('a' + (i * 7 + i / 4096) % 26);
    }
    payload[0] = '"';
    payload[PAYLOAD_BYTES_MAX - 1] = '"';
    memcpy(def, "{\"payload\":", 11);
    memcpy(def + 11, payload, PAYLOAD_BYTES_MAX);
    memcpy(def + 11 + PAYLOAD_BYTES_MAX, "}", 1);
    job.def = (struct str){def, PAYLOAD_BYTES_MAX + 12};
    version.def = job.def;
    trigger.payload = (struct str){payload, PAYLOAD_BYTES_MAX};
    trigger.last.result = trigger.payload;
    add_job(c, OP_JOB_INSERT, job);
    add_version(c, version);
    add_trigger(c, OP_TRIGGER_INSERT, trigger);
    commit(c);
    job.def = STR("");
    job.fired++;
    trigger.payload = STR("");
    add_job(c, OP_JOB_UPDATE, job);
    add_trigger(c, OP_TRIGGER_UPDATE, trigger);
    commit(c);
    ask_key(c, (struct load_key){.kind = KEY_JOB, .id = 1});
    assert_int_equal(c->rows.jobs.items[0].def.len, PAYLOAD_BYTES_MAX + 12);
    assert_memory_equal(c->rows.jobs.items[0].def.ptr, def, PAYLOAD_BYTES_MAX + 12);
    assert_memory_equal(c->rows.triggers.items[0].payload.ptr, payload, PAYLOAD_BYTES_MAX);
    mem_free(payload);
    mem_free(def);
}

void empty_texts_stay_empty(struct contract *c)
{
    struct job_row job = sample_named(1, "");
    struct trigger_row trigger = sample_trigger(20, 1);
    struct attempt_row attempt = {.trigger = 20, .number = 1, .state = ATTEMPT_STARTED, .ended_ms = TIME_NONE};
    const struct claim claim = {.trigger = 21, .job = 1, .number = 1};

    trigger.reason = (struct str){NULL, 0};
    trigger.payload = (struct str){NULL, 0};
    trigger.last = (struct attempt_row){0};
    add_job(c, OP_JOB_INSERT, job);
    add_trigger(c, OP_TRIGGER_INSERT, trigger);
    add_attempt(c, OP_ATTEMPT_INSERT, attempt);
    add_claims(c, 30, &claim, 1);
    add_setting(c, (struct setting_row){.scope = SCOPE_POOL, .name = STR("p")});
    add_idem(c, (struct idem_row){.tenant = STR("t"), .key = STR("k")});
    add_circuit(c, OP_CIRCUIT_PUT, (struct circuit_row){.tenant = STR("t"), .job = 5});
    add_wait(c, OP_WAIT_PUT, (struct wait_row){.job = 1});
    commit(c);
    ask_key(c, (struct load_key){.kind = KEY_TRIGGER, .id = 20});
    assert_int_equal(c->rows.triggers.items[0].payload.len, 0); /* the definition's, not "" and not null */
    assert_int_equal(c->rows.triggers.items[0].last.number, 0);
    trigger.payload = STR("\"\"");
    trigger.id = 22;
    add_trigger(c, OP_TRIGGER_INSERT, trigger);
    trigger.payload = STR("null");
    trigger.id = 23;
    add_trigger(c, OP_TRIGGER_INSERT, trigger);
    commit(c);
    check_all(c);
}

/* Ids have 63 bits (base/id.h). */
#define ID_LAST ((uint64_t)INT64_MAX)

static struct trigger_row trigger_at(uint64_t id, uint64_t job, int64_t ms, uint32_t number)
{
    struct trigger_row row = sample_trigger(20, 1);

    row.id = id;
    row.job = job;
    row.scheduled_ms = row.due_ms = row.created_ms = row.ended_ms = ms;
    row.version = row.attempts = row.failures = row.lost_run = row.released_run = row.replays = number;
    row.replay_of = row.replayed_by = row.root = id;
    row.last = (struct attempt_row){.trigger = id, .number = number, .started_ms = ms, .ended_ms = ms};
    row.place.priority = ms < 0 ? INT32_MIN : INT32_MAX;
    return row;
}

/* One of each with the numbers at an end. */
static void add_extremes(struct contract *c, const char *name, uint64_t id, int64_t ms, uint32_t number)
{
    struct claim *claim = arena_alloc(&c->batch.arena, sizeof *claim);
    uint64_t *ended = arena_alloc(&c->batch.arena, sizeof *ended);
    struct job_row job = sample_job(1);
    struct version_row version = sample_version(id, number);
    struct skip_row skip = {id, ms < INT64_MAX ? ms : ms - 1, ms, INT64_MAX, SKIP_CANCELLED, number, id, ms};

    job.id = id;
    job.cursor_ms = job.wake_ms = job.held_to_ms = job.missed_to_ms = ms;
    job.fired = job.anchor_ms = job.created_ms = job.updated_ms = ms;
    job.version = number;
    version.from_ms = version.anchor_ms = ms;
    *claim = (struct claim){id, id, number, number, TRIGGER_DEPENDENCY, ms, ms, STR("w")};
    *ended = id;
    add_job(c, OP_JOB_INSERT, job);
    add_version(c, version);
    add_trigger(c, OP_TRIGGER_INSERT, trigger_at(id, id, ms, number));
    add_attempt(c, OP_ATTEMPT_INSERT, (struct attempt_row){id, number, ATTEMPT_LOST, ms, ms});
    add_claims(c, id, claim, 1);
    add_skip(c, skip);
    add_wait(c, OP_WAIT_PUT, (struct wait_row){id, ms, id, id, true, ended, 1});
    add_edge(c, OP_EDGE_INSERT, (struct edge_row){id, ID_LAST - id + 1, EDGE_DONE, TIME_NONE, 0});
    add_limiter(c, (struct limiter_row){SCOPE_TYPE, STR(""), str_from(name), ms});
    add_circuit(c, OP_CIRCUIT_PUT, (struct circuit_row){STR("t"), STR(""), id, false, ms});
    add_idem(c, (struct idem_row){STR("t"), str_from(name), {(uint64_t)ms, UINT64_MAX}, STR("r"), ms});
    add_tenant(c, name, ms);
}

void numbers_reach_to_their_ends(struct contract *c)
{
    const struct place place = {STR("mail"), STR("acme"), STR("send"), 3};

    add_extremes(c, "highest", ID_LAST, INT64_MAX, UINT32_MAX);
    add_extremes(c, "lowest", 1, INT64_MIN + 1, 1);
    add_extremes(c, "bit", UINT64_C(1) << 62, -1, UINT32_C(1) << 31);
    add_extremes(c, "zero", 2, 0, 2);
    add_ids(c, INT64_MAX);
    commit(c);
    ask_window(c, place, TIME_NONE, 0, INT64_MAX, 10);
    assert_int_equal(c->rows.jobs.count, 4);
    assert_int_equal(c->rows.jobs.items[0].wake_ms, INT64_MIN + 1);
    assert_int_equal(c->rows.jobs.items[3].wake_ms, INT64_MAX);
    assert_int_equal(c->rows.jobs.items[3].id, ID_LAST);
    ask_window(c, place, INT64_MAX - 1, ID_LAST, INT64_MAX, 10);
    assert_int_equal(c->rows.jobs.count, 1);
    ask_window(c, place, INT64_MAX, ID_LAST, INT64_MAX, 10);
    assert_int_equal(c->rows.jobs.count, 0);
    ask_window(c, place, TIME_NONE, 0, INT64_MIN + 1, 10);
    assert_int_equal(c->rows.jobs.count, 1);
    assert_int_equal(c->rows.next_wake_ms, -1);
    ask_query(c, query_of(QUERY_JOBS));
    assert_int_equal(c->rows.jobs.items[3].id, ID_LAST); /* the highest is the last */
    check_all(c);
}

void times_that_are_not_set_stay_so(struct contract *c)
{
    struct job_row job = sample_job(1);
    struct trigger_row trigger = sample_trigger(20, 1);

    job.cursor_ms = job.wake_ms = job.held_to_ms = job.missed_to_ms = TIME_NONE;
    trigger.ended_ms = TIME_NONE;
    trigger.last.ended_ms = TIME_NONE;
    add_job(c, OP_JOB_INSERT, job);
    add_trigger(c, OP_TRIGGER_INSERT, trigger);
    commit(c);
    ask_key(c, (struct load_key){.kind = KEY_JOB, .id = 1});
    assert_int_equal(c->rows.jobs.items[0].cursor_ms, TIME_NONE);
    assert_int_equal(c->rows.jobs.items[0].held_to_ms, TIME_NONE);
    assert_int_equal(c->rows.triggers.items[0].ended_ms, TIME_NONE);
    job.cursor_ms = job.wake_ms = job.held_to_ms = job.missed_to_ms = 0; /* 1970 is a time */
    trigger.ended_ms = 0;
    add_job(c, OP_JOB_UPDATE, job);
    add_trigger(c, OP_TRIGGER_UPDATE, trigger);
    commit(c);
    ask_key(c, (struct load_key){.kind = KEY_JOB, .id = 1});
    assert_int_equal(c->rows.jobs.items[0].cursor_ms, 0);
    assert_int_equal(c->rows.triggers.items[0].ended_ms, 0);
    check_all(c);
    job.cursor_ms = job.wake_ms = job.held_to_ms = job.missed_to_ms = TIME_NONE;
    add_job(c, OP_JOB_UPDATE, job);
    commit(c);
}
