/* audit_rules: the rules of time zones that a server kept for its jobs' versions, asked for once each.
 *
 * See: audit.c, docs/openapi.yaml (/v1/rules)
 */
#ifndef CLI_AUDIT_RULES_H
#define CLI_AUDIT_RULES_H

#include "calendar/zone_cache.h"
#include "cli/api.h"

/* More are not asked for, and this machine's are taken. */
#define AUDIT_RULES_MAX 1024

struct audit_rules {
    uint64_t hashes[AUDIT_RULES_MAX]; /* asked for */
    size_t count;
};

/* Puts the rules into zones, where they are found by their hash. A server that does not tell leaves this machine's. */
void audit_rules_need(struct audit_rules *rules, struct api *api, struct zone_cache *zones, uint64_t hash);

#endif
