#include "checker_state.h"
#include "model/job_words.h"

/* Dependents of longer runs of skips are decided for the newest of them only. */
#define SKIPS_DECIDED_MAX 1000

/* ---- fires by key ---- */

static struct fire *get_fire(struct checker *checker, uint64_t job, int64_t scheduled_ms, uint64_t root)
{
    uint64_t key[DEP_KEY_WORDS] = {job, (uint64_t)scheduled_ms, root};
    struct str text = str_from_bytes(key, sizeof key);
    struct map_node *node = map_find_text(&checker->fires, text);

    if (node != NULL) {
        return CONTAINER_OF(node, struct fire, by_key);
    }
    struct fire *fire = arena_zalloc(&checker->forever, sizeof *fire);
    memcpy(fire->key, key, sizeof key);
    (void)map_insert_text(&checker->fires, &fire->by_key, str_from_bytes(fire->key, sizeof fire->key));
    return fire;
}

/* What a fire is called for those who depend on it: by its root where somebody started one, else by its time; one-time
 * jobs have one fire. */
struct fire *checker_fire(struct checker *checker, const struct job *job, int64_t scheduled_ms, uint64_t root)
{
    return get_fire(checker, job->by_id.key.number, root != 0 || checker_is_once(job) ? 0 : scheduled_ms, root);
}

static uint64_t root_of(const struct trigger *trigger)
{
    if (trigger->kind == TRIGGER_DEPENDENCY) {
        return trigger->row.root;
    }
    return trigger->kind == TRIGGER_SCHEDULE ? 0 : trigger->id;
}

static struct fire *fire_of_trigger(struct checker *checker, const struct trigger *trigger)
{
    return checker_fire(checker, trigger->job, trigger->scheduled_ms, root_of(trigger));
}

/* ---- edges ---- */

enum edge_is { EDGE_OPEN, EDGE_MET, EDGE_IMPOSSIBLE };

static enum edge_is edge_after(enum job_edge on, enum trigger_state state)
{
    bool is_met = on == EDGE_DONE || (on == EDGE_SUCCESS && state == TRIGGER_SUCCEEDED) ||
                  (on == EDGE_FAILURE && state == TRIGGER_DEAD);

    return is_met ? EDGE_MET : EDGE_IMPOSSIBLE;
}

/* What is known of one upstream for a fire. */
struct edge_view {
    enum edge_is is;
    bool has_ended;     /* its own fire has */
    bool is_by_absence; /* it will never have that fire */
    bool is_unknown;    /* whether it counts is not said */
};

static struct edge_view look(struct checker *checker, const struct edge *edge, int64_t scheduled_ms, uint64_t root)
{
    const struct job *upstream = edge->upstream;
    const struct fire *fire = checker_fire(checker, upstream, scheduled_ms, root);
    const struct trigger *single = checker_trigger(checker, upstream->by_id.key.number);
    bool is_over =
        !upstream->is_there || upstream->row.status == JOB_CANCELLED || upstream->row.status == JOB_COMPLETED;

    /* What ended before somebody came to depend on it, and has a replay to come: the contract does not say. */
    if (root == 0 && checker_is_once(upstream) && !is_over && fire->has_ended &&
        fire->ended_batch < edge->since_batch) {
        return (struct edge_view){.is = EDGE_OPEN, .is_unknown = true};
    }
    if (fire->has_ended) {
        return (struct edge_view){.is = edge_after(edge->on, fire->state), .has_ended = true};
    }
    if (root == 0 && checker_is_once(upstream) && single != NULL && single->has_row &&
        trigger_ended(single->row.state)) {
        return (struct edge_view){.is = edge_after(edge->on, single->row.state), .has_ended = true};
    }
    if (is_over && fire->child == NULL && (single == NULL || single->run == NULL)) {
        /* A dependent that has ended itself: now, or when its own upstreams have ended, is not said. */
        return (struct edge_view){.is = edge_after(edge->on, TRIGGER_CANCELLED),
                                  .is_by_absence = true,
                                  .is_unknown = upstream->now == NULL || !upstream->now->has_schedule};
    }
    return (struct edge_view){.is = EDGE_OPEN};
}

/* ---- where a dependent ought to be ---- */

struct dep_view {
    enum dep_state state;
    size_t ended, open;
    bool has_absent;
};

/* Up to here fires are decided, or never were, on any way to the job. */
// NOLINTNEXTLINE(misc-no-recursion): as deep as the graph
static int64_t decided_to_ms(const struct job *job)
{
    int64_t decided_ms = job->row.cursor_ms != TIME_NONE && job->row.cursor_ms > job->decided_to_ms
                             ? job->row.cursor_ms - 1
                             : job->decided_to_ms;

    for (struct list_node *node = list_first(&job->upstreams); node != NULL; node = list_next(&job->upstreams, node)) {
        int64_t up_ms = decided_to_ms(CONTAINER_OF(node, struct edge, in_up)->upstream);

        decided_ms = up_ms > decided_ms ? up_ms : decided_ms;
    }
    return decided_ms;
}

/* Edges watch from now on, or behind what a clock that was ahead has decided. */
static void check_since(struct checker *checker, const struct job *job)
{
    int64_t since_ms = job->edges_since_ms;

    checker_expect(checker, RULE_DEPENDENCY,
                   (since_ms >= job->row.created_ms || since_ms >= job->row.updated_ms) &&
                       (since_ms <= job->row.updated_ms || since_ms <= decided_to_ms(job)),
                   "%s watches its upstreams from %s on", checker_job_text(job), checker_time_text(since_ms));
    checker_expect(checker, RULE_DEPENDENCY, job->edges_since_id >= job->by_id.key.number,
                   "%s watches triggers from before it was", checker_job_text(job));
}

static bool is_watched(struct checker *checker, const struct job *job, int64_t scheduled_ms, uint64_t root)
{
    if (root != 0) {
        return checker_trigger(checker, root) != NULL && root > job->edges_since_id;
    }
    return checker_is_once(job) || scheduled_ms > job->edges_since_ms;
}

static struct dep_view dep_view(struct checker *checker, const struct job *job, int64_t scheduled_ms, uint64_t root)
{
    const struct trigger *started = root != 0 ? checker_trigger(checker, root) : NULL;
    struct dep_view view = {0};
    bool is_impossible = false;
    bool is_unknown = false;

    if (list_empty(&job->upstreams) || !is_watched(checker, job, scheduled_ms, root)) {
        return view;
    }
    for (struct list_node *node = list_first(&job->upstreams); node != NULL; node = list_next(&job->upstreams, node)) {
        const struct edge *edge = CONTAINER_OF(node, struct edge, in_up);

        if (started != NULL && !checker_reaches(checker, started->job, edge->upstream)) {
            continue;
        }
        struct edge_view one = look(checker, edge, scheduled_ms, root);
        is_unknown = is_unknown || one.is_unknown;
        view.ended += one.has_ended ? 1 : 0;
        view.open += one.is == EDGE_OPEN ? 1 : 0;
        view.has_absent = view.has_absent || one.is_by_absence;
        is_impossible = is_impossible || one.is == EDGE_IMPOSSIBLE;
    }
    if (is_unknown) {
        view.state = DEP_UNKNOWN;
    } else if (view.ended == 0 && !view.has_absent) {
        view.state = DEP_NONE;
    } else {
        view.state = is_impossible ? DEP_IMPOSSIBLE : view.open > 0 ? DEP_WAITING : DEP_MET;
    }
    return view;
}

enum dep_state checker_dep_state(struct checker *checker, const struct trigger *trigger)
{
    return dep_view(checker, trigger->job, trigger->scheduled_ms, root_of(trigger)).state;
}

/* Every upstream and what is known of it, for messages. */
static const char *describe(struct checker *checker, const struct job *job, int64_t scheduled_ms, uint64_t root)
{
    static const char *const states[] = {[EDGE_OPEN] = "open", [EDGE_MET] = "met", [EDGE_IMPOSSIBLE] = "impossible"};
    const char *text = "";

    for (struct list_node *node = list_first(&job->upstreams); node != NULL; node = list_next(&job->upstreams, node)) {
        const struct edge *edge = CONTAINER_OF(node, struct edge, in_up);
        struct edge_view view = look(checker, edge, scheduled_ms, root);

        text = arena_printf(&checker->of_batch, "%s; %s (%s) on %s is %s%s", text, checker_job_text(edge->upstream),
                            job_status_text(edge->upstream->row.status), job_edge_text(edge->on), states[view.is],
                            view.is_by_absence ? " by absence" : "");
    }
    return text;
}

/* ---- one dependent, for one fire ---- */

static bool may_be_cancelled(struct checker *checker, const struct trigger *trigger)
{
    return trigger->job->row.status == JOB_CANCELLED || !trigger->job->is_there ||
           str_is(trigger->row.reason, "expired") || checker_is_asked_trigger(checker, trigger, COMMAND_CANCEL);
}

static void check_child(struct checker *checker, struct fire *fire, const struct job *job, int64_t scheduled_ms,
                        uint64_t root)
{
    const struct trigger *trigger = fire->child;
    struct dep_view view = dep_view(checker, job, scheduled_ms, root);

    fire->checked_batch = checker->view.number;
    if (view.state == DEP_UNKNOWN || !job->is_there ||
        (job->change != NULL && job->change->is_edges_changed && !job->change->is_inserted)) {
        return;
    }
    if (trigger == NULL) {
        bool is_ended = job->row.status == JOB_CANCELLED || job->row.status == JOB_COMPLETED;

        bool is_open = root != 0 && checker_is_once(job); /* it fires once: whether a run by hand counts is not said */

        checker_expect(checker, RULE_DEPENDENCY, is_ended || is_open || view.ended == 0,
                       "%s has no trigger for %s (root %llu), and %zu of its upstreams have ended",
                       checker_job_text(job), checker_time_text(scheduled_ms), (unsigned long long)root, view.ended);
        return;
    }
    enum trigger_state state = trigger->row.state;
    bool ok = view.state == DEP_IMPOSSIBLE ? state == TRIGGER_CANCELLED
              : view.state == DEP_MET      ? state != TRIGGER_WAITING && state != TRIGGER_CANCELLED
              : view.state == DEP_WAITING  ? state == TRIGGER_WAITING
                                           : false;
    checker_expect(checker, RULE_DEPENDENCY,
                   ok || (state == TRIGGER_CANCELLED && (fire->is_stopped || may_be_cancelled(checker, trigger))),
                   "%s is %s; %zu of its upstreams have ended, %zu are open%s", checker_trigger_text(trigger),
                   trigger_state_text(state), view.ended, view.open,
                   ok ? "" : describe(checker, job, scheduled_ms, root));
    fire->is_stopped = fire->is_stopped || state == TRIGGER_CANCELLED;
    if (!view.has_absent && !checker_is_failed(checker)) {
        checker_expect(checker, RULE_DEPENDENCY,
                       fire->has_wait == (view.open > 0) && (!fire->has_wait || fire->wait_ended == view.ended),
                       "%s waits for %zu upstreams, %zu have ended, and its wait row (%s) has %zu",
                       checker_trigger_text(trigger), view.open, view.ended, fire->has_wait ? "there" : "gone",
                       fire->wait_ended);
        checker_expect(checker, RULE_DEPENDENCY, !fire->has_wait || fire->is_over == (state != TRIGGER_WAITING),
                       "%s is %s, and its wait row says it is%s over", checker_trigger_text(trigger),
                       trigger_state_text(state), fire->is_over ? "" : " not");
    }
}

/* ---- what ended in this batch ---- */

static void check_downstreams(struct checker *checker, const struct job *job, int64_t scheduled_ms, uint64_t root)
{
    for (struct list_node *node = list_first(&job->downstreams); node != NULL && !checker_is_failed(checker);
         node = list_next(&job->downstreams, node)) {
        const struct edge *edge = CONTAINER_OF(node, struct edge, in_down);
        struct fire *fire = checker_fire(checker, edge->downstream, scheduled_ms, root);

        if (edge->since_batch != checker->view.number || edge->downstream->inserted_batch == checker->view.number) {
            check_child(checker, fire, edge->downstream, scheduled_ms, root);
        }
    }
}

static void note_end(struct checker *checker, const struct trigger *trigger)
{
    struct fire *fire = fire_of_trigger(checker, trigger);

    if (!fire->has_ended) {
        fire->ended_batch = checker->view.number;
    }
    fire->has_ended = true;
    fire->state = trigger->row.state;
}

/* Each skipped fire counts as cancelled; of long runs the newest. */
static void each_skipped(struct checker *checker, const struct job_change *change,
                         void (*what)(struct checker *, const struct job *, int64_t))
{
    for (const struct skipped *skip = change->skips; skip != NULL; skip = skip->next) {
        const struct def_version *def = checker_version(change->job, skip->row.version);
        int64_t fire_ms = skip->row.to_ms;

        for (int i = 0; i < SKIPS_DECIDED_MAX && fire_ms != TIME_NONE && fire_ms >= skip->from_ms && def != NULL; i++) {
            what(checker, change->job, fire_ms);
            fire_ms = fires_after_finish(def) ? TIME_NONE : fires_last(def, fire_ms - 1);
        }
    }
}

static void note_skipped(struct checker *checker, const struct job *job, int64_t fire_ms)
{
    struct fire *fire = checker_fire(checker, job, fire_ms, 0);

    fire->has_ended = true;
    fire->ended_batch = checker->view.number;
    fire->state = TRIGGER_CANCELLED;
}

static void check_skipped(struct checker *checker, const struct job *job, int64_t fire_ms)
{
    check_downstreams(checker, job, fire_ms, 0);
}

/* ---- wait rows ---- */

static void take_wait(struct checker *checker, const struct wait_row *row, bool is_put)
{
    struct job *job = checker_job_get(checker, row->job);
    struct fire *fire = checker_fire(checker, job, row->scheduled_ms, row->root);

    checker_expect(checker, RULE_GUARD, is_put || fire->has_wait, "DELETE of a wait of %s for %s, not there",
                   checker_job_text(job), checker_time_text(row->scheduled_ms));
    fire->has_wait = is_put;
    fire->is_over = is_put && row->is_over;
    fire->wait_ended = is_put ? row->ended_count : 0;
    bool is_passed_on = row->trigger == 0 && row->is_over && job->row.status == JOB_CANCELLED; /* it has no trigger */

    checker_expect(checker, RULE_DEPENDENCY,
                   !is_put || is_passed_on || (fire->child != NULL && fire->child->id == row->trigger),
                   "the wait of %s for %s names another trigger, %llu", checker_job_text(job),
                   checker_time_text(row->scheduled_ms), (unsigned long long)row->trigger);
}

/* ---- all ---- */

static void learn(struct checker *checker)
{
    for (struct job_change *change = checker->view.jobs; change != NULL; change = change->next) {
        if (change->job->is_there && !change->job->now->has_schedule && change->is_written &&
            (change->is_inserted || change->is_edges_changed)) {
            change->job->was_once = checker_is_once_by_name(checker, change->job, change->job->was_once);
        }
    }
    for (struct trigger_change *change = checker->view.triggers; change != NULL; change = change->next) {
        struct trigger *trigger = change->trigger;

        if (change->is_inserted && trigger->kind == TRIGGER_DEPENDENCY && trigger->job->is_there) {
            struct fire *fire = fire_of_trigger(checker, trigger);

            checker_expect(checker, RULE_DEPENDENCY, fire->child == NULL, "%s and %s stand for one fire",
                           checker_trigger_text(trigger), checker_trigger_text(fire->child));
            fire->child = trigger;
        }
        if (trigger->has_row && trigger_ended(trigger->row.state)) {
            note_end(checker, trigger);
        }
    }
    for (struct job_change *change = checker->view.jobs; change != NULL; change = change->next) {
        if (change->is_edges_changed && !list_empty(&change->job->upstreams) && !checker_is_once(change->job)) {
            check_since(checker, change->job);
        }
        if (!list_empty(&change->job->downstreams) || (change->job->now != NULL && checker_is_once(change->job))) {
            each_skipped(checker, change, note_skipped);
        }
    }
    BATCH_EACH(checker->view.batch, chunk, i)
    {
        if (chunk->ops[i].kind == OP_WAIT_PUT || chunk->ops[i].kind == OP_WAIT_DELETE) {
            take_wait(checker, &chunk->ops[i].wait, chunk->ops[i].kind == OP_WAIT_PUT);
        }
    }
}

void checker_deps(struct checker *checker)
{
    learn(checker);
    for (struct job_change *change = checker->view.jobs; change != NULL && !checker_is_failed(checker);
         change = change->next) {
        each_skipped(checker, change, check_skipped);
    }
    for (struct trigger_change *change = checker->view.triggers; change != NULL && !checker_is_failed(checker);
         change = change->next) {
        const struct trigger *trigger = change->trigger;

        if (!trigger->has_row || !change->is_written || !trigger->job->is_there) {
            continue;
        }
        if (trigger->kind == TRIGGER_DEPENDENCY) {
            check_child(checker, fire_of_trigger(checker, trigger), trigger->job, trigger->scheduled_ms,
                        trigger->row.root);
        }
        if (trigger_ended(trigger->row.state)) {
            check_downstreams(checker, trigger->job, trigger->scheduled_ms, root_of(trigger));
        }
    }
}
