/* tidy_model: what clang-tidy has to be told, because it looks at one file at a time.
 *
 * The functions of base/err.h that report a failure never return ERR_OK. Without knowing that, the analyzer follows
 * "return err_set(...)" as if all had gone well and finds outputs without a value everywhere.
 */
#include <stdlib.h>

#include "base/err.h"

static inline enum err tidy_failure(enum err err)
{
    if (err == ERR_OK)
        abort();
    return err;
}

#define err_set(...) tidy_failure((err_set)(__VA_ARGS__))
#define err_set_at(...) tidy_failure((err_set_at)(__VA_ARGS__))
