#include "server/lineage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/home.h"

#define LINE_BYTES (LINEAGE_PLACE_BYTES + STORE_SYSTEM_BYTES + 128)

enum lineage_step lineage_compare(const struct lineage *seen, const struct lineage *now)
{
    bool is_same_system = strcmp(seen->system, now->system) == 0;

    if (!seen->is_known || now->batch == 0) { /* rule 2 */
        return LINEAGE_SAME;
    }
    if (!is_same_system && strcmp(seen->place, now->place) != 0) { /* rule 3 */
        return LINEAGE_SAME;
    }
    if (now->batch < seen->batch) {
        return LINEAGE_BEHIND;
    }
    return is_same_system && seen->timeline == now->timeline ? LINEAGE_SAME : LINEAGE_MOVED;
}

uint64_t lineage_lost(const struct lineage *seen, const struct lineage *now)
{
    return seen->batch > now->batch ? seen->batch - now->batch : 0;
}

struct lineage lineage_read(const char *path)
{
    struct lineage lineage = {.is_known = false};
    char line[LINE_BYTES];
    int used = 0;
    FILE *file = fopen(path, "re");

    if (file == NULL) {
        return lineage;
    }
    bool is_read = fgets(line, sizeof line, file) != NULL;

    (void)fclose(file);
    /* STORE_SYSTEM_BYTES - 1 */
    if (!is_read || sscanf(line, "%39s %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNd64 " %n", lineage.system, /* NOLINT */
                           &lineage.timeline, &lineage.epoch, &lineage.batch, &lineage.id_high_ms, &used) != 5) {
        return (struct lineage){.is_known = false};
    }
    (void)snprintf(lineage.place, sizeof lineage.place, "%.*s", (int)strcspn(line + used, "\n"), line + used);
    if (strcmp(lineage.system, "-") == 0) {
        lineage.system[0] = '\0';
    }
    lineage.is_known = true;
    return lineage;
}

enum err lineage_write(const struct lineage *lineage, const char *path, struct error *reterr)
{
    char line[LINE_BYTES];

    (void)snprintf(line, sizeof line, "%s %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRId64 " %s",
                   lineage->system[0] != '\0' ? lineage->system : "-", lineage->timeline, lineage->epoch,
                   lineage->batch, lineage->id_high_ms, lineage->place);
    return home_line_write(path, line, reterr);
}
