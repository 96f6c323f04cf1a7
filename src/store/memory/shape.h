/* shape: which fields each kind of row has, so that one piece of code copies and digests them all.
 *
 * Owns:  nothing. A copy's texts and arrays lie behind each other in memory that the caller gives.
 * See:   model/record.h, disk.h
 */
#ifndef STORE_MEMORY_SHAPE_H
#define STORE_MEMORY_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of rows a store keeps, each with its list in struct rows. */
#define ROW_TABLE(X)                                                                                                   \
    X(ROW_JOB, job_row, jobs)                                                                                          \
    X(ROW_VERSION, version_row, versions)                                                                              \
    X(ROW_TRIGGER, trigger_row, triggers)                                                                              \
    X(ROW_ATTEMPT, attempt_row, attempts)                                                                              \
    X(ROW_CLAIMS, claims_row, claims)                                                                                  \
    X(ROW_SKIP, skip_row, skips)                                                                                       \
    X(ROW_WAIT, wait_row, waits)                                                                                       \
    X(ROW_EDGE, edge_row, edges)                                                                                       \
    X(ROW_SETTING, setting_row, settings)                                                                              \
    X(ROW_LIMITER, limiter_row, limiters)                                                                              \
    X(ROW_CIRCUIT, circuit_row, circuits)                                                                              \
    X(ROW_IDEM, idem_row, idems)                                                                                       \
    X(ROW_TENANT, tenant_row, tenants)                                                                                 \
    X(ROW_RULES, rules_row, rules)

enum row_kind {
#define X(name, type, list) name,
    ROW_TABLE(X)
#undef X
        ROW_KINDS
};

struct shape_field {
    uint16_t offset;
    uint16_t size; /* of a number, in bytes; 0: a struct str */
    bool is_later; /* a number that came later: as 0 it is not in the digest, so that pinned ones stay as they are */
};

struct shape {
    size_t size; /* of the row, in bytes */
    const struct shape_field *fields;
    size_t field_count;
    size_t text_count;           /* the first so many fields are texts */
    const struct shape *element; /* of the row's array; NULL: it has none */
    size_t items_offset;         /* the pointer to the first element */
    size_t count_offset;         /* the size_t that counts them */
};

const struct shape *shape_of(enum row_kind kind);

/* How many bytes the texts and the array of a row take. */
size_t shape_tail_bytes(const struct shape *shape, const void *row);

/* Points the texts and the array of a row, which still are somebody else's, to copies at tail: shape_tail_bytes of
 * them, aligned for every type. */
void shape_own(const struct shape *shape, void *row, void *tail);

/* A number from every field; equal rows have equal ones. */
uint64_t shape_digest(const struct shape *shape, const void *row, uint64_t seed);

/* The same of a row of that kind, in which fields that say nothing do not count. */
uint64_t shape_digest_row(enum row_kind kind, const void *row);

#endif
