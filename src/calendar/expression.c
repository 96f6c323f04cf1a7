#include "calendar/expression.h"

#include <string.h>

#include "calendar/duration.h"

/* Moves an error's position from the part of the text that was read to the whole. */
static enum err moved(struct error *reterr, enum err err, size_t by)
{
    if (err != ERR_OK && reterr != NULL && reterr->position > 0) {
        reterr->position += (int)by;
    }
    return err;
}

static bool starts_with_nocase(struct str text, struct str prefix)
{
    return text.len >= prefix.len && str_equal_nocase((struct str){text.ptr, prefix.len}, prefix);
}

/* "TZID=Zone:" at the beginning, behind blanks, if it is there; *ret_len is what it takes. */
static enum err read_zone(struct str text, struct expression *expression, size_t *ret_len, struct error *reterr)
{
    struct str prefix = STR("TZID=");
    struct str trimmed = str_trim(text);
    size_t start = trimmed.len > 0 ? (size_t)(trimmed.ptr - text.ptr) : 0;

    *ret_len = 0;
    if (starts_with_nocase(trimmed, STR("CRON_TZ=")) || starts_with_nocase(trimmed, STR("TZ="))) {
        return err_set_at(reterr, (int)start + 1, ERR_INVALID_CRON,
                          "write the zone as TZID=Zone: before the expression, such as TZID=Europe/Paris:0 9 * * *");
    }
    if (!starts_with_nocase(trimmed, prefix)) {
        return ERR_OK;
    }
    struct str rest = str_skip(trimmed, prefix.len);
    size_t colon = str_find_char(rest, ':');
    int position = (int)(start + prefix.len) + 1;
    if (colon == rest.len) {
        return err_set_at(reterr, position + (int)str_find_char(rest, ' '), ERR_INVALID_CRON,
                          "TZID=Zone wants a colon before the expression, such as TZID=Europe/Paris:0 9 * * *");
    }
    if (colon == 0 || colon > ZONE_NAME_BYTES_MAX || memchr(rest.ptr, '\0', colon) != NULL) {
        return err_set_at(reterr, position, ERR_UNKNOWN_ZONE,
                          "TZID= wants the name of a time zone, such as Europe/Paris");
    }
    memcpy(expression->zone, rest.ptr, colon);
    expression->zone_position = position;
    *ret_len = start + prefix.len + colon + 1;
    return ERR_OK;
}

static enum err read_every(struct str text, struct expression *expression, struct error *reterr)
{
    struct str rest = str_skip(text, STR("@every").len);
    struct str duration = str_trim(rest);
    size_t at = (size_t)(duration.ptr - text.ptr);

    expression->kind = EXPRESSION_EVERY;
    enum err err = duration_parse(duration, &expression->every_ms, reterr);
    if (err != ERR_OK) {
        return moved(reterr, err, at);
    }
    if (expression->every_ms < EVERY_MIN_MS) {
        return err_set_at(reterr, (int)at + 1, ERR_INVALID_TIME, "an interval must be at least %dms", EVERY_MIN_MS);
    }
    return ERR_OK;
}

static bool is_every(struct str text)
{
    struct str word = STR("@every");

    return starts_with_nocase(text, word) &&
           (text.len == word.len || text.ptr[word.len] == ' ' || text.ptr[word.len] == '\t');
}

enum err expression_parse(struct str text, struct str seed, struct expression *ret_expression, struct error *reterr)
{
    struct expression expression = {.kind = EXPRESSION_CRON};
    size_t skipped = 0;

    if (text.len > CRON_EXPR_BYTES_MAX) {
        return err_set_at(reterr, CRON_EXPR_BYTES_MAX + 1, ERR_TOO_LARGE,
                          "the expression has %zu characters; at most %d are allowed", text.len, CRON_EXPR_BYTES_MAX);
    }
    enum err err = read_zone(text, &expression, &skipped, reterr);
    if (err != ERR_OK) {
        return err;
    }
    struct str rest = str_skip(text, skipped);
    err = is_every(rest) ? read_every(rest, &expression, reterr) : cron_parse(rest, seed, &expression.cron, reterr);
    if (err != ERR_OK) {
        return moved(reterr, err, skipped);
    }
    *ret_expression = expression;
    return ERR_OK;
}
