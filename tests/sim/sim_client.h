/* sim_client: somebody who creates jobs, changes them, asks about them and operates the whole.
 *
 * Owns:  what it knows of jobs and triggers, and its questions that are out.
 * Rules: (1) a question without an answer is asked again, word for word, or given up.
 *        (2) healed clients ask for nothing new: they resume what was paused and lift what was limited.
 * See:   client_ops.c (what it asks), client_create.c, client_operate.c (what operators ask), client_learn.c,
 * draw_def.h
 */
#ifndef TESTS_SIM_SIM_CLIENT_H
#define TESTS_SIM_SIM_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "draw_def.h"
#include "sim_names.h"
#include "sim_net.h"
#include "world.h"

#define CLIENT_SLOTS 4
#define CLIENT_MANY_MAX 24
#define CLIENT_OLD_MAX 16
#define CLIENT_PAUSED_MAX 8
#define JOB_NAME_BYTES 16

struct known_job {
    uint64_t id;
    unsigned tenant;
    char name[JOB_NAME_BYTES]; /* "": none */
    bool is_once;
    bool is_dependent;
    int family;
    uint32_t version;
    bool may_be_paused; /* this client asked for it, by id or by name */
    bool name_may_be_paused;
};

/* A question that is out. */
struct client_slot {
    struct sim_client *client;
    struct sim_timer patience;
    struct sim_message *message; /* NULL: free */
    struct sim_request *request; /* NULL: to be sent again by patience */
    unsigned tries;
    bool must_end;    /* asked until there is an answer */
    uint64_t subject; /* the job it is about; 0 */
};

struct sim_client {
    struct world *world;
    unsigned index;
    struct rng rng;
    struct sim_timer timer;
    struct client_slot slots[CLIENT_SLOTS];
    struct known_job *jobs; /* world.swarm.jobs_max of them */
    unsigned job_count;
    unsigned recurring;                      /* jobs that it made, or tried to */
    uint64_t keys;                           /* idempotency keys made so far */
    struct sim_message *old[CLIENT_OLD_MAX]; /* creates, runs and others that may be asked again */
    unsigned old_count;
    struct command paused[CLIENT_PAUSED_MAX]; /* its pauses that it has not taken back */
    unsigned paused_count;
    unsigned healing; /* how many of the heal's questions were asked */
    bool is_done;     /* healed, and everything was answered */
};

void sim_client_init(struct sim_client *client, struct world *world, unsigned index);
void sim_client_done(struct sim_client *client);

/* Stops asking for new things; resumes and lifts everything. */
void sim_client_heal(struct sim_client *client);

/* ---- between the client's files ---- */

/* The next question; NULL: none comes to mind. *ret_subject is the job it is about. */
struct sim_message *client_draw(struct sim_client *client, uint64_t *ret_subject);

/* What operators ask. */
struct sim_message *client_draw_settings(struct sim_client *client);
struct sim_message *client_draw_pause(struct sim_client *client, bool is_resume);

/* Question number n of the heal; NULL: there is no such. */
struct sim_message *client_heal_question(struct sim_client *client, unsigned n);

/* An answer: what is to be learnt from it. */
void client_learn(struct sim_client *client, const struct sim_message *message, uint64_t subject,
                  const struct reply *reply);

/* NULL: it knows none of that id. */
struct known_job *client_find(struct sim_client *client, uint64_t id);

/* Any; there is one. */
struct known_job *client_pick(struct sim_client *client);

/* A copy of a text that lives as long as the message. */
struct str client_keep(struct sim_message *message, struct str text);

/* The request's hash, and an idempotency key for it now and then. */
void client_set_key(struct sim_client *client, struct sim_message *message, unsigned tenant, struct str request);

/* Definitions; and definitions under a key that was another request's. NULL: not now. */
struct sim_message *client_draw_create(struct sim_client *client);
struct sim_message *client_draw_key_thief(struct sim_client *client);

#endif
