/* Random definitions, all of them valid: none loses anything on its way through the canonical form, and none depends
 * on how it was laid out. */
#include "job_def_test.h"

#include "calendar/duration.h"

#define PARTS_MAX 32
#define ROUNDS 500

/* What a definition is made of, before it is laid out as text. Each part is a field with its value. */
struct parts {
    const char *fields[PARTS_MAX];
    size_t field_count;
    const char *labels[PARTS_MAX];
    size_t label_count;
    const char *upstreams[PARTS_MAX];
    size_t upstream_count;
};

/* ---- values ---- */

static const char *random_name(struct rng *rng)
{
    static const char marks[] = "abcXYZ0189._:-";
    char *name = arena_strdup(&test_arena, letters(rng_chance(rng, 1, 20) ? 200 : 1 + rng_below(rng, 12), 'n'));

    for (char *c = name + 1; *c != '\0'; c++) {
        *c = marks[rng_below(rng, sizeof marks - 1)];
    }
    return name;
}

/* The inside of a JSON string of at most 100 bytes, with all that may stand there. */
static const char *random_text(struct rng *rng)
{
    static const char *const pieces[] = {"a",
                                         "Z",
                                         "7",
                                         " ",
                                         "'",
                                         "/",
                                         "\\/",
                                         "\\n",
                                         "\\\\",
                                         "\\\"",
                                         "\xc3\xa9",
                                         "\\u00e9",
                                         "\\u202e",
                                         "\\u001f",
                                         "\xf0\x9f\x98\x80",
                                         "\\ud83d\\ude00",
                                         "payload",
                                         ":",
                                         "{",
                                         "]"};
    SCOPE(buf_done) struct buf out;
    buf_init(&out, 4096);

    for (uint64_t left = rng_below(rng, 9); left > 0; left--) {
        buf_append_text(&out, pieces[rng_below(rng, COUNT_OF(pieces))]);
    }
    return arena_strdup(&test_arena, buf_text(&out));
}

/* The canonical text of a duration, or another. */
static const char *random_duration(struct rng *rng, int64_t min_ms, int64_t max_ms)
{
    int64_t ms = rng_between(rng, min_ms, rng_chance(rng, 1, 2) && min_ms < 5000 ? 5000 : max_ms);
    char text[DURATION_BYTES];

    if (rng_chance(rng, 1, 3)) {
        return arena_printf(&test_arena, "%lldms", (long long)ms);
    }
    return arena_strdup(&test_arena, duration_format(ms, text));
}

/* Between two years; in UTC, or with an offset. */
static const char *random_instant(struct rng *rng, const char *from, const char *to)
{
    int64_t ms = rng_between(rng, utc_ms(from), utc_ms(to));
    int minutes = (int)rng_between(rng, -14 * 60, 14 * 60);
    char text[INSTANT_BYTES];

    if (rng_chance(rng, 1, 2)) {
        return arena_strdup(&test_arena, instant_format(ms, text));
    }
    (void)instant_format(ms + minutes * MINUTE_MS, text);
    return arena_printf(&test_arena, "%.23s%c%02d:%02d", text, minutes < 0 ? '-' : '+', abs(minutes) / 60,
                        abs(minutes) % 60);
}

static void put_blanks(struct rng *rng, struct buf *out)
{
    static const char *const blanks[] = {"", "", "", " ", "\n  ", "\t", "\r\n"};

    buf_append_text(out, blanks[rng_below(rng, COUNT_OF(blanks))]);
}

/* Any JSON, a few levels deep, with blanks in it and numbers that a double would change. */
static void put_random_json(struct rng *rng, struct buf *out, int depth)
{
    static const char *const plain[] = {
        "null", "true", "false", "0", "-0", "0.1", "1.10", "1E+2", "-7", "\"\"", "12345678901234567890"};
    uint64_t count = rng_below(rng, 4);
    bool is_object = rng_chance(rng, 1, 2);

    if (depth == 0 || rng_chance(rng, 1, 4)) {
        buf_append_text(out, plain[rng_below(rng, COUNT_OF(plain))]);
        return;
    }
    buf_append_char(out, is_object ? '{' : '[');
    for (uint64_t i = 0; i < count; i++) {
        buf_append_text(out, i > 0 ? "," : "");
        put_blanks(rng, out);
        if (is_object) {
            buf_printf(out, "\"%s%llu\":", random_text(rng), (unsigned long long)i);
        }
        put_random_json(rng, out, depth - 1);
    }
    put_blanks(rng, out);
    buf_append_char(out, is_object ? '}' : ']');
}

/* ---- fields ---- */

__attribute__((format(printf, 2, 3))) static void add(struct parts *parts, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    assert_true(parts->field_count < PARTS_MAX);
    parts->fields[parts->field_count++] = quoted(arena_vprintf(&test_arena, format, args));
    va_end(args);
}

#define ONE_OF(rng, ...) one_of(rng, (const char *const[]){__VA_ARGS__, NULL})
static const char *one_of(struct rng *rng, const char *const words[])
{
    size_t count = 0;

    while (words[count] != NULL) {
        count++;
    }
    return words[rng_below(rng, count)];
}

static void add_who(struct rng *rng, struct parts *parts)
{
    static const char *const fields[] = {"tenant", "name", "type", "pool"};

    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        if (rng_chance(rng, 1, 2)) {
            add(parts, "'%s':'%s'", fields[i], rng_chance(rng, 1, 4) ? "default" : random_name(rng));
        }
    }
    if (rng_chance(rng, 1, 2)) {
        add(parts, "'priority':%d", (int)rng_between(rng, 1, 5));
    }
}

static void add_when(struct rng *rng, struct parts *parts)
{
    switch (rng_below(rng, 6)) {
    case 0:
        add(parts, "'run_at':'%s'", random_instant(rng, "1971-01-01T00:00:00Z", "2199-12-31T00:00:00Z"));
        break;
    case 1:
        add(parts, "'delay':'%s'", random_duration(rng, 0, DURATION_MAX_MS));
        break;
    case 2:
        add(parts, "'cron':'%s'",
            ONE_OF(rng, "0 9 * * *", "TZID=Asia/Tokyo:@daily", "@every 90s", "H H * * *", "0 0 12 ? * 6L"));
        break;
    case 3:
        add(parts, "'every':'%s'", random_duration(rng, EVERY_MIN_MS, DURATION_MAX_MS));
        break;
    case 4:
        add(parts, "'every':{'after':%s,'interval':'%s'}", ONE_OF(rng, "'finish'", "null"),
            random_duration(rng, EVERY_MIN_MS, DURATION_MAX_MS));
        break;
    default:
        break; /* now, or after its upstreams */
    }
}

static void add_bounds(struct rng *rng, struct parts *parts)
{
    if (rng_chance(rng, 1, 2)) {
        add(parts, "'timezone':'%s'", ONE_OF(rng, "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"));
    }
    if (rng_chance(rng, 1, 2)) {
        add(parts, "'dst':{'gap':'%s','fold':'%s'}", ONE_OF(rng, "after", "shift", "skip"),
            ONE_OF(rng, "first", "second", "both"));
    }
    if (rng_chance(rng, 1, 3)) {
        add(parts, "'starts_at':'%s'", random_instant(rng, "1971-01-01T00:00:00Z", "2050-01-01T00:00:00Z"));
    }
    if (rng_chance(rng, 1, 3)) {
        add(parts, "'ends_at':'%s'", random_instant(rng, "2050-01-02T00:00:00Z", "2199-12-31T00:00:00Z"));
    }
    if (rng_chance(rng, 1, 3)) {
        add(parts, "'max_fires':%lld", (long long)rng_between(rng, 1, rng_chance(rng, 1, 2) ? 9 : INT64_MAX));
    }
    if (rng_chance(rng, 1, 3)) {
        add(parts, "'jitter':'%s'", random_duration(rng, 0, DURATION_MAX_MS));
    }
}

static const char *random_milli(struct rng *rng, int64_t min, int64_t max)
{
    int64_t milli = rng_between(rng, min, max);

    return arena_printf(&test_arena, "%lld.%03lld", (long long)(milli / 1000), (long long)(milli % 1000));
}

static void add_retry(struct rng *rng, struct parts *parts)
{
    int attempts = rng_chance(rng, 1, 3) ? 5 : (int)rng_between(rng, 1, 1000);
    SCOPE(buf_done) struct buf delays;
    buf_init(&delays, 4096);

    if (rng_chance(rng, 1, 3)) {
        add(parts, "'retry':{%s'max_attempts':%d,'jitter':%s}",
            ONE_OF(rng, "", "'base':'1s',", "'factor':2,", "'max':'1h',", "'delays':['30s','2m','10m','30m','2h'],"),
            attempts, ONE_OF(rng, "0.2", "0.1"));
        return;
    }
    if (rng_chance(rng, 1, 2)) {
        add(parts, "'retry':{'max_attempts':%d,'base':'%s','factor':%s,'max':'%s','jitter':%s}", attempts,
            random_duration(rng, 1, HOUR_MS), random_milli(rng, 1000, 100000),
            random_duration(rng, HOUR_MS, DURATION_MAX_MS), random_milli(rng, 0, 1000));
        return;
    }
    for (int64_t left = rng_between(rng, 1, RETRY_DELAYS_MAX); left > 0; left--) {
        buf_printf(&delays, "'%s'%s", random_duration(rng, 0, DURATION_MAX_MS), left > 1 ? "," : "");
    }
    add(parts, "'retry':{'delays':[%s],'max_attempts':%d,'jitter':%s}", buf_text(&delays), attempts,
        random_milli(rng, 0, 1000));
}

static void add_policies(struct rng *rng, struct parts *parts)
{
    if (rng_chance(rng, 1, 2)) {
        add(parts, "'overlap':'%s'", ONE_OF(rng, "skip", "queue", "collapse", "allow"));
    }
    if (rng_chance(rng, 1, 2)) {
        add(parts, "'misfire':'%s'", ONE_OF(rng, "fire_latest", "fire_now", "skip", "backfill"));
    }
    if (rng_chance(rng, 1, 2)) {
        add(parts, "'misfire_after':'%s'", rng_chance(rng, 1, 3) ? "1m" : random_duration(rng, 0, DURATION_MAX_MS));
    }
    if (rng_chance(rng, 1, 2)) {
        add_retry(rng, parts);
    }
    if (rng_chance(rng, 1, 2)) {
        add(parts, "'timeout':'%s'", rng_chance(rng, 1, 3) ? "300s" : random_duration(rng, 1, TIMEOUT_MAX_MS));
    }
    if (rng_chance(rng, 1, 2)) {
        add(parts, "'lease':'%s'", rng_chance(rng, 1, 3) ? "30s" : random_duration(rng, LEASE_MIN_MS, LEASE_MAX_MS));
    }
    if (rng_chance(rng, 1, 3)) {
        add(parts, "'expires_after':'%s'", random_duration(rng, 1, DURATION_MAX_MS));
    }
    if (rng_chance(rng, 1, 3)) {
        add(parts, "'dead_policy':{'max_replays':%d,'replay_after':'%s'}", (int)rng_between(rng, 1, 100),
            random_duration(rng, 1000, 30 * DAY_MS));
    }
}

/* The same with real quotes: the sender's own texts may hold '. */
__attribute__((format(printf, 2, 3))) static void add_raw(struct parts *parts, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    assert_true(parts->field_count < PARTS_MAX);
    parts->fields[parts->field_count++] = arena_vprintf(&test_arena, format, args);
    va_end(args);
}

static void add_labels(struct rng *rng, struct parts *parts)
{
    for (uint64_t left = rng_below(rng, PARTS_MAX); left > 0; left--) {
        parts->labels[parts->label_count++] = arena_printf(&test_arena, "\"%llu-%s\":\"%s\"", (unsigned long long)left,
                                                           random_text(rng), random_text(rng));
    }
}

static void add_target(struct rng *rng, struct parts *parts)
{
    if (rng_chance(rng, 1, 2)) {
        add_raw(parts, "\"target\":{ \"exec\" : {\"argv\":[\"a\", \"%s\"],\"cwd\":\"%s\"}}", random_text(rng),
                random_text(rng));
    } else {
        add(parts, "'target':{'http':{'url':'https://example.com/%s', 'method':'%s'}}", random_name(rng),
            ONE_OF(rng, "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"));
    }
}

static void add_texts(struct rng *rng, struct parts *parts)
{
    SCOPE(buf_done) struct buf payload;
    buf_init(&payload, PAYLOAD_BYTES_MAX);

    if (rng_chance(rng, 3, 4)) {
        if (rng_chance(rng, 1, 5)) {
            buf_append_text(&payload, "{}");
        } else {
            put_random_json(rng, &payload, 4);
        }
        add_raw(parts, "\"payload\":%s", buf_text(&payload));
    }
    if (rng_chance(rng, 1, 3)) {
        add_raw(parts, "\"created_by\":\"%s\"", random_text(rng));
    }
    if (rng_chance(rng, 1, 3)) {
        add_raw(parts, "\"concurrency\":{\"key\":\"k%s\",\"max\":%lld}", random_text(rng),
                (long long)rng_between(rng, 1, rng_chance(rng, 1, 2) ? 2 : INT32_MAX));
    }
    if (rng_chance(rng, 1, 2)) {
        add_target(rng, parts);
    }
    if (rng_chance(rng, 1, 2)) {
        add_labels(rng, parts);
    }
}

static void add_upstreams(struct rng *rng, struct parts *parts)
{
    for (uint64_t left = 1 + rng_below(rng, PARTS_MAX); left > 0; left--) {
        const char *job = arena_printf(&test_arena, "%llu-%.20s", (unsigned long long)left, random_name(rng));

        parts->upstreams[parts->upstream_count++] =
            rng_chance(rng, 1, 2) ? quoted(arena_printf(&test_arena, "'%s'", job))
                                  : quoted(arena_printf(&test_arena, "{'on':'%s','job':'%s'}",
                                                        ONE_OF(rng, "success", "failure", "done"), job));
    }
}

static struct parts random_parts(struct rng *rng)
{
    struct parts parts = {0};

    add_who(rng, &parts);
    if (rng_chance(rng, 1, 6)) {
        add_upstreams(rng, &parts);
    } else {
        add_when(rng, &parts);
    }
    add_bounds(rng, &parts);
    add_policies(rng, &parts);
    add_texts(rng, &parts);
    return parts;
}

/* ---- texts ---- */

/* The items in a random order, with random blanks around them. */
static const char *laid_out(struct rng *rng, const char *const *items, size_t count, const char *ends)
{
    const char *order[PARTS_MAX];
    SCOPE(buf_done) struct buf out;
    buf_init(&out, JSON_BYTES_MAX);

    memcpy(order, items, count * sizeof *items);
    rng_shuffle(rng, order, count, sizeof *order);
    buf_append_char(&out, ends[0]);
    for (size_t i = 0; i < count; i++) {
        buf_append_text(&out, i > 0 ? "," : "");
        put_blanks(rng, &out);
        buf_append_text(&out, order[i]);
        put_blanks(rng, &out);
    }
    buf_append_char(&out, ends[1]);
    return arena_strdup(&test_arena, buf_text(&out));
}

static const char *text_of(struct rng *rng, const struct parts *parts)
{
    struct parts all = *parts;

    if (parts->label_count > 0) {
        all.fields[all.field_count++] =
            arena_printf(&test_arena, "\"labels\":%s", laid_out(rng, parts->labels, parts->label_count, "{}"));
    }
    if (parts->upstream_count > 0) {
        all.fields[all.field_count++] = arena_printf(&test_arena, "\"depends_on\":%s",
                                                     laid_out(rng, parts->upstreams, parts->upstream_count, "[]"));
    }
    return laid_out(rng, all.fields, all.field_count, "{}");
}

/* ---- comparing ---- */

static bool same_retry(const struct retry *a, const struct retry *b)
{
    bool same =
        a->max_attempts == b->max_attempts && a->delay_count == b->delay_count && a->jitter_milli == b->jitter_milli;

    for (int i = 0; same && i < a->delay_count; i++) {
        same = a->delays_ms[i] == b->delays_ms[i];
    }
    return same && (a->delay_count > 0 ||
                    (a->base_ms == b->base_ms && a->factor_milli == b->factor_milli && a->max_ms == b->max_ms));
}

static bool same_relations(const struct job_def *a, const struct job_def *b)
{
    bool same = a->depends_on_count == b->depends_on_count && a->label_count == b->label_count &&
                str_equal(a->concurrency_key, b->concurrency_key) && a->concurrency_max == b->concurrency_max &&
                str_equal(a->created_by, b->created_by);

    for (size_t i = 0; same && i < a->depends_on_count; i++) {
        same = str_equal(a->depends_on[i].job, b->depends_on[i].job) && a->depends_on[i].on == b->depends_on[i].on;
    }
    for (size_t i = 0; same && i < a->label_count; i++) {
        same = str_equal(a->labels[i].key, b->labels[i].key) && str_equal(a->labels[i].value, b->labels[i].value);
    }
    return same;
}

static bool same_when(const struct job_def *a, const struct job_def *b)
{
    return a->when == b->when && a->run_at_ms == b->run_at_ms && a->delay_ms == b->delay_ms &&
           str_equal(a->cron, b->cron) && a->every_ms == b->every_ms && a->after_finish == b->after_finish &&
           str_equal(a->timezone, b->timezone) && a->dst.gap == b->dst.gap && a->dst.fold == b->dst.fold &&
           a->starts_at_ms == b->starts_at_ms && a->ends_at_ms == b->ends_at_ms && a->max_fires == b->max_fires &&
           a->jitter_ms == b->jitter_ms;
}

static bool same_dead_policy(const struct dead_policy *a, const struct dead_policy *b)
{
    return a->is_set == b->is_set && a->replay_after_ms == b->replay_after_ms && a->max_replays == b->max_replays;
}

/* Field by field; both have been written, so that upstreams and labels are in order. */
static bool same_def(const struct job_def *a, const struct job_def *b)
{
    return str_equal(a->tenant, b->tenant) && str_equal(a->name, b->name) && str_equal(a->type, b->type) &&
           str_equal(a->pool, b->pool) && a->priority == b->priority && same_when(a, b) && a->overlap == b->overlap &&
           a->misfire == b->misfire && a->misfire_after_ms == b->misfire_after_ms && same_retry(&a->retry, &b->retry) &&
           a->timeout_ms == b->timeout_ms && a->lease_ms == b->lease_ms && a->expires_after_ms == b->expires_after_ms &&
           same_dead_policy(&a->dead_policy, &b->dead_policy) && str_equal(a->payload, b->payload) &&
           a->target_kind == b->target_kind && str_equal(a->target, b->target) && same_relations(a, b);
}

static void a_definition_survives_its_canonical_form(void **state)
{
    (void)state;
    struct rng rng;
    seed_rng(&rng);

    for (int round = 0; round < ROUNDS; round++) {
        struct parts parts = random_parts(&rng);
        const char *text = text_of(&rng, &parts);
        struct job_def def = def_of_json(text);
        const char *once = written(&def);
        struct job_def again = def_of_json(once);

        struct job_def shown = def_of_json(written_full(&def));

        if (strcmp(written(&again), once) != 0 || !same_def(&def, &again)) {
            fail_msg("%s\nis written as\n%s\nand then as\n%s", text, once, written(&again));
        }
        if (strcmp(written(&shown), once) != 0 || !same_def(&def, &shown)) {
            fail_msg("%s\nis shown as\n%s\nand then written as\n%s", text, written_full(&def), written(&shown));
        }
        arena_reset(&test_arena);
    }
}

static void its_canonical_form_does_not_depend_on_its_layout(void **state)
{
    (void)state;
    struct rng rng;
    seed_rng(&rng);

    for (int round = 0; round < ROUNDS; round++) {
        struct parts parts = random_parts(&rng);
        const char *one = text_of(&rng, &parts);
        const char *two = text_of(&rng, &parts);
        struct job_def first = def_of_json(one);
        struct job_def second = def_of_json(two);

        if (strcmp(written(&first), written(&second)) != 0) {
            fail_msg("%s\nand\n%s\nare written differently", one, two);
        }
        arena_reset(&test_arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_survives_its_canonical_form),
        cmocka_unit_test(its_canonical_form_does_not_depend_on_its_layout),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
