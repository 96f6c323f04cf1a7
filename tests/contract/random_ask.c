#include "random_ops.h"
#include "random_rows.h"

static struct load_key any_key(struct rng *rng)
{
    struct load_key key = {.kind = (enum load_key_kind)rng_below(rng, 5)};

    key.id = key.kind == KEY_TRIGGER ? random_trigger(rng) : random_job(rng);
    key.tenant = random_tenant(rng);
    key.text = key.kind == KEY_IDEM ? random_text(rng) : random_name(rng);
    key.from_ms = random_ms(rng);
    key.to_ms = random_ms(rng);
    return key;
}

struct load random_load(struct rng *rng, struct arena *arena)
{
    size_t count = 1 + rng_below(rng, 8);
    struct load_key *keys = arena_alloc_array(arena, count, sizeof *keys);

    for (size_t i = 0; i < count; i++) {
        keys[i] = any_key(rng);
    }
    return (struct load){
        .kind = (enum load_kind)rng_below(rng, 3),
        .place = random_place(rng),
        .after_ms = random_ms_or_none(rng),
        .after_id = random_job(rng),
        .until_ms = rng_chance(rng, 1, 2) ? INT64_MAX : random_ms(rng),
        .limit = 1 + rng_below(rng, 4),
        .keys = keys,
        .key_count = count,
    };
}

struct query random_query(struct rng *rng)
{
    struct query q = {
        .kind = (enum query_kind)rng_below(rng, QUERY_ALL_IDEMS + 1), .after_ms = TIME_NONE, .since_ms = TIME_NONE};

    q.limit = 1 + rng_below(rng, 6);
    q.id = q.kind == QUERY_TRIGGER || q.kind == QUERY_ATTEMPTS ? random_trigger(rng) : random_job(rng);
    q.scope = (enum scope)rng_below(rng, 4);
    q.id = q.kind == QUERY_RULES || q.kind == QUERY_RULED ? random_rules(rng) : q.id;
    if (q.kind == QUERY_JOB && rng_chance(rng, 1, 2)) {
        q.id = 0;
        q.tenant = random_tenant(rng);
        q.name = random_name(rng);
    }
    if (q.kind == QUERY_JOBS || q.kind == QUERY_DEAD) {
        q.tenant = rng_chance(rng, 1, 2) ? random_tenant(rng) : q.tenant;
        q.type = random_type(rng);
    }
    if (q.kind == QUERY_JOBS) {
        q.has_status = rng_chance(rng, 1, 4);
        q.status = (enum job_status)rng_below(rng, 4);
        q.label_key = rng_chance(rng, 1, 3) ? STR("team") : STR("");
        q.label_value = rng_chance(rng, 1, 2) ? STR("a") : STR("");
    }
    if (q.kind == QUERY_NAMED) {
        q.tenant = random_tenant(rng);
        q.name_prefix = random_name(rng);
        q.name_prefix.len = rng_below(rng, q.name_prefix.len + 1);
        q.after_text = rng_chance(rng, 1, 3) ? random_name(rng) : STR("");
    }
    if (q.kind == QUERY_WAKES) {
        q.since_ms = random_ms(rng);
        q.until_ms = random_ms(rng);
    }
    if (q.kind == QUERY_DEAD) {
        q.error_code = random_text(rng);
        q.since_ms = random_ms_or_none(rng);
    }
    if (q.kind == QUERY_STEPS || q.kind == QUERY_WAKING) {
        q.after_ms = random_ms_or_none(rng);
        q.until_ms = rng_chance(rng, 1, 2) ? INT64_MAX : random_ms(rng);
        q.step_ms = 1 + (int64_t)rng_below(rng, 20);
    }
    if (q.kind >= QUERY_ALL_VERSIONS) { /* somewhere in the middle */
        q.after = q.kind == QUERY_ALL_TRIGGERS ? random_trigger(rng) : rng_below(rng, 3);
        q.id = q.kind == QUERY_ALL_ATTEMPTS ? random_trigger(rng) : random_job(rng);
        q.after_ms = random_ms_or_none(rng);
        q.tenant = random_tenant(rng);
        q.after_text = random_text(rng);
    }
    return q;
}
