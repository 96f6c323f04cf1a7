#include "calendar/zone_text.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* On a line. */
#define WORDS 4

void zone_text_write(const struct zone *zone, struct buf *out)
{
    for (size_t i = 0; i < zone->count; i++) {
        const struct zone_segment *segment = &zone->segments[i];

        if (i == 0) {
            buf_append_char(out, '-');
        } else {
            buf_append_int(out, segment->start_s);
        }
        buf_printf(out, " %d %d %s\n", segment->offset_s, segment->dst, segment->abbr);
    }
}

/* The words of a line: start, offset, dst, abbr. */
static bool read_words(struct str line, struct str words[static WORDS])
{
    struct str rest = line;
    bool done = false;
    size_t count = 0;

    while (count < WORDS && str_split(&rest, ' ', &done, &words[count])) {
        count++;
    }
    return count == WORDS && done;
}

static bool read_line(struct str line, bool is_first, struct zone_segment *segment)
{
    struct str words[WORDS];
    int64_t offset_s;
    int64_t dst;

    segment->start_s = INT64_MIN;
    if (!read_words(line, words) || is_first != str_is(words[0], "-") ||
        (!is_first && str_to_int(words[0], INT64_MIN + 1, INT64_MAX, &segment->start_s, NULL) != ERR_OK) ||
        str_to_int(words[1], INT32_MIN, INT32_MAX, &offset_s, NULL) != ERR_OK ||
        str_to_int(words[2], 0, 1, &dst, NULL) != ERR_OK || words[3].len == 0 || words[3].len >= sizeof segment->abbr) {
        return false;
    }
    segment->offset_s = (int32_t)offset_s;
    segment->dst = dst == 1;
    memcpy(segment->abbr, words[3].ptr, words[3].len);
    return true;
}

static size_t count_lines(struct str text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.len; i++) {
        count += text.ptr[i] == '\n';
    }
    return count;
}

enum err zone_text_read(struct str name, struct str text, struct zone **ret_zone, struct error *reterr)
{
    size_t count = count_lines(text);
    struct zone_segment *segments = mem_alloc_array(count + 1, sizeof *segments);
    struct str rest = text;
    bool is_good = name.len <= ZONE_NAME_BYTES_MAX && text.len <= ZONE_TEXT_BYTES_MAX && count > 0;

    memset(segments, 0, (count + 1) * sizeof *segments);
    for (size_t i = 0; is_good && i < count; i++) {
        struct str line = {rest.ptr, str_find_char(rest, '\n')};

        rest = str_skip(rest, line.len + 1);
        is_good = read_line(line, i == 0, &segments[i]);
    }
    if (!is_good || rest.len > 0 || !zone_valid(&(struct zone){.count = count, .segments = segments})) {
        mem_free(segments);
        return err_set(reterr, ERR_INVALID, "the kept rules of the time zone %.*s cannot be read", STR_ARGS(name));
    }
    char zero_ended[ZONE_NAME_BYTES_MAX + 1];

    (void)snprintf(zero_ended, sizeof zero_ended, "%.*s", STR_ARGS(name));
    *ret_zone = zone_new(zero_ended, segments, count);
    return ERR_OK;
}
