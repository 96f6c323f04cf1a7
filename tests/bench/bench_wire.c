/* bench_wire: the two hot paths of the work exchange: an attempt written for a worker, and a worker's body read.
 *
 *     ./dev bench wire
 *
 * The target is 20,000 attempts a second, each of which is written once and reported once.
 */
#include <stdio.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/json.h"
#include "base/mem.h"
#include "measure.h"
#include "wire/work_answer.h"
#include "wire/work_read.h"

#define ITEMS_PER_ANSWER 16
#define ANSWER_MAX (64UL * 1024 * 1024)
#define REPEATS 7
#define EXCHANGES 20000

static const char small_def[] = "{\"tenant\":\"acme\",\"name\":\"welcome\",\"type\":\"send_email\",\"pool\":\"email\","
                                "\"payload\":{\"to\":\"ada@example.org\",\"template\":\"welcome\",\"n\":12}}";
static const char http_def[] =
    "{\"name\":\"morning-report\",\"cron\":\"0 9 * * MON-FRI\",\"timezone\":\"America/New_York\","
    "\"retry\":{\"max_attempts\":3},\"payload\":{\"day\":7},\"target\":{\"http\":{\"url\":"
    "\"https://reports.example.org/build\",\"headers\":{\"X-Team\":\"billing\"}}},\"labels\":{\"team\":\"billing\"}}";

/* ---- writing ---- */

struct writing {
    struct buf out;
    struct wire_item items[ITEMS_PER_ANSWER];
};

static struct writing *writing_new(const char *def)
{
    struct writing *writing = mem_zalloc(sizeof *writing);

    buf_init(&writing->out, ANSWER_MAX);
    for (size_t i = 0; i < ITEMS_PER_ANSWER; i++) {
        writing->items[i] = (struct wire_item){
            .trigger = UINT64_C(1) << 50 | i,
            .job = UINT64_C(1) << 50 | i,
            .number = 1,
            .max_attempts = 5,
            .version = 1,
            .scheduled_ms = 1775638800000 + (int64_t)i,
            .due_ms = 1775638800000 + (int64_t)i,
            .timeout_ms = 300000,
            .lease_ms = 30000,
            .place = {STR("email"), STR("acme"), STR("send_email"), 3},
            .name = STR("welcome"),
            .def = str_from(def),
        };
    }
    return writing;
}

static void writing_free(struct writing *writing)
{
    buf_done(&writing->out);
    mem_free(writing);
}

static void write_answers(void *context, size_t calls)
{
    struct writing *writing = context;
    struct wire_work_answer answer = {.items = writing->items, .item_count = ITEMS_PER_ANSWER};

    for (size_t i = 0; i < calls; i++) {
        struct jw jw;

        buf_reset(&writing->out);
        jw_init(&jw, &writing->out);
        wire_work_answer(&jw, &answer);
    }
}

static void show_items(const char *name, const char *def)
{
    struct writing *writing = writing_new(def);
    double ns = measure_ns(write_answers, writing, EXCHANGES / ITEMS_PER_ANSWER, REPEATS) / ITEMS_PER_ANSWER;

    (void)printf("%-44s %8.0f ns/attempt  %6.2f %% of a core at 20,000/s\n", name, ns, ns * 20000 / 1e7);
    writing_free(writing);
}

/* ---- reading ---- */

struct body {
    struct buf text;
    struct arena arena;
};

static struct body *body_new(size_t reports, size_t holding, const char *result)
{
    struct body *body = mem_zalloc(sizeof *body);
    char id[ID_TEXT_BYTES];

    buf_init(&body->text, WIRE_WORK_BYTES_MAX);
    arena_init(&body->arena, 64UL * 1024, WIRE_WORK_ARENA_BYTES_MAX);
    buf_append_text(&body->text, "{\"worker\":\"w-9f2c51d07a3be8446c1d20f5\",\"seq\":41,\"name\":\"mailer-3\","
                                 "\"pools\":[\"email\"],\"capacity\":16,\"want\":8,\"wait\":\"20s\",\"holding\":[");
    for (size_t i = 0; i < holding; i++) {
        id_format_attempt(UINT64_C(1) << 50 | i, 1, id);
        buf_printf(&body->text, "%s\"%s\"", i > 0 ? "," : "", id);
    }
    buf_append_text(&body->text, "],\"finished\":[");
    for (size_t i = 0; i < reports; i++) {
        id_format_attempt(UINT64_C(2) << 50 | i, 1, id);
        buf_printf(&body->text, "%s{\"attempt\":\"%s\",\"status\":\"succeeded\"%s}", i > 0 ? "," : "", id, result);
    }
    buf_append_text(&body->text, "]}");
    return body;
}

static void body_free(struct body *body)
{
    arena_done(&body->arena);
    buf_done(&body->text);
    mem_free(body);
}

static void read_bodies(void *context, size_t calls)
{
    struct body *body = context;
    struct wire_work work;

    for (size_t i = 0; i < calls; i++) {
        arena_reset(&body->arena);
        if (wire_read_work(buf_str(&body->text), &body->arena, &work, NULL) != ERR_OK) {
            (void)fputs("refused\n", stderr);
            return;
        }
    }
}

/* What a tree alone would cost, without looking at it. */
static void parse_bodies(void *context, size_t calls)
{
    struct body *body = context;

    for (size_t i = 0; i < calls; i++) {
        struct jr_doc doc = {0};

        if (jr_parse(buf_str(&body->text), NULL, &doc, NULL) == ERR_OK) {
            jr_done(&doc);
        }
    }
}

static void show_body(const char *name, size_t reports, size_t holding, const char *result)
{
    struct body *body = body_new(reports, holding, result);
    double ns = measure_ns(read_bodies, body, EXCHANGES / 16, REPEATS);
    double tree_ns = measure_ns(parse_bodies, body, EXCHANGES / 16, REPEATS);

    (void)printf("%-44s %8.0f ns/body  %5zu bytes  %5.2f ns/byte  (a tree of it: %.0f ns)\n", name, ns, body->text.len,
                 ns / (double)body->text.len, tree_ns);
    body_free(body);
}

int main(void)
{
    show_items("write, a small job", small_def);
    show_items("write, a cron job with a target", http_def);
    show_body("read, 1 report", 1, 0, "");
    show_body("read, 16 reports, 16 held", 16, 16, "");
    show_body("read, 16 reports with results, 16 held", 16, 16, ",\"result\":{\"sent\":1,\"to\":\"ada@example.org\"}");
    show_body("read, 16 reports with outputs, 16 held", 16, 16, ",\"output\":\"sent 1 mail\\nand another\\n\"");
    return 0;
}
