#include "ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LINE_MAX_BYTES 8192
#define ENTRIES_MAX 4096
#define AT_ONCE_MAX 512

struct entry {
    int64_t from_ms;
    char text[96];
};

struct line {
    struct entry entries[ENTRIES_MAX];
    size_t count;
};

struct rig *restless_begin(void **state)
{
    struct rig *rig = story_begin(state);

    rig_restart_often(rig, story_restarts());
    return rig;
}

int64_t minute(int64_t number)
{
    return rig_instant(STORY_START) + number * MINUTE;
}

int64_t minutes(int64_t ms)
{
    return (ms - rig_instant(STORY_START)) / MINUTE;
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;

    return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

static struct entry *add(struct line *line, int64_t from_ms)
{
    assert_true(line->count < ENTRIES_MAX);
    struct entry *entry = &line->entries[line->count++];

    entry->from_ms = from_ms;
    return entry;
}

static long long units(int64_t ms, int64_t unit_ms)
{
    return (long long)((ms - rig_instant(STORY_START)) / unit_ms);
}

static void version_text(uint32_t version, char out[16])
{
    out[0] = '\0';
    if (version != 1) {
        (void)snprintf(out, 16, " v%u", version);
    }
}

static void add_trigger(struct line *line, const struct trigger_row *trigger, int64_t unit_ms)
{
    struct entry *entry = add(line, trigger->scheduled_ms);
    char version[16];
    const char *state = trigger->state == TRIGGER_SUCCEEDED ? "" : trigger_state_text(trigger->state);

    version_text(trigger->version, version);
    (void)snprintf(entry->text, sizeof entry->text, "%lld%s%s%s", units(trigger->scheduled_ms, unit_ms),
                   state[0] != '\0' ? ":" : "", state, version);
}

static void blocker_text(const struct rows *rows, uint64_t blocker, int64_t unit_ms, char out[32])
{
    out[0] = '\0';
    if (blocker == 0) {
        return;
    }
    (void)snprintf(out, 32, " by ?");
    for (size_t i = 0; i < rows->triggers.count; i++) {
        const struct trigger_row *trigger = &rows->triggers.items[i];

        if (trigger->id == blocker && trigger->kind == TRIGGER_SCHEDULE) {
            (void)snprintf(out, 32, " by %lld", units(trigger->scheduled_ms, unit_ms));
        } else if (trigger->id == blocker) {
            (void)snprintf(out, 32, " by %s", trigger_kind_text(trigger->kind));
        }
    }
}

/* A record that goes on where one ended before a restart; where records end is asked in test_skips.c. */
static bool goes_on(const struct skip_row *skip, const struct skip_row *next, int64_t unit_ms)
{
    return skip->job == next->job && skip->to_ms + unit_ms == next->from_ms && skip->reason == next->reason &&
           skip->version == next->version && skip->blocked_by == next->blocked_by;
}

static void add_skip(struct line *line, const struct rows *rows, const struct skip_row *skip, int64_t unit_ms)
{
    struct entry *entry = add(line, skip->from_ms);
    char version[16];
    char blocker[32];
    char to[32] = "";
    long long from = units(skip->from_ms, unit_ms);

    version_text(skip->version, version);
    blocker_text(rows, skip->blocked_by, unit_ms, blocker);
    if (skip->count > 1) {
        (void)snprintf(to, sizeof to, "-%lld", units(skip->to_ms, unit_ms));
    } else {
        assert_int_equal(skip->from_ms, skip->to_ms);
    }
    (void)snprintf(entry->text, sizeof entry->text, "%s(%lld%s%s%s)", skip_reason_text(skip->reason), from, to, blocker,
                   version);
}

const char *ledger(struct rig *rig, uint64_t job, int64_t unit_ms)
{
    static char text[LINE_MAX_BYTES];
    const struct rows *rows = rig_dump(rig);
    struct line *line = mem_zalloc(sizeof *line);
    size_t length = 0;

    for (size_t i = 0; i < rows->triggers.count; i++) {
        const struct trigger_row *trigger = &rows->triggers.items[i];

        if (trigger->job == job && (trigger->kind == TRIGGER_SCHEDULE || trigger->kind == TRIGGER_DEPENDENCY)) {
            add_trigger(line, trigger, unit_ms);
        }
    }
    for (size_t i = 0; i < rows->skips.count; i++) {
        struct skip_row skip = rows->skips.items[i];

        while (story_restarts() && i + 1 < rows->skips.count && goes_on(&skip, &rows->skips.items[i + 1], unit_ms)) {
            skip.to_ms = rows->skips.items[++i].to_ms;
            skip.count += rows->skips.items[i].count;
        }
        if (skip.job == job) {
            add_skip(line, rows, &skip, unit_ms);
        }
    }
    qsort(line->entries, line->count, sizeof line->entries[0], compare_entries);
    text[0] = '\0';
    for (size_t i = 0; i < line->count; i++) {
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s", i > 0 ? " " : "", line->entries[i].text);
        assert_true(length < sizeof text);
    }
    mem_free(line);
    return text;
}

bool is_ledger(const char *label, struct rig *rig, uint64_t job, const char *expected)
{
    const char *found = ledger(rig, job, MINUTE);

    if (strcmp(found, expected) != 0) {
        print_error("%s: expected \"%s\", found \"%s\"\n", label, expected, found);
        return false;
    }
    return true;
}

void assert_ledger(struct rig *rig, uint64_t job, const char *expected)
{
    assert_true(is_ledger("ledger", rig, job, expected));
}

size_t run_all(struct rig *rig)
{
    const struct grant *grant;
    size_t count = 0;

    while ((grant = rig_take(rig, "runner")) != NULL) {
        assert_null(rig_take(rig, "second"));
        rig_succeed(rig, "runner", grant);
        count++;
    }
    return count;
}

size_t run_all_at_once(struct rig *rig)
{
    const struct grant *grants[AT_ONCE_MAX];
    size_t count = 0;

    while ((grants[count] = rig_take(rig, "runner")) != NULL) {
        count++;
        assert_true(count < AT_ONCE_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        rig_succeed(rig, "runner", grants[i]);
    }
    return count;
}

const struct trigger_row *trigger_of(struct rig *rig, uint64_t job, int64_t number)
{
    const struct rows *rows = rig_dump(rig);

    for (size_t i = 0; i < rows->triggers.count; i++) {
        const struct trigger_row *trigger = &rows->triggers.items[i];

        if (trigger->job == job && trigger->scheduled_ms == minute(number) && trigger->root == 0 &&
            (trigger->kind == TRIGGER_SCHEDULE || trigger->kind == TRIGGER_DEPENDENCY)) {
            return trigger;
        }
    }
    return NULL;
}

void assert_nothing_to_do(struct rig *rig)
{
    assert_null(rig_take(rig, "idle"));
}

const struct grant *take_minute(struct rig *rig, const char *worker, int64_t number)
{
    const struct grant *grant = take(rig, worker);

    assert_int_equal(minutes(grant->scheduled_ms), number);
    return grant;
}

const struct grant *take_of(struct rig *rig, const char *worker, uint64_t job)
{
    const struct grant *grant = take(rig, worker);

    assert_int_equal(grant->job, job);
    return grant;
}

void assert_error(const struct reply *reply, enum err code)
{
    assert_int_equal(reply->kind, REPLY_ERROR);
    if (reply->error.code != code) {
        fail_msg("expected %s, got %s: %s", err_code(code), err_code(reply->error.code), reply->error.text);
    }
}

void assert_jobs(const struct reply *reply)
{
    if (reply->kind != REPLY_JOBS) {
        fail_msg("%s", reply->error.text);
    }
}
