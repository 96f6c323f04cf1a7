#include "engine/line.h"

#include <assert.h>

#include "base/mem.h"
#include "engine/circuit.h"
#include "engine/fire.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/key.h"
#include "engine/timers.h"
#include "engine/trigger.h"

struct trigger *entry_trigger(struct entry *entry)
{
    return entry->is_trigger ? CONTAINER_OF(entry, struct trigger, entry) : NULL;
}

struct job *entry_job(struct entry *entry)
{
    return entry->is_trigger ? CONTAINER_OF(entry, struct trigger, entry)->job : CONTAINER_OF(entry, struct job, fire);
}

struct ready_bucket *entry_bucket(struct entry *entry)
{
    return entry->is_trigger ? CONTAINER_OF(entry, struct trigger, entry)->bucket
                             : CONTAINER_OF(entry, struct job, fire)->bucket;
}

uint64_t entry_id(const struct entry *entry)
{
    return entry->is_trigger ? CONTAINER_OF_CONST(entry, struct trigger, entry)->id
                             : CONTAINER_OF_CONST(entry, struct job, fire)->id;
}

static bool is_retry(const struct entry *entry)
{
    return entry->is_trigger && trigger_is_retry(CONTAINER_OF_CONST(entry, struct trigger, entry));
}

bool entry_before(const struct entry *a, const struct entry *b)
{
    if (is_retry(a) != is_retry(b)) {
        return is_retry(a);
    }
    if (a->due_ms != b->due_ms) {
        return a->due_ms < b->due_ms;
    }
    return entry_id(a) < entry_id(b);
}

static bool node_before(const struct heap_node *a, const struct heap_node *b)
{
    return entry_before(CONTAINER_OF_CONST(a, struct entry, node), CONTAINER_OF_CONST(b, struct entry, node));
}

static bool is_allow(const struct job *job)
{
    return job->policy->body.overlap == OVERLAP_ALLOW;
}

void entry_park(struct engine *engine, struct entry *entry)
{
    struct job *job = entry_job(entry);

    timer_stop(engine, &entry->timer);
    switch (entry->place) {
    case ENTRY_IDLE:
    case ENTRY_TIMED:
        break;
    case ENTRY_LINE:
        if (heap_linked(&entry->node)) {
            heap_remove(job->line, &entry->node);
        }
        break;
    case ENTRY_READY:
        ready_remove(engine->ready, &entry->ready);
        break;
    case ENTRY_KEYED:
        key_forget(engine, entry);
        break;
    case ENTRY_CIRCUIT:
        circuit_forget(engine, entry);
        break;
    }
    entry->place = ENTRY_IDLE;
    if (entry->group != NULL) {
        key_handed_back(engine, entry);
    }
    if (job->front == entry) {
        job->front = NULL;
    }
    if (job->circuit != NULL) {
        circuit_open_again(engine, job->circuit); /* it may have been the one let go */
    }
}

void entry_to_ready(struct engine *engine, struct entry *entry)
{
    entry->place = ENTRY_READY;
    ready_add(engine->ready, entry_bucket(entry), &entry->ready, entry->due_ms, entry_id(entry));
}

/* Rule 4. */
static void arm_expiry(struct engine *engine, struct entry *entry)
{
    struct job *job = entry_job(entry);
    int64_t expires_ms = job->policy->body.expires_after_ms;

    if (expires_ms > 0 && !(entry->is_trigger && entry_trigger(entry)->attempts > 0)) {
        timer_arm_wall(engine, &entry->timer, plus_ms(entry->due_ms, expires_ms));
    }
}

static void into_line(struct job *job, struct entry *entry)
{
    entry->place = ENTRY_LINE;
    if (!entry->is_trigger) {
        return; /* there is one fire at most: its place says it all */
    }
    if (job->line == NULL) {
        job->line = mem_alloc(sizeof *job->line);
        heap_init(job->line, node_before);
    }
    heap_push(job->line, &entry->node);
}

void entry_set_due(struct engine *engine, struct entry *entry)
{
    struct job *job = entry_job(entry);

    assert(entry->place == ENTRY_IDLE || entry->place == ENTRY_TIMED);
    if (is_allow(job)) {
        entry_to_ready(engine, entry);
    } else {
        into_line(job, entry);
        line_update(engine, job);
    }
    arm_expiry(engine, entry);
}

/* Not started within its time. */
static bool expires(const struct engine *engine, const struct trigger *trigger)
{
    int64_t expires_ms = trigger->job->policy->body.expires_after_ms;

    return expires_ms > 0 && trigger->attempts == 0 && plus_ms(trigger->entry.due_ms, expires_ms) <= engine->now_ms &&
           !BUG(EXPIRY_IGNORED);
}

void entry_set_trigger(struct engine *engine, struct trigger *trigger)
{
    struct entry *entry = &trigger->entry;
    enum job_status status = trigger->job->status;

    assert(trigger->state == TRIGGER_PENDING && entry->place == ENTRY_IDLE);
    if (status == JOB_PAUSED || status == JOB_CANCELLED || trigger->job->is_ending) {
        return; /* rule 3 */
    }
    if (expires(engine, trigger)) {
        trigger_end(engine, trigger, TRIGGER_CANCELLED, NULL, STR("expired"));
        return;
    }
    if (entry->due_ms > engine->now_ms || trigger->dropping != NULL) {
        entry->place = ENTRY_TIMED;
        timer_arm_wall(engine, &entry->timer, max_ms(entry->due_ms, engine->now_ms + 1));
        return;
    }
    entry_set_due(engine, entry);
}

void entry_timer(struct engine *engine, struct trigger *trigger)
{
    entry_park(engine, &trigger->entry);
    entry_set_trigger(engine, trigger);
}

/* The best of the line, of those that rule 2 lets through. */
static struct entry *best(struct job *job)
{
    struct entry *first = job->front;
    struct heap_node *top = job->line != NULL ? heap_first(job->line) : NULL;

    if (job->running > 0 && !BUG(OVERLAP_IGNORED)) {
        return NULL;
    }
    if (top != NULL) {
        struct entry *entry = CONTAINER_OF(top, struct entry, node);

        first = first == NULL || entry_before(entry, first) ? entry : first;
    }
    if (job->fire.place == ENTRY_LINE && (first == NULL || entry_before(&job->fire, first))) {
        first = &job->fire;
    }
    if (job->policy->body.overlap == OVERLAP_QUEUE && job->retrying > 0 && first != NULL && !is_retry(first)) {
        return NULL;
    }
    return first;
}

static void back_into_line(struct engine *engine, struct job *job, struct entry *entry)
{
    entry_park(engine, entry);
    into_line(job, entry);
    arm_expiry(engine, entry); /* also where it is over in this very step */
}

void line_update(struct engine *engine, struct job *job)
{
    if (is_allow(job)) {
        return;
    }
    struct entry *first = best(job);

    if (first == job->front) {
        return;
    }
    if (job->front != NULL) {
        back_into_line(engine, job, job->front);
    }
    if (first != NULL) {
        if (heap_linked(&first->node)) {
            heap_remove(job->line, &first->node);
        }
        job->front = first;
        entry_to_ready(engine, first);
    }
}

void line_rebuild(struct engine *engine, struct job *job)
{
    entry_park(engine, &job->fire);
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        entry_park(engine, &trigger->entry);
    }
    struct list_node *next;

    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = next) {
        struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        next = list_next(&job->triggers, node); /* it may expire */
        if (trigger->state == TRIGGER_PENDING && !(BUG(PAUSE_LOSES_RETRY) && trigger->attempts > 0)) {
            entry_set_trigger(engine, trigger);
        }
    }
    fire_arm(engine, job);
}
