/* command: what clients ask for, one file for each family.
 *
 * A command runs to its end in one step, or says what it lacks (request_needs_...) and changes nothing: it runs again
 * from its beginning when that has been read.
 */
#ifndef ENGINE_COMMAND_H
#define ENGINE_COMMAND_H

#include "engine/core.h"
#include "engine/request.h"

enum command_result {
    COMMAND_DONE, /* the reply is gathered */
    COMMAND_LACKS /* rows; nothing was changed */
};

enum command_result engine_command_run(struct engine *engine, struct request *request, const struct rows *rows);

enum command_result engine_command_create(struct engine *engine, struct request *request, const struct rows *rows);
enum command_result engine_command_patch(struct engine *engine, struct request *request);
enum command_result engine_command_status(struct engine *engine, struct request *request);
enum command_result engine_command_delete(struct engine *engine, struct request *request);
enum command_result command_run_job(struct engine *engine, struct request *request);
enum command_result engine_command_backfill(struct engine *engine, struct request *request, const struct rows *rows);
enum command_result engine_command_replay(struct engine *engine, struct request *request, const struct rows *rows);
enum command_result engine_command_discard(struct engine *engine, struct request *request, const struct rows *rows);
enum command_result engine_command_cancel(struct engine *engine, struct request *request, const struct rows *rows);
enum command_result engine_command_retry(struct engine *engine, struct request *request, const struct rows *rows);
enum command_result engine_command_settings(struct engine *engine, const struct command *command);
enum command_result engine_command_rezone(struct engine *engine, struct request *request);
enum command_result engine_command_why(struct engine *engine, struct request *request, const struct rows *rows);

/* The job a command means; NULL with *ret_result set: the reply is gathered, or rows are lacking. */
struct job *command_job(struct engine *engine, struct request *request, enum command_result *ret_result);

/* The id by which a definition names an upstream; ID_NONE: it gives a name. */
uint64_t command_upstream_id(struct str upstream);

/* The job's definition is not in memory: has it read, once. */
enum command_result command_needs_def(struct engine *engine, struct request *request, const struct job *job);

/* Before anything is done: an answer given under the same key before is given again. True: over. */
bool command_answered_before(struct engine *engine, struct request *request, enum command_result *ret_result);
/* After it was done: keeps the ids for the next time. */
void command_keep_answer(struct engine *engine, struct request *request, char kind, const uint64_t *ids, size_t count);

struct reply *command_reply_jobs(struct engine *engine, const struct command *command, struct job *const *jobs,
                                 size_t count);
struct reply *command_reply_triggers(struct engine *engine, const struct command *command, const uint64_t *ids,
                                     size_t count, int64_t not_needed);
enum command_result command_error(struct engine *engine, const struct command *command, const struct error *error);

/* Cancels everything of the job that has not ended. */
void command_cancel_triggers(struct engine *engine, struct job *job, struct str reason);

#endif
