/* label: whether a stored definition has a label, for stores whose database does not know. */
#ifndef STORE_LABEL_H
#define STORE_LABEL_H

#include <stdbool.h>

#include "base/str.h"

/* def is the definition's JSON; an empty value is any. Text that is no JSON has none. */
bool label_is_in(struct str def, struct str key, struct str value);

#endif
