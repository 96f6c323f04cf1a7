/* next_show: what `belfry next` prints.
 */
#ifndef CLI_NEXT_SHOW_H
#define CLI_NEXT_SHOW_H

#include <stddef.h>
#include <stdint.h>

#include "cli/query.h"

/* A table for people: local time, UTC, how far away, and a mark at DST changes. */
void next_show_table(const struct query *query, const int64_t *fires_ms, size_t count, int64_t now_ms);

/* One JSON object: the fires, each with its local time and its mark, the description and the warnings. */
void next_show_json(const struct query *query, const int64_t *fires_ms, size_t count);

#endif
