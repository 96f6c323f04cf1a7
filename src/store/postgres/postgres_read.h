/* postgres_read: people's questions, answered from one snapshot.
 *
 * See: store/store.h (what each gives and in which order)
 */
#ifndef STORE_POSTGRES_POSTGRES_READ_H
#define STORE_POSTGRES_POSTGRES_READ_H

#include "store/postgres/postgres_take.h"
#include "store/store.h"

/* One page that is being filled. */
struct page {
    struct taking *taking;
    const struct query *query;
    size_t given;
};

/* The next row: false, and the page is full without it. id is what the list is continued from. */
bool postgres_page_looks(struct page *page, uint64_t id);

/* One more than a page holds. */
int64_t postgres_page_limit(const struct page *page);

/* Where a list that goes up goes on, and one that goes down. */
int64_t postgres_page_after(const struct query *query);
int64_t postgres_page_up_to(const struct query *query);

/* Begins a snapshot, and says how far a page with filters may look: the statement finds the row at that place behind
 * (or before) from. *ret_last: the last to look at; *ret_has_more: there are others behind it. */
enum store_outcome postgres_page_bound(struct page *page, enum pg_statement statement, int64_t from, size_t rows_max,
                                       bool *ret_has_more, int64_t *ret_last);

/* Takes the rows of a page whose statement was sent; column is that of the number from which it is continued (-1: from
 * none). */
enum store_outcome postgres_take_list(struct page *page, taker *take, int column);

/* Any question. */
enum store_outcome postgres_read_query(struct page *page);

/* Jobs, by id or name, and lists of them. */
enum store_outcome postgres_read_job(struct page *page);
enum store_outcome postgres_read_jobs(struct page *page);
enum store_outcome postgres_read_named(struct page *page);

/* How many wake in a stretch of time. */
enum store_outcome postgres_read_wakes(struct page *page);

/* What wakes soon, and how much of it. */
enum store_outcome postgres_read_waking(struct page *page);

/* Triggers: one with all that belongs to it, dead ones. */
enum store_outcome postgres_read_trigger(struct page *page);
enum store_outcome postgres_read_dead(struct page *page);

/* Whole tables, for copies. */
enum store_outcome postgres_read_table(struct page *page);

#endif
