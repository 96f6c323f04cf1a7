#include "store_work.h"

#include "base/id.h"

const struct str work_def =
    STR_INIT("{\"type\":\"send_email\",\"payload\":{\"to\":\"someone@example.com\",\"template\":\"welcome\"}}");
const struct str work_worker = STR_INIT("worker-3f9c0a17be52d684");

struct place work_place(uint64_t i)
{
    static const struct str tenants[] = {STR_INIT("acme"), STR_INIT("globex"), STR_INIT("initech"), STR_INIT("hooli")};
    static const struct str types[] = {STR_INIT("send_email"), STR_INIT("resize"), STR_INIT("report"),
                                       STR_INIT("sync")};

    return (struct place){STR("default"), tenants[i % 4], types[i / 4 % 4], 3};
}

uint64_t work_id(uint64_t i)
{
    /* Fifty ids in each millisecond, as a busy shard gives them. */
    uint64_t ms = (uint64_t)(WORK_NOW_MS - ID_EPOCH_MS) + i / 50;

    return ms << (ID_SHARD_BITS + ID_SEQ_BITS) | i % 50;
}

/* Claims rows are named after their first job. */
static uint64_t claims_id(uint64_t first)
{
    return first + 1;
}

void work_create(struct batch *batch, uint64_t first, size_t count, int64_t wake_ms, int64_t spread_ms)
{
    for (uint64_t i = first; i < first + count; i++) {
        int64_t at_ms = spread_ms == 0 ? wake_ms : wake_ms + (int64_t)(i * 7919 % (uint64_t)spread_ms);

        batch_add(batch, OP_JOB_INSERT)->job = (struct job_row){
            .id = work_id(i),
            .place = work_place(i),
            .version = 1,
            .cursor_ms = at_ms,
            .wake_ms = at_ms,
            .held_to_ms = TIME_NONE,
            .missed_to_ms = TIME_NONE,
            .anchor_ms = WORK_NOW_MS,
            .created_ms = WORK_NOW_MS,
            .updated_ms = WORK_NOW_MS,
            .def = work_def,
        };
    }
}

void work_claim(struct batch *batch, uint64_t first, size_t count, struct claim *claims)
{
    for (size_t i = 0; i < count; i++) {
        claims[i] = (struct claim){
            .trigger = work_id(first + i),
            .job = work_id(first + i),
            .number = 1,
            .version = 1,
            .scheduled_ms = WORK_NOW_MS,
            .started_ms = WORK_NOW_MS + 1,
            .worker = work_worker,
        };
    }
    batch_add(batch, OP_CLAIMS_INSERT)->claims = (struct claims_row){claims_id(first), claims, count};
}

static void finish_one(struct batch *batch, uint64_t i)
{
    batch_add(batch, OP_JOB_UPDATE)->job = (struct job_row){
        .id = work_id(i),
        .place = work_place(i),
        .status = JOB_COMPLETED,
        .version = 1,
        .cursor_ms = TIME_NONE,
        .wake_ms = TIME_NONE,
        .held_to_ms = TIME_NONE,
        .missed_to_ms = TIME_NONE,
        .fired = 1,
        .anchor_ms = WORK_NOW_MS,
        .updated_ms = WORK_NOW_MS + 2,
    };
    batch_add(batch, OP_TRIGGER_INSERT)->trigger = (struct trigger_row){
        .id = work_id(i),
        .job = work_id(i),
        .place = work_place(i),
        .kind = TRIGGER_SCHEDULE,
        .state = TRIGGER_SUCCEEDED,
        .version = 1,
        .scheduled_ms = WORK_NOW_MS,
        .due_ms = WORK_NOW_MS,
        .attempts = 1,
        .created_ms = WORK_NOW_MS + 1,
        .ended_ms = WORK_NOW_MS + 2,
        .last = {work_id(i), 1, ATTEMPT_SUCCEEDED, WORK_NOW_MS + 1, WORK_NOW_MS + 2, .worker = work_worker},
    };
}

void work_finish(struct batch *batch, uint64_t first, size_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        finish_one(batch, i);
    }
    batch_add(batch, OP_CLAIMS_DELETE)->id = claims_id(first);
}
