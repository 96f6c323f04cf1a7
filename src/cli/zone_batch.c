#include "cli/zone_batch.h"

#include "calendar/civil.h"
#include "calendar/instant.h"
#include "calendar/zone_cache.h"

static const char *const known_fields[] = {"zone", "utc", NULL};

static enum err read_utc_s(struct jr request, int64_t *ret_s, struct error *reterr)
{
    struct str text;
    int64_t utc_ms = 0;
    enum err err = jr_str(request, "utc", &text, reterr);

    if (err == ERR_OK) {
        err = err_in_field(reterr, instant_parse(text, &utc_ms, reterr), "utc");
        reterr->position = 0; /* in answers a position counts in an expression, and there is none */
    }
    *ret_s = civil_floor_div(utc_ms, 1000);
    return err;
}

enum err zone_batch_answer(void *context, struct jr request, struct jw *jw, struct error *reterr)
{
    struct str name;
    const struct zone *zone;
    int64_t utc_s = 0;
    enum err err = jr_check_fields(request, known_fields, reterr);

    if (err == ERR_OK) {
        err = jr_str(request, "zone", &name, reterr);
    }
    if (err == ERR_OK) {
        err = read_utc_s(request, &utc_s, reterr);
    }
    if (err == ERR_OK) {
        err = zone_cache_get(context, name, &zone, reterr);
    }
    if (err != ERR_OK) {
        return err;
    }
    const struct zone_segment *segment = &zone->segments[zone_segment_at(zone, utc_s)];
    char local[INSTANT_BYTES];

    jw_key(jw, "offset");
    jw_int(jw, segment->offset_s);
    jw_key(jw, "abbr");
    jw_text(jw, segment->abbr);
    jw_key(jw, "local");
    jw_text(jw, instant_format_local(utc_s + segment->offset_s, local));
    return ERR_OK;
}
