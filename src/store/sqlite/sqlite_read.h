/* sqlite_read: people's questions, answered inside of one read transaction.
 *
 * See: store/store.h (what each gives and in which order)
 */
#ifndef STORE_SQLITE_SQLITE_READ_H
#define STORE_SQLITE_SQLITE_READ_H

#include "store/sqlite/sqlite_take.h"
#include "store/store.h"

/* One page that is being filled. */
struct page {
    struct taking *taking;
    const struct query *query;
    int64_t end_mono_ms;  /* a page that is still being looked for then ends as if it had looked at enough */
    int64_t seek_mono_ms; /* the same for one that looks through rows that are not wanted */
    size_t given;
    size_t looked_at;
};

/* A row of a list: whether it is wanted, and what the list is continued from; false and the page ends before it. */
bool sqlite_page_looks(struct page *page, bool is_wanted, uint64_t id);

/* How many rows a statement need give for a page: those it can hold (or, with a filter, look at) and one more. */
int64_t sqlite_page_limit(const struct page *page, bool has_filter);

/* A list without filters, continued from the number in that column of its rows (-1: from none). The call lacks nothing
 * but its last parameter, the limit. */
enum store_outcome sqlite_read_list(struct page *page, struct sql_call *call, taker *take, int column);

/* Any question. */
enum store_outcome sqlite_read_query(struct page *page);

/* Jobs, by id or name, and lists of them. */
enum store_outcome sqlite_read_job(struct page *page);
enum store_outcome sqlite_read_jobs(struct page *page);
enum store_outcome sqlite_read_named(struct page *page);

/* How many wake in a stretch of time. */
enum store_outcome sqlite_read_wakes(struct page *page);

/* What wakes soon, and how much of it. */
enum store_outcome sqlite_read_waking(struct page *page);

/* Triggers: one with all that belongs to it, a job's, dead ones. */
enum store_outcome sqlite_read_trigger(struct page *page);
enum store_outcome sqlite_read_triggers(struct page *page);
enum store_outcome sqlite_read_fire(struct page *page);
enum store_outcome sqlite_read_dead(struct page *page);

/* Whole tables, for copies. */
enum store_outcome sqlite_read_table(struct page *page);

/* How many triggers of each state. */
enum store_outcome sqlite_read_counts(struct page *page);

#endif
