/* What clients ask for, and what they remember of the answers. */
#include "engine_script_inside.h"

#include <string.h>

#include "base/hash.h"
#include "base/json.h"

/* JSON is written with ' here. */
static struct str json_of(struct script *script, const char *text)
{
    char *copy = arena_strdup(&script->arena, text);

    for (char *c = copy; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return str_from(copy);
}

static struct job_def *read_def(struct script *script, const char *definition)
{
    struct job_def *def = arena_zalloc(&script->arena, sizeof *def);
    struct str text = json_of(script, definition);
    struct jr_doc doc = {0};
    struct error error;

    if (jr_parse(text, NULL, &doc, &error) != ERR_OK ||
        job_def_read(text, jr_root(&doc), &script->arena, def, &error) != ERR_OK) {
        story_wrong(script->story, "%s: %s", definition, error.text);
    }
    jr_done(&doc);
    return def;
}

/* The reply, if it was given and is of this kind; anything else but silence is wrong. */
static const struct reply *ask(struct script *script, struct command *command, enum reply_kind kind)
{
    struct story *story = script->story;
    struct command *mine = arena_alloc(&script->arena, sizeof *mine);

    command->token = story->next_token++;
    *mine = *command;
    (void)story_run(story, (struct event){.kind = EVENT_COMMAND, .command = mine});
    const struct reply *reply = story_answer(story, command->token);

    if (reply != NULL && reply->kind != kind) {
        story_wrong(story, "step %zu: %s", script->next,
                    reply->kind == REPLY_ERROR ? reply->error.text : "another kind of reply");
        return NULL;
    }
    return reply;
}

static struct job_ref by_name(const char *name)
{
    return (struct job_ref){.tenant = STR("default"), .name = str_from(name)};
}

static void set_key(struct command *command, const struct step *step)
{
    if (step->key != NULL) {
        command->idem_key = str_from(step->key);
        command->idem_tenant = STR("default");
        command->idem_hash[0] = command->idem_hash[1] = hash64(step->key, strlen(step->key), 7);
    }
}

static void remember_key(struct script *script, const struct command *command, uint64_t id)
{
    const struct acked_key key = {
        .key = command->idem_key, .hash = command->idem_hash[0], .id = id, .is_manual = command->kind == COMMAND_RUN};

    if (!str_empty(key.key) && !acked_key(script->acked, &key)) {
        story_wrong(script->story, "key %.*s gave another answer", STR_ARGS(key.key));
    }
}

bool script_do_create(struct script *script, const struct step *step)
{
    struct job_def *def = read_def(script, step->text);
    struct command command = {.kind = COMMAND_CREATE, .defs = def, .def_count = 1};

    set_key(&command, step);
    const struct reply *reply = ask(script, &command, REPLY_JOBS);

    if (reply != NULL) {
        acked_job(script->acked, reply->jobs[0].id, reply->jobs[0].version, read_def(script, step->text));
        remember_key(script, &command, reply->jobs[0].id);
    }
    return reply != NULL;
}

bool script_do_patch(struct script *script, const struct step *step)
{
    struct command command = {.kind = COMMAND_PATCH, .ref = by_name(step->name), .text = json_of(script, step->text)};
    const struct reply *reply = ask(script, &command, REPLY_JOBS);

    if (reply != NULL) {
        acked_job(script->acked, reply->jobs[0].id, reply->jobs[0].version, read_def(script, step->after));
    }
    return reply != NULL;
}

bool script_do_set(struct script *script, const struct step *step)
{
    struct command command = {.kind = COMMAND_SETTINGS, .scope = SCOPE_TYPE, .name = str_from(step->name)};
    struct str text = json_of(script, step->text);
    struct jr_doc doc = {0};
    struct error error;

    if (jr_parse(text, NULL, &doc, &error) != ERR_OK ||
        settings_read(SCOPE_TYPE, text, jr_root(&doc), &command.settings, &error) != ERR_OK) {
        story_wrong(script->story, "%s: %s", step->text, error.text);
    }
    jr_done(&doc);
    const struct reply *reply = ask(script, &command, REPLY_DONE);

    if (reply != NULL) {
        acked_setting(script->acked, SCOPE_TYPE, command.name, &command.settings);
    }
    return reply != NULL;
}

bool script_do_run(struct script *script, const struct step *step)
{
    struct command command = {.kind = COMMAND_RUN, .ref = by_name(step->name)};

    set_key(&command, step);
    const struct reply *reply = ask(script, &command, REPLY_TRIGGERS);

    if (reply != NULL) {
        remember_key(script, &command, reply->triggers[0]);
    }
    return reply != NULL;
}

bool script_do_cancel(struct script *script, const struct step *step)
{
    struct command command = {.kind = COMMAND_STATUS, .ref = by_name(step->name), .status = JOB_CANCELLED};
    struct acked_job *job = acked_find(script->acked, str_from(step->name));
    const struct reply *reply = ask(script, &command, REPLY_JOBS);

    if (reply != NULL) {
        job->is_cancelled = true;
    }
    return reply != NULL;
}

/* Asked again it may be gone already: then the answer is an error. */
bool script_do_delete(struct script *script, const struct step *step)
{
    struct story *story = script->story;
    struct acked_job *job = acked_find(script->acked, str_from(step->name));
    struct command *command = arena_zalloc(&script->arena, sizeof *command);
    bool is_again = job->is_doomed;

    *command = (struct command){.kind = COMMAND_DELETE, .token = story->next_token++, .ref = by_name(step->name)};
    job->is_doomed = true;
    (void)story_run(story, (struct event){.kind = EVENT_COMMAND, .command = command});
    const struct reply *reply = story_answer(story, command->token);

    if (reply != NULL && reply->kind != REPLY_JOBS && !(is_again && reply->error.code == ERR_NOT_FOUND)) {
        story_wrong(story, "%s cannot be deleted: %s", step->name, reply->error.text);
        return false;
    }
    job->is_deleted = reply != NULL;
    return reply != NULL;
}
