#include "bugs.h"

#include <string.h>

bool bug_on[BUG_COUNT];

static const struct {
    const char *name;
    const char *text;
} table[] = {
#define X(name, text) {#name, text},
    BUG_TABLE(X)
#undef X
};

const char *bug_name(enum bug bug)
{
    return table[bug].name;
}

const char *bug_text(enum bug bug)
{
    return table[bug].text;
}

enum bug bug_parse(const char *name)
{
    int i = 0;

    while (i < BUG_COUNT && strcmp(table[i].name, name) != 0) {
        i++;
    }
    return (enum bug)i;
}
