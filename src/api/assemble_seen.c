#include "api/assemble_seen.h"

#include <stdio.h>
#include <string.h>

#include "base/chrono.h"
#include "base/log.h"

struct lineage seen_begin(struct seen *seen, const char *folder)
{
    struct error error;

    if (home_path(folder, LINEAGE_NAME, seen->path, &error) != ERR_OK) {
        seen->path[0] = '\0';
        return (struct lineage){.is_known = false};
    }
    seen->written = lineage_read(seen->path);
    return seen->written;
}

void seen_tick(struct seen *seen, struct shard *shard, bool is_last)
{
    struct shard_view view;
    struct error error;
    int64_t mono_ms = chrono_mono_ms();

    if (seen->path[0] == '\0' || shard == NULL || (!is_last && mono_ms < seen->written_mono_ms + SEEN_MS)) {
        return;
    }
    shard_look(shard, &view);
    bool is_same = view.seen.batch == seen->written.batch && view.seen.epoch == seen->written.epoch &&
                   view.seen.timeline == seen->written.timeline && strcmp(view.seen.system, seen->written.system) == 0;

    if (!view.seen.is_known || is_same) {
        return;
    }
    seen->written = view.seen;
    seen->written_mono_ms = mono_ms;
    if (lineage_write(&view.seen, seen->path, &error) != ERR_OK && !seen->has_failed) {
        seen->has_failed = true;
        log_warn("store.seen", KEY_STR("error", error.text));
    }
}

void seen_behind(const struct shard_behind *behind)
{
    const struct lineage *seen = &behind->seen, *now = &behind->now;

    log_error("store.behind", KEY_UINT("batch", now->batch), KEY_UINT("seen", seen->batch),
              KEY_UINT("lost", lineage_lost(seen, now)), KEY_UINT("timeline", now->timeline),
              KEY_UINT("seen_timeline", seen->timeline), KEY_STR("system", now->system),
              KEY_STR("seen_system", seen->system), KEY_STR("held", behind->is_held ? "yes" : "no"));
}
