#include "checker_state.h"

/* ---- what was said ---- */

static struct said_of *find_said(const struct checker *checker, uint64_t trigger)
{
    struct map_node *node = map_find_number(&checker->said, trigger);

    return node != NULL ? CONTAINER_OF(node, struct said_of, by_trigger) : NULL;
}

const struct said *checker_said(const struct checker *checker, const struct trigger *trigger, uint32_t number,
                                enum attempt_state state, const struct said *older_than)
{
    const struct said_of *of = find_said(checker, trigger->id);
    const struct said *said = older_than != NULL ? older_than->older : of != NULL ? of->newest : NULL;

    while (said != NULL && (said->number != number || said->state != state)) {
        said = said->older;
    }
    return said;
}

static struct str copy_for_epoch(struct checker *checker, struct str text)
{
    return (struct str){arena_strdup_str(&checker->of_epoch, text), text.len};
}

static void hear(struct checker *checker, const struct report *report)
{
    struct said_of *of = find_said(checker, report->trigger);
    struct said *said = arena_zalloc(&checker->of_epoch, sizeof *said);

    if (of == NULL) {
        of = arena_zalloc(&checker->of_epoch, sizeof *of);
        (void)map_insert_number(&checker->said, &of->by_trigger, report->trigger);
    }
    *said = (struct said){
        .older = of->newest,
        .number = report->number,
        .state = report->state,
        .error_code = copy_for_epoch(checker, report->error_code),
        .error_message = copy_for_epoch(checker, report->error_message),
        .result = copy_for_epoch(checker, report->result),
        .is_permanent = report->is_permanent,
        .retry_after_ms = report->retry_after_ms,
    };
    of->newest = said;
}

void checker_new_epoch(struct checker *checker)
{
    map_done(&checker->said);
    map_init(&checker->said, MAP_KEYS_NUMBER, checker->config.seed);
    arena_reset(&checker->of_epoch);
}

/* ---- signs of life ---- */

static bool names(const struct exchange *exchange, uint64_t trigger, uint32_t number)
{
    for (size_t i = 0; i < exchange->holding_count; i++) {
        if (exchange->holding[i].trigger == trigger && exchange->holding[i].number == number) {
            return true;
        }
    }
    return false;
}

static bool reports(const struct exchange *exchange, uint64_t trigger, uint32_t number)
{
    for (size_t i = 0; i < exchange->report_count; i++) {
        if (exchange->reports[i].trigger == trigger && exchange->reports[i].number == number) {
            return true;
        }
    }
    return false;
}

static void look_at_names(struct checker *checker, const struct exchange *exchange)
{
    for (size_t i = 0; i < exchange->holding_count; i++) {
        const struct trigger *trigger = checker_trigger(checker, exchange->holding[i].trigger);

        if (trigger != NULL && trigger->run != NULL && trigger->run->number == exchange->holding[i].number) {
            trigger->run->named_true_ms = checker->true_ms;
        }
    }
}

/* What it holds is renewed; what it does not name it was never told of, or has let go. */
static void look_at_runs(struct checker *checker, const struct exchange *exchange, struct swap *swap)
{
    struct worker *worker = swap->worker;
    size_t max = 0;

    for (struct list_node *node = list_first(&worker->runs); node != NULL; node = list_next(&worker->runs, node)) {
        max++;
    }
    swap->again = arena_alloc_array(&checker->forever, max, sizeof *swap->again);
    for (struct list_node *node = list_first(&worker->runs); node != NULL; node = list_next(&worker->runs, node)) {
        struct run *run = CONTAINER_OF(node, struct run, in_worker);

        if (names(exchange, run->trigger->id, run->number)) {
            /* A word that comes when the lease may have ended may come too late. */
            bool is_in_time = checker->true_ms < checker_lease_end_ms(checker, run);

            if (is_in_time) {
                struct word *word = arena_alloc(&checker->forever, sizeof *word);

                *word = (struct word){.true_ms = checker->true_ms, .older = run->words};
                run->words = word;
                run->word_true_ms = checker->true_ms;
            }
        } else {
            run->unnamed_true_ms = checker->true_ms;
            run->unnamed_token = exchange->token;
        }
        if (!names(exchange, run->trigger->id, run->number) && !reports(exchange, run->trigger->id, run->number)) {
            swap->again[swap->again_count++] =
                (struct exchange_part){.trigger = run->trigger->id, .number = run->number};
        }
    }
}

/* Timed-out attempts that the worker no longer names, or reports, are dropped. A report of anybody will do. */
static void look_at_drops(struct checker *checker, const struct exchange *exchange, struct worker *worker)
{
    for (struct list_node *node = list_first(&worker->dropping); node != NULL;
         node = list_next(&worker->dropping, node)) {
        struct trigger *trigger = CONTAINER_OF(node, struct trigger, in_dropping);

        if (!names(exchange, trigger->id, trigger->drop_number) ||
            reports(exchange, trigger->id, trigger->drop_number)) {
            trigger->dropped_true_ms = checker->true_ms;
        }
    }
    for (size_t i = 0; i < exchange->report_count; i++) {
        struct trigger *trigger = checker_trigger(checker, exchange->reports[i].trigger);

        if (trigger == NULL) {
            continue;
        }
        if (trigger->drop_number == exchange->reports[i].number) {
            trigger->dropped_true_ms = checker->true_ms;
        }
        if (trigger->run != NULL && trigger->run->number == exchange->reports[i].number) {
            trigger->run->unnamed_true_ms = checker->true_ms;
        }
    }
}

/* ---- an exchange ---- */

/* Ends that were durable when it came: of what it reports, and of what it holds. */
static void fill_parts(struct checker *checker, const struct exchange *exchange, struct swap *swap)
{
    swap->reports = arena_zalloc(&checker->forever, (exchange->report_count + 1) * sizeof *swap->reports);
    swap->holding = arena_zalloc(&checker->forever, (exchange->holding_count + 1) * sizeof *swap->holding);
    for (size_t i = 0; i < exchange->report_count; i++) {
        const struct report *report = &exchange->reports[i];
        const struct trigger *trigger = checker_trigger(checker, report->trigger);
        const struct ended *ended = trigger != NULL ? checker_ended(trigger, report->number) : NULL;

        swap->reports[swap->report_count++] = (struct exchange_part){
            .trigger = report->trigger,
            .number = report->number,
            .state = report->state,
            .is_new = trigger == NULL || report->number > trigger->granted || report->number == 0,
            .is_same = ended != NULL && ended->state == report->state && trigger->granted == report->number &&
                       trigger->has_row && trigger->row.last.number == report->number &&
                       str_equal(ended->worker, exchange->worker),
        };
    }
    for (size_t i = 0; i < exchange->holding_count; i++) {
        const struct attempt_ref *held = &exchange->holding[i];
        const struct trigger *trigger = checker_trigger(checker, held->trigger);
        const struct ended *ended = trigger != NULL ? checker_ended(trigger, held->number) : NULL;
        bool is_stopped = ended != NULL && (ended->state == ATTEMPT_CANCELLED || ended->state == ATTEMPT_TIMED_OUT ||
                                            ended->state == ATTEMPT_LOST);

        swap->holding[swap->holding_count++] = (struct exchange_part){
            .trigger = held->trigger,
            .number = held->number,
            .is_over = is_stopped && ended->epoch == checker->epoch && str_equal(ended->worker, exchange->worker) &&
                       !reports(exchange, held->trigger, held->number),
        };
    }
}

static struct swap *get_swap(struct checker *checker, uint64_t token)
{
    struct map_node *node = map_find_number(&checker->swaps, token);
    struct swap *swap = node != NULL ? CONTAINER_OF(node, struct swap, by_token) : NULL;

    if (swap == NULL) {
        swap = arena_zalloc(&checker->forever, sizeof *swap);
        (void)map_insert_number(&checker->swaps, &swap->by_token, token);
    } else { /* a poll that the next owner was handed */
        struct map_node by_token = swap->by_token;

        *swap = (struct swap){.by_token = by_token};
    }
    return swap;
}

void checker_exchange(struct checker *checker, int64_t true_ms, const struct exchange *exchange)
{
    if (!checker_begin(checker, true_ms)) {
        return;
    }
    struct swap *swap = get_swap(checker, exchange->token);
    struct worker *worker = checker_worker_get(checker, exchange->worker);

    checker->figures.exchanges++;
    swap->worker = worker;
    swap->epoch = checker->epoch;
    swap->want = exchange->want;
    swap->is_after_drain = checker->is_draining;
    swap->is_refused = exchange->seq >= 0 && exchange->seq <= worker->last_seq;
    worker->wanted += exchange->want;
    worker->targets |= exchange->targets != 0 ? exchange->targets : ~0U;
    fill_parts(checker, exchange, swap);
    look_at_drops(checker, exchange, worker);
    for (size_t i = 0; i < exchange->report_count; i++) {
        hear(checker, &exchange->reports[i]);
    }
    look_at_names(checker, exchange);
    if (!swap->is_refused) {
        worker->last_seq = exchange->seq >= 0 ? exchange->seq : worker->last_seq;
        look_at_runs(checker, exchange, swap);
    }
    arena_reset(&checker->of_batch);
}
