/* openapi: docs/openapi.yaml as JSON, put into the program when it is built (tools/embed_openapi.py). */
#ifndef API_OPENAPI_H
#define API_OPENAPI_H

#include <stddef.h>

extern const char openapi_json[];
extern const size_t openapi_json_len;

#endif
