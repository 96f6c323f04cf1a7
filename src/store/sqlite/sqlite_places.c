#include "store/sqlite/sqlite_places.h"

#include <string.h>

#include "base/mem.h"
#include "store/sqlite/sqlite_sql.h"

struct place_entry {
    struct map_node by_text, by_id;
    int64_t id;
    struct place place; /* texts point into key */
    size_t key_len;
    char key[]; /* the lengths and priority, then the three texts: what by_text hashes */
};

#define KEY_HEAD_BYTES (4 * sizeof(uint32_t))
/* The names' own limits are far below. */
#define KEY_BYTES_MAX 4096

/* Names come from clients; the map's seed need not be secret, since nobody can make places without making jobs. */
#define PLACES_SEED UINT64_C(0x706c616365)

void sqlite_places_init(struct places *places)
{
    *places = (struct places){0};
    map_init(&places->by_text, MAP_KEYS_TEXT, PLACES_SEED);
    map_init(&places->by_id, MAP_KEYS_NUMBER, PLACES_SEED);
}

void sqlite_places_forget(struct places *places)
{
    for (struct map_node *node; (node = map_first(&places->by_id)) != NULL;) {
        struct place_entry *entry = CONTAINER_OF(node, struct place_entry, by_id);

        map_remove(&places->by_id, &entry->by_id);
        if (entry->by_text.is_linked) { /* not where a damaged file has one place twice */
            map_remove(&places->by_text, &entry->by_text);
        }
        mem_free(entry);
    }
    places->last = NULL;
    places->has_new = false;
}

void sqlite_places_done(struct places *places)
{
    sqlite_places_forget(places);
    map_done(&places->by_text);
    map_done(&places->by_id);
}

void sqlite_places_settle(struct places *places, bool is_committed)
{
    if (places->has_new && !is_committed) {
        sqlite_places_forget(places);
    }
    places->has_new = false;
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->priority == b->priority && str_equal(a->type, b->type) && str_equal(a->tenant, b->tenant) &&
           str_equal(a->pool, b->pool);
}

static size_t key_len_of(const struct place *place)
{
    return KEY_HEAD_BYTES + place->pool.len + place->tenant.len + place->type.len;
}

static struct str put_text(char **at, struct str text)
{
    struct str copy = {*at, text.len};

    if (text.len > 0) {
        memcpy(*at, text.ptr, text.len);
    }
    *at += text.len;
    return copy;
}

/* Writes the key and returns the place whose texts it holds. */
static struct place put_key(char *key, const struct place *place)
{
    const uint32_t head[] = {(uint32_t)place->pool.len, (uint32_t)place->tenant.len, (uint32_t)place->type.len,
                             (uint32_t)place->priority};
    char *at = key + sizeof head;
    struct place copy = {.priority = place->priority};

    memcpy(key, head, sizeof head);
    copy.pool = put_text(&at, place->pool);
    copy.tenant = put_text(&at, place->tenant);
    copy.type = put_text(&at, place->type);
    return copy;
}

static struct place_entry *remember(struct places *places, int64_t id, const struct place *place)
{
    size_t len = key_len_of(place);
    struct place_entry *entry = mem_zalloc(sizeof *entry + len);

    if (map_count(&places->by_id) >= PLACES_MAX) {
        bool has_new = places->has_new;

        sqlite_places_forget(places);
        places->has_new = has_new;
    }
    entry->id = id;
    entry->place = put_key(entry->key, place);
    entry->key_len = len;
    (void)map_insert_text(&places->by_text, &entry->by_text, (struct str){entry->key, len});
    (void)map_insert_number(&places->by_id, &entry->by_id, (uint64_t)id);
    places->last = entry;
    return entry;
}

/* What memory knows; NULL: ask the store. */
static struct place_entry *recall(struct places *places, const struct place *place)
{
    if (places->last != NULL && same_place(&places->last->place, place)) {
        return places->last;
    }
    char key[KEY_BYTES_MAX];

    (void)put_key(key, place);
    struct map_node *node = map_find_text(&places->by_text, (struct str){key, key_len_of(place)});

    if (node == NULL) {
        return NULL;
    }
    places->last = CONTAINER_OF(node, struct place_entry, by_text);
    return places->last;
}

static void bind_place(struct sql_call *call, const struct place *place)
{
    sql_text(call, place->pool);
    sql_text(call, place->tenant);
    sql_text(call, place->type);
    sql_int(call, place->priority);
}

/* Texts too long for any name are no place. */
static bool is_sane(const struct place *place)
{
    return key_len_of(place) <= KEY_BYTES_MAX;
}

enum store_outcome sqlite_places_find(struct sql_conn *conn, const struct place *place, int64_t *ret_id,
                                      struct error *reterr)
{
    struct place_entry *entry = is_sane(place) ? recall(&conn->places, place) : NULL;
    int64_t id = 0;

    if (entry != NULL) {
        *ret_id = entry->id;
        return STORE_DONE;
    }
    struct sql_call call = sql_begin(conn, SQL_PLACE_BY_TEXT);

    bind_place(&call, place);
    if (sql_next(&call)) {
        struct sql_row row = sql_row(&call);

        id = sql_take_int(&row);
    }
    enum store_outcome outcome = sql_end(&call, reterr);

    if (outcome == STORE_DONE) {
        if (id != 0 && is_sane(place)) {
            (void)remember(&conn->places, id, place);
        }
        *ret_id = id;
    }
    return outcome;
}

enum store_outcome sqlite_places_intern(struct sql_conn *conn, const struct place *place, int64_t *ret_id,
                                        struct error *reterr)
{
    int64_t id;

    if (!is_sane(place)) {
        (void)err_set(reterr, ERR_TOO_LARGE, "a place whose names take %zu bytes", key_len_of(place));
        return STORE_REFUSED;
    }
    enum store_outcome outcome = sqlite_places_find(conn, place, &id, reterr);

    if (outcome == STORE_DONE && id == 0) {
        struct sql_call call = sql_begin(conn, SQL_PLACE_INSERT);

        bind_place(&call, place);
        outcome = sql_run(&call, reterr);
        id = sqlite3_last_insert_rowid(conn->db);
        if (outcome == STORE_DONE) {
            (void)remember(&conn->places, id, place);
            conn->places.has_new = true;
        }
    }
    if (outcome == STORE_DONE) {
        *ret_id = id;
    }
    return outcome;
}

/* Reads the place of a number from the store. */
static enum store_outcome fetch(struct sql_conn *conn, int64_t id, struct error *reterr)
{
    struct sql_call call = sql_begin(conn, SQL_PLACE_BY_ID);

    conn->places.last = NULL;
    sql_int(&call, id);
    if (sql_next(&call)) {
        struct sql_row row = sql_row(&call);
        struct place place;

        place.pool = sql_take_text(&row);
        place.tenant = sql_take_text(&row);
        place.type = sql_take_text(&row);
        int64_t priority = sql_take_int(&row);

        place.priority = (int)priority;
        if (place.priority == priority && is_sane(&place)) {
            (void)remember(&conn->places, id, &place);
        }
    }
    enum store_outcome outcome = sql_end(&call, reterr);

    if (outcome == STORE_DONE && conn->places.last == NULL) {
        return sql_bad_row(conn, "places", (uint64_t)id, "it is not there, or makes no sense", reterr);
    }
    return outcome;
}

enum store_outcome sqlite_places_get(struct sql_conn *conn, int64_t id, const struct place **ret_place,
                                     struct error *reterr)
{
    struct places *places = &conn->places;

    if (places->last == NULL || places->last->id != id) {
        struct map_node *node = map_find_number(&places->by_id, (uint64_t)id);

        if (node != NULL) {
            places->last = CONTAINER_OF(node, struct place_entry, by_id);
        } else {
            enum store_outcome outcome = fetch(conn, id, reterr);

            if (outcome != STORE_DONE) {
                return outcome;
            }
        }
    }
    *ret_place = &places->last->place;
    return STORE_DONE;
}
