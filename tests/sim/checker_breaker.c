#include "checker_state.h"

static bool is_changed(const struct checker *checker, const struct circuit_state *circuit)
{
    return circuit->changed_batch == checker->view.number;
}

static bool are_settings_changed(const struct checker *checker, const struct circuit_state *circuit)
{
    return circuit->type_scope->changed_batch == checker->view.number ||
           circuit->tenant_type_scope->changed_batch == checker->view.number;
}

static struct breaker_settings settings_of(const struct circuit_state *circuit)
{
    const struct settings *narrow = &circuit->tenant_type_scope->settings;
    const struct settings *wide = &circuit->type_scope->settings;

    if (narrow->has_breaker) {
        return narrow->breaker;
    }
    return wide->has_breaker ? wide->breaker : breaker_settings_default();
}

/* ---- starts ---- */

static void check_start(struct checker *checker, struct run *run)
{
    struct circuit_state *circuit = run->circuit;
    bool is_stable = !is_changed(checker, circuit);

    if (are_settings_changed(checker, circuit) || run->is_moved) {
        return;
    }
    if (circuit->probe_epoch != checker->epoch) {
        circuit->probe_epoch = checker->epoch;
        circuit->probes = 0;
    }
    bool is_half_open = circuit->is_there && (circuit->is_half_open || run->started_ms >= circuit->open_until_ms);
    if (circuit->is_there && is_stable) {
        checker_expect(checker, RULE_BREAKER,
                       is_half_open || checker_not_before(checker, run->started_ms, circuit->open_until_ms),
                       "%s starts at %s, and its circuit is open until %s", checker_trigger_text(run->trigger),
                       checker_time_text(run->started_ms), checker_time_text(circuit->open_until_ms));
        checker_expect(checker, RULE_BREAKER, circuit->probes == 0,
                       "%s starts at %s as a second probe of a circuit that is half open",
                       checker_trigger_text(run->trigger), checker_time_text(run->started_ms));
    }
    if (!is_stable && circuit->was_there && !circuit->was_half_open) {
        checker_expect(checker, RULE_BREAKER, checker_not_before(checker, run->started_ms, circuit->was_until_ms),
                       "%s starts at %s, and its circuit was open until %s", checker_trigger_text(run->trigger),
                       checker_time_text(run->started_ms), checker_time_text(circuit->was_until_ms));
    }
    if (is_half_open) {
        run->is_probe = true;
        run->probe_epoch = checker->epoch;
        circuit->probes += run->is_brief ? 0 : 1;
    }
}

/* ---- ends ---- */

static void forget(struct checker *checker, struct circuit_state *circuit)
{
    circuit->epoch = checker->epoch;
    circuit->failures = 0;
    circuit->oldest = NULL;
    circuit->newest = NULL;
}

static void forget_before(struct circuit_state *circuit, int64_t from_ms)
{
    while (circuit->oldest != NULL && circuit->oldest->ended_ms < from_ms) {
        circuit->failures -= circuit->oldest->is_failure ? 1 : 0;
        circuit->oldest = circuit->oldest->newer;
    }
    if (circuit->oldest == NULL) {
        circuit->newest = NULL;
    }
}

/* Results of the window, in the order of their ends. */
static void remember(struct checker *checker, struct circuit_state *circuit, const struct ended *ended)
{
    struct result *result = arena_zalloc(&checker->forever, sizeof *result);

    *result = (struct result){
        .ended_ms = ended->ended_ms, .batch = checker->view.number, .is_failure = attempt_failed(ended->state)};
    if (circuit->newest == NULL) {
        circuit->oldest = result;
    } else {
        circuit->newest->newer = result;
    }
    circuit->newest = result;
    circuit->failures += result->is_failure ? 1 : 0;
}

static void take_result(struct checker *checker, struct circuit_state *circuit, const struct ended *ended)
{
    if (ended->state == ATTEMPT_RELEASED || ended->state == ATTEMPT_CANCELLED) {
        return;
    }
    if (circuit->epoch != checker->epoch) { /* the window begins empty after a restart */
        forget(checker, circuit);
    }
    remember(checker, circuit, ended);
}

static void check_end(struct checker *checker, struct run *run, const struct ended *ended)
{
    struct circuit_state *circuit = run->circuit;

    if (run->is_probe && run->probe_epoch == checker->epoch && circuit->probes > 0) {
        circuit->probes--;
    }
    if (ended != NULL) {
        take_result(checker, circuit, ended);
    }
}

/* A report that comes after its attempt was counted as lost is one more result. */
static void take_late(struct checker *checker, const struct trigger *trigger)
{
    const struct def_version *own = checker_version(trigger->job, trigger->version);

    for (const struct ended *ended = trigger->attempts; ended != NULL && own != NULL; ended = ended->older) {
        if (ended->was_lost && ended->batch == checker->view.number) {
            bool is_typed = !str_is(own->def.type, READY_TYPE_NONE);
            struct ended result = *ended;

            if (ended->lost_batch == ended->batch) {
                result.state = ATTEMPT_LOST; /* what it became is counted as the run's end */
            }
            take_result(checker,
                        checker_circuit_get(checker, own->def.tenant, own->def.type,
                                            is_typed ? 0 : trigger->job->by_id.key.number),
                        &result);
        }
    }
}

/* ---- circuits that open, and those that ought to have ---- */

static void check_opened(struct checker *checker, struct circuit_state *circuit)
{
    struct breaker_settings settings = settings_of(circuit);
    int64_t needed = ((int64_t)settings.min_attempts * settings.failure_milli + 999) / 1000;

    if (circuit->newest != NULL && checker_slack_ms(checker) != CHECKER_SKEW_ANY) {
        forget_before(circuit, circuit->newest->ended_ms - settings.window_ms - checker_slack_ms(checker) - 1);
    }
    checker_expect(checker, RULE_BREAKER, (int64_t)circuit->failures >= needed && !settings.is_off,
                   "a circuit opens after %llu failures, and %lld are needed", (unsigned long long)circuit->failures,
                   (long long)needed);
}

/* Failures alone, enough of them, and well within the window: whatever the slots are, it opens. */
static void check_closed(struct checker *checker, struct circuit_state *circuit)
{
    struct breaker_settings settings = settings_of(circuit);
    int64_t slack_ms = checker_slack_ms(checker);

    bool is_jobless = circuit->job != NULL && (!circuit->job->is_there || circuit->job->row.status == JOB_COMPLETED ||
                                               circuit->job->row.status == JOB_CANCELLED);

    if (settings.is_off || is_jobless || circuit->newest == NULL || slack_ms == CHECKER_SKEW_ANY || slack_ms > 0) {
        return;
    }
    forget_before(circuit, circuit->newest->ended_ms - settings.window_ms - 1);
    if (circuit->newest == NULL) {
        return;
    }
    int64_t recent_ms = circuit->newest->ended_ms - settings.window_ms * 8 / 10;
    uint64_t changed = circuit->type_scope->changed_batch > circuit->tenant_type_scope->changed_batch
                           ? circuit->type_scope->changed_batch
                           : circuit->tenant_type_scope->changed_batch; /* new numbers may begin a new window */
    uint64_t recent = 0;
    bool all_failed = true;
    for (const struct result *result = circuit->oldest; result != NULL; result = result->newer) {
        recent += result->ended_ms >= recent_ms && result->batch > changed ? 1 : 0;
        all_failed = all_failed && result->is_failure;
    }
    checker_expect(checker, RULE_BREAKER, !all_failed || recent < (uint64_t)settings.min_attempts,
                   "a circuit is closed, and all of the last %llu attempts failed", (unsigned long long)recent);
}

static void check_circuit(struct checker *checker, struct circuit_state *circuit)
{
    bool are_changed = are_settings_changed(checker, circuit);

    if (!is_changed(checker, circuit)) {
        if (!circuit->is_there && !are_changed) {
            check_closed(checker, circuit);
        }
        return;
    }
    if (circuit->is_there && !circuit->is_half_open && !circuit->was_there && !are_changed) {
        check_opened(checker, circuit);
    }
    forget(checker, circuit);
    if (!circuit->is_half_open) { /* opened anew, or closed */
        circuit->probes = 0;
    }
}

void checker_breaker(struct checker *checker)
{
    const struct batch_view *view = &checker->view;

    for (struct trigger_change *change = view->triggers; change != NULL; change = change->next) {
        take_late(checker, change->trigger);
    }
    for (struct job_change *change = view->jobs; change != NULL; change = change->next) {
        for (struct stop *stop = change->stops; stop != NULL; stop = stop->next_of_job) {
            if (stop->run->is_brief) {
                check_end(checker, stop->run, stop->ended);
            }
        }
    }
    for (size_t i = 0; i < view->moment_count && !checker_is_failed(checker); i++) {
        if (view->moments[i].is_start) {
            check_start(checker, view->moments[i].run);
        } else {
            check_end(checker, view->moments[i].run, view->moments[i].stop->ended);
        }
    }
    for (size_t i = 0; i < view->moment_count && !checker_is_failed(checker); i++) {
        struct circuit_state *circuit = view->moments[i].run->circuit;

        if (circuit->looked_batch != view->number) {
            circuit->looked_batch = view->number;
            check_circuit(checker, circuit);
        }
    }
}
