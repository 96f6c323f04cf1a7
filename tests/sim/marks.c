#include "marks.h"

static const struct {
    const char *name;
    const char *text;
} table[] = {
#define X(name, text) {#name, text},
    MARK_TABLE(X)
#undef X
};

const char *mark_name(enum mark mark)
{
    return table[mark].name;
}

const char *mark_text(enum mark mark)
{
    return table[mark].text;
}
