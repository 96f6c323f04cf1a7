/* top: what goes on, again and again, until q. Where standard output is no terminal, once. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/json.h"
#include "base/mem.h"
#include "calendar/duration.h"
#include "cli/api.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/term.h"
#include "cli/top_view.h"
#include "cli/when.h"

#define SCREEN_BYTES_MAX (1024 * 1024)
#define INTERVAL_MS 2000
#define INTERVAL_MIN_MS 100
/* Lines beside the view: the title and the last, empty one. */
#define FRAME_LINES 2
#define HEIGHT_ALL 1000

#define ENTER "\033[?1049h\033[?25l" /* another screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_REST "\033[J"

struct top_options {
    struct api_options api;
    struct str interval;
    bool is_once;
};

/* Three answers at once: each call takes the place of the one before in the API. */
struct top_data {
    struct jr_doc docs[3];
};

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

static void data_done(struct top_data *data)
{
    for (size_t i = 0; i < sizeof data->docs / sizeof data->docs[0]; i++) {
        jr_done(&data->docs[i]);
    }
}

/* Nothing is said here: where the screen is taken, it would be wiped. */
static int ask(struct api *api, struct top_data *data, struct error *reterr)
{
    static const char *const paths[] = {"/v1/stats", "/v1/stats/history?step=1m", "/v1/workers?limit=100"};

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const struct client_request request = {.method = "GET", .path = str_from(paths[i])};
        int exit_code = api_try(api, &request, reterr);

        if (exit_code != EXIT_DONE) {
            return exit_code;
        }
        data->docs[i] = api->doc; /* taken over */
        api->doc = (struct jr_doc){0};
        if (i == 0 && api->is_json) {
            return EXIT_DONE;
        }
    }
    return EXIT_DONE;
}

static void draw(const struct top_data *data, const struct term *term, int height, struct buf *out)
{
    const struct top_facts facts = {
        .stats = jr_root(&data->docs[0]),
        .history = jr_root(&data->docs[1]),
        .workers = jr_get(jr_root(&data->docs[2]), "items"),
        .now_ms = chrono_wall_ms(),
    };

    top_view_write(&facts, term->width, height, term->is_coloured, out);
}

static int show_once(struct api *api)
{
    SCOPE(data_done) struct top_data data = {0};
    SCOPE(buf_done) struct buf out;
    struct term term = term_look();
    struct error error;
    int exit_code = ask(api, &data, &error);

    buf_init(&out, SCREEN_BYTES_MAX);
    if (exit_code == EXIT_DONE && api->is_json) {
        api_print_json(api);
    } else if (exit_code == EXIT_DONE) {
        draw(&data, &term, HEIGHT_ALL, &out);
        (void)fputs(buf_text(&out), stdout);
    } else {
        exit_code = api_refuse(api, &(struct client_request){.method = "GET"}, exit_code, &error);
    }
    return exit_code;
}

/* One screen, each line wiped behind its end, so that nothing flickers. */
static void put_screen(const char *url, int width, const struct buf *view)
{
    char title[PLACE_URL_BYTES_MAX + WHEN_BYTES];
    char now[WHEN_BYTES];
    struct str rest = buf_str(view);
    struct str line;
    bool done = false;

    (void)snprintf(title, sizeof title, "belfry top (q ends it)  %s  %s",
                   when_exact(chrono_wall_ms() / 1000 * 1000, now), url);
    (void)printf(HOME "%.*s" CLEAR_LINE "\r\n", width, title);
    while (str_split(&rest, '\n', &done, &line)) {
        (void)printf("%.*s" CLEAR_LINE "%s", (int)line.len, line.len > 0 ? line.ptr : "", done ? "" : "\r\n");
    }
    (void)fputs(CLEAR_REST, stdout);
    (void)fflush(stdout);
}

/* True where q, escape or the end of the input came within the time. */
static bool wait_for_key(int64_t until_mono_ms)
{
    for (int64_t left_ms; !is_interrupted && (left_ms = until_mono_ms - chrono_mono_ms()) > 0;) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        char key = 0;

        if (poll(&input, 1, (int)left_ms) <= 0) {
            continue; /* the time is up, or a signal came: looked at above */
        }
        if (read(STDIN_FILENO, &key, 1) <= 0 || key == 'q' || key == 'Q' || key == '\003') {
            return true;
        }
        return false; /* any other key draws again */
    }
    return is_interrupted != 0;
}

static int watch(struct api *api, int64_t interval_ms, struct error *reterr)
{
    int exit_code = EXIT_DONE;
    SCOPE(buf_done) struct buf view;

    buf_init(&view, SCREEN_BYTES_MAX);
    for (bool is_over = false; !is_over && exit_code == EXIT_DONE;) {
        int64_t next_mono_ms = chrono_mono_ms() + interval_ms;
        SCOPE(data_done) struct top_data data = {0};
        struct term term = term_look();

        exit_code = ask(api, &data, reterr);
        if (exit_code == EXIT_DONE) {
            buf_reset(&view);
            draw(&data, &term, term.height - FRAME_LINES, &view);
            put_screen(api->place.url, term.width, &view);
            is_over = wait_for_key(next_mono_ms);
        }
    }
    return exit_code;
}

static int show_live(struct api *api, int64_t interval_ms)
{
    struct termios before;
    struct sigaction action = {.sa_handler = interrupt};
    struct error error;
    bool has_keys = tcgetattr(STDIN_FILENO, &before) == 0;

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    if (has_keys) {
        struct termios raw = before;

        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    (void)fputs(ENTER, stdout);
    int exit_code = watch(api, interval_ms, &error);
    (void)fputs(LEAVE, stdout);
    (void)fflush(stdout);
    if (has_keys) {
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
    }
    return exit_code == EXIT_DONE ? EXIT_DONE
                                  : api_refuse(api, &(struct client_request){.method = "GET"}, exit_code, &error);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct top_options options = {0};
    struct arguments arguments;
    int64_t interval_ms = INTERVAL_MS;
    struct error error;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (options.interval.ptr != NULL && duration_parse(options.interval, &interval_ms, &error) != ERR_OK) {
        return command_usage(command->name, "--interval: %s", error.text);
    }
    if (interval_ms < INTERVAL_MIN_MS) {
        return command_usage(command->name, "--interval: at least %d ms", INTERVAL_MIN_MS);
    }
    int exit_code = command_no_more(command->name, &arguments, 0);
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    SCOPE(api_close) struct api api;
    struct term term = term_look();
    exit_code = api_open(&api, command, &options.api);
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    bool is_live = term.is_terminal && !options.is_once && !api.is_json;
    return is_live ? show_live(&api, interval_ms) : show_once(&api);
}

static const struct option table[] = {
    {"interval", "LENGTH", "between two looks (default 2s)", offsetof(struct top_options, interval)},
    {"once", NULL, "one look, without taking the screen", offsetof(struct top_options, is_once)},
    {0},
};

const struct command command_top = {
    .name = "top",
    .group = "Operating",
    .summary = "what goes on, live: rates, lag, queues, what runs, workers",
    .usage = "belfry top [options]     a live view; q ends it, any other key looks again\n",
    .text = "Where standard output is no terminal it is shown once.\n",
    .options = table,
    .is_api = true,
    .run = run,
};
