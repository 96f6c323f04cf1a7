/* replay: runs a fuzz target without a fuzzer, as a test.
 *
 *     fuzz_cron CORPUS        every file of the folder, then MUTATIONS mutations of them
 *
 * The target runs in a child process, which a broken promise ends; the parent sees it, names the input, keeps it as
 * crash-... in the working directory and goes on with the next one. Mutations depend on the seed and their number
 * alone: BELFRY_TEST_SEED chooses other ones.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/rng.h"
#include "fuzz.h"
#include "mutate.h"

#define MUTATIONS 10000
#define SEED_DEFAULT 20260408
#define FILES_MAX 1000
#define INPUT_BYTES_MAX (64 * 1024)
#define FAILURES_MAX 5 /* then there is enough to do */
#define SECONDS_MAX 60 /* for a child: one that does not end has failed too */

struct corpus {
    size_t count;
    char *names[FILES_MAX];
    struct bytes inputs[FILES_MAX];
};

/* What the child tells the parent by what it leaves behind. */
struct progress {
    size_t done; /* inputs that went well */
    size_t len;  /* the input in work */
    uint8_t data[INPUT_BYTES_MAX];
};

struct replay {
    const struct corpus *corpus;
    struct progress *progress;
    uint64_t seed;
};

static void give_up(const char *what, const char *name)
{
    printf("Bail out! %s %s: %s\n", what, name, strerror(errno));
    exit(EXIT_FAILURE);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void read_file(struct bytes *input, const char *path)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        give_up("cannot open", path);
    }
    input->max = INPUT_BYTES_MAX;
    input->data = mem_alloc(INPUT_BYTES_MAX);
    input->len = fread(input->data, 1, INPUT_BYTES_MAX, file);
    if (ferror(file) != 0 || fgetc(file) != EOF) {
        give_up("cannot read all of", path);
    }
    (void)fclose(file);
    input->data = mem_realloc_array(input->data, input->len + 1, 1);
}

static void read_corpus(struct corpus *corpus, const char *dir)
{
    struct dirent **entries = NULL;
    int count = scandir(dir, &entries, is_visible, alphasort); /* in order: a seed must mean the same everywhere */

    if (count <= 0 || count > FILES_MAX) {
        give_up("no corpus of a sensible size in", dir);
    }
    for (int i = 0; i < count; i++) {
        char path[4096];

        (void)snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
        read_file(&corpus->inputs[i], path);
        corpus->names[i] = mem_strdup(entries[i]->d_name);
        free(entries[i]);
    }
    corpus->count = (size_t)count;
    free(entries);
}

/* Input number index: a file of the corpus, or a mutation of one. */
typedef void make_input(struct replay *replay, size_t index);

static void make_file(struct replay *replay, size_t index)
{
    const struct bytes *input = &replay->corpus->inputs[index];

    memcpy(replay->progress->data, input->data, input->len);
    replay->progress->len = input->len;
}

static void make_mutation(struct replay *replay, size_t index)
{
    const struct corpus *corpus = replay->corpus;
    struct progress *progress = replay->progress;
    struct rng rng;

    rng_init(&rng, replay->seed + index);
    make_file(replay, rng_below(&rng, corpus->count));
    struct bytes input = {.data = progress->data, .len = progress->len, .max = INPUT_BYTES_MAX};
    mutate(&rng, &input, &corpus->inputs[rng_below(&rng, corpus->count)]);
    progress->len = input.len;
}

/* In the child. The target gets a copy of just the right size, so that reading past its end is found. */
static void run_inputs(struct replay *replay, make_input *make, size_t first, size_t count)
{
    (void)alarm(SECONDS_MAX);
    for (size_t i = first; i < count; i++) {
        make(replay, i);
        uint8_t *copy = mem_dup(replay->progress->data, replay->progress->len);
        (void)LLVMFuzzerTestOneInput(copy, replay->progress->len);
        mem_free(copy);
        replay->progress->done = i + 1;
    }
    exit(EXIT_SUCCESS); /* with the leak check of a sanitizer */
}

static bool runs_well(struct replay *replay, make_input *make, size_t first, size_t count)
{
    int status = 0;

    (void)fflush(stdout);
    replay->progress->done = first;
    pid_t pid = fork();
    if (pid < 0) {
        give_up("cannot fork for", "the target");
    }
    if (pid == 0) {
        run_inputs(replay, make, first, count);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

static void keep_crash(const struct progress *progress, const char *target, const char *kind)
{
    char path[256];

    (void)snprintf(path, sizeof path, "crash-%s-%s-%zu", target, kind, progress->done);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(progress->data, 1, progress->len, file) != progress->len || fclose(file) != 0) {
        give_up("cannot write", path);
    }
    printf("# broken by the input that is kept as %s\n", path);
}

/* Runs inputs 0 to count - 1; returns whether all went well. */
static bool run(struct replay *replay, make_input *make, const char *target, size_t count)
{
    bool is_file = make == make_file;
    size_t failures = 0;
    size_t first = 0;

    while (first < count && failures < FAILURES_MAX && !runs_well(replay, make, first, count)) {
        failures++;
        first = replay->progress->done + 1;
        if (replay->progress->done == count) {
            printf("# broken at the end: memory leaks, or too much time\n");
        } else if (is_file) {
            printf("# broken by corpus/%s/%s\n", target, replay->corpus->names[replay->progress->done]);
        } else {
            keep_crash(replay->progress, target, "mutation");
        }
    }
    return failures == 0;
}

static uint64_t seed_of_run(void)
{
    const char *given = getenv("BELFRY_TEST_SEED");

    return given != NULL ? strtoull(given, NULL, 0) : SEED_DEFAULT;
}

int main(int argc, char **argv)
{
    static struct corpus corpus;
    struct replay replay = {.corpus = &corpus, .seed = seed_of_run()};

    if (argc != 2) {
        (void)fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    const char *slash = strrchr(argv[1], '/');
    const char *target = slash != NULL ? slash + 1 : argv[1];
    read_corpus(&corpus, argv[1]);
    replay.progress = mmap(NULL, sizeof *replay.progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (replay.progress == MAP_FAILED) {
        give_up("no memory to share for", target);
    }

    printf("1..2\n");
    bool files_ok = run(&replay, make_file, target, corpus.count);
    printf("%s 1 - %s keeps its promises for all %zu files of the corpus\n", files_ok ? "ok" : "not ok", target,
           corpus.count);
    bool mutations_ok = run(&replay, make_mutation, target, MUTATIONS);
    printf("%s 2 - %s keeps its promises for %d mutations of them, BELFRY_TEST_SEED=%llu\n",
           mutations_ok ? "ok" : "not ok", target, MUTATIONS, (unsigned long long)replay.seed);
    return files_ok && mutations_ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
