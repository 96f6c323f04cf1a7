#include "acknowledged.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"

#define TEXT_BYTES_MAX 65536

void acked_init(struct acked *acked)
{
    acked->job_count = 0;
    acked->attempt_count = 0;
    acked->key_count = 0;
    acked->setting_count = 0;
    arena_init(&acked->arena, 16384, 1UL << 26);
}

void acked_done(struct acked *acked)
{
    arena_done(&acked->arena);
}

static struct str keep(struct acked *acked, struct str text)
{
    return (struct str){arena_strdup_str(&acked->arena, text), text.len};
}

/* ---- what was said ---- */

struct acked_job *acked_find(struct acked *acked, struct str name)
{
    for (size_t i = 0; i < acked->job_count; i++) {
        if (str_equal(acked->jobs[i].name, name)) {
            return &acked->jobs[i];
        }
    }
    return NULL;
}

static struct acked_job *find_id(struct acked *acked, uint64_t id)
{
    for (size_t i = 0; i < acked->job_count; i++) {
        if (acked->jobs[i].id == id) {
            return &acked->jobs[i];
        }
    }
    return NULL;
}

void acked_job(struct acked *acked, uint64_t id, uint32_t version, struct job_def *def)
{
    struct acked_job *job = find_id(acked, id);
    struct buf text;

    if (job == NULL) {
        assert(acked->job_count < ACKED_MAX);
        job = &acked->jobs[acked->job_count++];
        *job = (struct acked_job){.id = id, .name = keep(acked, def->name)};
    }
    if (version >= job->version) {
        buf_init(&text, TEXT_BYTES_MAX);
        job_def_write(def, &text);
        job->version = version;
        job->def = keep(acked, buf_str(&text));
        buf_done(&text);
    }
}

bool acked_grant(struct acked *acked, uint64_t trigger, uint64_t job, uint32_t number)
{
    for (size_t i = 0; i < acked->attempt_count; i++) {
        if (acked->attempts[i].trigger == trigger && acked->attempts[i].number == number) {
            return false;
        }
    }
    assert(acked->attempt_count < ACKED_MAX);
    acked->attempts[acked->attempt_count++] =
        (struct acked_attempt){.trigger = trigger, .job = job, .number = number, .state = ATTEMPT_STARTED};
    return true;
}

void acked_report(struct acked *acked, uint64_t trigger, uint32_t number, enum attempt_state state)
{
    for (size_t i = 0; i < acked->attempt_count; i++) {
        if (acked->attempts[i].trigger == trigger && acked->attempts[i].number == number) {
            acked->attempts[i].state = state;
        }
    }
}

bool acked_key(struct acked *acked, const struct acked_key *key)
{
    for (size_t i = 0; i < acked->key_count; i++) {
        if (str_equal(acked->keys[i].key, key->key)) {
            return acked->keys[i].id == key->id;
        }
    }
    assert(acked->key_count < ACKED_MAX);
    acked->keys[acked->key_count] = *key;
    acked->keys[acked->key_count++].key = keep(acked, key->key);
    return true;
}

void acked_setting(struct acked *acked, enum scope scope, struct str name, const struct settings *settings)
{
    struct buf text;

    buf_init(&text, TEXT_BYTES_MAX);
    settings_write(settings, true, &text);
    assert(acked->setting_count < ACKED_MAX);
    acked->settings[acked->setting_count++] =
        (struct acked_setting){.scope = scope, .name = keep(acked, name), .text = keep(acked, buf_str(&text))};
    buf_done(&text);
}

/* ---- what is there ---- */

static bool lost(struct acked *acked, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Always false, for a return. */
static bool lost(struct acked *acked, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(acked->lost, sizeof acked->lost, format, args);
    va_end(args);
    return false;
}

static bool read_rows(struct acked *acked, struct store_reader *reader, const struct query *query, struct rows *rows)
{
    struct error error;
    enum store_outcome outcome = store_read(reader, query, rows, &error);

    return outcome == STORE_DONE || lost(acked, "a read was %s: %s", store_outcome_text(outcome), error.text);
}

static bool job_row_fits(struct acked *acked, const struct acked_job *job, const struct rows *rows)
{
    unsigned long long id = job->id;

    if (job->is_doomed) {
        return !job->is_deleted || rows->jobs.count == 0 || lost(acked, "job %llx is there again", id);
    }
    if (rows->jobs.count != 1) {
        return lost(acked, "job %llx is gone", id);
    }
    const struct job_row *row = &rows->jobs.items[0];

    if (row->version < job->version || (row->version == job->version && !str_equal(row->def, job->def))) {
        return lost(acked, "job %llx version %u has %.*s", id, row->version, STR_ARGS(row->def));
    }
    return !job->is_cancelled || row->status == JOB_CANCELLED || lost(acked, "job %llx is not cancelled", id);
}

static bool job_is_there(struct acked *acked, struct store_reader *reader, const struct acked_job *job)
{
    struct rows rows;

    rows_init(&rows);
    bool is_there = read_rows(acked, reader, &(struct query){.kind = QUERY_JOB, .id = job->id, .limit = 1}, &rows) &&
                    job_row_fits(acked, job, &rows);

    rows_done(&rows);
    return is_there;
}

/* Whether a claim on this attempt, or on a later one of the trigger, lives. */
static bool is_claimed(const struct rows *rows, const struct acked_attempt *attempt)
{
    for (size_t i = 0; i < rows->claims.count; i++) {
        for (size_t j = 0; j < rows->claims.items[i].count; j++) {
            const struct claim *claim = &rows->claims.items[i].claims[j];

            if (claim->trigger == attempt->trigger && claim->number >= attempt->number) {
                return true;
            }
        }
    }
    return false;
}

/* The state that is stored of an attempt that has ended; STARTED: it has not. */
static enum attempt_state ended_as(const struct rows *rows, uint32_t number)
{
    const struct trigger_row *row = rows->triggers.count > 0 ? &rows->triggers.items[0] : NULL;

    for (size_t i = 0; i < rows->attempts.count; i++) {
        if (rows->attempts.items[i].number == number) {
            return rows->attempts.items[i].state;
        }
    }
    return row != NULL && row->last.number == number ? row->last.state : ATTEMPT_STARTED;
}

static bool attempt_fits(struct acked *acked, const struct acked_attempt *attempt, const struct rows *rows)
{
    const struct trigger_row *row = rows->triggers.count > 0 ? &rows->triggers.items[0] : NULL;
    enum attempt_state state = ended_as(rows, attempt->number);
    unsigned long long id = attempt->trigger;

    if (attempt->state == ATTEMPT_STARTED) {
        return is_claimed(rows, attempt) || (row != NULL && row->attempts >= attempt->number) ||
               lost(acked, "attempt %llx/%u was granted and is not known", id, attempt->number);
    }
    if (state != attempt->state) {
        return lost(acked, "attempt %llx/%u was reported as %s and is %s", id, attempt->number,
                    attempt_state_text(attempt->state), attempt_state_text(state));
    }
    return attempt->state != ATTEMPT_SUCCEEDED || (row != NULL && row->state == TRIGGER_SUCCEEDED) ||
           lost(acked, "trigger %llx has succeeded and does not say so", id);
}

static bool attempt_is_there(struct acked *acked, struct store_reader *reader, const struct acked_attempt *attempt)
{
    const struct acked_job *job = find_id(acked, attempt->job);
    const struct query query = {.kind = QUERY_TRIGGER, .id = attempt->trigger, .limit = 100};
    struct rows rows;

    if (job != NULL && job->is_doomed) { /* rule 2 */
        return true;
    }
    rows_init(&rows);
    bool is_there = read_rows(acked, reader, &query, &rows) && attempt_fits(acked, attempt, &rows);

    rows_done(&rows);
    return is_there;
}

static bool setting_is_there(struct acked *acked, struct store_reader *reader, const struct acked_setting *setting)
{
    struct rows rows;
    bool is_there = false;

    rows_init(&rows);
    if (read_rows(acked, reader, &(struct query){.kind = QUERY_SETTINGS, .scope = setting->scope, .limit = 1}, &rows)) {
        for (size_t i = 0; i < rows.settings.count; i++) {
            is_there = is_there || (str_equal(rows.settings.items[i].name, setting->name) &&
                                    str_equal(rows.settings.items[i].text, setting->text));
        }
        is_there = is_there || lost(acked, "the settings of %.*s are not there", STR_ARGS(setting->name));
    }
    rows_done(&rows);
    return is_there;
}

static bool key_is_there(struct acked *acked, struct store *store, const struct acked_key *key)
{
    const struct load_key load_key = {.kind = KEY_IDEM, .tenant = STR("default"), .text = key->key};
    const struct load load = {.kind = LOAD_KEYS, .keys = &load_key, .key_count = 1};
    struct rows rows;
    struct error error;

    rows_init(&rows);
    bool is_there = store_load(store, &load, &rows, &error) == STORE_DONE && rows.idems.count == 1 &&
                    rows.idems.items[0].hash[0] == key->hash && !str_empty(rows.idems.items[0].result);

    rows_done(&rows);
    return is_there || lost(acked, "the answer under key %.*s is not there", STR_ARGS(key->key));
}

static bool run_is_there(struct acked *acked, struct store_reader *reader, const struct acked_key *key)
{
    struct rows rows;

    if (!key->is_manual) {
        return true;
    }
    rows_init(&rows);
    bool is_there =
        read_rows(acked, reader, &(struct query){.kind = QUERY_TRIGGER, .id = key->id, .limit = 1}, &rows) &&
        (rows.triggers.count == 1 || lost(acked, "manual trigger %llx is gone", (unsigned long long)key->id));

    rows_done(&rows);
    return is_there;
}

static bool all_there(struct acked *acked, struct store *store, struct store_reader *reader)
{
    bool is_there = true;

    for (size_t i = 0; is_there && i < acked->job_count; i++) {
        is_there = job_is_there(acked, reader, &acked->jobs[i]);
    }
    for (size_t i = 0; is_there && i < acked->attempt_count; i++) {
        is_there = attempt_is_there(acked, reader, &acked->attempts[i]);
    }
    for (size_t i = 0; is_there && i < acked->setting_count; i++) {
        is_there = setting_is_there(acked, reader, &acked->settings[i]);
    }
    for (size_t i = 0; is_there && i < acked->key_count; i++) {
        is_there = key_is_there(acked, store, &acked->keys[i]) && run_is_there(acked, reader, &acked->keys[i]);
    }
    return is_there;
}

const char *acked_lost(struct acked *acked, struct store *store)
{
    struct store_reader *reader;
    struct error error;

    if (store_reader_open(store, &reader, &error) != STORE_DONE) {
        (void)lost(acked, "no reader: %s", error.text);
        return acked->lost;
    }
    bool is_there = all_there(acked, store, reader);

    store_reader_close(reader);
    return is_there ? NULL : acked->lost;
}
