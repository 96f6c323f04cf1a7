#include "wire/result.h"
#include "wire/work_reading.h"

/* A report while its fields come in, in any order. */
struct draft {
    struct wire_report report;
    struct str result, output;
    bool is_final; /* retryable was false */
};

static enum err read_attempt(struct work_reading *reading, void *into)
{
    return work_read_attempt(reading, &((struct draft *)into)->report.attempt);
}

static enum err read_status(struct work_reading *reading, void *into)
{
    struct wire_report *report = &((struct draft *)into)->report;
    struct str word = {0};
    enum err err = work_read_text(reading, &word);

    if (err != ERR_OK) {
        return err;
    }
    if (str_is(word, "succeeded")) {
        report->state = ATTEMPT_SUCCEEDED;
    } else if (str_is(word, "failed")) {
        report->state = ATTEMPT_FAILED;
    } else if (str_is(word, "released")) {
        report->state = ATTEMPT_RELEASED;
    } else {
        err = err_set(reading->reterr, ERR_INVALID, "must be succeeded, failed or released");
    }
    return err;
}

static enum err read_result(struct work_reading *reading, void *into)
{
    struct str raw = walk_value(&reading->walk);

    if (raw.len > WIRE_RESULT_BYTES_MAX) {
        return err_set(reading->reterr, ERR_TOO_LARGE, "has %zu bytes; at most %d are allowed", raw.len,
                       WIRE_RESULT_BYTES_MAX);
    }
    ((struct draft *)into)->result = raw;
    return ERR_OK;
}

static enum err read_output(struct work_reading *reading, void *into)
{
    struct draft *draft = into;
    enum err err = work_read_text(reading, &draft->output);

    draft->output = work_cut_beginning(draft->output, WIRE_OUTPUT_BYTES_MAX);
    return err;
}

static enum err read_code(struct work_reading *reading, void *into)
{
    struct str code = {0};
    enum err err = work_read_text(reading, &code);

    if (err == ERR_OK && (code.len == 0 || code.len > WIRE_ERROR_CODE_BYTES_MAX)) {
        err = err_set(reading->reterr, ERR_INVALID, "must have 1 to %d bytes", WIRE_ERROR_CODE_BYTES_MAX);
    }
    if (err == ERR_OK) {
        ((struct draft *)into)->report.error_code = code;
    }
    return err;
}

static enum err read_message(struct work_reading *reading, void *into)
{
    struct wire_report *report = &((struct draft *)into)->report;
    enum err err = work_read_text(reading, &report->error_message);

    report->error_message = work_cut_end(report->error_message, WIRE_ERROR_MESSAGE_BYTES_MAX);
    return err;
}

static enum err read_error(struct work_reading *reading, void *into)
{
    static const struct work_field fields[] = {
        {STR_INIT("code"), read_code},
        {STR_INIT("message"), read_message},
    };
    unsigned seen;
    enum err err = work_read_object(reading, fields, sizeof fields / sizeof fields[0], into, &seen);

    if (err == ERR_OK && ((struct draft *)into)->report.error_code.len == 0) {
        err = work_missing(reading, "code");
    }
    return err;
}

static enum err read_retryable(struct work_reading *reading, void *into)
{
    bool is_retryable = true;
    enum err err = walk_bool(&reading->walk, &is_retryable, reading->reterr);

    ((struct draft *)into)->is_final = !is_retryable;
    return err;
}

static enum err read_retry_after(struct work_reading *reading, void *into)
{
    return work_read_duration(reading, WIRE_RETRY_AFTER_MAX_MS, &((struct draft *)into)->report.retry_after_ms);
}

/* What means something for how it ended: an attempt that was given back gave nothing, one that succeeded has no error.
 */
static struct wire_report finish(struct work_reading *reading, const struct draft *draft)
{
    struct wire_report report = draft->report;

    if (report.state == ATTEMPT_FAILED) {
        report.is_permanent = draft->is_final;
    } else {
        report.error_code = report.error_message = STR("");
        report.retry_after_ms = 0;
    }
    if (report.state != ATTEMPT_RELEASED) {
        report.result = wire_result_pack(draft->result, draft->output, reading->arena);
    }
    return report;
}

enum err work_read_report(struct work_reading *reading, void *into)
{
    static const struct work_field fields[] = {
        {STR_INIT("attempt"), read_attempt},
        {STR_INIT("status"), read_status},
        {STR_INIT("result"), read_result},
        {STR_INIT("output"), read_output},
        {STR_INIT("error"), read_error},
        {STR_INIT("retryable"), read_retryable},
        {STR_INIT("retry_after"), read_retry_after},
    };
    struct draft draft = {.report = {.state = ATTEMPT_STARTED}};
    unsigned seen;
    enum err err = work_read_object(reading, fields, sizeof fields / sizeof fields[0], &draft, &seen);

    if (err == ERR_OK && draft.report.attempt.number == 0) {
        err = work_missing(reading, "attempt");
    }
    if (err == ERR_OK && draft.report.state == ATTEMPT_STARTED) {
        err = work_missing(reading, "status");
    }
    if (err == ERR_OK) {
        *(struct wire_report *)into = finish(reading, &draft);
    }
    return err;
}

/* ---- progress ---- */

static enum err read_progress_attempt(struct work_reading *reading, void *into)
{
    return work_read_attempt(reading, &((struct wire_work_progress *)into)->attempt);
}

static enum err read_percent(struct work_reading *reading, void *into)
{
    return walk_double(&reading->walk, 0, 100, &((struct wire_work_progress *)into)->percent, reading->reterr);
}

static enum err read_note(struct work_reading *reading, void *into)
{
    struct wire_work_progress *progress = into;
    enum err err = work_read_text(reading, &progress->note);

    progress->note = work_cut_end(progress->note, WIRE_NOTE_BYTES_MAX);
    return err;
}

enum err work_read_progress(struct work_reading *reading, void *into)
{
    static const struct work_field fields[] = {
        {STR_INIT("attempt"), read_progress_attempt},
        {STR_INIT("percent"), read_percent},
        {STR_INIT("note"), read_note},
    };
    struct wire_work_progress *progress = into;
    unsigned seen;

    progress->percent = -1;
    enum err err = work_read_object(reading, fields, sizeof fields / sizeof fields[0], progress, &seen);

    return err == ERR_OK && progress->attempt.number == 0 ? work_missing(reading, "attempt") : err;
}
