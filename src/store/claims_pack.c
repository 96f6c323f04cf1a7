#include "store/claims_pack.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"

#define FORMAT 1
#define HEAD_BYTES 9
#define CLAIM_BYTES 45
#define NAME_HEAD_BYTES 2

/* Names are looked up for one row and then forgotten; no worker can gain by making them collide. */
#define NAMES_SEED 0

/* ---- writing ---- */

struct name {
    struct map_node node;
    uint32_t number;
};

struct packing {
    const struct claims_row *row;
    struct buf *out;
    struct map names;
    struct name *found; /* room for as many as there are claims */
};

static char *put_u32(char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        *at++ = (char)(value >> (8 * i));
    }
    return at;
}

static char *put_u64(char *at, uint64_t value)
{
    return put_u32(put_u32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

/* The number of a claim's worker; a name that is new is written down. */
static uint32_t name_number(struct packing *packing, size_t i)
{
    const struct claim *claims = packing->row->claims;
    struct name *name = &packing->found[map_count(&packing->names)];
    struct map_node *known = map_find_text(&packing->names, claims[i].worker);

    if (known != NULL) {
        return CONTAINER_OF(known, struct name, node)->number;
    }
    *name = (struct name){.number = (uint32_t)map_count(&packing->names)};
    (void)map_insert_text(&packing->names, &name->node, claims[i].worker);
    const char len[NAME_HEAD_BYTES] = {(char)claims[i].worker.len, (char)(claims[i].worker.len >> 8)};

    buf_append(packing->out, len, sizeof len);
    buf_append_str(packing->out, claims[i].worker);
    return name->number;
}

static char *put_claim(char *at, const struct claim *claim, uint32_t worker)
{
    at = put_u64(at, claim->trigger);
    at = put_u64(at, claim->job);
    at = put_u32(at, claim->number);
    at = put_u32(at, claim->version);
    *at++ = (char)claim->kind;
    at = put_u64(at, (uint64_t)claim->scheduled_ms);
    at = put_u64(at, (uint64_t)claim->started_ms);
    return put_u32(at, worker);
}

static void pack(struct packing *packing, uint32_t *numbers)
{
    const struct claims_row *row = packing->row;
    char head[HEAD_BYTES] = {FORMAT};
    size_t begin = packing->out->len;

    buf_append(packing->out, head, sizeof head);
    for (size_t i = 0; i < row->count; i++) {
        bool same = i > 0 && str_equal(row->claims[i].worker, row->claims[i - 1].worker);

        numbers[i] = same ? numbers[i - 1] : name_number(packing, i);
    }
    char *at = buf_reserve(packing->out, row->count * CLAIM_BYTES);

    if (at == NULL) {
        return;
    }
    for (size_t i = 0; i < row->count; i++) {
        at = put_claim(at, &row->claims[i], numbers[i]);
    }
    buf_commit(packing->out, row->count * CLAIM_BYTES);
    at = put_u32(packing->out->data + begin + 1, (uint32_t)map_count(&packing->names));
    (void)put_u32(at, (uint32_t)row->count);
}

enum err claims_pack(const struct claims_row *row, struct buf *out, struct error *reterr)
{
    struct packing packing = {.row = row, .out = out};

    if (row->count > CLAIMS_PACK_MAX) {
        return err_set(reterr, ERR_TOO_LARGE, "%zu claims in one row; at most %d fit", row->count, CLAIMS_PACK_MAX);
    }
    for (size_t i = 0; i < row->count; i++) {
        if (row->claims[i].worker.len > CLAIMS_PACK_NAME_BYTES_MAX) {
            return err_set(reterr, ERR_TOO_LARGE, "a worker's name of %zu bytes; at most %d fit",
                           row->claims[i].worker.len, CLAIMS_PACK_NAME_BYTES_MAX);
        }
    }
    SCOPE_FREE uint32_t *numbers = mem_alloc_array(row->count, sizeof *numbers);
    packing.found = mem_alloc_array(row->count, sizeof *packing.found);
    map_init(&packing.names, MAP_KEYS_TEXT, NAMES_SEED);
    pack(&packing, numbers);
    map_done(&packing.names);
    mem_free(packing.found);
    if (buf_overflowed(out)) {
        return err_set(reterr, ERR_TOO_LARGE, "the claims of one row take more than %zu bytes", out->max_bytes);
    }
    return ERR_OK;
}

/* ---- reading ---- */

static uint32_t get_u32(const char **at)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++) {
        value |= (uint32_t)(unsigned char)*(*at)++ << (8 * i);
    }
    return value;
}

static uint64_t get_u64(const char **at)
{
    uint64_t low = get_u32(at);

    return low | (uint64_t)get_u32(at) << 32;
}

static enum err corrupt(struct error *reterr, const char *what)
{
    return err_set(reterr, ERR_CORRUPT, "packed claims: %s", what);
}

/* Takes the names off *rest. */
static enum err get_names(struct str *rest, struct arena *arena, struct str *names, uint32_t count,
                          struct error *reterr)
{
    for (uint32_t i = 0; i < count; i++) {
        if (rest->len < NAME_HEAD_BYTES) {
            return corrupt(reterr, "a name is cut off");
        }
        size_t len = (size_t)(unsigned char)rest->ptr[0] | (size_t)(unsigned char)rest->ptr[1] << 8;

        *rest = str_skip(*rest, NAME_HEAD_BYTES);
        if (rest->len < len) {
            return corrupt(reterr, "a name is cut off");
        }
        names[i] = (struct str){"", len};
        if (len > 0) {
            names[i].ptr = arena_strdup_str(arena, (struct str){rest->ptr, len});
        }
        *rest = str_skip(*rest, len);
    }
    return ERR_OK;
}

static enum err get_claim(const char **at, const struct str *names, uint32_t name_count, struct claim *claim,
                          struct error *reterr)
{
    claim->trigger = get_u64(at);
    claim->job = get_u64(at);
    claim->number = get_u32(at);
    claim->version = get_u32(at);
    unsigned char kind = (unsigned char)*(*at)++;
    claim->scheduled_ms = (int64_t)get_u64(at);
    claim->started_ms = (int64_t)get_u64(at);
    uint32_t worker = get_u32(at);

    if (kind > TRIGGER_DEPENDENCY) {
        return corrupt(reterr, "there is no such kind of trigger");
    }
    if (worker >= name_count) {
        return corrupt(reterr, "a claim names a worker that is not there");
    }
    claim->kind = (enum trigger_kind)kind;
    claim->worker = names[worker];
    return ERR_OK;
}

enum err claims_unpack(struct str bytes, struct arena *arena, struct claims_row *row, struct error *reterr)
{
    if (bytes.len < HEAD_BYTES) {
        return corrupt(reterr, "the beginning is cut off");
    }
    if (bytes.ptr[0] != FORMAT) {
        return corrupt(reterr, "the format is not known");
    }
    const char *at = bytes.ptr + 1;
    uint32_t name_count = get_u32(&at);
    uint32_t count = get_u32(&at);
    struct str rest = str_skip(bytes, HEAD_BYTES);

    /* Before memory is reserved for them: every name takes bytes, every claim too, and no name is there for nothing. */
    if (name_count > count || count > rest.len / CLAIM_BYTES) {
        return corrupt(reterr, "the counts do not fit the length");
    }
    struct str *names = arena_alloc_array(arena, name_count, sizeof *names);
    struct claim *claims = arena_alloc_array(arena, count, sizeof *claims);
    enum err err = get_names(&rest, arena, names, name_count, reterr);

    if (err != ERR_OK) {
        return err;
    }
    if (rest.len != (size_t)count * CLAIM_BYTES) {
        return corrupt(reterr, "the counts do not fit the length");
    }
    at = rest.ptr;
    for (uint32_t i = 0; i < count; i++) {
        err = get_claim(&at, names, name_count, &claims[i], reterr);
        if (err != ERR_OK) {
            return err;
        }
    }
    row->claims = claims;
    row->count = count;
    return ERR_OK;
}
