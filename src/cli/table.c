#include "cli/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"

/* Some thousand rows of a few hundred bytes. */
#define ARENA_BLOCK_BYTES (64 * 1024)
#define ARENA_BYTES_MAX (256UL * 1024 * 1024)
#define GAP 2
/* No column gets narrower than this. */
#define WIDTH_MIN 6
#define ELLIPSIS "\xe2\x80\xa6"

struct layout {
    int widths[TABLE_COLUMNS_MAX]; /* 0: left out */
};

void table_init(struct table *table, const struct column *columns)
{
    *table = (struct table){.columns = columns};
    while (columns[table->column_count].title != NULL) {
        table->column_count++;
    }
    assert(table->column_count > 0 && table->column_count <= TABLE_COLUMNS_MAX);
    arena_init(&table->arena, ARENA_BLOCK_BYTES, ARENA_BYTES_MAX);
}

void table_done(struct table *table)
{
    arena_done(&table->arena);
    mem_free(table->cells);
    *table = (struct table){0};
}

size_t table_rows(const struct table *table)
{
    return table->cell_count / table->column_count;
}

/* How many characters: each code point counts one column. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xC0U) != 0x80U;
    }
    return width;
}

/* rule 2 */
static const char *safe_copy(struct arena *arena, struct str text)
{
    char out[TABLE_CELL_BYTES_MAX];
    size_t len = 0;

    while (text.len > 0 && len + ESCAPE_BYTES_MAX < sizeof out) {
        if (text.ptr[0] == '"' || text.ptr[0] == '\\') {
            out[len++] = text.ptr[0];
            text = str_skip(text, 1);
        } else {
            len += escape_step(&text, out + len);
        }
    }
    return arena_strdup_str(arena, (struct str){out, len});
}

void table_put_style(struct table *table, enum style style, struct str text)
{
    const char *copy = safe_copy(&table->arena, text);

    if (table->cell_count == table->cell_room) {
        table->cell_room = table->cell_room == 0 ? 256 : 2 * table->cell_room;
        table->cells = mem_realloc_array(table->cells, table->cell_room, sizeof table->cells[0]);
    }
    table->cells[table->cell_count++] = (struct table_cell){copy, width_of(copy), style};
}

void table_put(struct table *table, struct str text)
{
    table_put_style(table, STYLE_PLAIN, text);
}

void table_printf(struct table *table, enum style style, const char *format, ...)
{
    char text[TABLE_CELL_BYTES_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    table_put_style(table, style, str_from(text));
}

static int total(const struct table *table, const struct layout *layout)
{
    int sum = -GAP;

    for (size_t i = 0; i < table->column_count; i++) {
        sum += layout->widths[i] > 0 ? layout->widths[i] + GAP : 0;
    }
    return sum;
}

static void drop_optional(const struct table *table, int width, struct layout *layout)
{
    for (size_t i = table->column_count; i-- > 0 && total(table, layout) > width;) {
        if (table->columns[i].is_optional) {
            layout->widths[i] = 0;
        }
    }
}

static void shrink(const struct table *table, int width, struct layout *layout)
{
    for (int excess = total(table, layout) - width; excess > 0; excess--) {
        int *widest = NULL;

        for (size_t i = 0; i < table->column_count; i++) {
            bool is_wider = widest == NULL || layout->widths[i] > *widest;

            if (table->columns[i].can_shrink && layout->widths[i] > WIDTH_MIN && is_wider) {
                widest = &layout->widths[i];
            }
        }
        if (widest == NULL) {
            return; /* wider than the terminal, and nothing to be done about it */
        }
        --*widest;
    }
}

static struct layout lay_out(const struct table *table, int width, bool has_titles)
{
    struct layout layout = {{0}};

    assert(table->column_count > 0);
    for (size_t i = 0; i < table->column_count; i++) {
        int title = has_titles ? width_of(table->columns[i].title) : 0;

        layout.widths[i] = title > 0 ? title : 1;
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        int *column = &layout.widths[i % table->column_count];

        *column = table->cells[i].width > *column ? table->cells[i].width : *column;
    }
    if (width != TERM_WIDE) {
        drop_optional(table, width, &layout);
        shrink(table, width, &layout);
    }
    return layout;
}

/* The first characters of text, so that with an ellipsis they are as wide as they may be. */
static void put_cut(struct buf *out, const char *text, int width)
{
    size_t len = 0;

    for (int used = 0; text[len] != '\0'; len++) {
        used += ((unsigned char)text[len] & 0xC0U) != 0x80U;
        if (used == width) {
            break;
        }
    }
    buf_append(out, text, len);
    buf_append_text(out, ELLIPSIS);
}

static void put_cell(struct buf *out, const struct column *column, const struct table_cell *cell, int width,
                     bool is_last, bool is_coloured)
{
    int blanks = width > cell->width ? width - cell->width : 0;

    if (column->is_right) {
        buf_printf(out, "%*s", blanks, "");
    }
    buf_append_text(out, term_style(is_coloured, cell->style));
    if (cell->width > width) {
        put_cut(out, cell->text, width);
    } else {
        buf_append_text(out, cell->text);
    }
    buf_append_text(out, term_plain(is_coloured, cell->style));
    if (!is_last) {
        buf_printf(out, "%*s", (column->is_right ? 0 : blanks) + GAP, "");
    }
}

static void put_row(const struct table *table, const struct layout *layout, const struct table_cell *cells,
                    bool is_coloured, struct buf *out)
{
    size_t last = table->column_count;

    for (size_t i = 0; i < table->column_count; i++) {
        if (layout->widths[i] > 0) {
            last = i;
        }
    }
    for (size_t i = 0; i < table->column_count; i++) {
        if (layout->widths[i] > 0) {
            put_cell(out, &table->columns[i], &cells[i], layout->widths[i], i == last, is_coloured);
        }
    }
    while (out->len > 0 && out->data[out->len - 1] == ' ') { /* empty last cells */
        buf_truncate(out, out->len - 1);
    }
    buf_append_char(out, '\n');
}

void table_render(const struct table *table, int width, bool is_coloured, bool has_titles, struct buf *out)
{
    struct layout layout = lay_out(table, width, has_titles);
    struct table_cell titles[TABLE_COLUMNS_MAX];

    assert(table->cell_count % table->column_count == 0); /* rule 1 */
    for (size_t i = 0; i < table->column_count; i++) {
        titles[i] = (struct table_cell){table->columns[i].title, width_of(table->columns[i].title), STYLE_DIM};
    }
    if (has_titles) {
        put_row(table, &layout, titles, is_coloured, out);
    }
    for (size_t i = 0; i < table->cell_count; i += table->column_count) {
        put_row(table, &layout, &table->cells[i], is_coloured, out);
    }
}

void table_print(const struct table *table, bool has_titles)
{
    struct term term = term_look();
    struct buf out;

    buf_init(&out, ARENA_BYTES_MAX);
    table_render(table, term.width, term.is_coloured, has_titles, &out);
    (void)fputs(buf_text(&out), stdout);
    buf_done(&out);
}
