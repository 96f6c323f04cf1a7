#include "checker.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/id.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "checker_state.h"

#define BLOCK_BYTES (256UL * 1024)
/* More than any world needs. */
#define ARENA_BYTES_MAX (64UL * 1024 * 1024 * 1024)

static const char *const rule_texts[] = {
#define X(name, text) [name] = text,
    CHECKER_RULE_TABLE(X)
#undef X
};

const char *checker_rule_text(enum checker_rule rule)
{
    return rule < RULE_COUNT ? rule_texts[rule] : "none";
}

/* ---- life ---- */

static struct map *text_maps(struct checker *checker, size_t i)
{
    struct map *maps[] = {&checker->names,    &checker->workers, &checker->tenants,  &checker->scopes, &checker->keys,
                          &checker->circuits, &checker->fires,   &checker->subjects, &checker->idems};

    return i < sizeof maps / sizeof maps[0] ? maps[i] : NULL;
}

static struct map *number_maps(struct checker *checker, size_t i)
{
    struct map *maps[] = {&checker->jobs, &checker->triggers, &checker->groups,
                          &checker->asks, &checker->said,     &checker->swaps};

    return i < sizeof maps / sizeof maps[0] ? maps[i] : NULL;
}

struct checker *checker_new(const struct checker_config *config)
{
    struct checker *checker = mem_zalloc(sizeof *checker);

    checker->config = *config;
    arena_init(&checker->forever, BLOCK_BYTES, ARENA_BYTES_MAX);
    arena_init(&checker->of_epoch, BLOCK_BYTES, ARENA_BYTES_MAX);
    arena_init(&checker->of_batch, BLOCK_BYTES, ARENA_BYTES_MAX);
    for (size_t i = 0; text_maps(checker, i) != NULL; i++) {
        map_init(text_maps(checker, i), MAP_KEYS_TEXT, config->seed);
    }
    for (size_t i = 0; number_maps(checker, i) != NULL; i++) {
        map_init(number_maps(checker, i), MAP_KEYS_NUMBER, config->seed);
    }
    heap_init(&checker->run_deadlines, checker_run_before);
    heap_init(&checker->job_deadlines, checker_job_before);
    checker->failed = RULE_COUNT;
    checker->true_ms = INT64_MIN;
    checker->restart_true_ms = INT64_MIN;
    checker->last_start_ms = INT64_MIN;
    checker->well_since_true_ms = TIME_NONE;
    return checker;
}

void checker_free(struct checker *checker)
{
    if (checker == NULL) {
        return;
    }
    for (size_t i = 0; text_maps(checker, i) != NULL; i++) {
        map_done(text_maps(checker, i));
    }
    for (size_t i = 0; number_maps(checker, i) != NULL; i++) {
        map_done(number_maps(checker, i));
    }
    heap_done(&checker->run_deadlines);
    heap_done(&checker->job_deadlines);
    arena_done(&checker->forever);
    arena_done(&checker->of_epoch);
    arena_done(&checker->of_batch);
    mem_free(checker);
}

/* ---- findings ---- */

void checker_fail(struct checker *checker, enum checker_rule rule, const char *format, ...)
{
    if (checker_is_failed(checker)) {
        return;
    }
    checker->failed = rule;
    int used = snprintf(checker->text, sizeof checker->text, "%s: at %s, epoch %llu, batch %llu: ", rule_texts[rule],
                        checker_time_text(checker->true_ms), (unsigned long long)checker->epoch,
                        (unsigned long long)(checker->view.batch != NULL ? checker->view.number : checker->last_batch));
    va_list args;
    va_start(args, format);
    (void)vsnprintf(checker->text + used, sizeof checker->text - (size_t)used, format, args);
    va_end(args);
}

const char *checker_failed(const struct checker *checker)
{
    return checker_is_failed(checker) ? checker->text : NULL;
}

enum checker_rule checker_failed_rule(const struct checker *checker)
{
    return checker->failed;
}

void checker_counts(const struct checker *checker, uint64_t ret_counts[RULE_COUNT])
{
    memcpy(ret_counts, checker->counts, sizeof checker->counts);
}

void checker_figures(const struct checker *checker, struct checker_figures *ret_figures)
{
    *ret_figures = checker->figures;
}

/* ---- texts ---- */

#define MESSAGE_TEXTS 16
#define MESSAGE_BYTES 320

/* Room for one of the next few texts of a message. */
static char *next_text(void)
{
    static _Thread_local char texts[MESSAGE_TEXTS][MESSAGE_BYTES];
    static _Thread_local unsigned next;

    return texts[next++ % MESSAGE_TEXTS];
}

const char *checker_job_text(const struct job *job)
{
    char *text = next_text();
    char id[ID_TEXT_BYTES];

    if (job == NULL) {
        return "no job";
    }
    id_format(ID_JOB, job->by_id.key.number, id);
    (void)snprintf(text, MESSAGE_BYTES, "%s \"%.*s\"", id, STR_ARGS(job->row.name));
    return text;
}

const char *checker_trigger_text(const struct trigger *trigger)
{
    char *text = next_text();
    char id[ID_TEXT_BYTES];

    if (trigger == NULL) {
        return "no trigger";
    }
    id_format(ID_TRIGGER, trigger->id, id);
    (void)snprintf(text, MESSAGE_BYTES, "%s (%s, for %s, of %s)", id, trigger_kind_text(trigger->kind),
                   checker_time_text(trigger->scheduled_ms), checker_job_text(trigger->job));
    return text;
}

const char *checker_time_text(int64_t ms)
{
    char *text = next_text();
    char instant[INSTANT_BYTES];

    if (ms == TIME_NONE) {
        return "none";
    }
    if (ms < 0 || ms >= TIME_END_S * 1000) {
        (void)snprintf(text, MESSAGE_BYTES, "%lld ms", (long long)ms);
        return text;
    }
    (void)snprintf(text, MESSAGE_BYTES, "%s", instant_format(ms, instant));
    return text;
}

struct str checker_copy(struct checker *checker, struct str text)
{
    return (struct str){text.len > 0 ? arena_strdup_str(&checker->forever, text) : "", text.len};
}

struct str checker_keep(struct checker *checker, struct str old, struct str text)
{
    return str_equal(old, text) && old.ptr != NULL ? old : checker_copy(checker, text);
}

struct str checker_key(struct checker *checker, const struct str *texts, size_t count)
{
    size_t len = 0;
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        len += texts[i].len + 1;
    }
    char *key = arena_alloc(&checker->of_batch, len);
    for (size_t i = 0; i < count; i++) {
        if (texts[i].len > 0) {
            memcpy(key + at, texts[i].ptr, texts[i].len);
        }
        at += texts[i].len;
        key[at++] = '\0';
    }
    return (struct str){key, len};
}

/* ---- clocks ---- */

int64_t checker_slack_ms(const struct checker *checker)
{
    return checker->config.skew_ms == CHECKER_SKEW_ANY ? CHECKER_SKEW_ANY : 2 * checker->config.skew_ms;
}

bool checker_not_before(const struct checker *checker, int64_t a_ms, int64_t b_ms)
{
    int64_t slack_ms = checker_slack_ms(checker);

    return slack_ms == CHECKER_SKEW_ANY || a_ms >= b_ms - slack_ms;
}

int64_t checker_at_least_ms(int64_t length_ms)
{
    return length_ms - length_ms / 1000 - 2;
}

/* ---- what happens ---- */

bool checker_begin(struct checker *checker, int64_t true_ms)
{
    if (checker_is_failed(checker)) {
        return false;
    }
    checker->true_ms = true_ms > checker->true_ms ? true_ms : checker->true_ms;
    return true;
}

/* Nothing of the batch is looked at any more. */
static void end_batch(struct checker *checker)
{
    for (struct job_change *change = checker->view.jobs; change != NULL; change = change->next) {
        change->job->change = NULL;
    }
    for (struct trigger_change *change = checker->view.triggers; change != NULL; change = change->next) {
        change->trigger->change = NULL;
    }
    for (struct claims_group *group = checker->view.groups; group != NULL; group = group->next_touched) {
        group->is_touched = false;
    }
    for (struct ask *ask = checker->view.used; ask != NULL; ask = ask->next_used) {
        ask->is_listed = false;
    }
    checker->view = (struct batch_view){0};
    arena_reset(&checker->of_batch);
}

void checker_batch(struct checker *checker, int64_t true_ms, uint64_t epoch, const struct batch *batch)
{
    void (*const families[])(struct checker *) = {
        checker_apply,  checker_settle_runs, checker_rows,    checker_changes, checker_decide,
        checker_cursor, checker_attempts,    checker_overlap, checker_breaker, checker_gates,
        checker_deps,   checker_replays,     checker_watch,
    };

    if (!checker_begin(checker, true_ms)) {
        return;
    }
    checker->view.batch = batch;
    checker->view.number = batch->number;
    checker->view.true_ms = true_ms;
    checker->figures.batches++;
    checker->figures.ops += batch->op_count;
    checker_expect(checker, RULE_FENCE, epoch == checker->epoch, "it is of epoch %llu", (unsigned long long)epoch);
    checker_expect(checker, RULE_FENCE, batch->number == checker->last_batch + 1, "batch %llu came before",
                   (unsigned long long)checker->last_batch);
    for (size_t i = 0; i < sizeof families / sizeof families[0] && !checker_is_failed(checker); i++) {
        families[i](checker);
    }
    checker->last_batch = batch->number;
    end_batch(checker);
}

void checker_restart(struct checker *checker, int64_t true_ms, uint64_t epoch)
{
    if (!checker_begin(checker, true_ms)) {
        return;
    }
    checker_expect(checker, RULE_FENCE, epoch > checker->epoch, "epoch %llu begins", (unsigned long long)epoch);
    checker->epoch = epoch;
    checker->restart_true_ms = true_ms;
    checker->restart_batch = checker->last_batch;
    checker->last_start_ms = INT64_MIN;
    checker->is_draining = false;
    checker->well_since_true_ms = TIME_NONE;
    checker_new_epoch(checker);
}

void checker_drain(struct checker *checker, int64_t true_ms, uint64_t gathering)
{
    if (checker_begin(checker, true_ms)) {
        checker->is_draining = true;
        checker->drain_batch = gathering;
    }
}

void checker_reply(struct checker *checker, int64_t true_ms, const struct reply *reply, uint64_t batch,
                   uint64_t durable)
{
    if (!checker_begin(checker, true_ms)) {
        return;
    }
    struct map_node *ask = map_find_number(&checker->asks, reply->token);
    struct map_node *swap = map_find_number(&checker->swaps, reply->token);

    checker->figures.replies++;
    checker_expect(checker, RULE_DURABLE, batch <= durable + 1 && durable <= checker->last_batch,
                   "the answer to %llu is of batch %llu, and %llu was the last to be durable",
                   (unsigned long long)reply->token, (unsigned long long)batch, (unsigned long long)durable);
    if (!checker_expect(checker, RULE_ONE_ANSWER, ask != NULL || swap != NULL, "nobody waits for the answer to %llu",
                        (unsigned long long)reply->token)) {
        return;
    }
    if (ask != NULL) {
        checker_answer(checker, reply, CONTAINER_OF(ask, struct ask, by_token));
    } else {
        checker_work(checker, reply, CONTAINER_OF(swap, struct swap, by_token));
    }
    arena_reset(&checker->of_batch);
}
