#include "store/postgres/postgres_write.h"

#include <assert.h>

#include "base/mem.h"
#include "store/claims_pack.h"
#include "store/ids.h"

/* Of a group (rule 2): large enough that a statement's own cost does not count. */
#define GROUP_ROWS_MAX 2000
#define GROUP_BYTES_MAX (4UL * 1024 * 1024)

#define COLUMNS_MAX 32
#define KINDS (OP_IDS_RESERVE + 1)
#define BIT(kind) (UINT32_C(1) << (kind))

_Static_assert(KINDS <= 32, "a set of kinds is 32 bits");

enum family {
    FAMILY_JOBS,
    FAMILY_TRIGGERS, /* attempts too: they go with their trigger */
    FAMILY_CLAIMS,
    FAMILY_WAITS,
    FAMILY_EDGES,
    FAMILY_CIRCUITS,
    FAMILY_VERSIONS,
    FAMILY_SKIPS,
    FAMILY_SETTINGS,
    FAMILY_LIMITERS,
    FAMILY_IDEMS,
    FAMILY_TENANTS,
    FAMILY_RULES,
};

/* How each kind is sent, in the order in which a family's groups are. An operation is gathered although later groups of
 * its family hold earlier ones: it overtakes them. That is right (rule 1 here) because
 * - a row is inserted or updated once in a batch (rule 1 of model/batch.h), so an UPDATE of a job never meets its
 * INSERT; nor do they meet by name, which an UPDATE leaves;
 * - attempts have no constraint with triggers but that a DELETE of a trigger takes its attempts along.
 * What remains is named: the family is sent before this operation if a group of after_all is not empty, or if one of
 * after_same has an operation with the same key. A PUT that meets itself is in its own after_same: one statement cannot
 * write a row twice. */
static const struct shape {
    enum op_kind kind;
    enum family family;
    enum pg_statement statement;
    bool is_counted;     /* the number of rows is $2, and must be met */
    const char *columns; /* pg_type_of */
    row_putter *put;
    uint32_t after_all;
    uint32_t after_same;
    bool is_rows; /* sent as rows of row_type, and not as columns */
    enum pg_row_type row_type;
} shapes[] = {
    {OP_JOB_DELETE, FAMILY_JOBS, SQL_JOB_DELETE, true, "8", postgres_put_id, BIT(OP_JOB_UPDATE) | BIT(OP_JOB_INSERT),
     0},
    {OP_JOB_UPDATE, FAMILY_JOBS, SQL_JOB_UPDATE, true, "88248888888t8", postgres_put_job_update, 0, 0, true,
     PG_ROW_JOB_CHANGE},
    {OP_JOB_INSERT, FAMILY_JOBS, SQL_JOB_INSERT, false, "882488888888tt8", postgres_put_job_insert, 0, 0, true,
     PG_ROW_JOB_NEW},

    {OP_TRIGGER_DELETE, FAMILY_TRIGGERS, SQL_TRIGGER_DELETE, true, "8", postgres_put_id,
     BIT(OP_ATTEMPT_DELETE) | BIT(OP_TRIGGER_REPLAYED) | BIT(OP_TRIGGER_UPDATE) | BIT(OP_TRIGGER_INSERT) |
         BIT(OP_ATTEMPT_INSERT),
     0},
    {OP_ATTEMPT_DELETE, FAMILY_TRIGGERS, SQL_ATTEMPT_DELETE, true, "88", postgres_put_attempt_key, 0,
     BIT(OP_ATTEMPT_INSERT)},
    {OP_TRIGGER_REPLAYED, FAMILY_TRIGGERS, SQL_TRIGGER_REPLAYED, true, "88", postgres_put_trigger_replayed,
     BIT(OP_TRIGGER_UPDATE) | BIT(OP_TRIGGER_INSERT), BIT(OP_TRIGGER_REPLAYED)},
    /* A fire is unique in its job: the key is the job. */
    {OP_TRIGGER_UPDATE, FAMILY_TRIGGERS, SQL_TRIGGER_UPDATE, true, "88248844444888t4288tttt28",
     postgres_put_trigger_update, 0, BIT(OP_TRIGGER_INSERT)},
    {OP_TRIGGER_INSERT, FAMILY_TRIGGERS, SQL_TRIGGER_INSERT, false, "88822488444448888t4288ttttt28",
     postgres_put_trigger_insert, 0, 0, true, PG_ROW_TRIGGER_NEW},
    {OP_ATTEMPT_INSERT, FAMILY_TRIGGERS, SQL_ATTEMPT_INSERT, false, "88288tttt", postgres_put_attempt_insert, 0, 0},

    {OP_CLAIMS_DELETE, FAMILY_CLAIMS, SQL_CLAIMS_DELETE, true, "8", postgres_put_id, 0, BIT(OP_CLAIMS_INSERT)},
    {OP_CLAIMS_INSERT, FAMILY_CLAIMS, SQL_CLAIMS_INSERT, false, "8b", postgres_put_claims_insert, 0, 0},

    {OP_WAIT_DELETE, FAMILY_WAITS, SQL_WAIT_DELETE, true, "888", postgres_put_wait_key, 0, BIT(OP_WAIT_PUT)},
    {OP_WAIT_PUT, FAMILY_WAITS, SQL_WAIT_PUT, false, "88882b", postgres_put_wait, 0, BIT(OP_WAIT_PUT)},
    {OP_EDGE_DELETE, FAMILY_EDGES, SQL_EDGE_DELETE, true, "88", postgres_put_edge_key, 0, BIT(OP_EDGE_INSERT)},
    {OP_EDGE_INSERT, FAMILY_EDGES, SQL_EDGE_INSERT, false, "88288", postgres_put_edge, 0, 0},
    {OP_CIRCUIT_DELETE, FAMILY_CIRCUITS, SQL_CIRCUIT_DELETE, true, "tt8", postgres_put_circuit_key, 0,
     BIT(OP_CIRCUIT_PUT)},
    {OP_CIRCUIT_PUT, FAMILY_CIRCUITS, SQL_CIRCUIT_PUT, false, "tt828", postgres_put_circuit, 0, BIT(OP_CIRCUIT_PUT)},

    {OP_VERSION_INSERT, FAMILY_VERSIONS, SQL_VERSION_INSERT, false, "88888t", postgres_put_version, 0, 0},
    {OP_SKIP_PUT, FAMILY_SKIPS, SQL_SKIP_PUT, false, "88882488", postgres_put_skip, 0, BIT(OP_SKIP_PUT)},
    {OP_SETTING_PUT, FAMILY_SETTINGS, SQL_SETTING_PUT, false, "2ttt", postgres_put_setting, 0, BIT(OP_SETTING_PUT)},
    {OP_LIMITER_PUT, FAMILY_LIMITERS, SQL_LIMITER_PUT, false, "2tt8", postgres_put_limiter, 0, BIT(OP_LIMITER_PUT)},
    {OP_IDEM_PUT, FAMILY_IDEMS, SQL_IDEM_PUT, false, "tt88t8", postgres_put_idem, 0, BIT(OP_IDEM_PUT)},
    {OP_TENANT_PUT, FAMILY_TENANTS, SQL_TENANT_PUT, false, "t8", postgres_put_tenant, 0, BIT(OP_TENANT_PUT)},
    {OP_RULES_PUT, FAMILY_RULES, SQL_RULES_PUT, false, "8tt", postgres_put_rules, 0, BIT(OP_RULES_PUT)},
};

#define SHAPES (sizeof shapes / sizeof shapes[0])

struct group {
    struct pg_array columns[COLUMNS_MAX]; /* or, where the shape says so: */
    size_t column_count;
    struct pg_rows as_rows;
    size_t rows;
    struct ids keys; /* of its operations, where another one may ask */
};

struct writer {
    struct group groups[SHAPES];
    size_t shape_of[KINDS]; /* SHAPES: none */
    uint32_t asked;         /* kinds whose keys somebody's after_same asks for */
    struct pg_array fires;  /* triggers gathered that may be a second one for a nominal time */
    struct buf packed;
    const struct shape **sent; /* what each statement of the pipeline was; NULL: not a group's */
    size_t sent_count, sent_cap;
};

/* ---- life ---- */

struct writer *postgres_writer_new(void)
{
    struct writer *writer = mem_zalloc(sizeof *writer);

    buf_init(&writer->packed, CLAIMS_PACK_BYTES_MAX);
    pg_array_init(&writer->fires, PG_INT8);
    for (size_t i = 0; i < KINDS; i++) {
        writer->shape_of[i] = SHAPES;
    }
    for (size_t i = 0; i < SHAPES; i++) {
        struct group *group = &writer->groups[i];

        pg_rows_init(&group->as_rows, shapes[i].columns);
        for (const char *letter = shapes[i].columns; *letter != '\0' && !shapes[i].is_rows; letter++) {
            assert(group->column_count < COLUMNS_MAX);
            pg_array_init(&group->columns[group->column_count++], pg_type_of(*letter));
        }
        writer->shape_of[shapes[i].kind] = i;
        writer->asked |= shapes[i].after_same;
    }
    return writer;
}

void postgres_writer_free(struct writer *writer)
{
    for (size_t i = 0; i < SHAPES; i++) {
        for (size_t j = 0; j < writer->groups[i].column_count; j++) {
            pg_array_done(&writer->groups[i].columns[j]);
        }
        pg_rows_done(&writer->groups[i].as_rows);
        ids_done(&writer->groups[i].keys);
    }
    buf_done(&writer->packed);
    pg_array_done(&writer->fires);
    mem_free(writer->sent);
    mem_free(writer);
}

static void reset(struct group *group)
{
    for (size_t i = 0; i < group->column_count; i++) {
        pg_array_reset(&group->columns[i]);
    }
    pg_rows_reset(&group->as_rows);
    ids_done(&group->keys);
    group->rows = 0;
}

/* ---- sending ---- */

static void note_sent(struct writer *writer, size_t at, const struct shape *shape)
{
    while (writer->sent_cap <= at) {
        writer->sent_cap = writer->sent_cap == 0 ? 64 : writer->sent_cap * 2;
        writer->sent = mem_realloc_array(writer->sent, writer->sent_cap, sizeof *writer->sent);
    }
    while (writer->sent_count < at) {
        writer->sent[writer->sent_count++] = NULL;
    }
    writer->sent[writer->sent_count++] = shape;
}

static void send_group(struct postgres_store *store, size_t at)
{
    struct group *group = &store->writer->groups[at];
    struct pg_call call;

    note_sent(store->writer, store->conn.sent, &shapes[at]);
    pg_call(&call, &store->conn, shapes[at].statement);
    pg_int2(&call, store->shard);
    if (shapes[at].is_counted) {
        pg_int8(&call, (int64_t)group->rows);
    }
    if (shapes[at].is_rows) {
        pg_rows(&call, &group->as_rows, shapes[at].row_type);
    }
    for (size_t i = 0; i < group->column_count; i++) {
        pg_array(&call, &group->columns[i]);
    }
    pg_send(&call);
    reset(group);
}

/* Behind the triggers themselves: no fire twice, in whatever parts of the history. */
static void send_fires(struct postgres_store *store)
{
    struct writer *writer = store->writer;
    struct pg_call call;

    if (writer->fires.count == 0) {
        return;
    }
    note_sent(writer, store->conn.sent, &shapes[writer->shape_of[OP_TRIGGER_INSERT]]);
    pg_call(&call, &store->conn, SQL_TRIGGER_FIRES);
    pg_int2(&call, store->shard);
    pg_array(&call, &writer->fires);
    pg_send(&call);
    pg_array_reset(&writer->fires);
}

static void send_family(struct postgres_store *store, enum family family)
{
    for (size_t i = 0; i < SHAPES; i++) {
        if (shapes[i].family == family && store->writer->groups[i].rows > 0) {
            send_group(store, i);
        }
    }
    if (family == FAMILY_TRIGGERS) {
        send_fires(store);
    }
}

/* ---- gathering ---- */

/* Whether the operation may not overtake what its family has gathered. */
static bool must_follow(const struct writer *writer, const struct shape *shape, uint64_t key)
{
    for (size_t i = 0; i < SHAPES; i++) {
        const struct group *group = &writer->groups[i];
        uint32_t bit = BIT(shapes[i].kind);

        if (group->rows > 0 &&
            ((shape->after_all & bit) != 0 || ((shape->after_same & bit) != 0 && ids_has(&group->keys, key)))) {
            return true;
        }
    }
    return false;
}

static size_t bytes_of(const struct group *group)
{
    size_t bytes = group->as_rows.bytes.len;

    for (size_t i = 0; i < group->column_count; i++) {
        bytes += group->columns[i].bytes.len;
    }
    return bytes;
}

/* A one-time job has one trigger of its own, whose key is the job's. */
static void note_fire(struct writer *writer, const struct op *op)
{
    if ((op->kind == OP_TRIGGER_INSERT && op->trigger.kind == TRIGGER_SCHEDULE) || op->kind == OP_TRIGGER_UPDATE) {
        if (op->trigger.job != op->trigger.id) {
            pg_array_id(&writer->fires, op->trigger.id);
        }
    }
}

static bool gather(struct postgres_store *store, const struct op *op, struct error *reterr)
{
    struct writer *writer = store->writer;
    size_t at = writer->shape_of[op->kind];

    if (at == SHAPES) {
        assert(op->kind == OP_IDS_RESERVE); /* went with the fence */
        return true;
    }
    const struct shape *shape = &shapes[at];
    struct group *group = &writer->groups[at];
    bool has_key = shape->after_same != 0 || (writer->asked & BIT(op->kind)) != 0;
    uint64_t key = has_key ? postgres_write_key(op) : 0;

    if ((shape->after_all | shape->after_same) != 0 && must_follow(writer, shape, key)) {
        send_family(store, shape->family);
    }
    struct columns columns = {group->columns, shape->is_rows ? &group->as_rows : NULL, &store->names, &writer->packed};

    if (shape->is_rows) {
        pg_rows_begin(&group->as_rows);
    }
    if (!shape->put(&columns, op, reterr)) {
        return false;
    }
    assert(columns.next == group->columns + group->column_count);
    if (shape->is_rows) {
        pg_rows_end(&group->as_rows);
    }
    if ((writer->asked & BIT(op->kind)) != 0) {
        (void)ids_add(&group->keys, key);
    }
    note_fire(writer, op);
    group->rows++;
    if (group->rows == GROUP_ROWS_MAX || (group->rows % 16 == 0 && bytes_of(group) >= GROUP_BYTES_MAX)) {
        send_family(store, shape->family);
    }
    return true;
}

static void drop_all(struct writer *writer)
{
    for (size_t i = 0; i < SHAPES; i++) {
        reset(&writer->groups[i]);
    }
    pg_array_reset(&writer->fires);
}

enum store_outcome postgres_write_all(struct postgres_store *store, const struct batch *batch, struct error *reterr)
{
    store->writer->sent_count = 0;
    BATCH_EACH(batch, chunk, i)
    {
        if (!gather(store, &chunk->ops[i], reterr)) {
            drop_all(store->writer);
            return STORE_REFUSED;
        }
    }
    for (size_t i = 0; i < SHAPES; i++) { /* families stand together in the table */
        if (store->writer->groups[i].rows > 0) {
            send_group(store, i);
        }
    }
    send_fires(store);
    return STORE_DONE;
}

void postgres_write_blame(const struct postgres_store *store, const struct batch *batch, struct error *reterr)
{
    const struct writer *writer = store->writer;
    size_t at = store->conn.failed_at;

    if (reterr == NULL) {
        return;
    }
    if (at < writer->sent_count && writer->sent[at] != NULL) {
        (void)err_wrap(reterr, reterr->code, "%s", op_kind_text(writer->sent[at]->kind));
    }
    (void)err_wrap(reterr, reterr->code, "batch %llu", (unsigned long long)batch->number);
}
