#include "store/postgres/postgres_names.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "store/postgres/pg_row.h"

struct name {
    struct map_node by_key;
    int64_t number; /* 0: not known yet */
    int priority;   /* of a lane */
    size_t pool_len;
    size_t key_len;
    char key[]; /* a tenant; or priority and length of the pool (as bytes), pool and type of a lane */
};

#define LANE_HEAD_BYTES (2 * sizeof(uint32_t))
/* The names' own limits are far below. */
#define KEY_BYTES_MAX 4096

/* Names come from clients; the seed need not be secret, since nobody can make them without making jobs. */
#define NAMES_SEED UINT64_C(0x6e616d6573)

void postgres_names_init(struct names *names)
{
    *names = (struct names){0};
    map_init(&names->tenants.known, MAP_KEYS_TEXT, NAMES_SEED);
    map_init(&names->lanes.known, MAP_KEYS_TEXT, NAMES_SEED);
    pg_array_init(&names->numbers, PG_INT4);
    pg_array_init(&names->priorities, PG_INT4);
    pg_array_init(&names->texts[0], PG_TEXT);
    pg_array_init(&names->texts[1], PG_TEXT);
}

static void forget_kind(struct names_kind *kind)
{
    for (struct map_node *node; (node = map_first(&kind->known)) != NULL;) {
        map_remove(&kind->known, node);
        mem_free(CONTAINER_OF(node, struct name, by_key));
    }
    kind->some_count = 0;
    kind->last = NULL;
}

void postgres_names_forget(struct names *names)
{
    forget_kind(&names->tenants);
    forget_kind(&names->lanes);
}

void postgres_names_done(struct names *names)
{
    postgres_names_forget(names);
    map_done(&names->tenants.known);
    map_done(&names->lanes.known);
    mem_free(names->tenants.some);
    mem_free(names->lanes.some);
    pg_array_done(&names->numbers);
    pg_array_done(&names->priorities);
    pg_array_done(&names->texts[0]);
    pg_array_done(&names->texts[1]);
}

/* ---- remembering ---- */

static struct str put_lane(char *key, const struct place *place)
{
    const uint32_t head[] = {(uint32_t)place->priority, (uint32_t)place->pool.len};
    char *at = key + sizeof head;

    memcpy(key, head, sizeof head);
    if (place->pool.len > 0) {
        memcpy(at, place->pool.ptr, place->pool.len);
    }
    if (place->type.len > 0) {
        memcpy(at + place->pool.len, place->type.ptr, place->type.len);
    }
    return (struct str){key, sizeof head + place->pool.len + place->type.len};
}

static bool is_sane(const struct place *place)
{
    return place->tenant.len <= KEY_BYTES_MAX && LANE_HEAD_BYTES + place->pool.len + place->type.len <= KEY_BYTES_MAX;
}

static struct name *recall(struct names_kind *kind, struct str key)
{
    if (kind->last != NULL && str_equal(kind->last->by_key.key.text, key)) {
        return kind->last;
    }
    struct map_node *node = map_find_text(&kind->known, key);

    if (node == NULL) {
        return NULL;
    }
    kind->last = CONTAINER_OF(node, struct name, by_key);
    return kind->last;
}

/* One that is to be looked up. */
static struct name *add(struct names_kind *kind, struct str key)
{
    struct name *name = mem_zalloc(sizeof *name + key.len + 1);

    memcpy(name->key, key.ptr, key.len);
    name->key_len = key.len;
    (void)map_insert_text(&kind->known, &name->by_key, (struct str){name->key, key.len});
    if (kind->some_count == kind->some_cap) {
        kind->some_cap = kind->some_cap == 0 ? 16 : kind->some_cap * 2;
        kind->some = mem_realloc_array(kind->some, kind->some_cap, sizeof *kind->some);
    }
    kind->some[kind->some_count++] = name;
    kind->last = name;
    return name;
}

static void note_tenant(struct names *names, const struct place *place)
{
    struct str key = place->tenant.len > 0 ? place->tenant : STR("");

    if (recall(&names->tenants, key) == NULL) {
        (void)add(&names->tenants, key);
    }
}

static void note_lane(struct names *names, const struct place *place)
{
    char bytes[KEY_BYTES_MAX];
    struct str key = put_lane(bytes, place);

    if (recall(&names->lanes, key) == NULL) {
        struct name *name = add(&names->lanes, key);

        name->priority = place->priority;
        name->pool_len = place->pool.len;
    }
}

static struct str pool_of(const struct name *name)
{
    return (struct str){name->key + LANE_HEAD_BYTES, name->pool_len};
}

static struct str type_of(const struct name *name)
{
    return str_skip((struct str){name->key, name->key_len}, LANE_HEAD_BYTES + name->pool_len);
}

/* ---- learning ---- */

static const struct place *place_of(const struct op *op)
{
    switch ((int)op->kind) {
    case OP_JOB_INSERT:
    case OP_JOB_UPDATE:
        return &op->job.place;
    case OP_TRIGGER_INSERT:
    case OP_TRIGGER_UPDATE:
        return &op->trigger.place;
    default:
        return NULL;
    }
}

static bool note_all(struct names *names, const struct batch *batch)
{
    BATCH_EACH(batch, chunk, i)
    {
        const struct place *place = place_of(&chunk->ops[i]);

        if (place != NULL && !is_sane(place)) {
            return false;
        }
        if (place != NULL && chunk->ops[i].kind != OP_JOB_UPDATE) {
            note_tenant(names, place);
        }
        if (place != NULL) {
            note_lane(names, place);
        }
    }
    return true;
}

static void fill_columns(struct names *names, const struct names_kind *kind)
{
    bool is_lanes = kind == &names->lanes;

    pg_array_reset(&names->numbers);
    pg_array_reset(&names->priorities);
    pg_array_reset(&names->texts[0]);
    pg_array_reset(&names->texts[1]);
    for (size_t i = 0; i < kind->some_count; i++) {
        const struct name *name = kind->some[i];

        pg_array_key(&names->numbers, name->number);
        pg_array_text(&names->texts[0], is_lanes ? pool_of(name) : (struct str){name->key, name->key_len});
        if (is_lanes) {
            pg_array_text(&names->texts[1], type_of(name));
            pg_array_int(&names->priorities, name->priority);
        }
    }
}

static void ask(struct names *names, struct pg_conn *conn, uint32_t shard, struct names_kind *kind)
{
    bool is_lanes = kind == &names->lanes;
    struct pg_call call;

    fill_columns(names, kind);
    pg_call(&call, conn, is_lanes ? SQL_LANES : SQL_TENANT_NUMBERS);
    pg_int2(&call, shard);
    pg_array(&call, &names->texts[0]);
    if (is_lanes) {
        pg_array(&call, &names->texts[1]);
        pg_array(&call, &names->priorities);
    }
    pg_send(&call);
    pg_send_for(conn, is_lanes ? SQL_LANE_LAST : SQL_TENANT_NUMBER_LAST, shard);
}

/* Those that are there get their numbers, the others the next ones. */
static void take(struct names_kind *kind, struct pg_conn *conn)
{
    int64_t last = 0;
    size_t new_count = 0;
    const PGresult *answer = pg_answer(conn);

    for (int i = 0; answer != NULL && i < PQntuples(answer); i++) {
        struct pg_row row = pg_row(answer, i);
        int64_t at = pg_take_int(&row);

        if (at >= 1 && (size_t)at <= kind->some_count) {
            kind->some[at - 1]->number = pg_take_int(&row);
        }
    }
    answer = pg_answer(conn);
    if (answer != NULL && PQntuples(answer) == 1) {
        struct pg_row row = pg_row(answer, 0);

        last = pg_take_int(&row);
    }
    for (size_t i = 0; i < kind->some_count; i++) {
        struct name *name = kind->some[i];

        if (name->number == 0) {
            name->number = ++last;
            kind->some[new_count++] = name;
        }
    }
    kind->some_count = new_count;
}

enum store_outcome postgres_names_learn(struct names *names, struct pg_conn *conn, uint32_t shard,
                                        const struct batch *batch, struct error *reterr)
{
    if (names->session != conn->session || map_count(&names->tenants.known) > NAMES_MAX ||
        map_count(&names->lanes.known) > NAMES_MAX) {
        postgres_names_forget(names); /* rules 1 and 3 */
        names->session = conn->session;
    }
    if (!note_all(names, batch)) {
        postgres_names_forget(names);
        (void)err_set(reterr, ERR_TOO_LARGE, "a name of more than %d bytes", KEY_BYTES_MAX);
        return STORE_REFUSED;
    }
    if (names->tenants.some_count + names->lanes.some_count == 0) {
        return STORE_DONE;
    }
    bool has_tenants = names->tenants.some_count > 0;
    bool has_lanes = names->lanes.some_count > 0;

    if (has_tenants) {
        ask(names, conn, shard, &names->tenants);
    }
    if (has_lanes) {
        ask(names, conn, shard, &names->lanes);
    }
    pg_sync(conn);
    if (has_tenants) {
        take(&names->tenants, conn);
    }
    if (has_lanes) {
        take(&names->lanes, conn);
    }
    enum store_outcome outcome = pg_finish(conn, reterr);

    if (outcome != STORE_DONE) {
        postgres_names_forget(names);
    }
    return outcome;
}

void postgres_names_send(struct names *names, struct pg_conn *conn, uint32_t shard)
{
    struct pg_call call;

    if (names->tenants.some_count > 0) {
        fill_columns(names, &names->tenants);
        pg_call(&call, conn, SQL_TENANT_NUMBERS_ADD);
        pg_int2(&call, shard);
        pg_array(&call, &names->numbers);
        pg_array(&call, &names->texts[0]);
        pg_send(&call);
    }
    if (names->lanes.some_count > 0) {
        fill_columns(names, &names->lanes);
        pg_call(&call, conn, SQL_LANES_ADD);
        pg_int2(&call, shard);
        pg_array(&call, &names->numbers);
        pg_array(&call, &names->texts[0]);
        pg_array(&call, &names->texts[1]);
        pg_array(&call, &names->priorities);
        pg_send(&call);
    }
}

void postgres_names_settle(struct names *names, bool is_committed)
{
    if (!is_committed && names->tenants.some_count + names->lanes.some_count > 0) {
        postgres_names_forget(names); /* rule 2 */
    }
    names->tenants.some_count = names->lanes.some_count = 0;
}

int64_t postgres_names_lane(struct names *names, const struct place *place)
{
    char bytes[KEY_BYTES_MAX];
    struct name *name = recall(&names->lanes, put_lane(bytes, place));

    assert(name != NULL && name->number > 0);
    return name->number;
}

int64_t postgres_names_place(struct names *names, const struct place *place)
{
    struct name *name = recall(&names->tenants, place->tenant.len > 0 ? place->tenant : STR(""));

    assert(name != NULL && name->number > 0);
    return name->number << 32 | postgres_names_lane(names, place);
}
