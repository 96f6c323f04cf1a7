#include "cli/audit_rules.h"

#include <stdio.h>

#include "base/mem.h"
#include "calendar/zone_text.h"
#include "cli/field.h"

static void ask(struct api *api, struct zone_cache *zones, uint64_t hash)
{
    char path[64];
    struct error error;
    struct zone *zone = NULL;

    (void)snprintf(path, sizeof path, "/v1/rules/%016llx", (unsigned long long)hash);
    if (api_try(api, &(struct client_request){.method = "GET", .path = str_from(path)}, &error) == EXIT_DONE &&
        zone_text_read(field_str(api->root, "timezone"), field_str(api->root, "text"), &zone, &error) == ERR_OK) {
        zone_cache_keep(zones, zone);
    }
}

void audit_rules_need(struct audit_rules *rules, struct api *api, struct zone_cache *zones, uint64_t hash)
{
    for (size_t i = 0; i < rules->count; i++) {
        if (rules->hashes[i] == hash) {
            return;
        }
    }
    if (hash != 0 && rules->count < AUDIT_RULES_MAX) {
        rules->hashes[rules->count++] = hash;
        ask(api, zones, hash);
    }
}
