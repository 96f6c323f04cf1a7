#include "model/record.h"

#include <assert.h>

const char *skip_reason_text(enum skip_reason reason)
{
    static const char *const texts[] = {
#define X(name, text) text,
        SKIP_REASON_TABLE(X)
#undef X
    };

    assert((size_t)reason < sizeof texts / sizeof texts[0]);
    return texts[reason];
}
