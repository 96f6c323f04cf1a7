/* wire_samples: every shape that src/wire writes, one a line: the schema's name, a tab, the JSON.
 *
 * test_wire.mjs tries them on the schemas of docs/openapi.yaml. Each shape comes bare, with as many nulls as it may
 * have, and full.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "wire/def_read.h"
#include "wire/fires.h"
#include "wire/job.h"
#include "wire/mark.h"
#include "wire/problem.h"
#include "wire/put.h"
#include "wire/scope.h"
#include "wire/trigger.h"
#include "wire/fate.h"
#include "wire/why.h"
#include "wire/work_answer.h"

#define JOB UINT64_C(0x330970728880000)
#define TRIGGER UINT64_C(0x330970728880001)
#define NOW INT64_C(1775638800000)
#define LINE_MAX_BYTES (4 * 1024 * 1024)
#define FULL_DEF                                                                                                       \
    "{\"tenant\":\"acme\",\"name\":\"n\",\"type\":\"t\",\"pool\":\"p\",\"priority\":1,\"cron\":\"H 9 * * 1\","         \
    "\"timezone\":\"UTC\",\"dst\":{\"gap\":\"skip\"},\"starts_at\":\"2026-01-01T00:00:00Z\","                          \
    "\"ends_at\":\"2030-01-01T00:00:00Z\",\"max_fires\":5,\"jitter\":\"5s\",\"retry\":{\"base\":\"1s\"},"              \
    "\"expires_after\":\"1h\",\"dead_policy\":{\"replay_after\":\"1h\",\"max_replays\":3},\"payload\":[0.10],"         \
    "\"target\":{\"exec\":{\"argv\":[\"a\"]}},\"concurrency\":{\"key\":\"k\"},\"labels\":{\"a\":\"b\"},"               \
    "\"created_by\":\"ada\"}"

/* ---- lines ---- */

static struct buf out;
static struct jw jw;

static struct jw *begin(const char *schema)
{
    buf_reset(&out);
    (void)printf("%s\t", schema);
    jw_init(&jw, &out);
    return &jw;
}

static void end(void)
{
    jw_done(&jw);
    (void)puts(buf_text(&out));
}

/* ---- rows ---- */

static struct attempt_row attempt(enum attempt_state state)
{
    bool is_running = state == ATTEMPT_STARTED;

    return (struct attempt_row){.trigger = TRIGGER,
                                .number = 2,
                                .state = state,
                                .started_ms = NOW,
                                .ended_ms = is_running ? TIME_NONE : NOW + 1250,
                                .worker = STR("w-1"),
                                .error_code = STR("c"),
                                .error_message = STR("m"),
                                .result = is_running ? STR("") : STR("+2:{}tail\n")};
}

static struct trigger_row trigger(enum trigger_kind kind, enum trigger_state state)
{
    return (struct trigger_row){.id = TRIGGER,
                                .job = JOB,
                                .place = {STR("p"), STR("acme"), STR("t"), 3},
                                .kind = kind,
                                .state = state,
                                .version = 1,
                                .scheduled_ms = NOW,
                                .due_ms = NOW,
                                .attempts = 2,
                                .failures = 2,
                                .replay_of = TRIGGER,
                                .replayed_by = state == TRIGGER_DEAD ? TRIGGER : 0,
                                .root = TRIGGER,
                                .created_ms = NOW,
                                .ended_ms = trigger_ended(state) ? NOW + 1 : TIME_NONE,
                                .reason = trigger_ended(state) ? STR("exhausted") : STR(""),
                                .last = attempt(ATTEMPT_FAILED)};
}

/* ---- the shapes ---- */

static void show_triggers(void)
{
    struct claim claim = {
        .trigger = TRIGGER, .job = JOB, .number = 3, .version = 1, .started_ms = NOW, .worker = STR("w")};
    struct wire_progress progress = {.percent = 12.5, .note = STR("n"), .at_ms = NOW};

    for (int kind = TRIGGER_SCHEDULE; kind <= TRIGGER_DEPENDENCY; kind++) {
        for (int state = TRIGGER_WAITING; state <= TRIGGER_CANCELLED; state++) {
            struct trigger_row row = trigger((enum trigger_kind)kind, (enum trigger_state)state);
            struct attempt_row earlier = attempt(ATTEMPT_LOST);
            bool is_running = state == TRIGGER_RUNNING;
            struct wire_trigger view = {.row = &row,
                                        .claim = is_running ? &claim : NULL,
                                        .max_attempts = 5,
                                        .progress = is_running ? &progress : NULL};

            earlier.number = 1;
            row.state = is_running ? TRIGGER_PENDING : row.state;
            wire_trigger(begin("Trigger"), &view);
            end();
            wire_trigger(begin("LedgerEntry"), &view);
            end();
            wire_trigger_detail(begin("TriggerDetail"), &view, STR(FULL_DEF), &earlier, 1);
            end();
            row.last.number = 0;
            wire_trigger_detail(begin("TriggerDetail"), &view, STR("{}"), NULL, 0);
            end();
        }
    }
    for (int state = ATTEMPT_STARTED; state <= ATTEMPT_CANCELLED; state++) {
        struct attempt_row row = attempt((enum attempt_state)state);

        wire_attempt(begin("Attempt"), &row, JOB, &progress);
        end();
    }
}

static void show_ledger(void)
{
    struct skip_row skip = {.job = JOB, .from_ms = NOW, .to_ms = NOW, .count = 1, .version = 1, .decided_ms = NOW};
    const uint64_t ids[] = {TRIGGER};

    for (int reason = SKIP_OVERLAP; reason <= SKIP_MOVED; reason++) {
        skip.reason = (enum skip_reason)reason;
        skip.blocked_by = reason == SKIP_OVERLAP ? TRIGGER : ID_NONE;
        wire_skip(begin("SkipRecord"), &skip);
        end();
    }
    wire_skip(begin("LedgerEntry"), &skip);
    end();
    wire_due(begin("DueFires"), JOB, NOW, NOW, 12345);
    end();
    wire_due(begin("LedgerEntry"), JOB, NOW, NOW, 1);
    end();
    wire_backfilled(begin("BackfillResult"), ids, 1, 2);
    end();
    wire_replayed(begin("ReplayResult"), 1, 0, NULL, ids, 1);
    end();
    wire_discarded(begin("DiscardResult"), 1, 0, "06c4q0wm8g000");
    end();
}

/* text is a definition as it might be sent. */
static void show_job(const char *text)
{
    static const struct wire_skipped skipped = {.from_ms = NOW, .to_ms = NOW, .count = 1};
    static const struct wire_skipped none = {.count = 0};
    SCOPE(arena_done) struct arena arena;
    SCOPE(buf_done) struct buf canonical;
    struct trigger_row ended = trigger(TRIGGER_SCHEDULE, TRIGGER_DEAD);
    struct job_def def;

    arena_init(&arena, 4096, LINE_MAX_BYTES);
    buf_init(&canonical, LINE_MAX_BYTES);
    if (wire_read_job(str_from(text), &arena, &def, NULL) != ERR_OK) {
        abort();
    }
    job_def_write(&def, &canonical);
    struct job_row row = {.id = JOB,
                          .place = {def.pool, def.tenant, def.type, def.priority},
                          .name = def.name,
                          .version = 1,
                          .cursor_ms = TIME_NONE,
                          .created_ms = NOW,
                          .updated_ms = NOW,
                          .def = buf_str(&canonical)};
    struct wire_job job = {.row = &row, .last_fired_ms = TIME_NONE};

    wire_job(begin("Job"), &job, &def);
    end();
    wire_job_changed(begin("JobChanged"), &job, &def, &none);
    end();
    job.last_ended = &ended;
    job.last_fired_ms = row.cursor_ms = NOW;
    wire_job_changed(begin("JobChanged"), &job, &def, &skipped);
    end();
    wire_job_summary(begin("JobSummary"), &job);
    end();
    wire_list_begin(begin("JobList"));
    wire_job_summary(&jw, &job);
    char mark[WIRE_MARK_BYTES];
    wire_list_end(&jw, wire_mark_id(JOB, mark));
    end();
}

static void show_jobs(void)
{
    const uint64_t ids[] = {JOB};

    show_job("{}");
    show_job(FULL_DEF);
    show_job("{\"depends_on\":[\"a\",{\"job\":\"b\",\"on\":\"done\"}]}");
    show_job("{\"every\":{\"interval\":\"5m\",\"after\":\"finish\"}}");
    show_job("{\"run_at\":\"2026-04-08T09:00:00+02:00\"}");
    show_job("{\"delay\":\"5m\"}");
    wire_job_ids(begin("JobBatchResult"), ids, 1);
    end();
}

static void show_scopes(void)
{
    struct settings settings = settings_none();
    struct wire_standing standing = {.now_ms = NOW, .jobs = 1, .ready = 2, .running = 3, .workers = 4};
    const struct circuit_row breakers[] = {{.tenant = STR("acme"), .job = JOB, .open_until_ms = NOW},
                                           {.tenant = STR("acme"), .is_half_open = true, .open_until_ms = NOW}};
    struct wire_pool_stats stats = {.pool = STR("p"), .oldest_ready_ms = TIME_NONE, .now_ms = NOW};

    settings.max_in_flight = 10;
    settings.rate_count = 100;
    settings.rate_period_ms = 1000;
    settings.burst = 5;
    settings.ramp_from_ms = NOW;
    settings.ramp_ms = 60000;
    wire_tenant(begin("Tenant"), STR("acme"), &settings, &standing);
    end();
    wire_pool(begin("Pool"), STR("p"), &settings, &standing);
    end();
    settings.has_breaker = true;
    settings.breaker = breaker_settings_default();
    settings.has_retry = true;
    settings.retry = retry_default();
    settings.timeout_ms = 5000;
    settings.dead_policy = (struct dead_policy){true, 1000, 1};
    wire_type(begin("Type"), STR("t"), STR("acme"), &settings, &standing, breakers, 2);
    end();
    settings = settings_none();
    settings.is_paused = true;
    wire_type(begin("Type"), STR("t"), STR(""), &settings, &standing, NULL, 0);
    end();
    wire_pool_stats(begin("PoolStats"), &stats);
    end();
    stats.oldest_ready_ms = NOW - 1;
    stats.capacity = 3;
    stats.running = 1;
    wire_pool_stats(begin("PoolStats"), &stats);
    end();
}

static void show_fires(void)
{
    struct zone *zone = zone_new_fixed("UTC", "UTC", 0);
    struct schedule schedule = schedule_unbounded(SCHEDULE_CRON);
    struct expression expression;
    int64_t fires_ms[] = {NOW, NOW + 86400000};
    struct wire_fires fires = {
        .schedule = &schedule, .zone = zone, .from_ms = NOW - 1, .fires_ms = fires_ms, .count = 2};

    if (expression_parse(STR("0 0 H ? * 2"), STR("s"), &expression, NULL) != ERR_OK) {
        abort();
    }
    schedule.cron = expression.cron;
    schedule.zone = zone;
    schedule.dst.gap = DST_GAP_SKIP;
    wire_job_fires(begin("JobFires"), JOB, NULL, &fires);
    end();
    wire_preview(begin("Preview"), &expression, &fires, false, "many");
    end();
    zone_free(zone);
}

static void show_work(void)
{
    struct wire_item item = {.trigger = TRIGGER,
                             .job = JOB,
                             .number = 1,
                             .max_attempts = 5,
                             .version = 1,
                             .replay_of = TRIGGER,
                             .scheduled_ms = NOW,
                             .due_ms = NOW + 1,
                             .timeout_ms = 300000,
                             .lease_ms = 30000,
                             .place = {STR("p"), STR("acme"), STR("t"), 3}};
    const struct wire_refusal refused[] = {{{TRIGGER, 2}, "stale"}};
    const struct wire_attempt_ref cancel[] = {{TRIGGER, 3}};
    struct wire_work_answer answer = {
        .items = &item, .item_count = 1, .refused = refused, .refused_count = 1, .cancel = cancel, .cancel_count = 1};

    for (int kind = TRIGGER_SCHEDULE; kind <= TRIGGER_DEPENDENCY; kind++) {
        item.kind = (enum trigger_kind)kind;
        item.def = kind == TRIGGER_MANUAL ? STR("{}") : STR(FULL_DEF);
        wire_work_item(begin("WorkItem"), &item);
        end();
    }
    wire_work_answer(begin("WorkAnswer"), &answer);
    end();
}

static void show_gates(void)
{
    for (int kind = WIRE_GATE_NOT_DUE; kind <= WIRE_GATE_BREAKER; kind++) {
        struct wire_gate gate = {.kind = (enum wire_gate_kind)kind,
                                 .name = kind % 2 == 0 ? STR("n") : STR(""),
                                 .id = kind % 3 == 0 ? JOB : ID_NONE,
                                 .is_job = true,
                                 .tenant = kind % 7 == 0 ? STR("acme") : STR(""),
                                 .worker = kind % 3 == 1 ? STR("w") : STR(""),
                                 .max = kind % 5 == 0 ? 10 : -1,
                                 .rate_count = 10,
                                 .rate_ms = kind % 2 == 0 ? 1000 : 0,
                                 .since_ms = kind % 3 == 0 ? NOW : TIME_NONE,
                                 .clears_ms = kind % 4 == 0 ? NOW : TIME_NONE};

        wire_why(begin("Why"),
                 &(struct wire_why){.expires_ms = kind % 2 == 0 ? NOW : TIME_NONE, .gates = &gate, .gate_count = 1});
        end();
    }
}

static void show_fates(void)
{
    const struct job_row job = {.id = JOB, .created_ms = NOW, .status = JOB_PAUSED};
    const struct job_def def = job_def_default();
    const struct trigger_row row = {.id = TRIGGER, .state = TRIGGER_DEAD, .scheduled_ms = NOW, .ended_ms = NOW};
    const struct claim claim = {.trigger = TRIGGER, .number = 2, .started_ms = NOW, .worker = STR("w")};

    for (int reason = SKIP_OVERLAP; reason <= SKIP_MOVED; reason++) {
        const struct skip_row skip = {.job = JOB,
                                      .from_ms = NOW,
                                      .to_ms = NOW,
                                      .count = 1 + reason % 2,
                                      .reason = (enum skip_reason)reason,
                                      .version = 1,
                                      .decided_ms = NOW};

        wire_skip_told(begin("SkipTold"), &skip, reason % 2 == 0 ? &def : NULL);
        end();
        wire_fate(begin("FireFate"), &(struct wire_fate){.kind = WIRE_FATE_SKIPPED,
                                                         .at_ms = NOW,
                                                         .job = &job,
                                                         .skip = &skip,
                                                         .instead = &row,
                                                         .before_ms = NOW,
                                                         .after_ms = TIME_NONE});
        end();
    }
    for (int kind = WIRE_FATE_RAN; kind <= WIRE_FATE_UNKNOWN; kind++) {
        struct wire_fate fate = {.kind = (enum wire_fate_kind)kind,
                                 .at_ms = NOW,
                                 .job = &job,
                                 .trigger = kind <= WIRE_FATE_PENDING ? &row : NULL,
                                 .claim = kind == WIRE_FATE_RUNNING ? &claim : NULL,
                                 .version = 3,
                                 .before_ms = NOW,
                                 .after_ms = NOW};

        if (fate.kind != WIRE_FATE_SKIPPED) {
            wire_fate(begin("FireFate"), &fate);
            end();
        }
    }
}

static void show_problems(void)
{
    static const enum err codes[] = {
#define X(name, status, code, retry) name,
        ERR_TABLE(X)
#undef X
    };

    for (size_t i = 1; i < sizeof codes / sizeof codes[0]; i++) {
        struct error error;

        (void)err_set_at(&error, (int)i % 2, codes[i], "no");
        (void)err_in_field(&error, codes[i], i % 3 == 0 ? "f" : "");
        wire_problem(begin("Problem"), &error, i % 4 == 0 ? 0 : WIRE_NO_INDEX);
        end();
    }
}

int main(void)
{
    buf_init(&out, LINE_MAX_BYTES);
    show_triggers();
    show_ledger();
    show_jobs();
    show_scopes();
    show_fires();
    show_work();
    show_gates();
    show_fates();
    show_problems();
    buf_done(&out);
    return 0;
}
