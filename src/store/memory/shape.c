#include "store/memory/shape.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "model/record.h"

/* Texts come first in each list. */
#define T(type, field)                                                                                                 \
    {                                                                                                                  \
        offsetof(struct type, field), 0, false                                                                         \
    }
#define N(type, field)                                                                                                 \
    {                                                                                                                  \
        offsetof(struct type, field), sizeof(((struct type *)NULL)->field), false                                      \
    }
#define N_LATER(type, field)                                                                                           \
    {                                                                                                                  \
        offsetof(struct type, field), sizeof(((struct type *)NULL)->field), true                                       \
    }

static const struct shape_field job_fields[] = {
    T(job_row, place.pool),   T(job_row, place.tenant), T(job_row, place.type),     T(job_row, name),
    T(job_row, def),          N(job_row, id),           N(job_row, place.priority), N(job_row, status),
    N(job_row, version),      N(job_row, cursor_ms),    N(job_row, wake_ms),        N(job_row, held_to_ms),
    N(job_row, missed_to_ms), N(job_row, fired),        N(job_row, anchor_ms),      N(job_row, created_ms),
    N(job_row, updated_ms),   N_LATER(job_row, rules),
};

static const struct shape_field version_fields[] = {
    T(version_row, def),     N(version_row, job),       N(version_row, version),
    N(version_row, from_ms), N(version_row, anchor_ms), N_LATER(version_row, rules),
};

static const struct shape_field trigger_fields[] = {
    T(trigger_row, place.pool),
    T(trigger_row, place.tenant),
    T(trigger_row, place.type),
    T(trigger_row, reason),
    T(trigger_row, payload),
    T(trigger_row, last.worker),
    T(trigger_row, last.error_code),
    T(trigger_row, last.error_message),
    T(trigger_row, last.result),
    N(trigger_row, id),
    N(trigger_row, job),
    N(trigger_row, place.priority),
    N(trigger_row, kind),
    N(trigger_row, state),
    N(trigger_row, version),
    N_LATER(trigger_row, target),
    N(trigger_row, scheduled_ms),
    N(trigger_row, due_ms),
    N(trigger_row, attempts),
    N(trigger_row, failures),
    N(trigger_row, lost_run),
    N(trigger_row, released_run),
    N(trigger_row, replays),
    N(trigger_row, replay_of),
    N_LATER(trigger_row, replayed_by),
    N(trigger_row, root),
    N(trigger_row, created_ms),
    N(trigger_row, ended_ms),
    N(trigger_row, last.trigger),
    N(trigger_row, last.number),
    N(trigger_row, last.state),
    N(trigger_row, last.started_ms),
    N(trigger_row, last.ended_ms),
};

static const struct shape_field attempt_fields[] = {
    T(attempt_row, worker), T(attempt_row, error_code), T(attempt_row, error_message),
    T(attempt_row, result), N(attempt_row, trigger),    N(attempt_row, number),
    N(attempt_row, state),  N(attempt_row, started_ms), N(attempt_row, ended_ms),
};

static const struct shape_field claim_fields[] = {
    T(claim, worker),  N(claim, trigger), N(claim, job),          N(claim, number),
    N(claim, version), N(claim, kind),    N(claim, scheduled_ms), N(claim, started_ms),
};

static const struct shape_field claims_fields[] = {
    N(claims_row, id),
};

static const struct shape_field skip_fields[] = {
    N(skip_row, job),    N(skip_row, from_ms), N(skip_row, to_ms),      N(skip_row, count),
    N(skip_row, reason), N(skip_row, version), N(skip_row, blocked_by), N(skip_row, decided_ms),
};

/* An element of wait_row.ended: a job's id. */
static const struct shape_field number_fields[] = {{0, sizeof(uint64_t)}};

static const struct shape_field wait_fields[] = {
    N(wait_row, job), N(wait_row, scheduled_ms), N(wait_row, root), N(wait_row, trigger), N(wait_row, is_over),
};

static const struct shape_field edge_fields[] = {
    N(edge_row, upstream), N(edge_row, downstream), N(edge_row, on), N(edge_row, since_ms), N(edge_row, since_id),
};

static const struct shape_field setting_fields[] = {
    T(setting_row, tenant),
    T(setting_row, name),
    T(setting_row, text),
    N(setting_row, scope),
};

static const struct shape_field limiter_fields[] = {
    T(limiter_row, tenant),
    T(limiter_row, name),
    N(limiter_row, scope),
    N(limiter_row, tat_ms),
};

static const struct shape_field circuit_fields[] = {
    T(circuit_row, tenant),       T(circuit_row, type),          N(circuit_row, job),
    N(circuit_row, is_half_open), N(circuit_row, open_until_ms),
};

static const struct shape_field idem_fields[] = {
    T(idem_row, tenant),  T(idem_row, key),     T(idem_row, result),
    N(idem_row, hash[0]), N(idem_row, hash[1]), N(idem_row, created_ms),
};

static const struct shape_field tenant_fields[] = {
    T(tenant_row, tenant),
    N(tenant_row, jobs),
};

static const struct shape_field rules_fields[] = {
    T(rules_row, zone),
    T(rules_row, text),
    N(rules_row, hash),
};

#define SHAPE(type, list, texts)                                                                                       \
    .size = sizeof(struct type), .fields = (list), .field_count = sizeof(list) / sizeof((list)[0]),                    \
    .text_count = (texts)

static const struct shape claim_shape = {SHAPE(claim, claim_fields, 1)};
static const struct shape number_shape = {.size = sizeof(uint64_t), .fields = number_fields, .field_count = 1};

static const struct shape shapes[ROW_KINDS] = {
    [ROW_JOB] = {SHAPE(job_row, job_fields, 5)},
    [ROW_VERSION] = {SHAPE(version_row, version_fields, 1)},
    [ROW_TRIGGER] = {SHAPE(trigger_row, trigger_fields, 9)},
    [ROW_ATTEMPT] = {SHAPE(attempt_row, attempt_fields, 4)},
    [ROW_CLAIMS] = {SHAPE(claims_row, claims_fields, 0), .element = &claim_shape,
                    .items_offset = offsetof(struct claims_row, claims),
                    .count_offset = offsetof(struct claims_row, count)},
    [ROW_SKIP] = {SHAPE(skip_row, skip_fields, 0)},
    [ROW_WAIT] = {SHAPE(wait_row, wait_fields, 0), .element = &number_shape,
                  .items_offset = offsetof(struct wait_row, ended),
                  .count_offset = offsetof(struct wait_row, ended_count)},
    [ROW_EDGE] = {SHAPE(edge_row, edge_fields, 0)},
    [ROW_SETTING] = {SHAPE(setting_row, setting_fields, 3)},
    [ROW_LIMITER] = {SHAPE(limiter_row, limiter_fields, 2)},
    [ROW_CIRCUIT] = {SHAPE(circuit_row, circuit_fields, 2)},
    [ROW_IDEM] = {SHAPE(idem_row, idem_fields, 3)},
    [ROW_TENANT] = {SHAPE(tenant_row, tenant_fields, 1)},
    [ROW_RULES] = {SHAPE(rules_row, rules_fields, 2)},
};

const struct shape *shape_of(enum row_kind kind)
{
    assert((size_t)kind < ROW_KINDS);
    return &shapes[kind];
}

static struct str *text_at(void *row, struct shape_field field)
{
    return (struct str *)(void *)((char *)row + field.offset);
}

static struct str text_in(const void *row, struct shape_field field)
{
    struct str text;

    memcpy(&text, (const char *)row + field.offset, sizeof text);
    return text;
}

/* The row's array. */
static const char *items_of(const struct shape *shape, const void *row, size_t *ret_count)
{
    const char *items;

    memcpy(&items, (const char *)row + shape->items_offset, sizeof items);
    memcpy(ret_count, (const char *)row + shape->count_offset, sizeof *ret_count);
    return items;
}

static size_t text_bytes(const struct shape *shape, const void *row)
{
    size_t bytes = 0;

    for (size_t i = 0; i < shape->text_count; i++) {
        bytes += text_in(row, shape->fields[i]).len;
    }
    return bytes;
}

size_t shape_tail_bytes(const struct shape *shape, const void *row)
{
    size_t bytes = text_bytes(shape, row);

    if (shape->element != NULL) {
        size_t count;
        const char *items = items_of(shape, row, &count);

        bytes += count * shape->element->size;
        for (size_t i = 0; i < count; i++) {
            bytes += text_bytes(shape->element, items + i * shape->element->size);
        }
    }
    return bytes;
}

/* Copies the texts of a row to tail and returns what is behind them. */
static char *own_texts(const struct shape *shape, void *row, char *tail)
{
    for (size_t i = 0; i < shape->text_count; i++) {
        struct str *text = text_at(row, shape->fields[i]);

        if (text->len == 0) {
            text->ptr = "";
            continue;
        }
        memcpy(tail, text->ptr, text->len);
        text->ptr = tail;
        tail += text->len;
    }
    return tail;
}

void shape_own(const struct shape *shape, void *row, void *tail)
{
    char *free_bytes = tail;

    if (shape->element != NULL) {
        size_t count;
        const char *items = items_of(shape, row, &count);
        char *copy = tail; /* the array comes first, where the memory is aligned */

        if (count > 0) {
            memcpy(copy, items, count * shape->element->size);
        }
        memcpy((char *)row + shape->items_offset, &copy, sizeof copy);
        free_bytes += count * shape->element->size;
        for (size_t i = 0; i < count; i++) {
            free_bytes = own_texts(shape->element, copy + i * shape->element->size, free_bytes);
        }
    }
    own_texts(shape, row, free_bytes);
}

static uint64_t number_in(const void *row, struct shape_field field)
{
    const char *at = (const char *)row + field.offset;
    uint64_t wide = 0;
    uint32_t narrow = 0;
    uint8_t byte = 0;

    switch (field.size) {
    case sizeof wide:
        memcpy(&wide, at, sizeof wide);
        return wide;
    case sizeof narrow:
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    default:
        assert(field.size == sizeof byte);
        memcpy(&byte, at, sizeof byte);
        return byte;
    }
}

static uint64_t digest_fields(const struct shape *shape, const void *row, uint64_t seed)
{
    uint64_t digest = seed;

    for (size_t i = 0; i < shape->field_count; i++) {
        if (shape->fields[i].size == 0) {
            struct str text = text_in(row, shape->fields[i]);

            digest = hash64(text.len > 0 ? text.ptr : "", text.len, digest);
        } else {
            uint64_t number = number_in(row, shape->fields[i]);

            if (number != 0 || !shape->fields[i].is_later) {
                digest = hash64(&number, sizeof number, digest);
            }
        }
    }
    return digest;
}

uint64_t shape_digest(const struct shape *shape, const void *row, uint64_t seed)
{
    uint64_t digest = digest_fields(shape, row, seed);

    if (shape->element != NULL) {
        size_t count;
        const char *items = items_of(shape, row, &count);

        digest = hash64(&count, sizeof count, digest);
        for (size_t i = 0; i < count; i++) {
            digest = digest_fields(shape->element, items + i * shape->element->size, digest);
        }
    }
    return digest;
}

uint64_t shape_digest_row(enum row_kind kind, const void *row)
{
    struct trigger_row plain;

    if (kind == ROW_TRIGGER && ((const struct trigger_row *)row)->last.number == 0) {
        plain = *(const struct trigger_row *)row;
        plain.last = (struct attempt_row){0}; /* there is none, whatever the fields say */
        row = &plain;
    }
    return shape_digest(shape_of(kind), row, (uint64_t)kind + 1);
}
