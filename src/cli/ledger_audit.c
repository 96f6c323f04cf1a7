#include "cli/ledger_audit.h"

struct walk {
    const struct ledger_stretch *stretch;
    ledger_report *report;
    void *context;
    int64_t done_ms; /* every fire up to here is accounted for */
};

const char *ledger_fault_text(enum ledger_fault fault)
{
    static const char *const texts[] = {"missed", "twice", "foreign", "miscounted"};

    return texts[fault];
}

int ledger_compare(const void *a, const void *b)
{
    const struct ledger_decision *left = a;
    const struct ledger_decision *right = b;

    if (left->from_ms != right->from_ms) {
        return left->from_ms < right->from_ms ? -1 : 1;
    }
    return left->to_ms < right->to_ms ? -1 : left->to_ms > right->to_ms;
}

static void find(const struct walk *walk, enum ledger_fault fault, int64_t at_ms, int64_t count)
{
    const struct ledger_finding finding = {fault, at_ms, count};

    walk->report(walk->context, &finding);
}

/* Fires after done_ms and before an instant that nobody decided. */
static void check_gap(const struct walk *walk, int64_t before_ms)
{
    const struct schedule *schedule = walk->stretch->schedule;
    int64_t next_ms = 0;

    if (schedule_next(schedule, walk->done_ms, &next_ms) && next_ms < before_ms) {
        find(walk, LEDGER_MISSED, next_ms, schedule_count(schedule, next_ms, before_ms));
    }
}

static bool is_fire(const struct schedule *schedule, int64_t at_ms)
{
    int64_t next_ms = 0;

    return schedule_next(schedule, at_ms - 1, &next_ms) && next_ms == at_ms;
}

static void check_decision(struct walk *walk, const struct ledger_decision *decision)
{
    const struct schedule *schedule = walk->stretch->schedule;

    if (decision->from_ms <= walk->done_ms) {
        bool is_before = decision->from_ms <= walk->stretch->from_ms;

        find(walk, is_before ? LEDGER_FOREIGN : LEDGER_TWICE, decision->from_ms, decision->count);
        return;
    }
    check_gap(walk, decision->from_ms);
    if (!is_fire(schedule, decision->from_ms) || !is_fire(schedule, decision->to_ms)) {
        find(walk, LEDGER_FOREIGN, decision->from_ms, decision->count);
    } else {
        int64_t fires = schedule_count(schedule, decision->from_ms, decision->to_ms + 1);

        if (fires != decision->count) {
            find(walk, LEDGER_COUNT, decision->from_ms, fires);
        }
    }
}

int64_t ledger_audit(const struct ledger_stretch *stretch, const struct ledger_decision *decisions, size_t count,
                     ledger_report *report, void *context)
{
    struct walk walk = {stretch, report, context, stretch->from_ms};
    int64_t covered = 0;

    for (size_t i = 0; i < count; i++) {
        check_decision(&walk, &decisions[i]);
        covered += decisions[i].count;
        walk.done_ms = decisions[i].to_ms > walk.done_ms ? decisions[i].to_ms : walk.done_ms;
    }
    int64_t end_ms = stretch->to_ms - (stretch->is_edited_away ? stretch->schedule->jitter_ms : 0); /* rule 3 */
    if (end_ms > walk.done_ms) {
        check_gap(&walk, end_ms + 1);
    }
    return covered;
}
