#include "base/id.h"
#include "checker_state.h"

/* ---- jobs and triggers ---- */

struct job *checker_job(const struct checker *checker, uint64_t id)
{
    struct map_node *node = map_find_number(&checker->jobs, id);

    return node != NULL ? CONTAINER_OF(node, struct job, by_id) : NULL;
}

struct job *checker_job_get(struct checker *checker, uint64_t id)
{
    struct job *job = checker_job(checker, id);

    if (job != NULL) {
        return job;
    }
    job = arena_zalloc(&checker->forever, sizeof *job);
    job->deadline_ms = INT64_MAX;
    job->decided_to_ms = TIME_NONE;
    list_init(&job->living);
    list_init(&job->runs);
    list_init(&job->upstreams);
    list_init(&job->downstreams);
    (void)map_insert_number(&checker->jobs, &job->by_id, id);
    return job;
}

struct job *checker_job_named(struct checker *checker, struct str tenant, struct str name)
{
    struct map_node *node = map_find_text(&checker->names, checker_key(checker, (struct str[]){tenant, name}, 2));

    return node != NULL ? CONTAINER_OF(node, struct job, by_name) : NULL;
}

struct trigger *checker_trigger(const struct checker *checker, uint64_t id)
{
    struct map_node *node = map_find_number(&checker->triggers, id);

    return node != NULL ? CONTAINER_OF(node, struct trigger, by_id) : NULL;
}

struct trigger *checker_trigger_get(struct checker *checker, uint64_t id)
{
    struct trigger *trigger = checker_trigger(checker, id);

    if (trigger != NULL) {
        return trigger;
    }
    trigger = arena_zalloc(&checker->forever, sizeof *trigger);
    trigger->id = id;
    trigger->dropped_true_ms = TIME_NONE;
    list_node_init(&trigger->in_living);
    list_node_init(&trigger->in_dropping);
    (void)map_insert_number(&checker->triggers, &trigger->by_id, id);
    return trigger;
}

struct ended *checker_ended(const struct trigger *trigger, uint32_t number)
{
    struct ended *ended = trigger->attempts;

    while (ended != NULL && ended->number > number) {
        ended = ended->older;
    }
    return ended != NULL && ended->number == number ? ended : NULL;
}

struct claims_group *checker_group(const struct checker *checker, uint64_t id)
{
    struct map_node *node = map_find_number(&checker->groups, id);

    return node != NULL ? CONTAINER_OF(node, struct claims_group, by_id) : NULL;
}

/* ---- what comes with the first that needs it ---- */

/* The thing of that name, zeroed where it is new; its node comes first in it. */
static void *get(struct checker *checker, struct map *map, struct str key, size_t size, bool *ret_is_new)
{
    struct map_node *node = map_find_text(map, key);

    *ret_is_new = node == NULL;
    if (node == NULL) {
        node = arena_zalloc(&checker->forever, size);
        (void)map_insert_text(map, node, checker_copy(checker, key));
    }
    return node;
}

struct worker *checker_worker_get(struct checker *checker, struct str name)
{
    bool is_new;
    struct worker *worker = get(checker, &checker->workers, name, sizeof *worker, &is_new);

    if (is_new) {
        worker->name = worker->by_name.key.text;
        worker->last_seq = -1;
        list_init(&worker->runs);
        list_init(&worker->dropping);
    }
    if (worker->epoch != checker->epoch) { /* what a new owner does not know */
        worker->epoch = checker->epoch;
        worker->last_seq = -1;
        worker->wanted = 0;
    }
    return worker;
}

struct scope_state *checker_scope_get(struct checker *checker, enum scope scope, struct str tenant, struct str name)
{
    bool is_narrow = scope == SCOPE_TENANT_TYPE;
    struct str parts[] = {str_from(scope_text(scope)), is_narrow ? tenant : STR(""), name};
    bool is_new;
    struct scope_state *state = get(checker, &checker->scopes, checker_key(checker, parts, 3), sizeof *state, &is_new);

    if (is_new) {
        state->settings = settings_none();
    }
    return state;
}

struct key_state *checker_key_get(struct checker *checker, struct str tenant, struct str key)
{
    bool is_new;

    return get(checker, &checker->keys, checker_key(checker, (struct str[]){tenant, key}, 2), sizeof(struct key_state),
               &is_new);
}

struct circuit_state *checker_circuit_get(struct checker *checker, struct str tenant, struct str type, uint64_t job)
{
    struct str id = str_from_bytes(&job, sizeof job);
    bool is_new;

    if (job != 0) { /* its own: whatever is said of the rest */
        tenant = STR("");
        type = STR("");
    }
    return get(checker, &checker->circuits, checker_key(checker, (struct str[]){tenant, type, id}, 3),
               sizeof(struct circuit_state), &is_new);
}

struct tenant_state *checker_tenant_get(struct checker *checker, struct str name)
{
    bool is_new;
    struct tenant_state *tenant = get(checker, &checker->tenants, name, sizeof *tenant, &is_new);

    if (is_new) {
        tenant->scope = checker_scope_get(checker, SCOPE_TENANT, STR(""), name);
    }
    if (tenant->touched_batch != checker->view.number) {
        tenant->touched_batch = checker->view.number;
        tenant->inserted = 0;
        tenant->deleted = 0;
        tenant->next_touched = checker->view.tenants;
        checker->view.tenants = tenant;
    }
    return tenant;
}

/* ---- idempotency keys ---- */

struct idem *checker_idem_get(struct checker *checker, struct str tenant, struct str key)
{
    struct str name = checker_key(checker, (struct str[]){tenant, key}, 2);
    struct map_node *node = map_find_text(&checker->idems, name);

    if (node != NULL) {
        return CONTAINER_OF(node, struct idem, by_key);
    }
    struct idem *idem = arena_zalloc(&checker->forever, sizeof *idem);
    (void)map_insert_text(&checker->idems, &idem->by_key, checker_copy(checker, name));
    return idem;
}

struct idem *checker_idem(struct checker *checker, struct str tenant, struct str key)
{
    struct idem *idem = checker_idem_get(checker, tenant, key);

    return idem->batch != 0 ? idem : NULL;
}

/* ---- what a batch touches ---- */

struct job_change *checker_touch_job(struct checker *checker, struct job *job)
{
    if (job->change == NULL) {
        struct job_change *change = arena_zalloc(&checker->of_batch, sizeof *change);

        change->job = job;
        change->was_there = job->is_there;
        change->before = job->row;
        change->def_before = job->is_there ? job->now : NULL;
        change->skip_before = job->last_skip;
        change->late_ms = TIME_NONE;
        change->next = checker->view.jobs;
        checker->view.jobs = change;
        job->change = change;
    }
    return job->change;
}

struct trigger_change *checker_touch_trigger(struct checker *checker, struct trigger *trigger)
{
    if (trigger->change == NULL) {
        struct trigger_change *change = arena_zalloc(&checker->of_batch, sizeof *change);

        change->trigger = trigger;
        change->was_row = trigger->has_row;
        change->before = trigger->row;
        change->granted_before = trigger->granted;
        change->run_before = trigger->run;
        change->next = checker->view.triggers;
        checker->view.triggers = change;
        trigger->change = change;
    }
    return trigger->change;
}
