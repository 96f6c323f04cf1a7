/* naive_lists: how the naive store's answers are put together.
 *
 * In what uses these macros the store is called naive and the answer rows.
 */
#ifndef TESTS_CONTRACT_NAIVE_LISTS_H
#define TESTS_CONTRACT_NAIVE_LISTS_H

#include "naive.h"

/* r runs over the rows of a list of the naive store. */
#define EACH(list, r)                                                                                                  \
    for (__typeof__(*naive->rows.list.items) *r = naive->rows.list.items;                                              \
         r != NULL && r < naive->rows.list.items + naive->rows.list.count; r++)

/* Appends a row for which the condition holds. */
#define GIVE_WHERE(list, condition)                                                                                    \
    EACH(list, r)                                                                                                      \
    {                                                                                                                  \
        if (condition) {                                                                                               \
            *ROWS_ADD(rows, list) = *r;                                                                                \
        }                                                                                                              \
    }

static inline int naive_compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static inline int naive_compare_ids(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static inline bool naive_lives(const struct trigger_row *r)
{
    return r->state == TRIGGER_WAITING || r->state == TRIGGER_PENDING;
}

#endif
