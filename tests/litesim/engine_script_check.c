/* What must be in the store, after a crash and at the end. */
#include "engine_script.h"

/* More rows than the script makes of any kind. */
#define PAGE_ROWS 500

/* What is due before SCRIPT_ENDS_MS is decided once. */
static const struct recurring {
    const char *name;
    int64_t every_ms;
} recurring[] = {{"pulse", 60000}, {"queue", 45000}, {"sweep", 30000}};

void script_check_acked(struct script *script)
{
    const char *lost = acked_lost(script->acked, script->story->store);

    if (lost != NULL) {
        story_wrong(script->story, "acknowledged, and lost: %s", lost);
    }
}

/* All rows of a kind that a job has are added to the others. */
static void read_rows(struct story *story, struct store_reader *reader, enum query_kind kind, uint64_t job,
                      struct rows *rows)
{
    const struct query query = {
        .kind = kind, .id = job, .after_ms = TIME_NONE, .since_ms = TIME_NONE, .limit = PAGE_ROWS};
    struct error error;

    if (store_read(reader, &query, rows, &error) != STORE_DONE) {
        story_wrong(story, "a read at the end: %s", error.text);
    }
}

static void read_job(struct story *story, struct store_reader *reader, uint64_t job, struct rows *rows)
{
    rows_init(rows);
    read_rows(story, reader, QUERY_JOB, job, rows);
    read_rows(story, reader, QUERY_TRIGGERS, job, rows);
    read_rows(story, reader, QUERY_SKIPS, job, rows);
    if (rows->jobs.count != 1) {
        story_wrong(story, "job %llx is not there at the end", (unsigned long long)job);
    }
}

static int decisions_on(const struct rows *rows, int64_t nominal_ms)
{
    int count = 0;

    for (size_t i = 0; i < rows->triggers.count; i++) {
        const struct trigger_row *row = &rows->triggers.items[i];

        count += row->kind == TRIGGER_SCHEDULE && row->scheduled_ms == nominal_ms;
    }
    for (size_t i = 0; i < rows->skips.count; i++) {
        count += rows->skips.items[i].from_ms <= nominal_ms && rows->skips.items[i].to_ms >= nominal_ms;
    }
    return count;
}

/* Triggers and skipped fires, wherever they lie. */
static int64_t decisions_in_all(const struct rows *rows)
{
    int64_t count = 0;

    for (size_t i = 0; i < rows->triggers.count; i++) {
        count += rows->triggers.items[i].kind == TRIGGER_SCHEDULE;
    }
    for (size_t i = 0; i < rows->skips.count; i++) {
        count += rows->skips.items[i].count;
    }
    return count;
}

static void check_fires(struct story *story, struct store_reader *reader, const struct recurring *what, uint64_t job)
{
    struct rows rows;
    int64_t fires = 0;

    read_job(story, reader, job, &rows);
    for (int64_t at = rows.jobs.count > 0 ? rows.jobs.items[0].anchor_ms + what->every_ms : SCRIPT_ENDS_MS;
         at < SCRIPT_ENDS_MS; at += what->every_ms) {
        int count = decisions_on(&rows, at);

        fires++;
        if (count != 1) {
            story_wrong(story, "%s: %d decisions on the fire at +%lld ms", what->name, count,
                        (long long)(at - STORY_START_MS));
        }
    }
    if (decisions_in_all(&rows) != fires) {
        story_wrong(story, "%s: %lld decisions on %lld fires", what->name, (long long)decisions_in_all(&rows),
                    (long long)fires);
    }
    rows_done(&rows);
}

static int dependents_of(const struct rows *rows, int64_t scheduled_ms)
{
    int count = 0;

    for (size_t i = 0; i < rows->triggers.count; i++) {
        count +=
            rows->triggers.items[i].kind == TRIGGER_DEPENDENCY && rows->triggers.items[i].scheduled_ms == scheduled_ms;
    }
    return count;
}

/* Each fire of the upstream that succeeded has one trigger downstream. */
static void check_dependents(struct story *story, struct store_reader *reader, uint64_t upstream, uint64_t downstream)
{
    struct rows above, below;

    read_job(story, reader, upstream, &above);
    read_job(story, reader, downstream, &below);
    for (size_t i = 0; i < above.triggers.count; i++) {
        const struct trigger_row *row = &above.triggers.items[i];
        int count = dependents_of(&below, row->scheduled_ms);

        if (row->state == TRIGGER_SUCCEEDED && count != 1) {
            story_wrong(story, "%d dependents of the fire at +%lld ms", count,
                        (long long)(row->scheduled_ms - STORY_START_MS));
        }
    }
    rows_done(&above);
    rows_done(&below);
}

static void check_all_ended(struct story *story, struct store_reader *reader, const struct acked *acked)
{
    struct rows rows;

    for (size_t i = 0; i < acked->job_count; i++) {
        if (acked->jobs[i].is_deleted) {
            continue;
        }
        read_job(story, reader, acked->jobs[i].id, &rows);
        for (size_t j = 0; j < rows.triggers.count; j++) {
            if (!trigger_ended(rows.triggers.items[j].state)) {
                story_wrong(story, "trigger %llx is left %s", (unsigned long long)rows.triggers.items[j].id,
                            trigger_state_text(rows.triggers.items[j].state));
            }
        }
        rows_done(&rows);
    }
    rows_init(&rows);
    read_rows(story, reader, QUERY_CLAIMS, 0, &rows);
    if (rows.claims.count > 0) {
        story_wrong(story, "%zu rows of claims are left", rows.claims.count);
    }
    rows_done(&rows);
}

void script_check_end(struct script *script)
{
    struct story *story = script->story;
    struct acked *acked = script->acked;
    struct store_reader *reader;
    struct error error;

    if (store_reader_open(story->store, &reader, &error) != STORE_DONE) {
        story_wrong(story, "no reader: %s", error.text);
        return;
    }
    for (size_t i = 0; i < sizeof recurring / sizeof recurring[0]; i++) {
        check_fires(story, reader, &recurring[i], acked_find(acked, str_from(recurring[i].name))->id);
    }
    check_dependents(story, reader, acked_find(acked, STR("pulse"))->id, acked_find(acked, STR("after"))->id);
    check_all_ended(story, reader, acked);
    store_reader_close(reader);
}
