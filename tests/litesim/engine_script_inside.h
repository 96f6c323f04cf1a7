/* What the files of engine_script share: the steps, and how clients and workers do theirs. True: it was answered. */
#ifndef LITESIM_ENGINE_SCRIPT_INSIDE_H
#define LITESIM_ENGINE_SCRIPT_INSIDE_H

#include "engine_script.h"

enum step_kind {
    CREATE,  /* text: the definition; key: or none */
    PATCH,   /* name, text; after: the definition that it makes */
    SET,     /* name (of a type), text */
    RUN,     /* name, key */
    CANCEL,  /* name */
    DELETE,  /* name */
    POLL,    /* worker, number: how many it wants */
    SUCCEED, /* worker; name: of which job; NULL: the oldest that it holds. Nothing, where it holds none */
    FAIL,
    RELEASE,
    WAIT, /* number: ms */
    TIDY,
};

struct step {
    enum step_kind kind;
    int worker;
    int64_t number;
    const char *name, *key, *text, *after;
};

/* Clients. */
bool script_do_create(struct script *script, const struct step *step);
bool script_do_patch(struct script *script, const struct step *step);
bool script_do_set(struct script *script, const struct step *step);
bool script_do_run(struct script *script, const struct step *step);
bool script_do_cancel(struct script *script, const struct step *step);
bool script_do_delete(struct script *script, const struct step *step);

/* Workers. */
bool script_do_report(struct script *script, const struct step *step, enum attempt_state state);
bool script_poll(struct script *script, int worker, uint32_t want);
bool script_report(struct script *script, const struct held *held, enum attempt_state state);

#endif
