/* Dependencies, and what clients ask for and are answered. */
#include "test_checker_story.h"

/* ---- dependencies ---- */

static void one_follows_another(struct story *story)
{
    struct job_row *first = create(story, "{'name':'first'}"); /* 1 to 3 */
    const char *json = "{'name':'second','depends_on':['first']}";

    story->command = (struct command){.kind = COMMAND_CREATE, .defs = read_def(story, json), .def_count = 1};
    say(story); /* 4 */
    struct job_row *second = new_row(story, json);
    insert(story, second);
    op(story, OP_EDGE_INSERT)->edge = (struct edge_row){.upstream = first->id, .downstream = second->id};
    commit(story); /* 5 */

    exchange(story, "w1", 10, NULL, NULL); /* 6 */
    struct try try = claim(story, first->id, first, 1, TRIGGER_SCHEDULE, first->created_ms);
    commit(story); /* 7 */
    pass_ms(story, 1000);
    tell(story, &try, ATTEMPT_SUCCEEDED); /* 8 */
    end_trigger(story, &try, first, ATTEMPT_SUCCEEDED, TRIGGER_SUCCEEDED);
    first->cursor_ms = TIME_NONE;
    first->wake_ms = TIME_NONE;
    first->fired = 1;
    first->status = JOB_COMPLETED;
    update(story, first);
    struct try next = {.trigger = new_id(story), .job = second->id, .kind = TRIGGER_DEPENDENCY};
    next.scheduled_ms = story->now_ms;
    next.started_ms = story->now_ms;
    op(story, OP_TRIGGER_INSERT)->trigger = row_of(story, &next, second, TRIGGER_PENDING);
    second->wake_ms = story->now_ms;
    update(story, second);
    commit(story); /* 9 */
    (void)claim(story, next.trigger, second, 1, TRIGGER_DEPENDENCY, next.scheduled_ms);
    commit(story); /* 10 */
}

static void without_its_edge(struct story *story)
{
    drop_op(story, OP_EDGE_INSERT);
}

static void waiting_still(struct story *story)
{
    find_op(story, OP_TRIGGER_INSERT, 1)->trigger.state = TRIGGER_WAITING;
}

static void cancelled_though_met(struct story *story)
{
    struct trigger_row *row = &find_op(story, OP_TRIGGER_INSERT, 1)->trigger;

    row->state = TRIGGER_CANCELLED;
    row->ended_ms = story->now_ms;
}

static void forgotten(struct story *story)
{
    *find_op(story, OP_TRIGGER_INSERT, 1) = (struct op){.kind = OP_IDS_RESERVE};
}

/* ---- keys ---- */

static struct reply_job *one_job(struct story *story, uint64_t id)
{
    struct reply_job *job = arena_zalloc(&story->arena, sizeof *job);

    *job = (struct reply_job){.id = id, .version = 1, .next_ms = TIME_NONE};
    return job;
}

static void sent_twice_under_one_key(struct story *story)
{
    const char *json = "{'payload':{'n':1}}";

    story->command = (struct command){.kind = COMMAND_CREATE,
                                      .defs = read_def(story, json),
                                      .def_count = 1,
                                      .idem_key = STR("k1"),
                                      .idem_tenant = STR("default"),
                                      .idem_hash = {1, 2}};
    say(story); /* 1 */
    struct job_row *row = new_row(story, json);
    insert(story, row);
    op(story, OP_IDEM_PUT)->idem =
        (struct idem_row){.tenant = STR("default"), .key = STR("k1"), .hash = {1, 2}, .created_ms = story->now_ms};
    commit(story); /* 2 */
    story->command.defs = read_def(story, json);
    say(story); /* 3 */
    story->reply = (struct reply){.kind = REPLY_JOBS, .jobs = one_job(story, row->id), .job_count = 1};
    answer(story, story->token); /* 4 */
    story->reply.jobs = one_job(story, row->id);
    answer(story, story->token - 1); /* 5: the first answer comes late */
}

static void without_keeping_the_key(struct story *story)
{
    drop_op(story, OP_IDEM_PUT);
}

static void by_another_request(struct story *story)
{
    story->command.idem_hash[0] = 9;
}

static void said_to_be_reused(struct story *story)
{
    story->reply = (struct reply){.kind = REPLY_ERROR, .token = story->reply.token, .error = {.code = ERR_KEY_REUSED}};
}

/* ---- patches, pauses, runs, ends ---- */

static void patched(struct story *story, struct job_row *row, const char *text)
{
    struct job_def *def = read_def(story, text);

    op(story, OP_VERSION_INSERT)->version =
        (struct version_row){.job = row->id, .version = row->version, .anchor_ms = row->anchor_ms, .def = row->def};
    row->version++;
    row->place.priority = def->priority;
    row->def = canonical(story, def);
    row->updated_ms = story->now_ms;
    op(story, OP_JOB_UPDATE)->job = *row;
}

static void changed_in_every_way(struct story *story)
{
    struct job_row *row = create(story, "{'name':'job','delay':'1h'}");        /* 1 to 3 */
    uint64_t token = ask_job(story, COMMAND_PATCH, row->id, "{'priority':1}"); /* 4 */

    patched(story, row, "{'name':'job','delay':'1h','priority':1}");
    commit(story); /* 5 */
    story->reply = (struct reply){.kind = REPLY_JOBS, .jobs = one_job(story, row->id), .job_count = 1};
    story->reply.jobs[0].version = 2;
    answer(story, token); /* 6 */

    token = ask_status(story, row->id, JOB_PAUSED); /* 7 */
    row->status = JOB_PAUSED;
    row->wake_ms = TIME_NONE;
    update(story, row);
    commit(story); /* 8 */
    story->reply.jobs = one_job(story, row->id);
    story->reply.jobs[0].status = JOB_PAUSED;
    answer(story, token); /* 9 */

    token = ask_job(story, COMMAND_RUN, row->id, "{'by':'hand'}"); /* 10 */
    struct try try = {.trigger = new_id(story), .kind = TRIGGER_MANUAL, .scheduled_ms = story->now_ms};
    try.started_ms = story->now_ms;
    struct op *run = op(story, OP_TRIGGER_INSERT);
    run->trigger = row_of(story, &try, row, TRIGGER_PENDING);
    run->trigger.payload = str_from(quoted(story, "{'by':'hand'}"));
    commit(story); /* 11 */
    uint64_t *ids = arena_zalloc(&story->arena, sizeof *ids);
    *ids = try.trigger;
    story->reply = (struct reply){.kind = REPLY_TRIGGERS, .triggers = ids, .trigger_count = 1};
    answer(story, token); /* 12 */

    token = ask_trigger(story, COMMAND_CANCEL, try.trigger); /* 13 */
    struct op *cancel = op(story, OP_TRIGGER_UPDATE);
    cancel->trigger = row_of(story, &try, row, TRIGGER_CANCELLED);
    cancel->trigger.reason = STR("cancelled");
    commit(story);        /* 14 */
    answer(story, token); /* 15 */

    token = ask_job(story, COMMAND_DELETE, row->id, ""); /* 16 */
    op(story, OP_JOB_DELETE)->id = row->id;
    op(story, OP_TENANT_PUT)->tenant = (struct tenant_row){.tenant = STR("default"), .jobs = 0};
    commit(story); /* 17 */
    story->reply = (struct reply){.kind = REPLY_JOBS, .jobs = one_job(story, row->id), .job_count = 1};
    answer(story, token); /* 18 */
}

static void into_something_else(struct story *story)
{
    struct job_def *def = read_def(story, "{'name':'job','delay':'1h','priority':2}");
    struct job_row *row = &find_op(story, OP_JOB_UPDATE, 0)->job;

    row->def = canonical(story, def);
    row->place.priority = 2;
}

static void without_its_old_version(struct story *story)
{
    drop_op(story, OP_VERSION_INSERT);
}

static void answered_with_another_version(struct story *story)
{
    story->reply.jobs[0].version = 1;
}

static void not_done(struct story *story)
{
    batch_done(&story->batch);
    batch_init(&story->batch, story->number + 1);
}

static void with_another_payload(struct story *story)
{
    find_op(story, OP_TRIGGER_INSERT, 0)->trigger.payload = STR("{}");
}

static void started_while_paused(struct story *story)
{
    const struct trigger_row *row = &find_op(story, OP_TRIGGER_INSERT, 0)->trigger;
    struct job_row job = {.id = row->job, .version = 2};

    exchange(story, "w1", 10, NULL, NULL);
    (void)claim(story, row->id, &job, 1, TRIGGER_MANUAL, row->scheduled_ms);
}

static void deleted_by_nobody(struct story *story)
{
    op(story, OP_JOB_DELETE)->id = find_op(story, OP_JOB_UPDATE, 0)->job.id;
    op(story, OP_TENANT_PUT)->tenant = (struct tenant_row){.tenant = STR("default"), .jobs = 0};
}

static const struct spoilt spoilts[] = {
    {"a definition without its edge is found", RULE_EDGE, one_follows_another, 5, without_its_edge},
    {"a dependent that waits for nothing is found", RULE_DEPENDENCY, one_follows_another, 9, waiting_still},
    {"a dependent that is cancelled though met is found", RULE_DEPENDENCY, one_follows_another, 9,
     cancelled_though_met},
    {"a dependent that is forgotten is found", RULE_DEPENDENCY, one_follows_another, 9, forgotten},
    {"a key that is not kept is found", RULE_IDEM, sent_twice_under_one_key, 2, without_keeping_the_key},
    {"a key that serves two requests is found", RULE_IDEM, sent_twice_under_one_key, 3, by_another_request},
    {"a key refused to its own request is found", RULE_IDEM, sent_twice_under_one_key, 4, said_to_be_reused},
    {"an edit that nobody asked for is found", RULE_CHANGE, changed_in_every_way, 5, into_something_else},
    {"an edit that loses its old version is found", RULE_ROW, changed_in_every_way, 5, without_its_old_version},
    {"an edit answered with another version is found", RULE_ANSWER, changed_in_every_way, 6,
     answered_with_another_version},
    {"a pause that is acknowledged and not done is found", RULE_ANSWER, changed_in_every_way, 8, not_done},
    {"a run with another payload is found", RULE_CHANGE, changed_in_every_way, 11, with_another_payload},
    {"a run that is acknowledged and not durable is found", RULE_ANSWER, changed_in_every_way, 11, not_done},
    {"a start of a paused job is found", RULE_PAUSE, changed_in_every_way, 11, started_while_paused},
    {"a cancellation that is acknowledged and not done is found", RULE_ANSWER, changed_in_every_way, 14, not_done},
    {"a deletion that nobody asked for is found", RULE_CHANGE, changed_in_every_way, 8, deleted_by_nobody},
    {"a deletion that is acknowledged and not done is found", RULE_ANSWER, changed_in_every_way, 17, not_done},
};

static void a_dependent_runs_when_its_upstream_has_succeeded(void **state)
{
    good(state, one_follows_another);
}

static void one_key_makes_one_job(void **state)
{
    good(state, sent_twice_under_one_key);
}

static void a_job_is_patched_paused_run_cancelled_and_deleted(void **state)
{
    good(state, changed_in_every_way);
}

int main(void)
{
    const struct CMUnitTest goods[] = {
        cmocka_unit_test(a_dependent_runs_when_its_upstream_has_succeeded),
        cmocka_unit_test(one_key_makes_one_job),
        cmocka_unit_test(a_job_is_patched_paused_run_cancelled_and_deleted),
    };

    return run_stories("checker_asks", goods, sizeof goods / sizeof goods[0], spoilts,
                       sizeof spoilts / sizeof spoilts[0]);
}
