/* All rows of a store, page by page: what is held whole with the start's load, the large tables by their keys. */
#include <poll.h>

#include "base/mem.h"
#include "store/copy.h"

/* A store that is busy is asked again so often, with so much time between. */
#define AGAIN_MAX 100
#define AGAIN_MS 20

const char *copy_kind_text(enum row_kind kind)
{
    static const char *const texts[] = {
#define X(name, type, list) #list,
        ROW_TABLE(X)
#undef X
    };

    return texts[kind];
}

/* ---- what is held whole ---- */

static enum store_outcome walk_start(struct store *store, copy_visit *visit, void *context, struct error *reterr)
{
    const struct load all = {.kind = LOAD_START, .after_ms = TIME_NONE};
    SCOPE(rows_done) struct rows rows;

    rows_init(&rows);
    enum store_outcome outcome = store_load(store, &all, &rows, reterr);

    for (int i = 0; outcome == STORE_AGAIN && i < AGAIN_MAX; i++) {
        (void)poll(NULL, 0, AGAIN_MS);
        rows_done(&rows);
        rows_init(&rows);
        outcome = store_load(store, &all, &rows, reterr);
    }
    rows.jobs.count = rows.triggers.count = 0; /* some of them, which come with their tables */
    return outcome == STORE_DONE ? visit(context, &rows, reterr) : outcome;
}

/* ---- tables ---- */

static struct query first_page(enum query_kind kind)
{
    return (struct query){.kind = kind, .after_ms = TIME_NONE, .since_ms = TIME_NONE, .limit = COPY_PAGE_ROWS};
}

/* Behind the last row of a page; false where the page is empty. Texts are the page's. */
static bool next_page(struct query *query, const struct rows *rows)
{
    if (rows->jobs.count > 0) {
        query->after = rows->jobs.items[rows->jobs.count - 1].id;
    } else if (rows->versions.count > 0) {
        query->id = rows->versions.items[rows->versions.count - 1].job;
        query->after = rows->versions.items[rows->versions.count - 1].version;
    } else if (rows->triggers.count > 0) {
        query->after = rows->triggers.items[rows->triggers.count - 1].id;
    } else if (rows->attempts.count > 0) {
        query->id = rows->attempts.items[rows->attempts.count - 1].trigger;
        query->after = rows->attempts.items[rows->attempts.count - 1].number;
    } else if (rows->skips.count > 0) {
        query->id = rows->skips.items[rows->skips.count - 1].job;
        query->after_ms = rows->skips.items[rows->skips.count - 1].from_ms;
    } else if (rows->idems.count > 0) {
        query->tenant = rows->idems.items[rows->idems.count - 1].tenant;
        query->after_text = rows->idems.items[rows->idems.count - 1].key;
    } else {
        return false;
    }
    return true;
}

static enum store_outcome read_page(struct store_reader *reader, const struct query *query, struct rows *rows,
                                    struct error *reterr)
{
    rows_init(rows);
    enum store_outcome outcome = store_read(reader, query, rows, reterr);

    for (int i = 0; outcome == STORE_AGAIN && i < AGAIN_MAX; i++) {
        (void)poll(NULL, 0, AGAIN_MS);
        rows_done(rows);
        rows_init(rows);
        outcome = store_read(reader, query, rows, reterr);
    }
    return outcome;
}

static enum store_outcome walk_table(struct store_reader *reader, enum query_kind kind, copy_visit *visit,
                                     void *context, struct error *reterr)
{
    struct query query = first_page(kind);
    struct rows pages[2]; /* the page before holds the texts of the query */
    int now = 0;
    bool has_more = true;
    enum store_outcome outcome = STORE_DONE;

    rows_init(&pages[1]);
    while (outcome == STORE_DONE && has_more) {
        struct rows *rows = &pages[now];

        outcome = read_page(reader, &query, rows, reterr);
        rows_done(&pages[1 - now]);
        has_more = rows->has_more && next_page(&query, rows);
        if (outcome == STORE_DONE) {
            outcome = visit(context, rows, reterr);
        }
        now = 1 - now;
    }
    rows_done(&pages[1 - now]);
    return outcome;
}

enum store_outcome copy_walk(struct store *store, copy_visit *visit, void *context, struct error *reterr)
{
    static const enum query_kind tables[] = {QUERY_JOBS,         QUERY_ALL_VERSIONS, QUERY_ALL_TRIGGERS,
                                             QUERY_ALL_ATTEMPTS, QUERY_ALL_SKIPS,    QUERY_ALL_IDEMS};
    struct store_reader *reader;
    enum store_outcome outcome = walk_start(store, visit, context, reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    outcome = store_reader_open(store, &reader, reterr);
    if (outcome != STORE_DONE) {
        return outcome;
    }
    for (size_t i = 0; outcome == STORE_DONE && i < sizeof tables / sizeof tables[0]; i++) {
        outcome = walk_table(reader, tables[i], visit, context, reterr);
    }
    store_reader_close(reader);
    return outcome;
}

/* ---- counting ---- */

struct counting {
    struct store *store;
    const struct copy_watch *watch;
    enum copy_stage stage;
    struct copy_tally tally;
    bool has_begun;
};

static enum store_outcome count_page(void *context, struct rows *rows, struct error *reterr)
{
    struct counting *counting = context;
    struct copy_tally *tally = &counting->tally;

    if (!counting->has_begun) {
        tally->shard = rows->shard;
        counting->has_begun = true;
    }
#define X(kind, type, list)                                                                                            \
    for (size_t i = 0; i < rows->list.count; i++) {                                                                    \
        tally->counts[kind]++;                                                                                         \
        tally->total++;                                                                                                \
        tally->digest += shape_digest_row(kind, &rows->list.items[i]);                                                 \
    }
    ROW_TABLE(X)
#undef X
    if (counting->watch != NULL) {
        counting->watch->told(counting->watch->context, counting->stage, tally->total);
    }
    /* A long look at the target must not cost us the ownership. */
    return counting->stage == COPY_CHECKING && store_is_shared(counting->store) ? store_renew(counting->store, reterr)
                                                                                : STORE_DONE;
}

enum store_outcome copy_tally(struct store *store, const struct copy_watch *watch, enum copy_stage stage,
                              struct copy_tally *ret_tally, struct error *reterr)
{
    struct counting counting = {.store = store, .watch = watch, .stage = stage};
    enum store_outcome outcome = copy_walk(store, count_page, &counting, reterr);

    if (outcome == STORE_DONE) {
        *ret_tally = counting.tally;
    }
    return outcome;
}
