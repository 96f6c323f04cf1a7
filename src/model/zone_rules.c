#include "model/zone_rules.h"

#include "calendar/zone_text.h"

const struct zone *zone_rules_present(struct zone_cache *zones, const char *name)
{
    const struct zone *zone = NULL;

    return zone_cache_get(zones, str_from(name), &zone, NULL) == ERR_OK ? zone : NULL;
}

bool zone_rules_keep(struct zone_cache *zones, const struct rules_row *row)
{
    struct zone *zone = NULL;

    if (zone_text_read(row->zone, row->text, &zone, NULL) != ERR_OK) {
        return false;
    }
    zone_cache_keep(zones, zone);
    return true;
}
