/* noticed: breaks one field, and wants the check to say so; then mends it, and wants the check to be content again.
 *
 *     NOTICED(wheel_valid(&wheel), wheel.count, 7);
 */
#ifndef TESTS_UNIT_ENGINE_NOTICED_H
#define TESTS_UNIT_ENGINE_NOTICED_H

#include <string.h>

#define NOTICED(check, field, wrong)                                                                                   \
    do {                                                                                                               \
        char right_[sizeof(field)];                                                                                    \
                                                                                                                       \
        memcpy(right_, &(field), sizeof right_);                                                                       \
        assert_true(check);                                                                                            \
        (field) = (wrong);                                                                                             \
        assert_false(check);                                                                                           \
        memcpy(&(field), right_, sizeof right_);                                                                       \
        assert_true(check);                                                                                            \
    } while (0)

#endif
