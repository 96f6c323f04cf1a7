/* A program on libbelfry for the tests: probe add JSON-PAYLOAD | probe work THREADS PREFETCH
 *
 * As a worker it obeys the type of the job: echo, fail_for_good, fail_until, wait (until it must stop), progress. */
#include <belfry.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct belfry_worker *worker;

static void on_signal(int number)
{
    (void)number;
    belfry_worker_stop(worker); /* NOLINT(bugprone-signal-handler,cert-sig30-c): it is made for this */
}

static enum belfry_outcome echo(struct belfry_attempt *attempt, void *context)
{
    (void)context;
    return belfry_attempt_result(attempt, attempt->payload) == BELFRY_OK ? BELFRY_SUCCEEDED : BELFRY_FAILED;
}

static enum belfry_outcome no_json(struct belfry_attempt *attempt, void *context)
{
    (void)context;
    return belfry_attempt_result(attempt, "{\"half\":") == BELFRY_INVALID ? BELFRY_SUCCEEDED : BELFRY_FAILED;
}

static enum belfry_outcome fail_for_good(struct belfry_attempt *attempt, void *context)
{
    (void)context;
    return belfry_attempt_fail_for_good(attempt, "bad_address", "\xff is no UTF-8, and \"this\" is quoted\n");
}

static enum belfry_outcome fail_until(struct belfry_attempt *attempt, void *context)
{
    (void)context;
    return belfry_attempt_fail_until(attempt, "busy", "later", 1500);
}

static const char *const stop_words[] = {"go on", "cancelled", "lease lost", "stopping"};

/* Ends when it must, and says why. */
static enum belfry_outcome wait_for_stop(struct belfry_attempt *attempt, void *context)
{
    enum belfry_stop stop;

    (void)context;
    belfry_attempt_progress(attempt, 40, "page 4 of 10");
    printf("begins %s\n", attempt->id);
    while ((stop = belfry_attempt_stop(attempt)) == BELFRY_GO_ON) {
        usleep(10000);
    }
    printf("stopped by %s\n", stop_words[stop]);
    return stop == BELFRY_CANCELLED ? BELFRY_FAILED : BELFRY_RELEASED;
}

static void on_trouble(const char *text, void *context)
{
    (void)context;
    printf("trouble: %s\n", text);
}

static int tell(const struct belfry_error *error)
{
    printf("status %d http %d code %s: %s\n", (int)error->status, error->http_status, error->code, error->text);
    return 1;
}

static int work(struct belfry *client, unsigned threads, unsigned prefetch)
{
    static const char *const pools[] = {"default", "other"};
    struct belfry_worker_options options = {.name = "probe",
                                            .pools = pools,
                                            .pool_count = 2,
                                            .threads = threads,
                                            .prefetch = prefetch,
                                            .on_trouble = on_trouble};
    struct belfry_error error;

    if (belfry_worker_new(client, &options, &worker, &error) != BELFRY_OK) {
        return tell(&error);
    }
    signal(SIGTERM, on_signal);
    enum belfry_status first = belfry_worker_handle(worker, "echo", echo, NULL);
    enum belfry_status again = belfry_worker_handle(worker, "echo", echo, NULL);

    if (first != BELFRY_OK || again != BELFRY_INVALID ||
        belfry_worker_handle(worker, "no_json", no_json, NULL) != BELFRY_OK ||
        belfry_worker_handle(worker, "fail_for_good", fail_for_good, NULL) != BELFRY_OK ||
        belfry_worker_handle(worker, "fail_until", fail_until, NULL) != BELFRY_OK ||
        belfry_worker_handle(worker, "wait", wait_for_stop, NULL) != BELFRY_OK) {
        return 2;
    }
    enum belfry_status status = belfry_worker_run(worker, &error);

    belfry_worker_free(worker);
    return status == BELFRY_OK ? 0 : tell(&error);
}

static int add(struct belfry *client, const char *payload)
{
    struct belfry_job job = {.type = "echo", .payload = payload, .more = " { \"labels\" : {\"by\":\"probe\"} } "};
    struct belfry_error error;
    char id[BELFRY_ID_BYTES];

    if (belfry_add(client, &job, id, &error) != BELFRY_OK) {
        return tell(&error);
    }
    printf("%s\n", id);
    return 0;
}

int main(int argc, char **argv)
{
    struct belfry_error error;
    struct belfry *client;
    int code = 2;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (belfry_open(NULL, NULL, &client, &error) != BELFRY_OK) {
        return tell(&error);
    }
    if (argc == 3 && strcmp(argv[1], "add") == 0) {
        code = add(client, argv[2]);
    } else if (argc == 4 && strcmp(argv[1], "work") == 0) {
        code = work(client, (unsigned)strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10));
    }
    belfry_close(client);
    return code;
}
