#include "base/buf.h"
#include "base/mem.h"
#include "checker_state.h"

/* ---- subjects ---- */

static struct str number_key(struct checker *checker, const char *kind, uint64_t number)
{
    return checker_key(checker, (struct str[]){str_from(kind), str_from_bytes(&number, sizeof number)}, 2);
}

static struct str name_key(struct checker *checker, struct str tenant, struct str name)
{
    return checker_key(checker, (struct str[]){STR("name"), tenant, name}, 3);
}

static struct str setting_key(struct checker *checker, enum scope scope, struct str tenant, struct str name)
{
    bool is_narrow = scope == SCOPE_TENANT_TYPE;

    return checker_key(checker,
                       (struct str[]){STR("set"), str_from(scope_text(scope)), is_narrow ? tenant : STR(""), name}, 4);
}

static struct str def_key(struct checker *checker, struct str def)
{
    return checker_key(checker, (struct str[]){STR("def"), def}, 2);
}

static struct subject *find_subject(const struct checker *checker, struct str key)
{
    struct map_node *node = map_find_text(&checker->subjects, key);

    return node != NULL ? CONTAINER_OF(node, struct subject, by_name) : NULL;
}

static struct subject *get_subject(struct checker *checker, struct str key)
{
    struct subject *subject = find_subject(checker, key);

    if (subject == NULL) {
        subject = arena_zalloc(&checker->forever, sizeof *subject);
        list_init(&subject->parts);
        (void)map_insert_text(&checker->subjects, &subject->by_name, checker_copy(checker, key));
    }
    return subject;
}

/* ---- finding ---- */

static void collect(struct checker *checker, struct str key, enum command_kind kind, struct ask_list *list)
{
    struct subject *subject = find_subject(checker, key);

    if (subject == NULL || list_empty(&subject->parts)) {
        return;
    }
    struct ask_part **parts =
        arena_alloc_array(&checker->of_batch, list->count + subject->asking, sizeof(struct ask_part *));
    if (list->count > 0) {
        memcpy(parts, list->parts, list->count * sizeof(struct ask_part *));
    }
    list->parts = parts;
    for (struct list_node *node = list_first(&subject->parts); node != NULL; node = list_next(&subject->parts, node)) {
        struct ask_part *part = CONTAINER_OF(node, struct ask_part, in_subject);

        if (part->ask->command.kind == kind) {
            list->parts[list->count++] = part;
        }
    }
}

struct ask_list checker_asks_job(struct checker *checker, const struct job *job, enum command_kind kind)
{
    struct ask_list list = {0};

    collect(checker, number_key(checker, "job", job->by_id.key.number), kind, &list);
    if (!str_empty(job->row.name)) {
        collect(checker, name_key(checker, job->row.place.tenant, job->row.name), kind, &list);
    }
    return list;
}

struct ask_list checker_asks_trigger(struct checker *checker, uint64_t trigger, enum command_kind kind)
{
    struct ask_list list = {0};

    collect(checker, number_key(checker, "trigger", trigger), kind, &list);
    return list;
}

struct ask_list checker_asks_setting(struct checker *checker, enum scope scope, struct str tenant, struct str name,
                                     enum command_kind kind)
{
    struct ask_list list = {0};

    collect(checker, setting_key(checker, scope, tenant, name), kind, &list);
    return list;
}

struct ask_list checker_asks_def(struct checker *checker, struct str def)
{
    struct ask_list list = {0};

    collect(checker, def_key(checker, def), COMMAND_CREATE, &list);
    return list;
}

bool checker_is_asked_job(struct checker *checker, const struct job *job, enum command_kind kind)
{
    return checker_asks_job(checker, job, kind).count > 0;
}

bool checker_is_asked_trigger(struct checker *checker, const struct trigger *trigger, enum command_kind kind)
{
    return checker_asks_trigger(checker, trigger->id, kind).count > 0;
}

struct job *checker_asked_job(struct checker *checker, const struct command *command)
{
    const struct job_ref *ref = &command->ref;
    struct job *job = ref->id != 0 ? checker_job(checker, ref->id) : checker_job_named(checker, ref->tenant, ref->name);

    if (job == NULL || !job->is_there ||
        (ref->id != 0 && !str_empty(ref->tenant) && !str_equal(ref->tenant, job->row.place.tenant))) {
        return NULL;
    }
    return job;
}

/* ---- being alone ---- */

/* Everything asked about what the command is about, ever; and what waits for an answer. */
static uint64_t asked(struct checker *checker, const struct ask *ask, uint64_t *ret_asking)
{
    const struct subject *own = ask->part_count > 0 ? ask->parts[0].subject : NULL;
    uint64_t sum = own != NULL ? own->asked : 0;

    *ret_asking = own != NULL ? own->asking : 0;
    if (ask->job == NULL) {
        return sum;
    }
    struct str keys[] = {number_key(checker, "job", ask->job->by_id.key.number),
                         name_key(checker, ask->job->row.place.tenant, ask->job->row.name)};
    for (size_t i = 0; i < 2; i++) {
        const struct subject *subject = find_subject(checker, keys[i]);

        if (subject != NULL && subject != own) {
            sum += subject->asked;
            *ret_asking += subject->asking;
        }
    }
    return sum;
}

bool checker_is_alone(struct checker *checker, const struct ask *ask)
{
    uint64_t asking;

    return ask->was_alone && asked(checker, ask, &asking) == ask->asked;
}

/* ---- a new one ---- */

static void add_part(struct checker *checker, struct ask *ask, size_t i, struct str key)
{
    struct ask_part *part = &ask->parts[i];

    part->ask = ask;
    part->subject = get_subject(checker, key);
    list_node_init(&part->in_subject);
    list_push_back(&part->subject->parts, &part->in_subject);
    part->subject->asking++;
    part->subject->asked++;
}

static struct str canonical(struct checker *checker, const struct job_def *given)
{
    SCOPE(buf_done) struct buf out;
    struct job_def def = *given;

    /* Writing puts lists in order: in ours, not in the sender's. */
    def.depends_on = arena_alloc_array(&checker->of_batch, def.depends_on_count, sizeof *def.depends_on);
    def.labels = arena_alloc_array(&checker->of_batch, def.label_count, sizeof *def.labels);
    if (def.depends_on_count > 0) {
        memcpy(def.depends_on, given->depends_on, def.depends_on_count * sizeof *def.depends_on);
    }
    if (def.label_count > 0) {
        memcpy(def.labels, given->labels, def.label_count * sizeof *def.labels);
    }
    buf_init(&out, 2UL * JSON_BYTES_MAX);
    job_def_write(&def, &out);
    return checker_copy(checker, buf_str(&out));
}

static void add_defs(struct checker *checker, struct ask *ask, const struct command *command)
{
    for (size_t i = 0; i < command->def_count; i++) {
        ask->parts[i].def = canonical(checker, &command->defs[i]);
        ask->parts[i].name = checker_copy(checker, command->defs[i].name);
        ask->parts[i].tenant = checker_copy(checker, command->defs[i].tenant);
        add_part(checker, ask, i, def_key(checker, ask->parts[i].def));
    }
}

static void add_job(struct checker *checker, struct ask *ask)
{
    const struct job_ref *ref = &ask->command.ref;

    ask->job = checker_asked_job(checker, &ask->command);
    add_part(checker, ask, 0,
             ref->id != 0 ? number_key(checker, "job", ref->id) : name_key(checker, ref->tenant, ref->name));
    if (ask->job != NULL) {
        const struct trigger *trigger = checker_trigger(checker, ask->job->by_id.key.number);

        ask->version = ask->job->row.version;
        ask->was_claimed = trigger != NULL && trigger->granted > 0 && ask->job->now->has_schedule &&
                           ask->job->now->schedule.kind == SCHEDULE_ONCE;
    }
}

static size_t part_count(const struct command *command)
{
    switch (command->kind) {
    case COMMAND_CREATE:
        return command->def_count;
    case COMMAND_REPLAY:
    case COMMAND_DISCARD:
    case COMMAND_CANCEL:
    case COMMAND_RETRY:
        return command->trigger_count;
    case COMMAND_WHY:
    case COMMAND_ACCEPT_CLOCK:
    case COMMAND_ACCEPT_HELD:
    case COMMAND_REZONE:
        return 0;
    case COMMAND_PATCH:
    case COMMAND_STATUS:
    case COMMAND_DELETE:
    case COMMAND_RUN:
    case COMMAND_BACKFILL:
    case COMMAND_SETTINGS:
    case COMMAND_PAUSE:
    case COMMAND_RESUME:
        break;
    }
    return 1;
}

static void copy_command(struct checker *checker, struct ask *ask, const struct command *command)
{
    struct command *own = &ask->command;
    uint64_t *triggers = arena_alloc_array(&checker->forever, command->trigger_count, sizeof *triggers);

    *own = *command;
    own->defs = NULL;
    if (command->trigger_count > 0) {
        memcpy(triggers, command->triggers, command->trigger_count * sizeof *triggers);
    }
    own->triggers = triggers;
    own->idem_key = checker_copy(checker, command->idem_key);
    own->idem_tenant = checker_copy(checker, command->idem_tenant);
    own->ref.tenant = checker_copy(checker, command->ref.tenant);
    own->ref.name = checker_copy(checker, command->ref.name);
    own->text = checker_copy(checker, command->text);
    own->tenant = checker_copy(checker, command->tenant);
    own->name = checker_copy(checker, command->name);
}

static void add_parts(struct checker *checker, struct ask *ask, const struct command *command)
{
    bool is_setting =
        command->kind == COMMAND_SETTINGS || command->kind == COMMAND_PAUSE || command->kind == COMMAND_RESUME;

    if (command->kind == COMMAND_CREATE) {
        add_defs(checker, ask, command);
    } else if (is_setting) {
        add_part(checker, ask, 0, setting_key(checker, command->scope, command->tenant, command->name));
    } else if (ask->part_count > 0 && command->trigger_count == 0) {
        add_job(checker, ask);
    } else {
        for (size_t i = 0; i < ask->part_count; i++) {
            add_part(checker, ask, i, number_key(checker, "trigger", command->triggers[i]));
        }
    }
}

void checker_command(struct checker *checker, int64_t true_ms, const struct command *command)
{
    uint64_t asking;

    if (!checker_begin(checker, true_ms)) {
        return;
    }
    struct ask *ask = arena_zalloc(&checker->forever, sizeof *ask);
    copy_command(checker, ask, command);
    checker->figures.commands++;
    checker->figures.indefinite++;
    if (!checker_expect(checker, RULE_ONE_ANSWER,
                        map_insert_number(&checker->asks, &ask->by_token, command->token) == NULL,
                        "token %llu is used twice", (unsigned long long)command->token)) {
        return;
    }
    ask->part_count = part_count(command);
    ask->parts = arena_zalloc(&checker->forever, (ask->part_count + 1) * sizeof *ask->parts);
    add_parts(checker, ask, command);
    ask->asked = asked(checker, ask, &asking);
    ask->was_alone = asking == 1;
    arena_reset(&checker->of_batch);
}

/* ---- used, answered ---- */

void checker_use(struct checker *checker, struct ask *ask, bool has_others)
{
    ask->is_used = true;
    ask->is_unsure = ask->is_unsure || has_others;
    ask->used_batch = checker->view.number;
    if (!ask->is_listed) {
        ask->is_listed = true;
        ask->next_used = checker->view.used;
        checker->view.used = ask;
    }
}

void checker_settle_ask(struct ask_part **made_by, struct ask_part *part)
{
    struct ask_part *other = *made_by;

    if (other == NULL || other == part || !other->ask->is_unsure) {
        return;
    }
    /* Each takes over what we took for the other's. */
    struct job *job = part->job;
    bool is_used = part->is_used;
    uint64_t batch = part->ask->used_batch;
    uint32_t version = part->ask->used_version;

    part->job = other->job;
    part->is_used = other->is_used;
    part->ask->used_batch = other->ask->used_batch;
    part->ask->used_version = other->ask->used_version;
    other->job = job;
    other->is_used = is_used;
    other->ask->used_batch = batch;
    other->ask->used_version = version;
    *made_by = part;
    if (other->job != NULL) {
        other->job->made_by = other;
    }
}

void checker_forget_ask(struct checker *checker, struct ask *ask)
{
    for (size_t i = 0; i < ask->part_count; i++) {
        list_remove(&ask->parts[i].in_subject);
        ask->parts[i].subject->asking--;
    }
    map_remove(&checker->asks, &ask->by_token);
    checker->figures.indefinite--;
}
