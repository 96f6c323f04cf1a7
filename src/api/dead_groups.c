/* Dead letters, those with the same error as one. */
#include <stdlib.h>

#include "api/dead.h"
#include "api/error_shape.h"
#include "api/handlers.h"
#include "base/chrono.h"
#include "base/map.h"
#include "base/mem.h"
#include "wire/put.h"
#include "wire/trigger.h"

/* What is looked at: the newest so many, for so long. A read must not keep its thread. */
#define PAGE_ROWS 200
#define LOOK_ROWS_MAX 10000
#define LOOK_MS_MAX 60
#define GROUPS_MAX 200
#define TYPES_MAX 10
#define ERROR_MESSAGE_SHOWN 1000 /* bytes */

struct group {
    struct map_node by_number;
    struct str error, code; /* in the request's arena */
    struct str message;     /* of the newest */
    struct str types[TYPES_MAX];
    size_t type_count;
    int64_t count;
    int64_t first_ms, last_ms; /* when they died */
    uint64_t example, job;     /* the newest */
};

struct grouping {
    struct arena *arena;
    struct map by_number;
    struct group *groups[GROUPS_MAX];
    size_t group_count;
    size_t looked_at;
    int64_t rest;   /* in groups that are one too many */
    bool is_sample; /* there are others that were not looked at */
    int64_t end_mono_ms;
};

static struct str keep(struct arena *arena, struct str text)
{
    return (struct str){arena_strdup_str(arena, text), text.len};
}

static void add_type(struct grouping *grouping, struct group *group, struct str type)
{
    for (size_t i = 0; i < group->type_count; i++) {
        if (str_equal(group->types[i], type)) {
            return;
        }
    }
    if (group->type_count < TYPES_MAX) {
        group->types[group->type_count++] = keep(grouping->arena, type);
    }
}

/* Rows come the newest first. */
static struct group *make_group(struct grouping *grouping, const struct trigger_row *row, uint64_t number,
                                struct str shape)
{
    struct str message = row->last.error_message;
    struct group *group = arena_zalloc(grouping->arena, sizeof *group);

    message.len = message.len < ERROR_MESSAGE_SHOWN ? message.len : ERROR_MESSAGE_SHOWN;
    if (message.len > 0) {
        size_t bad = message.len;

        message.len = str_utf8_valid(message, &bad) ? message.len : bad;
    }
    group->error = keep(grouping->arena, shape);
    group->code = keep(grouping->arena, wire_error_code(&row->last));
    group->message = keep(grouping->arena, message);
    group->first_ms = group->last_ms = row->ended_ms;
    group->example = row->id;
    group->job = row->job;
    (void)map_insert_number(&grouping->by_number, &group->by_number, number);
    grouping->groups[grouping->group_count++] = group;
    return group;
}

static void add_row(struct grouping *grouping, const struct trigger_row *row)
{
    SCOPE(buf_done) struct buf shape;

    buf_init(&shape, ERROR_SHAPE_BYTES_MAX);
    uint64_t number = error_group(row, &shape);
    struct map_node *node = map_find_number(&grouping->by_number, number);
    struct group *group = node != NULL ? CONTAINER_OF(node, struct group, by_number) : NULL;

    grouping->looked_at++;
    if (group == NULL && grouping->group_count == GROUPS_MAX) {
        grouping->rest++;
        return;
    }
    if (group == NULL) {
        group = make_group(grouping, row, number, buf_str(&shape));
    }
    group->count++;
    group->first_ms = row->ended_ms < group->first_ms ? row->ended_ms : group->first_ms;
    group->last_ms = row->ended_ms > group->last_ms ? row->ended_ms : group->last_ms;
    add_type(grouping, group, row->place.type);
}

/* False: answered. */
static bool look(struct api_request *request, struct store_reader *reader, struct grouping *grouping)
{
    const struct dead_filter *filter = request->state;
    struct query query = filter->query;
    bool has_more = true;

    query.limit = PAGE_ROWS;
    while (has_more && grouping->looked_at < LOOK_ROWS_MAX && chrono_mono_ms() < grouping->end_mono_ms) {
        SCOPE(rows_done) struct rows rows;

        rows_init(&rows);
        if (!api_query(request, reader, &query, &rows)) {
            return false;
        }
        for (size_t i = 0; i < rows.triggers.count; i++) {
            add_row(grouping, &rows.triggers.items[i]);
        }
        has_more = rows.has_more;
        query.after = rows.after;
    }
    grouping->is_sample = has_more;
    return true;
}

static int largest_first(const void *key_a, const void *key_b)
{
    const struct group *a = *(const struct group *const *)key_a, *b = *(const struct group *const *)key_b;

    return a->count != b->count ? (a->count < b->count) - (a->count > b->count)
                                : (a->example < b->example) - (a->example > b->example);
}

static void put_group(struct jw *jw, const struct group *group)
{
    jw_begin_object(jw);
    wire_put_hash(jw, "group", group->by_number.key.number);
    jw_key(jw, "error");
    jw_str(jw, group->error);
    wire_put_text(jw, "error_code", group->code);
    wire_put_int(jw, "count", group->count);
    wire_put_instant(jw, "first_seen", group->first_ms);
    wire_put_instant(jw, "last_seen", group->last_ms);
    jw_key(jw, "types");
    jw_begin_array(jw);
    for (size_t i = 0; i < group->type_count; i++) {
        jw_str(jw, group->types[i]);
    }
    jw_end_array(jw);
    jw_key(jw, "example");
    jw_begin_object(jw);
    wire_put_id(jw, "trigger", ID_TRIGGER, group->example);
    wire_put_id(jw, "job", ID_JOB, group->job);
    wire_put_text(jw, "message", group->message);
    jw_end_object(jw);
    jw_end_object(jw);
}

static void groups_read(struct api_request *request, struct store_reader *reader)
{
    struct grouping grouping = {.arena = request->arena, .end_mono_ms = chrono_mono_ms() + LOOK_MS_MAX};
    struct jw jw;

    map_init(&grouping.by_number, MAP_KEYS_NUMBER, 0);
    if (look(request, reader, &grouping)) {
        if (grouping.group_count > 0) {
            qsort((void *)grouping.groups, grouping.group_count, sizeof grouping.groups[0], largest_first);
        }
        api_json(request, &jw);
        jw_begin_object(&jw);
        jw_key(&jw, "items");
        jw_begin_array(&jw);
        for (size_t i = 0; i < grouping.group_count; i++) {
            put_group(&jw, grouping.groups[i]);
        }
        jw_end_array(&jw);
        wire_put_int(&jw, "looked_at", (int64_t)grouping.looked_at);
        wire_put_int(&jw, "rest", grouping.rest);
        wire_put_bool(&jw, "sample", grouping.is_sample);
        jw_end_object(&jw);
        api_answer_json(request, 200, &jw, NULL);
    }
    map_done(&grouping.by_number);
}

void api_dead_groups(struct api *api, struct api_request *request)
{
    struct dead_filter *filter = arena_zalloc(request->arena, sizeof *filter);

    (void)api;
    if (api_params_only(request, "tenant", "type", "error_code", "since", NULL) && dead_params(request, filter)) {
        request->state = filter;
        api_read(request, groups_read);
    }
}
