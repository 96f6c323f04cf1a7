#include "base/id.h"

#include <assert.h>
#include <stdio.h>

#define MS_MAX ((UINT64_C(1) << ID_MS_BITS) - 1)
#define SEQ_MAX ((1U << ID_SEQ_BITS) - 1)
#define DIGITS 13    /* of 5 bits: 65, of which the first two stay 0 */
#define PREFIX_LEN 4 /* of every kind */

static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
static const char *const prefixes[] = {[ID_JOB] = "job_", [ID_TRIGGER] = "trg_", [ID_ATTEMPT] = "att_"};

/* ---- giving ---- */

static void begin_ms(struct id_gen *gen, uint64_t ms)
{
    gen->next_ms = ms;
    gen->next_seq = ms == 0 && gen->shard == 0 ? 1 : 0; /* rule 4 */
}

/* Milliseconds since the epoch of ids; 0, which moves nothing, for a clock that is not believed (rule 3). */
static uint64_t since_epoch(int64_t wall_ms)
{
    if (wall_ms < ID_EPOCH_MS || (uint64_t)(wall_ms - ID_EPOCH_MS) > MS_MAX) {
        return 0;
    }
    return (uint64_t)(wall_ms - ID_EPOCH_MS);
}

void id_gen_init(struct id_gen *gen, uint32_t shard, int64_t high_ms)
{
    assert(shard <= ID_SHARD_MAX);
    assert(high_ms <= ID_EPOCH_MS + (int64_t)MS_MAX); /* or ids would begin again: rule 1 */
    gen->shard = shard;
    begin_ms(gen, since_epoch(high_ms));
}

uint64_t id_gen_next(struct id_gen *gen, int64_t now_ms)
{
    uint64_t now = since_epoch(now_ms);

    if (now > gen->next_ms) {
        begin_ms(gen, now);
    }
    if (gen->next_seq > SEQ_MAX) {
        begin_ms(gen, gen->next_ms + 1); /* rule 2 */
    }
    assert(gen->next_ms <= MS_MAX);
    return gen->next_ms << (ID_SHARD_BITS + ID_SEQ_BITS) | (uint64_t)gen->shard << ID_SEQ_BITS | gen->next_seq++;
}

int64_t id_gen_high_ms(const struct id_gen *gen)
{
    return ID_EPOCH_MS + (int64_t)gen->next_ms + 1;
}

/* ---- reading ---- */

int64_t id_time_ms(uint64_t id)
{
    return ID_EPOCH_MS + (int64_t)(id >> (ID_SHARD_BITS + ID_SEQ_BITS));
}

uint32_t id_shard(uint64_t id)
{
    return (uint32_t)(id >> ID_SEQ_BITS) & ID_SHARD_MAX;
}

uint32_t id_seq(uint64_t id)
{
    return (uint32_t)id & SEQ_MAX;
}

/* ---- text ---- */

void id_format(enum id_kind kind, uint64_t id, char out[static ID_TEXT_BYTES])
{
    memcpy(out, prefixes[kind], PREFIX_LEN);
    for (size_t i = DIGITS; i > 0; i--) {
        out[PREFIX_LEN + i - 1] = alphabet[id & 31];
        id >>= 5;
    }
    out[PREFIX_LEN + DIGITS] = '\0';
}

void id_format_attempt(uint64_t trigger, uint32_t number, char out[static ID_TEXT_BYTES])
{
    size_t used = PREFIX_LEN + DIGITS;

    assert(number > 0);
    id_format(ID_ATTEMPT, trigger, out);
    (void)snprintf(out + used, ID_TEXT_BYTES - used, "_%u", number);
}

/* The value of a digit, -1 where it is none (rule 5). */
static int digit_value(char c)
{
    const char *found;

    if (c >= 'A' && c <= 'Z') {
        c = (char)(c - 'A' + 'a');
    }
    if (c == 'i' || c == 'l') {
        return 1;
    }
    if (c == 'o') {
        return 0;
    }
    found = c != '\0' ? strchr(alphabet, c) : NULL;
    return found != NULL ? (int)(found - alphabet) : -1;
}

/* Prefix and digits, at the beginning of text, which is long enough. */
static enum err parse_head(enum id_kind kind, struct str text, uint64_t *ret_id, struct error *reterr)
{
    uint64_t id = 0;

    if (!str_starts_with(text, str_from(prefixes[kind]))) {
        return err_set_at(reterr, 1, ERR_INVALID, "the id must begin with %s", prefixes[kind]);
    }
    for (size_t i = 0; i < DIGITS; i++) {
        int position = (int)(PREFIX_LEN + i) + 1;
        int digit = digit_value(text.ptr[PREFIX_LEN + i]);
        if (digit < 0) {
            return err_set_at(reterr, position, ERR_INVALID, "the id has a character that no id has");
        }
        if (i == 0 && digit > 7) {
            return err_set_at(reterr, position, ERR_INVALID, "the id is larger than any id");
        }
        id = id << 5 | (uint64_t)digit;
    }
    if (id == ID_NONE) {
        return err_set_at(reterr, PREFIX_LEN + 1, ERR_INVALID, "no id is 0");
    }
    *ret_id = id;
    return ERR_OK;
}

enum err id_parse(enum id_kind kind, struct str text, uint64_t *ret_id, struct error *reterr)
{
    assert(kind != ID_ATTEMPT);
    if (text.len != PREFIX_LEN + DIGITS) {
        return err_set_at(reterr, 1, ERR_INVALID, "an id is %s and %d characters", prefixes[kind], DIGITS);
    }
    return parse_head(kind, text, ret_id, reterr);
}

enum err id_parse_attempt(struct str text, uint64_t *ret_trigger, uint32_t *ret_number, struct error *reterr)
{
    size_t head = PREFIX_LEN + DIGITS;
    struct str digits = str_skip(text, head + 1);
    uint64_t trigger;
    int64_t number;
    enum err err;

    if (text.len < head + 2 || text.ptr[head] != '_' || digits.ptr[0] == '0') {
        return err_set_at(reterr, 1, ERR_INVALID, "an attempt's id is att_, %d characters, _ and its number", DIGITS);
    }
    err = parse_head(ID_ATTEMPT, text, &trigger, reterr);
    if (err != ERR_OK) {
        return err;
    }
    err = str_to_int(digits, 1, UINT32_MAX, &number, reterr);
    if (err != ERR_OK) {
        if (reterr != NULL) {
            reterr->position += (int)head + 1;
        }
        return err;
    }
    *ret_trigger = trigger;
    *ret_number = (uint32_t)number;
    return ERR_OK;
}
