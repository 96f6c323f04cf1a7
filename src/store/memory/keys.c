#include "store/memory/keys.h"

#include <assert.h>

#include "model/record.h"

/* -1, 0 or 1. */
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Returns where the field tells the rows apart; begins with the first field of the key. */
#define BY_NUMBER(field)                                                                                               \
    do {                                                                                                               \
        if (a->field != b->field) {                                                                                    \
            return COMPARE(a->field, b->field);                                                                        \
        }                                                                                                              \
    } while (0)
#define BY_TEXT(field)                                                                                                 \
    do {                                                                                                               \
        int order = str_compare(a->field, b->field);                                                                   \
        if (order != 0) {                                                                                              \
            return order;                                                                                              \
        }                                                                                                              \
    } while (0)

#define ROWS_OF(type) const struct type *a = key_a, *b = key_b

static int key_job(const void *key_a, const void *key_b)
{
    ROWS_OF(job_row);
    return COMPARE(a->id, b->id);
}

int key_job_name(const void *key_a, const void *key_b)
{
    ROWS_OF(job_row);
    BY_TEXT(name); /* tells more than the tenant does */
    BY_TEXT(place.tenant);
    return 0;
}

int key_job_wake(const void *key_a, const void *key_b)
{
    ROWS_OF(job_row);
    BY_NUMBER(wake_ms);
    return COMPARE(a->id, b->id);
}

int key_place(const void *key_a, const void *key_b)
{
    ROWS_OF(place);
    BY_TEXT(pool);
    BY_TEXT(tenant);
    BY_TEXT(type);
    return COMPARE(a->priority, b->priority);
}

static int key_version(const void *key_a, const void *key_b)
{
    ROWS_OF(version_row);
    BY_NUMBER(job);
    return COMPARE(a->version, b->version);
}

int key_trigger(const void *key_a, const void *key_b)
{
    ROWS_OF(trigger_row);
    return COMPARE(a->id, b->id);
}

int key_trigger_job(const void *key_a, const void *key_b)
{
    ROWS_OF(trigger_row);
    BY_NUMBER(job);
    return COMPARE(a->id, b->id);
}

int key_trigger_time(const void *key_a, const void *key_b)
{
    ROWS_OF(trigger_row);
    BY_NUMBER(job);
    BY_NUMBER(scheduled_ms);
    return COMPARE(a->id, b->id);
}

static int key_attempt(const void *key_a, const void *key_b)
{
    ROWS_OF(attempt_row);
    BY_NUMBER(trigger);
    return COMPARE(a->number, b->number);
}

static int key_claims(const void *key_a, const void *key_b)
{
    ROWS_OF(claims_row);
    return COMPARE(a->id, b->id);
}

static int key_skip(const void *key_a, const void *key_b)
{
    ROWS_OF(skip_row);
    BY_NUMBER(job);
    return COMPARE(a->from_ms, b->from_ms);
}

static int key_wait(const void *key_a, const void *key_b)
{
    ROWS_OF(wait_row);
    BY_NUMBER(job);
    BY_NUMBER(scheduled_ms);
    return COMPARE(a->root, b->root);
}

static int key_edge(const void *key_a, const void *key_b)
{
    ROWS_OF(edge_row);
    BY_NUMBER(upstream);
    return COMPARE(a->downstream, b->downstream);
}

int key_edge_downstream(const void *key_a, const void *key_b)
{
    ROWS_OF(edge_row);
    BY_NUMBER(downstream);
    return COMPARE(a->upstream, b->upstream);
}

static int key_setting(const void *key_a, const void *key_b)
{
    ROWS_OF(setting_row);
    BY_NUMBER(scope);
    BY_TEXT(tenant);
    return str_compare(a->name, b->name);
}

static int key_limiter(const void *key_a, const void *key_b)
{
    ROWS_OF(limiter_row);
    BY_NUMBER(scope);
    BY_TEXT(tenant);
    return str_compare(a->name, b->name);
}

static int key_circuit(const void *key_a, const void *key_b)
{
    ROWS_OF(circuit_row);
    BY_TEXT(tenant);
    BY_TEXT(type);
    return COMPARE(a->job, b->job);
}

static int key_idem(const void *key_a, const void *key_b)
{
    ROWS_OF(idem_row);
    BY_TEXT(tenant);
    return str_compare(a->key, b->key);
}

static int key_tenant(const void *key_a, const void *key_b)
{
    ROWS_OF(tenant_row);
    return str_compare(a->tenant, b->tenant);
}

static int key_rules(const void *key_a, const void *key_b)
{
    ROWS_OF(rules_row);
    return COMPARE((int64_t)a->hash, (int64_t)b->hash);
}

ordered_compare *key_compare_of(enum row_kind kind)
{
    static ordered_compare *const compares[ROW_KINDS] = {
        [ROW_JOB] = key_job,         [ROW_VERSION] = key_version, [ROW_TRIGGER] = key_trigger,
        [ROW_ATTEMPT] = key_attempt, [ROW_CLAIMS] = key_claims,   [ROW_SKIP] = key_skip,
        [ROW_WAIT] = key_wait,       [ROW_EDGE] = key_edge,       [ROW_SETTING] = key_setting,
        [ROW_LIMITER] = key_limiter, [ROW_CIRCUIT] = key_circuit, [ROW_IDEM] = key_idem,
        [ROW_TENANT] = key_tenant,   [ROW_RULES] = key_rules,
    };

    assert((size_t)kind < ROW_KINDS);
    return compares[kind];
}
