#include "engine/effects.h"

#include <string.h>

#define EFFECTS_BLOCK_BYTES 16384
#define EFFECTS_BYTES_MAX (256UL * 1024 * 1024)

void effects_init(struct effects *effects)
{
    *effects = (struct effects){.wake_mono_ms = INT64_MAX};
    arena_init(&effects->arena, EFFECTS_BLOCK_BYTES, EFFECTS_BYTES_MAX);
}

void effects_reset(struct effects *effects)
{
    arena_reset(&effects->arena);
    effects->loads = NULL;
    effects->load_count = effects->load_cap = 0;
}

void effects_done(struct effects *effects)
{
    arena_done(&effects->arena);
}

struct load *effects_add_load(struct effects *effects)
{
    if (effects->load_count == effects->load_cap) {
        size_t cap = effects->load_cap == 0 ? 4 : effects->load_cap * 2;
        struct load *loads = arena_alloc_array(&effects->arena, cap, sizeof *loads);

        if (effects->load_count > 0) {
            memcpy(loads, effects->loads, effects->load_count * sizeof *loads);
        }
        effects->loads = loads;
        effects->load_cap = cap;
    }
    return &effects->loads[effects->load_count++];
}

struct str effects_text(struct effects *effects, struct str text)
{
    return (struct str){arena_strdup_str(&effects->arena, text), text.len};
}
