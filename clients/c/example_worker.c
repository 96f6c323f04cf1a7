/* A worker in C that sleeps as the payload says, {"seconds":3}. cc example_worker.c $(pkg-config --cflags --libs
 * belfry) */
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

static enum belfry_outcome sleep_a_while(struct belfry_attempt *attempt, void *context)
{
    static const char key[] = "\"seconds\":";
    const char *found = strstr(attempt->payload, key);
    long seconds = found != NULL ? strtol(found + strlen(key), NULL, 10) : 0;

    (void)context;
    printf("%s begins: %s\n", attempt->id, attempt->payload);
    for (long tenths = 0; tenths < seconds * 10; tenths++) {
        enum belfry_stop stop = belfry_attempt_stop(attempt);

        if (stop != BELFRY_GO_ON) {
            return stop == BELFRY_STOPPING ? BELFRY_RELEASED : BELFRY_FAILED;
        }
        belfry_attempt_progress(attempt, (int)(tenths * 10 / seconds), "sleeping");
        usleep(100000);
    }
    return strstr(attempt->payload, "\"fail\"") ? belfry_attempt_fail(attempt, "told", "as told") : BELFRY_SUCCEEDED;
}

int main(void)
{
    struct belfry_worker_options options = {.name = "c-example", .threads = 4};
    struct belfry_error error = {.status = BELFRY_OK};
    struct belfry *client = NULL;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (belfry_open(NULL, NULL, &client, &error) == BELFRY_OK &&
        belfry_worker_new(client, &options, &worker, &error) == BELFRY_OK &&
        belfry_worker_handle(worker, NULL, sleep_a_while, NULL) == BELFRY_OK) {
        signal(SIGTERM, on_signal);
        belfry_worker_run(worker, &error);
    }
    fprintf(stderr, "%s", error.text);
    belfry_worker_free(worker);
    belfry_close(client);
    return error.status == BELFRY_OK ? 0 : 1;
}
