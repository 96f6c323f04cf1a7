/* fuzz_exchange: the body of POST /v1/work, read by the walk and, beside it, by the tree.
 *
 * Input: the body.
 */
#include <assert.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/json.h"
#include "base/mem.h"
#include "calendar/duration.h"
#include "fuzz.h"
#include "input.h"
#include "model/name.h"
#include "wire/result.h"
#include "wire/work_read.h"

#define ARENA_BLOCK_BYTES (16 * 1024)

/* ---- what was read keeps the promises of the header ---- */

static bool is_text(struct str text, size_t bytes_max)
{
    return text.len <= bytes_max && str_utf8_valid(text, NULL);
}

static void check_attempt(struct wire_attempt_ref attempt)
{
    assert(attempt.trigger != ID_NONE && attempt.number > 0);
}

static void check_report(const struct wire_report *report)
{
    struct jr_doc doc = {0};
    struct str result, output;
    bool has_failed = report->state == ATTEMPT_FAILED;

    check_attempt(report->attempt);
    assert(has_failed || report->state == ATTEMPT_SUCCEEDED || report->state == ATTEMPT_RELEASED);
    assert(is_text(report->error_code, WIRE_ERROR_CODE_BYTES_MAX));
    assert(is_text(report->error_message, WIRE_ERROR_MESSAGE_BYTES_MAX));
    assert(has_failed || (report->error_code.len + report->error_message.len == 0 && !report->is_permanent));
    assert(report->retry_after_ms >= 0 && report->retry_after_ms <= WIRE_RETRY_AFTER_MAX_MS);
    wire_result_unpack(report->result, &result, &output);
    assert(is_text(output, WIRE_OUTPUT_BYTES_MAX) && result.len <= WIRE_RESULT_BYTES_MAX);
    /* equal keys and numbers too large for a double are all that a tree refuses of what the scanner takes */
    enum err err = result.len > 0 ? jr_parse(result, NULL, &doc, NULL) : ERR_OK;
    assert(err == ERR_OK || err == ERR_INVALID_JSON || err == ERR_TOO_LARGE);
    jr_done(&doc);
}

static void check_lists(const struct wire_work *work)
{
    assert(work->pool_count <= WIRE_POOLS_MAX && work->holding_count <= WIRE_HOLDING_MAX);
    assert(work->finished_count <= WIRE_FINISHED_MAX && work->progress_count <= WIRE_PROGRESS_MAX);
    for (size_t i = 0; i < work->pool_count; i++) {
        assert(name_check(work->pools[i], NULL) == ERR_OK);
    }
    for (size_t i = 0; i < work->holding_count; i++) {
        check_attempt(work->holding[i]);
    }
    for (size_t i = 0; i < work->finished_count; i++) {
        check_report(&work->finished[i]);
    }
    for (size_t i = 0; i < work->progress_count; i++) {
        check_attempt(work->progress[i].attempt);
        assert(work->progress[i].percent <= 100 && is_text(work->progress[i].note, WIRE_NOTE_BYTES_MAX));
    }
}

static void check_work(const struct wire_work *work)
{
    assert(work->worker.len > 0 && is_text(work->worker, WIRE_WORKER_BYTES_MAX));
    assert(is_text(work->name, WIRE_WORKER_NAME_BYTES_MAX));
    assert(work->seq >= -1 && work->seq <= WIRE_SEQ_MAX);
    assert((work->targets & ~WIRE_TARGETS_ANY) == 0);
    assert(work->capacity <= WIRE_CAPACITY_MAX && work->want <= WIRE_WANT_MAX);
    assert(work->wait_ms >= 0 && work->wait_ms <= WIRE_WAIT_MAX_MS);
    check_lists(work);
}

/* ---- the tree says the same ---- */

static bool is_given(struct jr object, const char *field)
{
    enum jr_kind kind = jr_kind(jr_get(object, field));

    return kind != JR_ABSENT && kind != JR_NULL;
}

static void compare_report(struct jr object, const struct wire_report *report)
{
    struct str text = {0};
    uint64_t trigger = 0;
    uint32_t number = 0;

    assert(jr_str(object, "attempt", &text, NULL) == ERR_OK);
    assert(id_parse_attempt(text, &trigger, &number, NULL) == ERR_OK);
    assert(trigger == report->attempt.trigger && number == report->attempt.number);
    assert(jr_str(object, "status", &text, NULL) == ERR_OK);
    assert(str_is(text, attempt_state_text(report->state)));
    if (report->state == ATTEMPT_FAILED && is_given(object, "error")) {
        assert(jr_str(jr_get(object, "error"), "code", &text, NULL) == ERR_OK);
        assert(str_equal(text, report->error_code));
    }
    if (report->state == ATTEMPT_SUCCEEDED) {
        assert((report->result.len > 0) >= is_given(object, "result"));
    }
}

static void compare(struct jr object, const struct wire_work *work)
{
    struct str text = {0};
    int64_t number = -1;
    int64_t capacity = 1, want = 0;

    assert(jr_str(object, "worker", &text, NULL) == ERR_OK && str_equal(text, work->worker));
    assert(jr_opt_int(object, "seq", 0, WIRE_SEQ_MAX, &number, NULL) == ERR_OK && number == work->seq);
    assert(jr_opt_int(object, "capacity", 0, WIRE_CAPACITY_MAX, &capacity, NULL) == ERR_OK);
    assert(jr_opt_int(object, "want", 0, WIRE_WANT_MAX, &want, NULL) == ERR_OK);
    assert((uint32_t)capacity == work->capacity && (uint32_t)want == work->want);
    text = STR("");
    assert(jr_opt_str(object, "name", &text, NULL) == ERR_OK && str_starts_with(text, work->name));
    assert(is_given(object, "pools") ? jr_count(jr_get(object, "pools")) == work->pool_count : work->pool_count == 1);
    assert(jr_count(jr_get(object, "holding")) == work->holding_count);
    assert(jr_count(jr_get(object, "progress")) == work->progress_count);
    assert(jr_count(jr_get(object, "finished")) == work->finished_count);
    for (size_t i = 0; i < work->finished_count; i++) {
        compare_report(jr_at(jr_get(object, "finished"), i), &work->finished[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct jscan_limits limits = {
        .bytes_max = WIRE_WORK_BYTES_MAX, .depth_max = WIRE_WORK_DEPTH_MAX, .nodes_max = WIRE_WORK_NODES_MAX};
    struct str text = str_from_bytes(data, size);
    SCOPE(arena_done) struct arena arena;
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct wire_work work = {.seq = 42};
    struct error error = {0};

    arena_init(&arena, ARENA_BLOCK_BYTES, WIRE_WORK_ARENA_BYTES_MAX);
    enum err err = wire_read_work(text, &arena, &work, &error);

    if (err != ERR_OK) {
        input_check_error(text, err, &error, 0);
        assert(work.seq == 42);
        assert(wire_read_work(text, &arena, &work, NULL) == err);
        return 0;
    }
    check_work(&work);
    if (jr_parse(text, &limits, &doc, NULL) == ERR_OK) {
        compare(jr_root(&doc), &work);
    }
    return 0;
}
