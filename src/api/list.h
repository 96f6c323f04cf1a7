/* list: the end of a page: its `next`, and the same as a Link header.
 *
 * See: wire/put.h (wire_list_begin), wire/mark.h, docs/openapi.yaml (Lists)
 */
#ifndef API_LIST_H
#define API_LIST_H

#include "api/request.h"

/* Ends the list that wire_list_begin began and answers 200. next is a mark; NULL at the end. */
void api_answer_list(struct api_request *request, struct jw *jw, const char *next);

#endif
