/* Who shares the store. Single statements on a session of their own, outside of the fence: an old owner may say that it
 * is there. */
#include <stdio.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "store/members.h"
#include "store/postgres/pg_row.h"
#include "store/postgres/postgres_inside.h"

/* Members that ended without a word go from the table after so long. */
#define FORGET_MS (24 * 3600 * INT64_C(1000))
#define US_PER_MS 1000
#define NS_PER_US 1000

struct postgres_members {
    struct store_members members;
    struct pg_conn conn;
    uint32_t shard;
};

static struct postgres_members *of(struct store_members *members)
{
    return CONTAINER_OF(members, struct postgres_members, members);
}

static void send_self(struct postgres_members *members, const struct store_member *self)
{
    struct pg_call call;

    pg_call(&call, &members->conn, SQL_MEMBER_SAY);
    pg_int2(&call, members->shard);
    pg_id(&call, self->instance[0]);
    pg_id(&call, self->instance[1]);
    pg_text(&call, str_from(self->name));
    pg_text(&call, str_from(self->url));
    pg_text(&call, str_from(self->version));
    pg_int8(&call, self->started_ms);
    pg_id(&call, self->is_owner ? self->epoch : 0);
    pg_int2(&call, self->is_draining ? 1 : 0);
    pg_int8(&call, self->has_offset ? self->offset_us : INT64_MIN);
    pg_send(&call);
}

static void send_list(struct postgres_members *members)
{
    struct pg_call call;

    pg_call(&call, &members->conn, SQL_MEMBERS);
    pg_int2(&call, members->shard);
    pg_int8(&call, MEMBERS_SHOWN_MS);
    pg_int8(&call, MEMBERS_MAX);
    pg_send(&call);
    pg_call(&call, &members->conn, SQL_MEMBERS_OLD);
    pg_int2(&call, members->shard);
    pg_int8(&call, FORGET_MS);
    pg_send(&call);
}

static void take_text(struct pg_row *row, char *out, size_t bytes)
{
    struct str text = pg_take_text(row);

    (void)snprintf(out, bytes, "%.*s", (int)text.len, text.len > 0 ? text.ptr : "");
}

static struct store_member take_member(const PGresult *answer, int at)
{
    struct pg_row row = pg_row(answer, at);
    struct store_member member = {0};

    member.instance[0] = pg_take_id(&row);
    member.instance[1] = pg_take_id(&row);
    take_text(&row, member.name, sizeof member.name);
    take_text(&row, member.url, sizeof member.url);
    take_text(&row, member.version, sizeof member.version);
    member.started_ms = pg_take_int(&row);
    member.seen_ms = pg_take_int(&row);
    member.epoch = pg_take_id(&row);
    member.is_owner = pg_take_int(&row) != 0;
    member.is_draining = pg_take_int(&row) != 0;
    member.has_offset = !pg_next_is_null(&row);
    member.offset_us = pg_take_int(&row);
    return member;
}

/* The store said its time about half-way between asking and hearing. */
static int64_t offset_of(const PGresult *answer, int64_t began_ns)
{
    struct pg_row row = pg_row(answer, 0);
    int64_t took_us = (chrono_mono_ns() - began_ns) / NS_PER_US;

    return chrono_wall_ms() * US_PER_MS - took_us / 2 - pg_take_int(&row);
}

/* A session that is there, so that its making is not in the time that an answer takes. */
static enum store_outcome say(struct store_members *base, const struct store_member *self, struct store_member *list,
                              size_t *ret_count, int64_t *ret_offset_us, struct error *reterr)
{
    struct postgres_members *members = of(base);
    enum store_outcome outcome = pg_start(&members->conn, READ_MS, reterr);
    int64_t began_ns = chrono_mono_ns(), offset_us = 0;
    size_t count = 0;

    if (outcome != STORE_DONE) {
        return outcome;
    }
    send_self(members, self);
    pg_sync(&members->conn);
    const PGresult *answer = pg_answer(&members->conn);

    if (answer != NULL && PQntuples(answer) == 1) {
        offset_us = offset_of(answer, began_ns);
    }
    outcome = pg_finish(&members->conn, reterr);
    if (outcome != STORE_DONE) {
        return outcome;
    }
    pg_again(&members->conn);
    send_list(members);
    pg_sync(&members->conn);
    answer = pg_answer(&members->conn);
    for (int i = 0; answer != NULL && i < PQntuples(answer) && count < MEMBERS_MAX; i++) {
        list[count++] = take_member(answer, i);
    }
    outcome = pg_finish(&members->conn, reterr);
    if (outcome == STORE_DONE) {
        *ret_count = count;
        *ret_offset_us = offset_us;
    }
    return outcome;
}

static void leave(struct store_members *base, const struct store_member *self)
{
    struct postgres_members *members = of(base);
    struct pg_call call;

    if (pg_start(&members->conn, READ_STATEMENT_MS, NULL) != STORE_DONE) {
        return; /* it is missed soon */
    }
    pg_call(&call, &members->conn, SQL_MEMBER_LEAVE);
    pg_int2(&call, members->shard);
    pg_id(&call, self->instance[0]);
    pg_id(&call, self->instance[1]);
    pg_send(&call);
    pg_sync(&members->conn);
    (void)pg_finish(&members->conn, NULL);
}

static void close_members(struct store_members *base)
{
    pg_conn_done(&of(base)->conn);
    mem_free(of(base));
}

struct store_members *postgres_members_open(struct store *base)
{
    static const struct store_members_methods methods = {.say = say, .leave = leave, .close = close_members};
    const struct postgres_store *store = postgres_store_of(base);
    struct postgres_members *members = mem_zalloc(sizeof *members);

    members->members.methods = &methods;
    members->shard = store->shard;
    if (pg_conn_init(&members->conn, store->conn.url, PG_MEMBER, NULL) != ERR_OK) {
        mem_free(members);
        return NULL;
    }
    members->conn.statement_ms = members->conn.idle_ms = READ_STATEMENT_MS;
    return &members->members;
}
