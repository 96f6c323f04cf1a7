/* folder: a folder of its own for a test. Whatever fails here fails the test.
 */
#ifndef TESTS_UNIT_SERVER_FOLDER_H
#define TESTS_UNIT_SERVER_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* For cmocka_unit_test_setup_teardown. */
int folder_make(void **state);
int folder_remove(void **state);

/* A path in the folder, "" for the folder itself; holds for some more calls. */
const char *path_of(const char *name);

void write_file(const char *name, const char *text);

/* Of a test that needs the folder. */
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

#endif
