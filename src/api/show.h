/* show: a job or a trigger, read from the store as the contract shows it. For answers of reads and of changes alike.
 *
 * A change is answered with what the store has when it is durable, so a person sees the same as with a read afterwards.
 *
 * Owns:  struct shown_x own their rows; shown_x_done ends them, also where reading failed.
 * Rules: (1) on a reader's thread alone (api_read).
 *        (2) functions that return false have answered with a problem; what is read is ended by then.
 * See:   wire/job.h, wire/trigger.h, api/request.h
 */
#ifndef API_SHOW_H
#define API_SHOW_H

#include "api/request.h"
#include "wire/job.h"
#include "wire/trigger.h"

/* An arena for one definition that is looked at and let go. */
#define SHOW_DEF_BLOCK_BYTES 16384
#define SHOW_DEF_BYTES_MAX (8UL * 1024 * 1024)

/* A job with all that wire_job asks for. */
struct shown_job {
    struct rows job_rows;     /* of the job's row */
    struct rows trigger_rows; /* of its newest triggers */
    struct wire_job job;
    struct job_def def;
};

/* has_history: counts and the last result, too; without it they are those of a job that has just been made. */
bool show_job_read(struct api_request *request, struct store_reader *reader, const struct job_ref *ref,
                   bool has_history, struct shown_job *ret_shown);
void shown_job_done(struct shown_job *shown);

/* Answers with the job, its ETag and, where it is not NULL, its Location. skipped may be NULL: then it is a Job, else a
 * JobChanged. */
void show_job_answer(struct api_request *request, struct shown_job *shown, int status, bool has_location,
                     const struct wire_skipped *skipped);

/* A trigger with its job's row: by its own row, or by a living claim where it has none yet. */
struct shown_trigger {
    struct rows rows;     /* of the trigger */
    struct rows job_rows; /* of its job; empty: the job was deleted */
    struct trigger_row row;
    struct wire_trigger trigger;
};

bool show_trigger_read(struct api_request *request, struct store_reader *reader, uint64_t id,
                       struct shown_trigger *ret_shown);
void shown_trigger_done(struct shown_trigger *shown);

/* Of a job's present definition; the default where there is no job. */
uint32_t show_max_attempts(struct str def);

#endif
