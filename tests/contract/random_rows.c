#include "random_rows.h"

#include "samples.h"

struct str random_text(struct rng *rng)
{
    static const char *const texts[] = {"",     "a", "b", "ab", "\xc3\xa4", "a'b", "%", "_", "\xf0\x9f\x94\x94",
                                        "a\nb", "A"};

    return str_from(PICK(rng, texts));
}

struct str random_name(struct rng *rng)
{
    static const char *const names[] = {"", "", "a", "ab", "abc", "b", "B", "a%", "a_"};

    return str_from(PICK(rng, names));
}

struct str random_tenant(struct rng *rng)
{
    static const char *const names[] = {"acme", "globex", "A"};

    return str_from(PICK(rng, names));
}

struct str random_type(struct rng *rng)
{
    static const char *const names[] = {"", "send", "crawl"};

    return str_from(PICK(rng, names));
}

struct str random_def(struct rng *rng)
{
    static const char *const defs[] = {
        "{}",
        "{\"labels\":{\"team\":\"a\"}}",
        "{\"labels\":{\"team\":\"b\",\"env\":\"a\"},\"payload\":12345678901234567890.10}",
        "{\"payload\":{\"labels\":{\"team\":\"a\"}}}",
    };

    return str_from(PICK(rng, defs));
}

/* Few different ones, so that many are equal. */
int64_t random_ms(struct rng *rng)
{
    return (int64_t)rng_below(rng, 12) * 100 - 300;
}

int64_t random_ms_or_none(struct rng *rng)
{
    return rng_chance(rng, 1, 4) ? TIME_NONE : random_ms(rng);
}

uint64_t random_job(struct rng *rng)
{
    return 1 + rng_below(rng, RANDOM_JOBS);
}

uint64_t random_trigger(struct rng *rng)
{
    return rng_chance(rng, 1, 6) ? RANDOM_RECURRING + 1 + rng_below(rng, RANDOM_JOBS - RANDOM_RECURRING)
                                 : 100 + rng_below(rng, RANDOM_TRIGGERS);
}

struct place random_place(struct rng *rng)
{
    return (struct place){rng_chance(rng, 1, 2) ? STR("mail") : STR("web"), random_tenant(rng), random_type(rng),
                          (int)rng_below(rng, 2) + 1};
}

uint64_t random_rules(struct rng *rng)
{
    return rng_below(rng, 4) << 62; /* 0, and numbers with and without the highest bit */
}

struct job_row random_job_row(struct rng *rng, uint64_t id)
{
    return (struct job_row){
        .id = id,
        .place = random_place(rng),
        .name = random_name(rng),
        .status = (enum job_status)rng_below(rng, 4),
        .version = (uint32_t)rng_below(rng, 4) + 1,
        .cursor_ms = random_ms_or_none(rng),
        .wake_ms = random_ms_or_none(rng),
        .held_to_ms = random_ms_or_none(rng),
        .missed_to_ms = random_ms_or_none(rng),
        .fired = (int64_t)rng_below(rng, 1000),
        .anchor_ms = random_ms(rng),
        .created_ms = random_ms(rng),
        .updated_ms = random_ms(rng),
        .rules = random_rules(rng),
        .def = random_def(rng),
    };
}

struct attempt_row random_attempt_row(struct rng *rng, uint64_t trigger)
{
    return (struct attempt_row){
        .trigger = trigger,
        .number = (uint32_t)rng_below(rng, 4) + 1,
        .state = (enum attempt_state)rng_below(rng, 7),
        .started_ms = random_ms(rng),
        .ended_ms = random_ms_or_none(rng),
        .worker = random_text(rng),
        .error_code = random_text(rng),
        .error_message = random_text(rng),
        .result = random_text(rng),
    };
}

struct trigger_row random_trigger_row(struct rng *rng, uint64_t id)
{
    static const enum trigger_state states[] = {TRIGGER_WAITING, TRIGGER_PENDING,   TRIGGER_SUCCEEDED,
                                                TRIGGER_DEAD,    TRIGGER_CANCELLED, TRIGGER_DEAD};
    struct trigger_row row = sample_trigger(id, id <= RANDOM_JOBS ? id : 1 + rng_below(rng, RANDOM_RECURRING));

    row.place = random_place(rng);
    row.kind = id <= RANDOM_JOBS ? TRIGGER_SCHEDULE : (enum trigger_kind)rng_below(rng, 5);
    row.state = PICK(rng, states);
    row.version = (uint32_t)rng_below(rng, 4);
    row.scheduled_ms = random_ms(rng);
    row.due_ms = random_ms(rng);
    row.attempts = (uint32_t)rng_below(rng, 3);
    row.failures = (uint32_t)rng_below(rng, 3);
    row.replayed_by = row.state == TRIGGER_DEAD && rng_chance(rng, 1, 3) ? random_trigger(rng) : 0;
    row.ended_ms = trigger_ended(row.state) ? random_ms(rng) : TIME_NONE;
    row.reason = random_text(rng);
    row.payload = random_text(rng);
    row.last = (struct attempt_row){0};
    if (rng_chance(rng, 3, 4)) {
        row.last = random_attempt_row(rng, id);
    }
    return row;
}

struct claims_row random_claims_row(struct rng *rng, struct arena *arena)
{
    size_t count = 1 + rng_below(rng, 4);
    struct claim *claims = arena_alloc_array(arena, count, sizeof *claims);

    for (size_t i = 0; i < count; i++) {
        uint64_t trigger = random_trigger(rng);

        claims[i] =
            sample_claim(trigger, trigger <= RANDOM_JOBS ? trigger : random_job(rng), 1 + (uint32_t)rng_below(rng, 3));
        claims[i].worker = random_text(rng);
    }
    return (struct claims_row){1 + rng_below(rng, RANDOM_CLAIMS), claims, count};
}

struct wait_row random_wait_row(struct rng *rng, struct arena *arena)
{
    size_t count = rng_below(rng, 4);
    uint64_t *ended = arena_alloc_array(arena, count, sizeof *ended);

    for (size_t i = 0; i < count; i++) {
        ended[i] = random_job(rng);
    }
    return (struct wait_row){
        random_job(rng), random_ms(rng), rng_below(rng, 2) * 50, random_trigger(rng), rng_chance(rng, 1, 2),
        ended,           count};
}
