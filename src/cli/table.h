/* table: rows of text in columns that fit a width.
 *
 * Where the rows are too wide, optional columns are left out, the last first; then the widest of those that can shrink
 * gets narrower, one character at a time, and what is cut ends with an ellipsis.
 *
 * Owns:  copies of its cells.
 * Rules: (1) cells are added row by row, a whole row at a time.
 *        (2) whatever a cell holds, nothing in it moves a cursor or ends a line (base/escape).
 * See:   term.h, tests/unit/cli/test_table.c
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "cli/term.h"

#define TABLE_COLUMNS_MAX 12
#define TABLE_CELL_BYTES_MAX 2048

struct column {
    const char *title;
    bool is_right;    /* numbers */
    bool can_shrink;  /* texts */
    bool is_optional; /* left out where there is no room */
};

struct table_cell {
    const char *text;
    int width; /* characters */
    enum style style;
};

struct table {
    const struct column *columns;
    size_t column_count;
    struct table_cell *cells; /* row by row */
    size_t cell_count;
    size_t cell_room;
    struct arena arena;
};

/* columns ends with one without a title, and outlives the table. */
void table_init(struct table *table, const struct column *columns);

/* Also right for SCOPE(table_done). */
void table_done(struct table *table);

/* The next cell, from left to right. */
void table_put(struct table *table, struct str text);
void table_put_style(struct table *table, enum style style, struct str text);
void table_printf(struct table *table, enum style style, const char *format, ...) __attribute__((format(printf, 3, 4)));

size_t table_rows(const struct table *table);

/* Appends the table, with its titles where has_titles. */
void table_render(const struct table *table, int width, bool is_coloured, bool has_titles, struct buf *out);

/* table_render on standard output, as wide as it is. */
void table_print(const struct table *table, bool has_titles);

#endif
