#include "cli/witness_alarms.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "cli/field.h"
#include "cli/show.h"
#include "cli/when.h"
#include "client/client.h"
#include "wire/put.h"

/* Who takes longer gets the alarm again in the next round. */
#define DELIVER_MS 10000
#define COMMAND_SECONDS 30
#define BODY_BYTES_MAX 4096

void witness_alarms_init(struct witness_alarms *alarms)
{
    *alarms = (struct witness_alarms){.items = mem_alloc_array(WITNESS_ALARMS_MAX, sizeof *alarms->items)};
}

void witness_alarms_done(struct witness_alarms *alarms)
{
    mem_free(alarms->items);
}

/* ---- telling ---- */

static void write_body(const struct witness_alarm *alarm, int64_t now_ms, struct buf *out)
{
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    wire_put_word(&jw, "alarm", alarm->is_over ? "resolved" : "raised");
    wire_put_word(&jw, "condition", alarm->key);
    wire_put_word(&jw, "text", alarm->text);
    wire_put_instant(&jw, "since", alarm->since_ms);
    wire_put_instant(&jw, "at", now_ms);
    jw_end_object(&jw);
}

static void print_line(const struct witness_alarms *alarms, const struct witness_alarm *alarm, struct str body,
                       int64_t now_ms)
{
    char when[WHEN_BYTES];
    char safe[SHOW_SAFE_BYTES];

    if (alarms->is_json) {
        (void)fwrite(body.ptr, 1, body.len, stdout);
        (void)fputc('\n', stdout);
    } else {
        (void)printf("%s %s %s\n", when_exact(now_ms, when),
                     alarm->is_over ? "resolved:" : "ALARM:", show_safe(str_from(alarm->text), safe));
    }
    (void)fflush(stdout);
}

/* The address of a hook, cut where its path begins. */
static size_t path_of(const char *url)
{
    const char *host = strstr(url, "://");
    const char *path = host != NULL ? strchr(host + 3, '/') : NULL;

    return path != NULL ? (size_t)(path - url) : strlen(url);
}

static bool post(const char *url, struct str body)
{
    size_t at = path_of(url);
    SCOPE_FREE char *base = mem_strndup(url, at);
    SCOPE(client_answer_done) struct client_answer answer;
    struct client *client = client_new(base, NULL, DELIVER_MS);
    const struct client_request request = {
        .method = "POST", .path = url[at] != '\0' ? str_from(url + at) : STR("/"), .body = body};
    struct error error;

    client_answer_init(&answer);
    enum err err = client_call(client, &request, &answer, &error);

    client_free(client);
    if (err == ERR_OK && answer.status >= 300) {
        err = err_set(&error, ERR_IO, "it answered %d", answer.status);
    }
    if (err != ERR_OK) {
        (void)fprintf(stderr, "belfry witness: the alarm could not be sent: %s\n", error.text);
    }
    return err == ERR_OK;
}

/* The child: the command by a shell, with the alarm on its standard input; a timer ends it if it does not end. */
static void run_command(const char *command, int input)
{
    if (dup2(input, STDIN_FILENO) >= 0) {
        (void)alarm(COMMAND_SECONDS);
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    _exit(127);
}

static bool command(const char *text, struct str body)
{
    int ends[2];
    int status = -1;

    if (pipe(ends) != 0) {
        return false;
    }
    pid_t child = fork();

    if (child == 0) {
        (void)close(ends[1]);
        run_command(text, ends[0]);
    }
    (void)close(ends[0]);
    if (child > 0) {
        ssize_t written = write(ends[1], body.ptr, body.len); /* less than a pipe holds */

        (void)written;
        (void)close(ends[1]);
        (void)waitpid(child, &status, 0);
    } else {
        (void)close(ends[1]);
    }
    if (status != 0) {
        (void)fprintf(stderr, "belfry witness: the alarm's command failed\n");
    }
    return status == 0;
}

static bool deliver(const struct witness_alarms *alarms, const struct witness_alarm *alarm, int64_t now_ms)
{
    SCOPE(buf_done) struct buf body;
    bool is_delivered = true;

    buf_init(&body, BODY_BYTES_MAX);
    write_body(alarm, now_ms, &body);
    print_line(alarms, alarm, buf_str(&body), now_ms);
    if (alarms->alert_url != NULL) {
        is_delivered = post(alarms->alert_url, buf_str(&body)) && is_delivered;
    }
    if (alarms->alert_command != NULL) {
        buf_append_char(&body, '\n');
        is_delivered = command(alarms->alert_command, buf_str(&body)) && is_delivered;
    }
    return is_delivered;
}

/* ---- rounds ---- */

static struct witness_alarm *find(const struct witness_alarms *alarms, const char *key)
{
    for (size_t i = 0; i < alarms->count; i++) {
        if (strcmp(alarms->items[i].key, key) == 0) {
            return &alarms->items[i];
        }
    }
    return NULL;
}

void witness_alarms_begin(struct witness_alarms *alarms)
{
    for (size_t i = 0; i < alarms->count; i++) {
        alarms->items[i].is_raised = alarms->items[i].is_tried = false;
    }
}

void witness_alarms_raise(struct witness_alarms *alarms, int64_t now_ms, const char *key, const char *format, ...)
{
    struct witness_alarm *alarm = find(alarms, key);
    va_list args;

    if (alarm == NULL) {
        if (alarms->count == WITNESS_ALARMS_MAX) {
            return; /* rule 3: a thousand others have been told */
        }
        alarm = &alarms->items[alarms->count++];
        *alarm = (struct witness_alarm){.since_ms = now_ms};
        (void)snprintf(alarm->key, sizeof alarm->key, "%s", key);
        va_start(args, format);
        (void)vsnprintf(alarm->text, sizeof alarm->text, format, args);
        va_end(args);
    }
    alarm->is_raised = true;
    alarm->is_over = false;
}

void witness_alarms_keep(struct witness_alarms *alarms, const char *key)
{
    struct witness_alarm *alarm = find(alarms, key);

    if (alarm != NULL) {
        alarm->is_raised = !alarm->is_over;
    }
}

void witness_alarms_tell(struct witness_alarms *alarms, int64_t now_ms)
{
    for (size_t i = 0; i < alarms->count; i++) {
        struct witness_alarm *alarm = &alarms->items[i];

        if (alarm->is_raised && !alarm->is_told && !alarm->is_tried) {
            alarm->is_tried = true; /* rule 2 */
            alarm->is_told = deliver(alarms, alarm, now_ms);
        }
    }
}

void witness_alarms_end(struct witness_alarms *alarms, int64_t now_ms)
{
    size_t kept = 0;

    witness_alarms_tell(alarms, now_ms);
    for (size_t i = 0; i < alarms->count; i++) {
        struct witness_alarm *alarm = &alarms->items[i];

        alarm->is_over = !alarm->is_raised;
        bool is_gone = alarm->is_over && (!alarm->is_told || deliver(alarms, alarm, now_ms));

        if (!is_gone) {
            alarms->items[kept++] = *alarm;
        }
    }
    alarms->count = kept;
}

bool witness_alarms_any(const struct witness_alarms *alarms)
{
    for (size_t i = 0; i < alarms->count; i++) {
        if (!alarms->items[i].is_over) {
            return true;
        }
    }
    return false;
}

/* ---- state ---- */

void witness_alarms_write(const struct witness_alarms *alarms, struct jw *jw)
{
    jw_key(jw, "alarms");
    jw_begin_array(jw);
    for (size_t i = 0; i < alarms->count; i++) {
        jw_begin_object(jw);
        wire_put_word(jw, "condition", alarms->items[i].key);
        wire_put_word(jw, "text", alarms->items[i].text);
        wire_put_instant(jw, "since", alarms->items[i].since_ms);
        wire_put_bool(jw, "told", alarms->items[i].is_told);
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void keep(char *out, size_t size, struct str text)
{
    size_t len = text.len < size ? text.len : size - 1;

    if (len > 0) {
        memcpy(out, text.ptr, len);
    }
    out[len] = '\0';
}

void witness_alarms_read(struct witness_alarms *alarms, struct jr root)
{
    struct jr items = jr_get(root, "alarms");

    for (size_t i = 0; i < jr_count(items) && alarms->count < WITNESS_ALARMS_MAX; i++) {
        struct jr item = jr_at(items, i);
        struct witness_alarm *alarm = &alarms->items[alarms->count++];

        *alarm = (struct witness_alarm){.since_ms = when_field(item, "since"), .is_told = field_bool(item, "told")};
        keep(alarm->key, sizeof alarm->key, field_str(item, "condition"));
        keep(alarm->text, sizeof alarm->text, field_str(item, "text"));
    }
}
