/* config_file: lines of `name = value`. Only for src/server/config*.c.
 */
#ifndef SERVER_CONFIG_FILE_H
#define SERVER_CONFIG_FILE_H

#include "server/config.h"

/* Checks the text and puts it in the place of what the setting had. */
enum err config_set(struct config *config, enum config_id id, struct str text, enum config_source source,
                    struct error *reterr) MUST_CHECK;

/* Reads the file that the config names so far, else the data folder's, where it is there. */
enum err config_file_read(struct config *config, const char *data_default, struct error *reterr) MUST_CHECK;

/* The lines themselves; path is for messages. */
enum err config_file_take(struct config *config, struct str text, const char *path, bool is_of_data,
                          struct error *reterr) MUST_CHECK;

#endif
