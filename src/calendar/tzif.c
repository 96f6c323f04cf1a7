#include "calendar/tzif.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "calendar/civil.h"
#include "calendar/tzrule.h"

#define HEADER_BYTES 44
#define TYPE_BYTES 6
#define TYPES_MAX 256

/* RFC 9636 section 3.2: no real offset lies outside of these. */
#define OFFSET_MIN_S (-25 * 3600)
#define OFFSET_MAX_S (26 * 3600)

/* RFC 9636 section 3.2 again: nothing is earlier than the Big Bang; and as far ahead nothing overflows yet. */
#define BIG_BANG_S (-(1LL << 59))

struct header {
    char version; /* 0, '2', '3' or '4' */
    uint32_t isut_count;
    uint32_t isstd_count;
    uint32_t leap_count;
    uint32_t time_count;
    uint32_t type_count;
    uint32_t char_count;
};

/* Where the arrays of a data block lie. */
struct block {
    struct header header;
    size_t time_bytes; /* 4 in version 1, else 8 */
    const uint8_t *times;
    const uint8_t *indexes;
    const uint8_t *types;
    const char *chars;
    const uint8_t *leaps;
    const uint8_t *end;
};

static uint32_t read_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int64_t read_time(const uint8_t *at, size_t time_bytes)
{
    if (time_bytes == 4) {
        return (int32_t)read_u32(at);
    }
    return (int64_t)((uint64_t)read_u32(at) << 32 | read_u32(at + 4));
}

static enum err corrupt(struct error *reterr, const char *what)
{
    return err_set(reterr, ERR_CORRUPT, "not a valid time zone file: %s", what);
}

static enum err read_header(const uint8_t *bytes, size_t len, struct header *header, struct error *reterr)
{
    if (len < HEADER_BYTES || memcmp(bytes, "TZif", 4) != 0) {
        return corrupt(reterr, "it does not begin with a TZif header");
    }
    *header = (struct header){
        .version = (char)bytes[4],
        .isut_count = read_u32(bytes + 20),
        .isstd_count = read_u32(bytes + 24),
        .leap_count = read_u32(bytes + 28),
        .time_count = read_u32(bytes + 32),
        .type_count = read_u32(bytes + 36),
        .char_count = read_u32(bytes + 40),
    };
    if (header->version != 0 && header->version < '2') {
        return corrupt(reterr, "unknown version");
    }
    if (header->time_count > TZIF_TRANSITIONS_MAX || header->leap_count > TZIF_TRANSITIONS_MAX ||
        header->type_count > TYPES_MAX || header->char_count > TYPES_MAX * ZONE_ABBR_BYTES ||
        header->isut_count > header->type_count || header->isstd_count > header->type_count) {
        return corrupt(reterr, "a count is out of bounds");
    }
    return ERR_OK;
}

/* Finds the arrays of the block whose header begins at bytes. */
static enum err read_block(const uint8_t *bytes, size_t len, size_t time_bytes, struct block *block,
                           struct error *reterr)
{
    struct header header;
    enum err err = read_header(bytes, len, &header, reterr);

    if (err != ERR_OK) {
        return err;
    }
    size_t times = header.time_count * time_bytes;
    size_t types = header.type_count * (size_t)TYPE_BYTES;
    size_t leaps = header.leap_count * (time_bytes + 4);
    size_t need = HEADER_BYTES + times + header.time_count + types + header.char_count + leaps + header.isstd_count +
                  header.isut_count;

    if (need > len) {
        return corrupt(reterr, "it is cut short");
    }
    block->header = header;
    block->time_bytes = time_bytes;
    block->times = bytes + HEADER_BYTES;
    block->indexes = block->times + times;
    block->types = block->indexes + header.time_count;
    block->chars = (const char *)(block->types + types);
    block->leaps = block->types + types + header.char_count;
    block->end = bytes + need;
    return ERR_OK;
}

static enum err read_type(const struct block *block, size_t index, struct zone_segment *ret_segment,
                          struct error *reterr)
{
    if (index >= block->header.type_count) {
        return corrupt(reterr, "a transition names a type that is not there");
    }
    const uint8_t *type = block->types + index * TYPE_BYTES;
    int32_t offset_s = (int32_t)read_u32(type);
    size_t abbr = type[5];
    size_t abbr_len = abbr < block->header.char_count ? strnlen(block->chars + abbr, block->header.char_count - abbr)
                                                      : ZONE_ABBR_BYTES;

    if (offset_s < OFFSET_MIN_S || offset_s > OFFSET_MAX_S || type[4] > 1) {
        return corrupt(reterr, "a type has an impossible offset or flag");
    }
    if (abbr_len >= ZONE_ABBR_BYTES || abbr + abbr_len >= block->header.char_count) {
        return corrupt(reterr, "a type has no proper abbreviation");
    }
    ret_segment->offset_s = offset_s;
    ret_segment->dst = type[4] == 1;
    memset(ret_segment->abbr, 0, sizeof ret_segment->abbr);
    memcpy(ret_segment->abbr, block->chars + abbr, abbr_len);
    return ERR_OK;
}

/* What leap seconds have added to the count by the time the file calls at. */
static int64_t leap_correction_s(const struct block *block, int64_t at)
{
    size_t record_bytes = block->time_bytes + 4;
    int64_t correction_s = 0;

    for (size_t i = 0; i < block->header.leap_count; i++) {
        const uint8_t *record = block->leaps + i * record_bytes;

        if (read_time(record, block->time_bytes) > at) {
            break;
        }
        correction_s = (int32_t)read_u32(record + block->time_bytes);
    }
    return correction_s;
}

/* Segments under construction. */
struct row {
    struct zone_segment *segments;
    size_t count;
};

/* Appends one; a segment of no length is replaced, one like its predecessor is left out (zone.h, rules 1 and 2). */
static void append(struct row *row, struct zone_segment segment)
{
    if (row->count > 0 && row->segments[row->count - 1].start_s >= segment.start_s) {
        int64_t start_s = row->segments[row->count - 1].start_s;

        row->count--;
        segment.start_s = start_s;
    }
    if (row->count > 0) {
        const struct zone_segment *last = &row->segments[row->count - 1];

        if (last->offset_s == segment.offset_s && last->dst == segment.dst && strcmp(last->abbr, segment.abbr) == 0) {
            return;
        }
    }
    row->segments[row->count++] = segment;
}

/* *ret_last_s is the last transition of the file, INT64_MIN where it has none: behind it the footer rules, even where
 * that transition changes nothing. */
static enum err append_transitions(const struct block *block, struct row *row, int64_t *ret_last_s,
                                   struct error *reterr)
{
    struct zone_segment segment = {.start_s = INT64_MIN};
    int64_t previous = INT64_MIN;                         /* no transition is that early */
    enum err err = read_type(block, 0, &segment, reterr); /* type 0 rules before the first transition */

    if (err != ERR_OK) {
        return err;
    }
    append(row, segment);
    for (size_t i = 0; i < block->header.time_count; i++) {
        int64_t at = read_time(block->times + i * block->time_bytes, block->time_bytes);

        if (i > 0 && at <= previous) {
            return corrupt(reterr, "its transitions are not in order");
        }
        if (at < BIG_BANG_S || at > -BIG_BANG_S) {
            return corrupt(reterr, "a transition lies outside of all time");
        }
        previous = at;
        segment.start_s = at - leap_correction_s(block, at);
        *ret_last_s = segment.start_s;
        err = read_type(block, block->indexes[i], &segment, reterr);
        if (err != ERR_OK) {
            return err;
        }
        append(row, segment);
    }
    return ERR_OK;
}

static struct zone_segment segment_of(int64_t start_s, const struct tzrule_time *time, bool dst)
{
    struct zone_segment segment = {.start_s = start_s, .offset_s = time->offset_s, .dst = dst};

    memcpy(segment.abbr, time->abbr, sizeof segment.abbr);
    return segment;
}

/* Continues the row with the rule's yearly changes, beyond YEAR_MAX by enough to know what follows its last day. */
static void append_rule(const struct tzrule *rule, int64_t last_s, struct row *row)
{
    int64_t range_start_s = civil_day_number(YEAR_MIN - 1, 1, 1) * SECONDS_PER_DAY;
    int64_t range_end_s = civil_day_number(YEAR_MAX + 2, 1, 1) * SECONDS_PER_DAY;

    if (last_s >= range_end_s) {
        return;
    }
    int first_year = last_s < range_start_s ? YEAR_MIN - 1 : civil_from_local(last_s).year - 1;

    for (int year = first_year; year <= YEAR_MAX + 1; year++) {
        struct zone_segment begins = segment_of(tzrule_dst_begins_s(rule, year), &rule->dst, true);
        struct zone_segment ends = segment_of(tzrule_dst_ends_s(rule, year), &rule->standard, false);
        bool begins_first = begins.start_s < ends.start_s;
        struct zone_segment pair[2] = {begins_first ? begins : ends, begins_first ? ends : begins};

        for (size_t i = 0; i < 2; i++) {
            if (pair[i].start_s > last_s) {
                append(row, pair[i]);
            }
        }
    }
}

/* The line between newlines after the last block; empty where the file has none. */
static enum err read_footer(const struct block *block, const uint8_t *end, struct tzrule *rule, bool *ret_present,
                            struct error *reterr)
{
    const char *line = (const char *)block->end + 1;
    size_t room = (size_t)(end - block->end);

    *ret_present = false;
    if (room < 2 || *block->end != '\n') {
        return corrupt(reterr, "its footer is missing");
    }
    const char *newline = memchr(line, '\n', room - 1);
    if (newline == NULL) {
        return corrupt(reterr, "its footer is cut short");
    }
    if (newline == line) {
        return ERR_OK;
    }
    *ret_present = true;
    return tzrule_parse(line, (size_t)(newline - line), rule, reterr);
}

static enum err read_segments(const uint8_t *bytes, size_t len, struct row *row, struct error *reterr)
{
    struct block block;
    struct tzrule rule = {0};
    bool has_rule = false;
    int64_t last_s = INT64_MIN;
    enum err err = read_block(bytes, len, 4, &block, reterr);

    if (err == ERR_OK && block.header.version != 0) { /* the same again in 64 bits, and a footer */
        err = read_block(block.end, (size_t)(bytes + len - block.end), 8, &block, reterr);
        if (err == ERR_OK) {
            err = read_footer(&block, bytes + len, &rule, &has_rule, reterr);
        }
    }
    if (err == ERR_OK) {
        err = append_transitions(&block, row, &last_s, reterr);
    }
    if (err == ERR_OK && has_rule && block.header.time_count == 0) { /* then the footer rules over all time */
        row->segments[0] = segment_of(INT64_MIN, &rule.standard, false);
    }
    if (err == ERR_OK && has_rule && rule.has_dst) {
        append_rule(&rule, last_s, row);
    }
    return err;
}

enum err tzif_read(const char *name, const uint8_t *bytes, size_t len, struct zone **ret_zone, struct error *reterr)
{
    size_t segments_max = 1 + TZIF_TRANSITIONS_MAX + 2 * (YEAR_MAX + 4 - YEAR_MIN);
    struct row row = {.segments = mem_zalloc(segments_max * sizeof *row.segments)};
    enum err err = read_segments(bytes, len, &row, reterr);

    if (err != ERR_OK) {
        mem_free(row.segments);
        return err;
    }
    row.segments = mem_realloc_array(row.segments, row.count, sizeof *row.segments);
    *ret_zone = zone_new(name, row.segments, row.count);
    return ERR_OK;
}
