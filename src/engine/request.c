#include "engine/request.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "engine/command.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/recent.h"
#include "engine/restore.h"
#include "engine/trigger.h"
#include "engine/window.h"
#include "engine/worker.h"

#define REQUEST_ROUNDS_MAX 6
#define REQUEST_ARENA_BYTES_MAX (256UL * 1024 * 1024)

/* ---- keys ---- */

static struct request *request_new(const struct engine *engine)
{
    struct request *request = mem_zalloc(sizeof *request);

    request->seed = engine->config.seed;
    arena_init(&request->arena, 1024, REQUEST_ARENA_BYTES_MAX);
    list_node_init(&request->link);
    return request;
}

static struct str keep(struct request *request, struct str text)
{
    return (struct str){arena_strdup_str(&request->arena, text), text.len};
}

static bool same_key(const struct load_key *a, const struct load_key *b)
{
    return a->kind == b->kind && a->id == b->id && a->from_ms == b->from_ms && a->to_ms == b->to_ms &&
           str_equal(a->tenant, b->tenant) && str_equal(a->text, b->text);
}

static size_t slot_of(const struct request *request, const struct load_key *key)
{
    uint64_t hash = hash64(key->text.ptr, key->text.len, request->seed ^ (uint64_t)key->kind);
    size_t mask = 2 * request->key_cap - 1; /* a power of two */
    size_t at = hash64(key->tenant.ptr, key->tenant.len, hash ^ key->id) & mask;

    while (request->slots[at] != 0 && !same_key(&request->keys[request->slots[at] - 1], key)) {
        at = (at + 1) & mask;
    }
    return at;
}

static void more_keys(struct request *request)
{
    size_t cap = request->key_cap == 0 ? 4 : request->key_cap * 2;
    struct load_key *keys = arena_alloc_array(&request->arena, cap, sizeof *keys);

    if (request->key_count > 0) {
        memcpy(keys, request->keys, request->key_count * sizeof *keys);
    }
    request->keys = keys;
    request->key_cap = cap;
    request->slots = arena_zalloc(&request->arena, 2 * cap * sizeof *request->slots);
    for (size_t i = 0; i < request->key_count; i++) {
        request->slots[slot_of(request, &keys[i])] = (uint32_t)i + 1;
    }
}

/* Whether the key has been read; if it is new it is put on the list. */
static bool needs(struct request *request, const struct load_key *key)
{
    if (request->key_count == request->key_cap) {
        more_keys(request);
    }
    size_t slot = slot_of(request, key);

    if (request->slots[slot] != 0) {
        return request->slots[slot] - 1 < request->loaded_count;
    }
    struct load_key *mine = &request->keys[request->key_count++];

    *mine = *key;
    mine->tenant = keep(request, key->tenant);
    mine->text = keep(request, key->text);
    request->slots[slot] = (uint32_t)request->key_count;
    return false;
}

bool request_needs_job(struct request *request, uint64_t id)
{
    return needs(request, &(struct load_key){.kind = KEY_JOB, .id = id});
}

bool request_needs_name(struct request *request, struct str tenant, struct str name)
{
    return needs(request, &(struct load_key){.kind = KEY_NAME, .tenant = tenant, .text = name});
}

bool request_needs_trigger(struct request *request, uint64_t id)
{
    return needs(request, &(struct load_key){.kind = KEY_TRIGGER, .id = id});
}

bool request_needs_range(struct request *request, uint64_t job, int64_t from_ms, int64_t to_ms)
{
    return needs(request, &(struct load_key){.kind = KEY_RANGE, .id = job, .from_ms = from_ms, .to_ms = to_ms});
}

bool request_needs_idem(struct request *request, struct str tenant, struct str key)
{
    return needs(request, &(struct load_key){.kind = KEY_IDEM, .tenant = tenant, .text = key});
}

const struct trigger_row *request_trigger_row(const struct rows *rows, uint64_t id)
{
    for (size_t i = 0; rows != NULL && i < rows->triggers.count; i++) {
        if (rows->triggers.items[i].id == id) {
            return &rows->triggers.items[i];
        }
    }
    return NULL;
}

/* ---- reservations ---- */

static uint64_t key_hash(const struct engine *engine, const struct load_key *key)
{
    uint64_t hash = hash64(key->text.ptr, key->text.len, engine->config.seed ^ (uint64_t)key->kind);

    hash = hash64(key->tenant.ptr, key->tenant.len, hash ^ key->id);
    return hash == 0 ? 1 : hash;
}

static struct reservation *reservation_of(const struct engine *engine, const struct load_key *key)
{
    struct map_node *node = map_find_number(&engine->reservations, key_hash(engine, key));

    return node != NULL ? CONTAINER_OF(node, struct reservation, node) : NULL;
}

/* A key of the request that another one holds; NULL. */
static struct reservation *taken(const struct engine *engine, const struct request *request)
{
    for (size_t i = 0; i < request->key_count; i++) {
        struct reservation *reservation = reservation_of(engine, &request->keys[i]);

        if (reservation != NULL && reservation->owner != request) {
            return reservation;
        }
    }
    return NULL;
}

static void reserve(struct engine *engine, struct request *request)
{
    struct reservation **reserved = arena_alloc_array(&request->arena, request->key_count + 1, sizeof *reserved);

    if (request->reserved_count > 0) {
        memcpy(reserved, request->reserved, request->reserved_count * sizeof *reserved);
    }
    request->reserved = reserved;
    for (size_t i = 0; i < request->key_count; i++) {
        if (reservation_of(engine, &request->keys[i]) != NULL) {
            continue; /* ours from the round before */
        }
        struct reservation *reservation = mem_zalloc(sizeof *reservation);

        reservation->owner = request;
        list_init(&reservation->waiting);
        map_insert_number(&engine->reservations, &reservation->node, key_hash(engine, &request->keys[i]));
        reserved[request->reserved_count++] = reservation;
    }
}

/* Gives the keys back; those who waited for them go to the end of woken. */
static void unreserve(struct engine *engine, struct request *request, struct list *woken)
{
    for (size_t i = 0; i < request->reserved_count; i++) {
        struct reservation *reservation = request->reserved[i];

        list_append_all(woken, &reservation->waiting);
        map_remove(&engine->reservations, &reservation->node);
        mem_free(reservation);
    }
    request->reserved_count = 0;
}

/* ---- pins ---- */

static void pin(struct request *request, struct job *job)
{
    if (request->pinned_count == request->pinned_cap) {
        size_t cap = request->pinned_cap == 0 ? 4 : request->pinned_cap * 2;
        struct job **pinned = arena_alloc_array(&request->arena, cap, sizeof *pinned);

        if (request->pinned_count > 0) {
            memcpy(pinned, request->pinned, request->pinned_count * sizeof *pinned);
        }
        request->pinned = pinned;
        request->pinned_cap = cap;
    }
    job->pins++;
    request->pinned[request->pinned_count++] = job;
}

static void unpin_all(struct engine *engine, struct request *request)
{
    for (size_t i = 0; i < request->pinned_count; i++) {
        request->pinned[i]->pins--;
    }
    for (size_t i = 0; i < request->pinned_count; i++) {
        struct job *job = request->pinned[i];

        bool is_last = true;

        for (size_t j = i + 1; j < request->pinned_count; j++) {
            is_last = is_last && request->pinned[j] != job;
        }
        if (is_last && job->pins == 0) {
            job_leave_if_free(engine, job);
        }
    }
    request->pinned_count = 0;
}

uint32_t request_pins(const struct request *request, const struct job *job)
{
    uint32_t count = 0;

    for (size_t i = 0; i < request->pinned_count; i++) {
        count += request->pinned[i] == job;
    }
    return count;
}

void request_unpin(struct request *request, struct job *job)
{
    size_t kept = 0;

    for (size_t i = 0; i < request->pinned_count; i++) {
        if (request->pinned[i] == job) {
            job->pins--;
        } else {
            request->pinned[kept++] = request->pinned[i];
        }
    }
    request->pinned_count = kept;
}

/* ---- running ---- */

static void request_free(struct request *request)
{
    arena_done(&request->arena);
    mem_free(request);
}

static bool try_run(struct engine *engine, struct request *request, const struct rows *rows)
{
    if (request->exchange != NULL) {
        worker_exchange_run(engine, request->exchange, rows);
        return true;
    }
    return engine_command_run(engine, request, rows) == COMMAND_DONE;
}

static void give_up(struct engine *engine, struct request *request)
{
    struct error error;

    err_set(&error, ERR_CONFLICT, "what this names keeps changing; try again");
    gather_error(engine, request->command->token, &error);
}

static void ask(struct engine *engine, struct request *request)
{
    struct load *load = effects_add_load(engine->effects);
    size_t count = request->key_count - request->loaded_count;
    struct load_key *keys = arena_alloc_array(&engine->effects->arena, count + 1, sizeof *keys);

    for (size_t i = 0; i < count; i++) {
        keys[i] = request->keys[request->loaded_count + i];
        keys[i].tenant = effects_text(engine->effects, keys[i].tenant);
        keys[i].text = effects_text(engine->effects, keys[i].text);
    }
    request->tag = engine->next_tag++;
    idmap_put(&engine->requests, request->tag, request);
    *load = (struct load){.kind = LOAD_KEYS, .tag = request->tag, .keys = keys, .key_count = count};
}

/* Rule 1: a request that waits for another holds nothing. */
static void begin_anew(struct engine *engine, struct request *request, struct list *woken)
{
    unpin_all(engine, request);
    unreserve(engine, request, woken);
    arena_reset(&request->arena); /* or who begins anew often would need ever more */
    request->key_count = request->loaded_count = request->key_cap = request->pinned_cap = 0;
    request->slots = NULL;
    request->is_idem_known = request->has_idem = false;
    request->needs_commit = false;
}

/* Whether it asks for a trigger whose end is not durable: the store would tell an old story. */
static bool names_recent(const struct engine *engine, const struct request *request)
{
    for (size_t i = request->loaded_count; i < request->key_count; i++) {
        if (request->keys[i].kind == KEY_TRIGGER && recent_find_end(engine, request->keys[i].id) != NULL) {
            return true;
        }
    }
    return false;
}

/* An exchange that waits for rows no longer; others are not meant. */
static void exchange_over(struct engine *engine, const struct request *request)
{
    if (request->exchange != NULL) {
        (void)idmap_remove(&engine->exchanges, request->exchange->token);
    }
}

/* Runs it, or makes it wait; what it let go of goes to woken. */
static void go_on(struct engine *engine, struct request *request, const struct rows *rows, struct list *woken)
{
    struct reservation *blocking = NULL;

    exchange_over(engine, request);
    /* A request that waits for its first rows has named its keys by trying. */
    bool is_done = try_run(engine, request, rows);

    if (!is_done && request->rounds >= REQUEST_ROUNDS_MAX) {
        give_up(engine, request);
        is_done = true;
    }
    if (is_done) {
        unpin_all(engine, request);
        unreserve(engine, request, woken);
        request_free(request);
        return;
    }
    blocking = taken(engine, request);
    if (blocking != NULL) { /* rule 1: holds nothing while it waits, and begins anew */
        begin_anew(engine, request, woken);
        list_push_back(&blocking->waiting, &request->link);
        return;
    }
    if (request->needs_commit || names_recent(engine, request)) {
        begin_anew(engine, request, woken);
        list_push_back(&engine->parked, &request->link);
        return;
    }
    reserve(engine, request);
    ask(engine, request);
}

static void run_all(struct engine *engine, struct list *woken)
{
    for (struct list_node *node = list_pop_front(woken); node != NULL; node = list_pop_front(woken)) {
        struct request *request = CONTAINER_OF(node, struct request, link);

        arena_reset(&engine->scratch); /* many may have waited for one key, and each works as if in a step of its own */
        if (request->exchange != NULL) {
            exchange_over(engine, request);
            worker_exchange(engine, request->exchange); /* as if it came now */
            request_free(request);
        } else {
            go_on(engine, request, NULL, woken);
        }
    }
}

void request_committed(struct engine *engine)
{
    struct list woken;

    list_init(&woken);
    list_append_all(&woken, &engine->parked);
    run_all(engine, &woken);
}

void request_command(struct engine *engine, const struct command *command)
{
    struct request *request = request_new(engine);
    struct list woken;

    list_init(&woken);
    request->command = command;
    go_on(engine, request, NULL, &woken);
    run_all(engine, &woken);
}

static void note_idem(struct request *request, const struct rows *rows)
{
    const struct command *command = request->command;

    for (size_t i = request->loaded_count; command != NULL && i < request->key_count; i++) {
        request->is_idem_known = request->is_idem_known || request->keys[i].kind == KEY_IDEM;
    }
    for (size_t i = 0; command != NULL && i < rows->idems.count; i++) {
        const struct idem_row *row = &rows->idems.items[i];

        if (str_equal(row->key, command->idem_key) && str_equal(row->tenant, command->idem_tenant)) {
            request->has_idem = true;
            request->idem_hash[0] = row->hash[0];
            request->idem_hash[1] = row->hash[1];
            request->idem_created_ms = row->created_ms;
            request->idem_result = keep(request, row->result);
        }
    }
}

/* Nothing of it was done. */
static void give_up_too_large(struct engine *engine, struct request *request, struct list *woken)
{
    struct error error;

    err_set(&error, ERR_TOO_LARGE, "what this names has more texts than can be read at once; name fewer");
    gather_error(engine, request->command->token, &error);
    unpin_all(engine, request);
    unreserve(engine, request, woken);
    request_free(request);
}

void request_loaded(struct engine *engine, struct request *request, const struct rows *rows)
{
    static const struct rows nothing;
    struct list woken;

    list_init(&woken);
    idmap_remove(&engine->requests, request->tag);
    note_idem(request, rows);
    request->loaded_count = request->key_count;
    request->rounds++;
    if (rows->is_cut && request->exchange == NULL) {
        give_up_too_large(engine, request, &woken);
        run_all(engine, &woken);
        return;
    }
    rows = rows->is_cut ? &nothing : rows; /* so what an exchange reports is not known */
    restore_jobs(engine, rows);
    for (size_t i = 0; i < rows->jobs.count; i++) {
        struct job *job = job_by_id(engine, rows->jobs.items[i].id);

        if (job != NULL) {
            pin(request, job);
        }
    }
    go_on(engine, request, rows, &woken);
    run_all(engine, &woken);
}

/* ---- exchanges ---- */

static struct exchange *copy_exchange(struct request *request, const struct exchange *exchange)
{
    struct exchange *copy = arena_alloc(&request->arena, sizeof *copy);
    struct str *pools = arena_alloc_array(&request->arena, exchange->pool_count + 1, sizeof *pools);
    struct report *reports = arena_alloc_array(&request->arena, exchange->report_count + 1, sizeof *reports);
    struct attempt_ref *holding = arena_alloc_array(&request->arena, exchange->holding_count + 1, sizeof *holding);

    *copy = *exchange;
    copy->worker = keep(request, exchange->worker);
    copy->name = keep(request, exchange->name);
    for (size_t i = 0; i < exchange->pool_count; i++) {
        pools[i] = keep(request, exchange->pools[i]);
    }
    for (size_t i = 0; i < exchange->report_count; i++) {
        reports[i] = exchange->reports[i];
        reports[i].error_code = keep(request, exchange->reports[i].error_code);
        reports[i].error_message = keep(request, exchange->reports[i].error_message);
        reports[i].result = keep(request, exchange->reports[i].result);
    }
    for (size_t i = 0; i < exchange->holding_count; i++) {
        holding[i] = exchange->holding[i];
    }
    copy->pools = pools;
    copy->reports = reports;
    copy->holding = holding;
    return copy;
}

/* Nobody may pass an exchange of the same worker that waits for rows. */
static struct load_key worker_key(const struct exchange *exchange)
{
    return (struct load_key){.kind = KEY_NAME, .id = UINT64_MAX, .text = exchange->worker};
}

static bool is_unknown(const struct engine *engine, uint64_t trigger)
{
    return trigger_by_id(engine, trigger) == NULL && recent_find_end(engine, trigger) == NULL;
}

static struct reservation *blocking_exchange(struct engine *engine, const struct exchange *exchange)
{
    struct load_key key = worker_key(exchange);

    return map_count(&engine->reservations) > 0 ? reservation_of(engine, &key) : NULL;
}

bool request_exchange_waits(struct engine *engine, const struct exchange *exchange)
{
    bool waits = blocking_exchange(engine, exchange) != NULL;

    for (size_t i = 0; i < exchange->report_count && !waits; i++) {
        waits = is_unknown(engine, exchange->reports[i].trigger);
    }
    return waits;
}

void request_exchange(struct engine *engine, const struct exchange *exchange)
{
    struct load_key key = worker_key(exchange);
    struct reservation *blocking = blocking_exchange(engine, exchange);
    struct request *request = request_new(engine);

    request->exchange = copy_exchange(request, exchange);
    idmap_put(&engine->exchanges, exchange->token, request);
    if (blocking != NULL) {
        list_push_back(&blocking->waiting, &request->link);
        return;
    }
    request->rounds = 1;
    /* All of them: what is in memory now may have ended, and be durable, when the rows come. */
    for (size_t i = 0; i < exchange->report_count; i++) {
        request_needs_trigger(request, exchange->reports[i].trigger);
    }
    struct reservation *reservation = mem_zalloc(sizeof *reservation);

    reservation->owner = request;
    list_init(&reservation->waiting);
    map_insert_number(&engine->reservations, &reservation->node, key_hash(engine, &key));
    request->reserved = arena_alloc_array(&request->arena, 1, sizeof *request->reserved);
    request->reserved[request->reserved_count++] = reservation;
    ask(engine, request);
}

void request_gone(struct engine *engine, uint64_t token)
{
    struct request *request = idmap_find(&engine->exchanges, token);

    if (request != NULL) {
        request->exchange->want = 0;
        request->exchange->wait_ms = 0;
    }
}

void request_free_all(struct engine *engine)
{
    struct list all;
    size_t pos = 0;

    list_init(&all);
    for (struct map_node *node = map_first(&engine->reservations); node != NULL;
         node = map_first(&engine->reservations)) {
        struct reservation *reservation = CONTAINER_OF(node, struct reservation, node);

        list_append_all(&all, &reservation->waiting);
        map_remove(&engine->reservations, node);
        mem_free(reservation);
    }
    for (struct request *request = idmap_next(&engine->requests, &pos, NULL); request != NULL;
         request = idmap_next(&engine->requests, &pos, NULL)) {
        for (size_t i = 0; i < request->pinned_count; i++) {
            request->pinned[i]->pins--;
        }
        request_free(request);
    }
    list_append_all(&all, &engine->parked);
    for (struct list_node *node = list_pop_front(&all); node != NULL; node = list_pop_front(&all)) {
        request_free(CONTAINER_OF(node, struct request, link));
    }
}
