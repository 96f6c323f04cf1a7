/* effects: loads that the step at hand asks for. For the files of src/engine. */
#ifndef ENGINE_EFFECTS_H
#define ENGINE_EFFECTS_H

#include "engine/engine.h"

/* A place for one more; valid until the next. */
struct load *effects_add_load(struct effects *effects);
/* A text that lives as long as the loads. */
struct str effects_text(struct effects *effects, struct str text);

#endif
