/* test_checker_story: histories written by hand, each good as it stands, and each to be spoilt in one place.
 *
 * A story sends commands and exchanges, commits batches and delivers replies, step by step, keeping the rows of its
 * jobs and triggers. A twist changes one thing right before the step of its number; then the checker must name the rule
 * that was broken. So every rule is shown both to hold its peace and to speak.
 */
#ifndef TESTS_SIM_TEST_CHECKER_STORY_H
#define TESTS_SIM_TEST_CHECKER_STORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/id.h"
#include "base/json.h"
#include "base/mem.h"
#include "checker.h"

/* 2026-04-08T09:00:00Z. */
#define NINE_MS INT64_C(1775638800000)
#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)

struct story;

/* Something goes wrong: in the batch that is about to be committed, or in what is said. */
typedef void twist(struct story *story);

struct spoilt {
    const char *name; /* a sentence */
    enum checker_rule rule;
    void (*tell)(struct story *story);
    int step;
    twist *twist;
};

struct story {
    struct checker *checker;
    struct zone_cache *zones;
    struct arena arena;
    struct batch batch;
    struct reply reply; /* the one that is about to be delivered */
    struct exchange exchange;
    struct command command;
    uint64_t epoch;
    uint64_t number;  /* of the last batch */
    uint64_t tag;     /* of the reply: its batch; 0: the last */
    uint64_t durable; /* as its owner says; UINT64_MAX: as it is */
    int64_t now_ms;
    struct id_gen ids;
    uint64_t token;
    uint64_t last_claims;
    int64_t jobs; /* of tenant default */
    int step;
    const struct spoilt *spoilt;
    struct attempt_ref held; /* for twists: what a worker has */
};

/* ---- life ---- */

static inline void story_begin(struct story *story, const struct spoilt *spoilt)
{
    *story = (struct story){.now_ms = NINE_MS, .epoch = 1, .spoilt = spoilt, .durable = UINT64_MAX};
    story->zones = zone_cache_new(NULL);
    arena_init(&story->arena, 64 * 1024, 64 * 1024 * 1024);
    id_gen_init(&story->ids, 0, NINE_MS);
    story->checker = checker_new(&(struct checker_config){.zones = story->zones, .seed = 7});
    checker_restart(story->checker, story->now_ms, 1);
    batch_init(&story->batch, 1);
}

static inline void story_end(struct story *story)
{
    batch_done(&story->batch);
    checker_free(story->checker);
    zone_cache_free(story->zones);
    arena_done(&story->arena);
}

/* Every step has a number; a twist waits for its own. */
static inline void step(struct story *story)
{
    story->step++;
    if (story->spoilt != NULL && story->spoilt->step == story->step) {
        story->spoilt->twist(story);
    }
}

static inline void pass_ms(struct story *story, int64_t ms)
{
    story->now_ms += ms;
}

/* ---- batches ---- */

static inline struct op *op(struct story *story, enum op_kind kind)
{
    return batch_add(&story->batch, kind);
}

static inline struct op *find_op(struct story *story, enum op_kind kind, int which)
{
    BATCH_EACH(&story->batch, chunk, i)
    {
        if (chunk->ops[i].kind == kind && which-- == 0) {
            return (struct op *)(uintptr_t)&chunk->ops[i];
        }
    }
    fail_msg("there is no %s number %d in this batch", op_kind_text(kind), which);
    abort();
}

/* The operation is taken back: its place says again what has been said before. */
static inline void drop_op(struct story *story, enum op_kind kind)
{
    *find_op(story, kind, 0) = (struct op){.kind = OP_IDS_RESERVE};
}

static inline void commit(struct story *story)
{
    step(story);
    checker_batch(story->checker, story->now_ms, story->epoch, &story->batch);
    story->number++;
    batch_done(&story->batch);
    batch_init(&story->batch, story->number + 1);
}

static inline uint64_t new_id(struct story *story)
{
    uint64_t id = id_gen_next(&story->ids, story->now_ms);

    op(story, OP_IDS_RESERVE)->ms = id_gen_high_ms(&story->ids) + 1000;
    return id;
}

/* ---- commands and replies ---- */

static inline void say(struct story *story)
{
    story->command.token = ++story->token;
    step(story);
    checker_command(story->checker, story->now_ms, &story->command);
}

/* Delivers story->reply to token. */
static inline void answer(struct story *story, uint64_t token)
{
    story->reply.token = token;
    story->tag = story->number;
    story->durable = story->number;
    step(story);
    checker_reply(story->checker, story->now_ms, &story->reply, story->tag, story->durable);
}

static inline const char *quoted(struct story *story, const char *text)
{
    char *copy = arena_strdup(&story->arena, text);

    for (char *c = copy; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return copy;
}

static inline struct job_def *read_def(struct story *story, const char *json)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct job_def *def = arena_zalloc(&story->arena, sizeof *def);
    struct str text = str_from(quoted(story, json));
    struct error error = {0};

    if (jr_parse(text, NULL, &doc, &error) != ERR_OK ||
        job_def_read(text, jr_root(&doc), &story->arena, def, &error) != ERR_OK) {
        fail_msg("%s: %s", json, error.text);
    }
    return def;
}

static inline struct str canonical(struct story *story, struct job_def *def)
{
    SCOPE(buf_done) struct buf out;

    buf_init(&out, JSON_BYTES_MAX);
    job_def_write(def, &out);
    return str_from(arena_strdup_str(&story->arena, buf_str(&out)));
}

/* ---- jobs ---- */

/* The row of a new job as an engine would write it. */
static inline struct job_row *new_row(struct story *story, const char *json)
{
    struct job_row *row = arena_zalloc(&story->arena, sizeof *row);
    struct job_def *def = read_def(story, json);
    struct schedule schedule;
    char id[ID_TEXT_BYTES];

    *row = (struct job_row){
        .id = new_id(story),
        .place = {def->pool, def->tenant, def->type, def->priority},
        .name = def->name,
        .version = 1,
        .cursor_ms = TIME_NONE,
        .wake_ms = TIME_NONE,
        .held_to_ms = TIME_NONE,
        .missed_to_ms = TIME_NONE,
        .anchor_ms = story->now_ms,
        .created_ms = story->now_ms,
        .updated_ms = story->now_ms,
        .def = canonical(story, def),
    };
    id_format(ID_JOB, row->id, id);
    if (def->when != WHEN_UPSTREAM) {
        assert_int_equal(job_def_schedule(def, story->zones, row->anchor_ms, str_from(id), &schedule, NULL), ERR_OK);
        assert_true(schedule_next(&schedule, schedule.kind == SCHEDULE_ONCE ? 0 : row->anchor_ms, &row->cursor_ms));
        row->wake_ms = schedule_due_ms(&schedule, row->id, row->cursor_ms);
    }
    return row;
}

static inline void insert(struct story *story, const struct job_row *row)
{
    struct op *tenant;

    op(story, OP_JOB_INSERT)->job = *row;
    story->jobs++;
    tenant = op(story, OP_TENANT_PUT);
    tenant->tenant = (struct tenant_row){.tenant = row->place.tenant, .jobs = story->jobs};
}

static inline void update(struct story *story, const struct job_row *row)
{
    struct op *change = op(story, OP_JOB_UPDATE);

    change->job = *row;
    change->job.def = STR("");
}

/* Asked for, durable and acknowledged: three steps. */
static inline struct job_row *create(struct story *story, const char *json)
{
    struct job_row *row;
    struct reply_job *job = arena_zalloc(&story->arena, sizeof *job);

    story->command = (struct command){.kind = COMMAND_CREATE, .defs = read_def(story, json), .def_count = 1};
    say(story);
    row = new_row(story, json);
    insert(story, row);
    commit(story);
    *job = (struct reply_job){.id = row->id, .version = 1, .next_ms = row->cursor_ms};
    story->reply = (struct reply){.kind = REPLY_JOBS, .jobs = job, .job_count = 1};
    answer(story, story->token);
    return row;
}

/* A command about a job that is refused nothing: one step. */
static inline uint64_t ask_job(struct story *story, enum command_kind kind, uint64_t job, const char *text)
{
    story->command = (struct command){.kind = kind, .ref = {.id = job}, .text = str_from(quoted(story, text))};
    say(story);
    return story->token;
}

static inline uint64_t ask_status(struct story *story, uint64_t job, enum job_status status)
{
    story->command = (struct command){.kind = COMMAND_STATUS, .ref = {.id = job}, .status = status};
    say(story);
    return story->token;
}

static inline uint64_t ask_trigger(struct story *story, enum command_kind kind, uint64_t trigger)
{
    uint64_t *ids = arena_alloc(&story->arena, sizeof *ids);

    *ids = trigger;
    story->command = (struct command){.kind = kind, .triggers = ids, .trigger_count = 1};
    say(story);
    return story->token;
}

/* ---- workers ---- */

/* An exchange of a worker: one step. */
static inline uint64_t exchange(struct story *story, const char *worker, uint32_t want,
                                const struct attempt_ref *holding, const struct report *report)
{
    static const struct str pools[] = {STR_INIT("default")};

    story->exchange = (struct exchange){
        .token = ++story->token,
        .worker = str_from(worker),
        .seq = -1,
        .pools = pools,
        .pool_count = 1,
        .capacity = want,
        .want = want,
        .holding = holding,
        .holding_count = holding != NULL ? 1 : 0,
        .reports = report,
        .report_count = report != NULL ? 1 : 0,
    };
    step(story);
    checker_exchange(story->checker, story->now_ms, &story->exchange);
    return story->token;
}

/* What happens to one attempt. */
struct
try {
    uint64_t trigger;
    uint64_t job;
    uint32_t number;
    enum trigger_kind kind;
    int64_t scheduled_ms;
    int64_t started_ms;
    uint64_t claims;
};

/* Claims it now, in the batch at hand. */
static inline struct try claim(struct story *story, uint64_t trigger, const struct job_row *job, uint32_t number,
                               enum trigger_kind kind, int64_t scheduled_ms)
{
    struct try try = {trigger, job->id, number, kind, scheduled_ms, story->now_ms, ++story->last_claims};
    struct claim *claims = arena_zalloc(&story->arena, sizeof *claims);

    *claims = (struct claim){.trigger = trigger,
                             .job = job->id,
                             .number = number,
                             .version = job->version,
                             .kind = kind,
                             .scheduled_ms = scheduled_ms,
                             .started_ms = story->now_ms,
                             .worker = STR("w1")};
    op(story, OP_CLAIMS_INSERT)->claims = (struct claims_row){try.claims, claims, 1};
    return try;
}

static inline struct claim *find_claim(struct story *story)
{
    return (struct claim *)(uintptr_t)find_op(story, OP_CLAIMS_INSERT, 0)->claims.claims;
}

static inline struct attempt_row attempt_of(const struct story *story, const struct try *try, enum attempt_state state)
{
    return (struct attempt_row){
        .trigger = try->trigger,
        .number = try->number,
        .state = state,
        .started_ms = try->started_ms,
        .ended_ms = story->now_ms,
        .worker = STR("w1"),
        .error_code = state == ATTEMPT_FAILED ? STR("boom") : STR(""),
    };
}

static inline struct trigger_row row_of(const struct story *story, const struct try *try, const struct job_row *job,
                                        enum trigger_state state)
{
    return (struct trigger_row){
        .id = try->trigger,
        .job = job->id,
        .place = job->place,
        .kind = try->kind,
        .state = state,
        .version = job->version,
        .scheduled_ms = try->scheduled_ms,
        .due_ms = story->now_ms,
        .attempts = try->number,
        .created_ms = try->started_ms,
        .ended_ms = trigger_ended(state) ? story->now_ms : TIME_NONE,
    };
}

/* The worker says how it ended: one step. */
static inline uint64_t tell(struct story *story, const struct try *try, enum attempt_state state)
{
    struct report *report = arena_zalloc(&story->arena, sizeof *report);

    *report = (struct report){.trigger = try->trigger,
                              .number = try->number,
                              .state = state,
                              .error_code = state == ATTEMPT_FAILED ? STR("boom") : STR("")};
    return exchange(story, "w1", 10, NULL, report);
}

/* A first attempt ends its trigger: the row appears in its final form. */
static inline void end_trigger(struct story *story, const struct try *try, const struct job_row *job,
                               enum attempt_state how, enum trigger_state state)
{
    struct op *row =
        op(story, try->kind == TRIGGER_SCHEDULE && try->number == 1 ? OP_TRIGGER_INSERT : OP_TRIGGER_UPDATE);

    row->trigger = row_of(story, try, job, state);
    row->trigger.last = attempt_of(story, try, how);
    op(story, OP_CLAIMS_DELETE)->id = try->claims;
}

static inline void answer_work(struct story *story, uint64_t token)
{
    story->reply = (struct reply){.kind = REPLY_WORK};
    answer(story, token);
}

/* ---- telling ---- */

static inline void good(void **state, void (*tell_it)(struct story *))
{
    (void)state;
    struct story story;

    story_begin(&story, NULL);
    tell_it(&story);
    if (checker_failed(story.checker) != NULL) {
        fail_msg("step %d: %s", story.step, checker_failed(story.checker));
    }
    story_end(&story);
}

static inline void spoil(void **state)
{
    const struct spoilt *spoilt = *state;
    struct story story;

    story_begin(&story, spoilt);
    spoilt->tell(&story);
    if (checker_failed(story.checker) == NULL) {
        fail_msg("nobody noticed (%d steps)", story.step);
    }
    if (checker_failed_rule(story.checker) != spoilt->rule) {
        fail_msg("expected %s, got %s", checker_rule_text(spoilt->rule), checker_failed(story.checker));
    }
    story_end(&story);
}

/* Runs the good stories and every spoilt one. */
#define STORY_TESTS_MAX 128
static inline int run_stories(const char *group, const struct CMUnitTest *goods, size_t good_count,
                              const struct spoilt *spoilts, size_t spoilt_count)
{
    struct CMUnitTest tests[STORY_TESTS_MAX] = {0};

    assert_true(good_count + spoilt_count <= STORY_TESTS_MAX);
    memcpy(tests, goods, good_count * sizeof *goods);
    for (size_t i = 0; i < spoilt_count; i++) {
        tests[good_count + i] = (struct CMUnitTest){
            .name = spoilts[i].name, .test_func = spoil, .initial_state = (void *)(uintptr_t)&spoilts[i]};
    }
    return _cmocka_run_group_tests(group, tests, good_count + spoilt_count, NULL, NULL);
}

#endif
