#include "store/label.h"

#include "base/json.h"
#include "base/json_raw.h"
#include "base/mem.h"

/* Whether the value that JSON text says is the string wanted. */
static bool is_string(struct str json, struct str wanted)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct str value;

    return jr_parse(json, NULL, &doc, NULL) == ERR_OK && jr_as_str(jr_root(&doc), &value, NULL) == ERR_OK &&
           str_equal(value, wanted);
}

/* More than any definition that was accepted has. */
static const struct jscan_limits def_limits = {
    .bytes_max = 2 * JSON_BYTES_MAX, .depth_max = JSON_DEPTH_CEILING, .nodes_max = 2 * JSON_NODES_MAX};

/* The definition is checked first: json_raw relies on text that is JSON, and what is stored may be damaged. */
bool label_is_in(struct str def, struct str key, struct str value)
{
    struct str labels, label;
    struct jscan_facts facts;

    return jscan_check(def, &def_limits, &facts, NULL) == ERR_OK && jraw_member(def, STR("labels"), &labels) &&
           jraw_member(labels, key, &label) && (str_empty(value) || is_string(label, value));
}
