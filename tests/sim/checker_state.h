/* checker_state: what the checker knows of one batch, and its functions. Between the files of the checker.
 *
 * A batch is looked at as a whole: its operations are applied first, and what they changed is remembered beside (struct
 * job_change, trigger_change, start, stop); then every family of rules compares before and after. Only what a batch
 * leaves behind is seen of it: steps that were fused into one row are told apart by the times in the rows.
 *
 * Owns:  changes live in the arena of the batch.
 * See:   checker_model.h, checker.h
 */
#ifndef TESTS_SIM_CHECKER_STATE_H
#define TESTS_SIM_CHECKER_STATE_H

#include "base/arena.h"
#include "checker_model.h"

/* ---- one batch ---- */

/* Fires that this batch decided not to run. */
struct skipped {
    struct skipped *next;
    struct skip_row row;
    int64_t from_ms; /* of what is new in it */
    int64_t count;   /* likewise */
    bool is_longer;  /* the row was there */
};

/* An attempt that began in this batch. */
struct start {
    struct start *next_of_job, *next_of_trigger;
    struct run *run;
};

/* An attempt that ended in this batch. */
struct stop {
    struct stop *next_of_job;
    struct run *run;
    struct ended *ended; /* NULL: nobody wrote it down (its job is gone) */
};

struct job_change {
    struct job_change *next;
    struct job *job;
    bool was_there;
    struct job_row before;
    struct def_version *def_before; /* NULL: it was not there */
    bool is_written;                /* an INSERT or UPDATE in this batch */
    bool is_inserted, is_deleted;
    bool is_edges_changed;
    struct skip_row skip_before; /* the job's last one */
    struct skipped *skips, *last_skipped;
    struct start *starts;
    struct stop *stops;
    struct trigger *finished; /* a scheduled trigger from before that ended */
    int64_t late_ms;          /* a late report says that a run went on until then; TIME_NONE */
    bool is_cursor_known;     /* what checker_decide expects: */
    int64_t cursor_ms;
    int64_t fired;
};

/* One decision, or a run of the same: a claim for a nominal time, or skipped ones. */
struct piece {
    int64_t from_ms, to_ms;
    uint32_t version;
    const struct skipped *skip; /* NULL: a claim */
    const struct run *run;      /* NULL: skipped */
};

struct trigger_change {
    struct trigger_change *next;
    struct trigger *trigger;
    bool was_row;
    struct trigger_row before;
    uint32_t granted_before;
    struct run *run_before;
    bool is_written, is_inserted, is_deleted;
    bool is_replayed; /* it is dead, and names another replay */
    bool is_new;      /* nobody had heard of it */
    struct start *starts;
};

struct tenant_state {
    struct map_node by_name;
    struct scope_state *scope;
    int64_t jobs, stored;
    uint64_t touched_batch;
    int64_t inserted, deleted; /* in that batch */
    struct tenant_state *next_touched;
};

/* Something that began or ended, in the order of time. */
struct moment_of_run {
    int64_t at_ms;
    bool is_start;
    struct run *run;
    struct start *start;
    struct stop *stop;
};

struct batch_view {
    const struct batch *batch;
    uint64_t number;
    int64_t true_ms;
    struct job_change *jobs;
    struct trigger_change *triggers;
    struct claims_group *groups;
    struct scope_state *claimed;
    struct tenant_state *tenants;
    struct moment_of_run *moments; /* sorted: by time, ends first */
    size_t moment_count, moment_cap;
    struct ask *used;
    size_t idem_count;                                     /* IDEM_PUTs */
    uint64_t job_low, job_high, trigger_low, trigger_high; /* of new ids; 0: none */
};

/* ---- the checker ---- */

struct checker {
    struct checker_config config;
    struct arena forever, of_epoch, of_batch;
    struct map jobs, names, triggers, groups, workers, tenants;
    struct map scopes, keys, circuits;
    struct map fires;
    struct map asks, subjects, idems;
    struct map said, swaps;
    struct heap run_deadlines, job_deadlines;
    struct batch_view view;
    uint64_t epoch;
    uint64_t last_batch;
    uint64_t last_job_id, last_trigger_id, last_claims_id;
    int64_t id_high_ms;
    int64_t last_start_ms; /* of this epoch */
    uint64_t last_order;
    uint64_t last_mark;
    int64_t true_ms;
    int64_t restart_true_ms;
    uint64_t restart_batch;     /* the last before it */
    int64_t well_since_true_ms; /* TIME_NONE: it is not well */
    bool is_draining;
    uint64_t drain_batch;
    uint64_t counts[RULE_COUNT];
    struct checker_figures figures;
    enum checker_rule failed;
    char text[2048];
};

/* ---- checker.c ---- */

/* Counts a comparison; where it does not hold, remembers the first (the rest is as of printf, and made only then). Is
 * ok. */
#define checker_expect(checker, rule, ok, ...)                                                                         \
    checker_is(checker_holds((checker), (rule), (ok)) || (checker_fail((checker), (rule), __VA_ARGS__), false))

/* The answer itself, which need not be looked at. */
static inline bool checker_is(bool ok)
{
    return ok;
}

static inline bool checker_holds(struct checker *checker, enum checker_rule rule, bool ok)
{
    checker->counts[rule]++;
    return ok;
}

void checker_fail(struct checker *checker, enum checker_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

static inline bool checker_is_failed(const struct checker *checker)
{
    return checker->failed != RULE_COUNT;
}

/* Time goes on; false where something was found already and nothing is looked at any more. */
bool checker_begin(struct checker *checker, int64_t true_ms);

struct str checker_copy(struct checker *checker, struct str text); /* for ever */
/* The old copy where it says the same. */
struct str checker_keep(struct checker *checker, struct str old, struct str text);

/* For messages; a few at a time. */
const char *checker_job_text(const struct job *job);
const char *checker_trigger_text(const struct trigger *trigger);
const char *checker_time_text(int64_t ms);

/* How far times of two owners, or an owner's and true time, may lie apart; INT64_MAX: any. */
int64_t checker_slack_ms(const struct checker *checker);

/* a >= b, as far as clocks can be trusted: a and b come from different ones. */
bool checker_not_before(const struct checker *checker, int64_t a_ms, int64_t b_ms);

/* What a length of monotonic time may look like, at the least: clocks drift. */
int64_t checker_at_least_ms(int64_t length_ms);

/* A key of several texts, in the batch's arena: each with a NUL behind it. */
struct str checker_key(struct checker *checker, const struct str *texts, size_t count);

/* ---- checker_model.c: finding and making ---- */

struct job *checker_job(const struct checker *checker, uint64_t id); /* NULL: never heard of */
struct job *checker_job_get(struct checker *checker, uint64_t id);
struct job *checker_job_named(struct checker *checker, struct str tenant, struct str name); /* that is there */
struct trigger *checker_trigger(const struct checker *checker, uint64_t id);
struct trigger *checker_trigger_get(struct checker *checker, uint64_t id);
struct worker *checker_worker_get(struct checker *checker, struct str name);
struct scope_state *checker_scope_get(struct checker *checker, enum scope scope, struct str tenant, struct str name);
struct key_state *checker_key_get(struct checker *checker, struct str tenant, struct str key);
struct circuit_state *checker_circuit_get(struct checker *checker, struct str tenant, struct str type, uint64_t job);
struct tenant_state *checker_tenant_get(struct checker *checker, struct str name);
struct claims_group *checker_group(const struct checker *checker, uint64_t id);
struct job_change *checker_touch_job(struct checker *checker, struct job *job);
struct trigger_change *checker_touch_trigger(struct checker *checker, struct trigger *trigger);
struct ended *checker_ended(const struct trigger *trigger, uint32_t number);
struct idem *checker_idem(struct checker *checker, struct str tenant, struct str key); /* NULL: not used */
struct idem *checker_idem_get(struct checker *checker, struct str tenant, struct str key);

/* ---- checker_defs.c: definitions ---- */

/* Reads it and puts it among the job's versions; NULL (and a failure) where it cannot be read. */
struct def_version *checker_add_version(struct checker *checker, struct job *job, struct str text, uint32_t version,
                                        int64_t anchor_ms);
struct def_version *checker_version(const struct job *job, uint32_t version); /* NULL: unknown */
bool checker_is_once(const struct job *job); /* one-time, also through what it depends on */
/* Whether a dependent that comes with this batch is one-time, by the names in its definition. */
bool checker_is_once_by_name(struct checker *checker, const struct job *job, bool otherwise);
/* The job that a name or id in a definition means, as things are; NULL. */
const struct job *checker_resolve(struct checker *checker, const struct job *job, struct str name);
/* Whether the job is root or stands below it. */
bool checker_reaches(struct checker *checker, const struct job *root, struct job *job);
/* Whether the job kept its definition in this batch. */
bool checker_is_unedited(const struct job_change *change);
/* The canonical text of a definition with a patch applied; empty where it cannot be. keep_when: other ways of saying
 * "when" than the patch's stay. */
struct str checker_patched(struct checker *checker, struct str def, struct str patch, bool keep_when);

/* Retry policies and timeouts that may be the job's: its own, or where it names none a default of its type or tenant.
 */
#define CHECKER_POLICIES_MAX 16
struct checker_policies {
    struct retry retries[CHECKER_POLICIES_MAX];
    size_t retry_count;
    int64_t timeouts_ms[CHECKER_POLICIES_MAX];
    size_t timeout_count;
};
/* Of all versions from since (0: the one before this batch) to the current one. */
void checker_policies(struct checker *checker, const struct job *job, uint32_t since, struct checker_policies *ret);

/* ---- checker_apply*.c: operations; which attempts began and ended with them ---- */

void checker_apply(struct checker *checker);
void checker_apply_job(struct checker *checker, const struct op *op);
void checker_apply_trigger(struct checker *checker, const struct op *op);
void checker_apply_claims(struct checker *checker, const struct op *op);
struct place checker_keep_place(struct checker *checker, const struct place *old, const struct place *place);
/* What a row and a claim say alike of a trigger. */
void checker_meet_trigger(struct checker *checker, struct trigger *trigger, uint64_t job, enum trigger_kind kind,
                          uint32_t version, int64_t scheduled_ms);
void checker_take_attempt(struct checker *checker, struct trigger *trigger, const struct attempt_row *row,
                          bool has_row);
struct run *checker_new_run(struct checker *checker, const struct claim *claim, struct claims_group *group);
void checker_add_start(struct checker *checker, struct run *run);
void checker_touch_group(struct checker *checker, struct claims_group *group);
void checker_settle_runs(struct checker *checker); /* checker_runs.c */

/* ---- checker_fires.c: asking a schedule ---- */

int64_t fires_due_ms(const struct def_version *def, const struct job *job, int64_t fire_ms);
/* The last fire that is due at an instant; TIME_NONE. */
int64_t fires_last_due(const struct def_version *def, const struct job *job, int64_t at_ms);
/* The last fire at or before an instant; TIME_NONE. */
int64_t fires_last(const struct def_version *def, int64_t at_ms);
/* The first fire after an instant of a job that has fired so often; TIME_NONE. */
int64_t fires_next(const struct def_version *def, int64_t after_ms, int64_t fired);
bool fires_is(const struct def_version *def, int64_t fire_ms);
int64_t fires_count(const struct def_version *def, int64_t from_ms, int64_t to_ms); /* both included */
/* Whether both fire at the same nominal times. */
bool fires_same(const struct def_version *a, const struct def_version *b);
bool fires_after_finish(const struct def_version *def);

/* ---- checker_policy.c ---- */

/* Whether the decisions of a batch about a job, in the order of their nominal times, are those that its policies ask.
 */
void checker_policy(struct checker *checker, const struct job_change *change, const struct piece *pieces, size_t count);

/* ---- checker_deps.c ---- */

/* What is known of a job's fire; root 0: a scheduled one. */
struct fire *checker_fire(struct checker *checker, const struct job *job, int64_t scheduled_ms, uint64_t root);

/* Where a dependent's trigger for a fire ought to be, by what is known of its upstreams. */
enum dep_state { DEP_UNKNOWN, DEP_NONE, DEP_WAITING, DEP_MET, DEP_IMPOSSIBLE };
enum dep_state checker_dep_state(struct checker *checker, const struct trigger *trigger);

/* ---- checker_asks.c: commands without an answer ---- */

struct ask_list {
    struct ask_part **parts; /* in the batch's arena */
    size_t count;
};

/* Those of a kind that are about this job (by id or name), trigger, setting or definition. */
struct ask_list checker_asks_job(struct checker *checker, const struct job *job, enum command_kind kind);
struct ask_list checker_asks_trigger(struct checker *checker, uint64_t trigger, enum command_kind kind);
struct ask_list checker_asks_setting(struct checker *checker, enum scope scope, struct str tenant, struct str name,
                                     enum command_kind kind);
struct ask_list checker_asks_def(struct checker *checker, struct str def);
bool checker_is_asked_job(struct checker *checker, const struct job *job, enum command_kind kind);
bool checker_is_asked_trigger(struct checker *checker, const struct trigger *trigger, enum command_kind kind);

/* The job that a command names, as things are; NULL. */
struct job *checker_asked_job(struct checker *checker, const struct command *command);

/* A batch has its effect. others: whether it might as well be another's. */
void checker_use(struct checker *checker, struct ask *ask, bool has_others);

/* An answer tells whose it was: *made_by, which we took for another's, is part's. */
void checker_settle_ask(struct ask_part **made_by, struct ask_part *part);

/* It was answered. */
void checker_forget_ask(struct checker *checker, struct ask *ask);

/* Whether nobody else has asked for a change of the same thing since before it was sent. */
bool checker_is_alone(struct checker *checker, const struct ask *ask);

/* ---- answers: checker_answers.c, checker_answer_triggers.c, checker_work.c; exchanges: checker_exchange.c ---- */

void checker_answer(struct checker *checker, const struct reply *reply, struct ask *ask);
void checker_answer_triggers(struct checker *checker, const struct reply *reply, const struct ask *ask);
void checker_work(struct checker *checker, const struct reply *reply, struct swap *swap);
/* The latest report of an attempt with this state in this epoch, older than one; NULL. */
const struct said *checker_said(const struct checker *checker, const struct trigger *trigger, uint32_t number,
                                enum attempt_state state, const struct said *older_than);
void checker_new_epoch(struct checker *checker);

/* ---- checker_attempts.c ---- */

/* True time before which a run's lease cannot have ended. */
int64_t checker_lease_end_ms(const struct checker *checker, const struct run *run);

/* ---- checker_live.c ---- */

void checker_watch(struct checker *checker); /* after a batch: deadlines of what it touched */
bool checker_run_before(const struct heap_node *a, const struct heap_node *b);
bool checker_job_before(const struct heap_node *a, const struct heap_node *b);

/* ---- families of rules over one batch, a file each ---- */

void checker_rows(struct checker *checker);
void checker_decide(struct checker *checker);
void checker_cursor(struct checker *checker);
void checker_attempts(struct checker *checker);
void checker_overlap(struct checker *checker);
void checker_gates(struct checker *checker);
void checker_breaker(struct checker *checker);
void checker_deps(struct checker *checker);
void checker_changes(struct checker *checker);
void checker_change_triggers(struct checker *checker);
void checker_replays(struct checker *checker);

#endif
