/* render: rows as text, so that two answers can be compared and a difference read. */
#ifndef TESTS_CONTRACT_RENDER_H
#define TESTS_CONTRACT_RENDER_H

#include "model/rows.h"

enum render_order {
    RENDER_SORTED, /* where the order is not promised */
    RENDER_JOBS,   /* jobs as they come, the rest sorted */
    RENDER_AS_IS,
};

/* Every row, one to a line; texts that are long by length, beginning and hash. The shard and what pages say are left
 * out. Freed by mem_free. */
char *render_rows(const struct rows *rows, enum render_order order);

#endif
