#include "engine_script_inside.h"

#include "base/mem.h"

/* Rounds of script_finish, half a minute each. */
#define FINISH_ROUNDS_MAX 80
#define FINISH_ROUND_MS 30000

static const struct step steps[] = {
    {SET, .name = "mail", .text = "{'rate':'20/m','burst':2,'max_in_flight':3}"},
    {CREATE, .text = "{'name':'pulse','every':'1m','overlap':'skip','ends_at':'2026-04-08T09:10:00Z'}"},
    {CREATE, .text = "{'name':'after','depends_on':['pulse'],'payload':{'of':'pulse'}}"},
    {CREATE, .key = "mail-1", .text = "{'type':'mail','payload':{'to':'a@example.org'}}"},
    {CREATE, .key = "mail-2", .text = "{'type':'mail','payload':{'to':'b@example.org'}}"},
    {CREATE, .text = "{'name':'import','retry':{'max_attempts':4,'delays':['10s'],'jitter':0},'priority':1}"},
    {POLL, .worker = 0, .number = 3},
    {FAIL, .worker = 0, .name = "import"},
    {SUCCEED, .worker = 0},
    {.kind = TIDY},
    {CREATE, .text = "{'name':'queue','every':'45s','overlap':'queue','ends_at':'2026-04-08T09:10:00Z',"
                     "'misfire':'backfill'}"},
    {CREATE, .text = "{'name':'sweep','every':'30s','overlap':'collapse','ends_at':'2026-04-08T09:10:00Z'}"},
    {WAIT, .number = 20000},
    {POLL, .worker = 1, .number = 4},
    {RELEASE, .worker = 1, .name = "import"},
    {SUCCEED, .worker = 1},
    {SUCCEED, .worker = 0},
    {CREATE, .text = "{'name':'never','delay':'1h'}"},
    {CREATE, .text = "{'name':'gone','payload':{'note':'it is deleted while it runs'}}"},
    {POLL, .worker = 1, .number = 2},
    {WAIT, .number = 25000},
    {.kind = TIDY},
    {DELETE, .name = "gone"},
    {POLL, .worker = 0, .number = 4},
    {FAIL, .worker = 0},
    {RUN, .name = "sweep", .key = "run-1"},
    {WAIT, .number = 16000},
    {POLL, .worker = 1, .number = 4},
    {WAIT, .number = 9000},
    {POLL, .worker = 0, .number = 1},
    {SUCCEED, .worker = 0},
    {.kind = TIDY},
    {PATCH, .name = "import", .text = "{'payload':{'step':2}}",
     .after = "{'name':'import','retry':{'max_attempts':4,'delays':['10s'],'jitter':0},'priority':1,"
              "'payload':{'step':2}}"},
    {CANCEL, .name = "never"},
    {POLL, .worker = 0, .number = 2},
    {WAIT, .number = 28000},
    {POLL, .worker = 1, .number = 1},
    {SUCCEED, .worker = 1},
    {SUCCEED, .worker = 1},
    {CREATE, .key = "mail-1", .text = "{'type':'mail','payload':{'to':'a@example.org'}}"},
    {FAIL, .worker = 0},
    {SUCCEED, .worker = 0},
    {.kind = TIDY},
    {WAIT, .number = 31000},
    {POLL, .worker = 0, .number = 3},
    {POLL, .worker = 1, .number = 3},
    {SUCCEED, .worker = 0},
    {RELEASE, .worker = 1},
    {SUCCEED, .worker = 0, .name = "pulse"},
    {CREATE, .key = "mail-3", .text = "{'type':'mail','payload':{'to':'c@example.org'}}"},
    {CREATE, .text = "{'name':'fragile','retry':{'max_attempts':2,'delays':['5s'],'jitter':0},'priority':1}"},
    {POLL, .worker = 0, .number = 1},
    {FAIL, .worker = 0, .name = "fragile"},
    {WAIT, .number = 6000},
    {.kind = TIDY},
    {POLL, .worker = 0, .number = 1},
    {FAIL, .worker = 0, .name = "fragile"},
    {RUN, .name = "fragile", .key = "run-2"},
    {SUCCEED, .worker = 1},
    {WAIT, .number = 61000},
    {POLL, .worker = 0, .number = 4},
    {RELEASE, .worker = 0, .name = "queue"},
    {SUCCEED, .worker = 0, .name = "pulse"},
    {CREATE, .text = "{'name':'last','concurrency':{'key':'one','max':1},'labels':{'of':'many'}}"},
    {.kind = TIDY},
    {POLL, .worker = 1, .number = 6},
    {FAIL, .worker = 1},
    {SUCCEED, .worker = 1},
    {SUCCEED, .worker = 1, .name = "after"},
    {WAIT, .number = 40000},
    {POLL, .worker = 1, .number = 6},
    {SUCCEED, .worker = 1},
};

void script_init(struct script *script, struct story *story)
{
    *script = (struct script){.story = story, .acked = mem_alloc(sizeof *script->acked)};
    acked_init(script->acked);
    arena_init(&script->arena, 16384, 1UL << 28);
}

void script_done(struct script *script)
{
    acked_done(script->acked);
    mem_free(script->acked);
    arena_done(&script->arena);
}

static bool do_wait(struct script *script, const struct step *step)
{
    if (script->wait_until == 0) {
        script->wait_until = script->story->at.mono_ms + step->number;
    }
    bool is_done = story_wait_until(script->story, script->wait_until);

    script->wait_until = is_done ? 0 : script->wait_until;
    return is_done;
}

static bool do_step(struct script *script, const struct step *step)
{
    switch (step->kind) {
    case CREATE:
        return script_do_create(script, step);
    case PATCH:
        return script_do_patch(script, step);
    case SET:
        return script_do_set(script, step);
    case RUN:
        return script_do_run(script, step);
    case CANCEL:
        return script_do_cancel(script, step);
    case DELETE:
        return script_do_delete(script, step);
    case POLL:
        return script_poll(script, step->worker, (uint32_t)step->number);
    case SUCCEED:
        return script_do_report(script, step, ATTEMPT_SUCCEEDED);
    case FAIL:
        return script_do_report(script, step, ATTEMPT_FAILED);
    case RELEASE:
        return script_do_report(script, step, ATTEMPT_RELEASED);
    case WAIT:
        return do_wait(script, step);
    case TIDY:
        story_tidy(script->story);
        return true;
    }
    return false;
}

static bool goes_on(const struct script *script)
{
    return script->story->outcome == STORE_DONE && !script->story->is_wrong;
}

bool script_run(struct script *script)
{
    (void)story_run(script->story, (struct event){.kind = EVENT_TICK});
    while (goes_on(script) && script->next < sizeof steps / sizeof steps[0]) {
        script->next += do_step(script, &steps[script->next]) ? 1 : 0;
    }
    return goes_on(script);
}

bool script_repeat_keys(struct script *script)
{
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && goes_on(script); i++) {
        if (steps[i].key != NULL) {
            (void)do_step(script, &steps[i]);
        }
    }
    return goes_on(script);
}

static bool is_idle(const struct script *script)
{
    struct engine_figures figures;

    engine_figures(script->story->engine, &figures);
    return script->story->at.wall_ms > SCRIPT_ENDS_MS && script->held_count == 0 && figures.running == 0 &&
           figures.triggers == 0;
}

bool script_finish(struct script *script)
{
    for (int i = 0; goes_on(script); i++) {
        for (int worker = 0; worker < SCRIPT_WORKERS && goes_on(script); worker++) {
            (void)script_poll(script, worker, 8);
        }
        /* What ends here may let something else begin: only a round without work is the last. */
        if (goes_on(script) && is_idle(script)) {
            return true;
        }
        while (goes_on(script) && script->held_count > 0) {
            (void)script_report(script, &script->held[0], ATTEMPT_SUCCEEDED);
        }
        if (i == FINISH_ROUNDS_MAX) {
            story_wrong(script->story, "there is always something left to do");
        }
        (void)story_wait_until(script->story, script->story->at.mono_ms + FINISH_ROUND_MS);
    }
    return false;
}
