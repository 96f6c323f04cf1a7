/* test_worlds: worlds as tests, in TAP.
 *
 *     test_worlds regress DIR        every line of DIR's *.seed files, "seed profile # why", finds nothing
 *     test_worlds swarm SECONDS      new worlds of every profile find nothing; BELFRY_TEST_SEED runs one again
 *     test_worlds same FILE          a seed has one digest, and those in FILE, "seed profile digest", are the same
 * everywhere
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "apart.h"
#include "base/chrono.h"

#define LINE_BYTES 512
#define SAME_WORLDS 12
/* With sanitizers on a busy machine. */
#define WORLD_SECONDS_MAX 120

static struct zone_cache *zones;
static struct apart *apart;
static int tests, failures;

static bool run(uint64_t seed, enum profile profile, uint64_t *ret_digest)
{
    struct swarm swarm;
    bool is_good;

    swarm_draw(seed, profile, &swarm);
    is_good = apart_run(apart, &swarm, zones, NULL, WORLD_SECONDS_MAX);
    *ret_digest = apart->digest;
    if (!is_good) {
        printf("# FOUND: %s: %s\n# replay: ./dev sim --seed 0x%" PRIx64 " --profile %s\n", apart->finding.rule,
               apart->finding.text, seed, profile_text(profile));
    }
    return is_good;
}

static void say(bool is_good, const char *what, const char *more)
{
    printf("%s %d - %s %s\n", is_good ? "ok" : "not ok", ++tests, what, more);
    (void)fflush(stdout);
    failures += is_good ? 0 : 1;
}

/* "seed profile rest" */
static bool read_line(char *line, uint64_t *ret_seed, enum profile *ret_profile, char **ret_rest)
{
    char *seed = strtok(line, " \t\n");
    char *profile = strtok(NULL, " \t\n");

    if (seed == NULL || seed[0] == '#' || profile == NULL) {
        return false;
    }
    *ret_seed = strtoull(seed, NULL, 0);
    *ret_profile = profile_parse(profile);
    *ret_rest = strtok(NULL, "\n");
    return *ret_profile != PROFILE_COUNT;
}

static void regress_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[LINE_BYTES];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        uint64_t seed, digest;
        enum profile profile;
        char *why;

        if (read_line(line, &seed, &profile, &why)) {
            say(run(seed, profile, &digest), "regress", why != NULL ? why : "");
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

static void test_regress(const char *dir)
{
    struct dirent **entries;
    int count = scandir(dir, &entries, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        char path[LINE_BYTES];

        if (dot != NULL && strcmp(dot, ".seed") == 0) {
            (void)snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
            regress_file(path);
        }
        free(entries[i]);
    }
    say(count >= 0, "the folder of seeds is there", "");
    if (count >= 0) {
        free(entries);
    }
}

static void test_swarm(int64_t seconds)
{
    const char *given = getenv("BELFRY_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 0;
    int64_t until_ms = chrono_mono_ms() + seconds * 1000;
    uint64_t worlds = 0;
    bool is_good = true;

    if (given == NULL && getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        say(false, "no random seed", "");
        return;
    }
    printf("# BELFRY_TEST_SEED=0x%" PRIx64 "\n", seed);
    (void)fflush(stdout);
    while (is_good && chrono_mono_ms() < until_ms) {
        enum profile profile = worlds % 2 == 0 ? PROFILE_SWARM : (enum profile)(worlds / 2 % PROFILE_COUNT);
        uint64_t digest;

        is_good = run(seed + worlds, profile, &digest);
        worlds++;
    }
    printf("# %" PRIu64 " worlds\n", worlds);
    say(is_good, "new worlds find nothing", "");
}

static void test_same(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[LINE_BYTES];

    for (uint64_t seed = 1; seed <= SAME_WORLDS; seed++) {
        enum profile profile = (enum profile)(seed % PROFILE_COUNT);
        uint64_t one, other;

        if (!run(seed, profile, &one) || !run(seed, profile, &other) || one != other) {
            printf("# seed 0x%" PRIx64 " profile %s\n", seed, profile_text(profile));
            say(false, "a seed has one digest", "");
            break;
        }
    }
    say(true, "a seed has one digest", "");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        uint64_t seed, digest;
        enum profile profile;
        char *pinned;

        if (read_line(line, &seed, &profile, &pinned) && pinned != NULL) {
            bool is_good = run(seed, profile, &digest) && digest == strtoull(pinned, NULL, 0);

            printf("# seed 0x%" PRIx64 " profile %s digest 0x%016" PRIx64 "\n", seed, profile_text(profile), digest);
            say(is_good, "the digest is the one that was pinned", "");
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

int main(int argc, char **argv)
{
    apart = apart_new();
    if (argc != 3 || apart == NULL) {
        return 2;
    }
    zones = zone_cache_new(NULL);
    if (strcmp(argv[1], "regress") == 0) {
        test_regress(argv[2]);
    } else if (strcmp(argv[1], "swarm") == 0) {
        test_swarm(strtoll(argv[2], NULL, 10));
    } else {
        test_same(argv[2]);
    }
    printf("1..%d\n", tests);
    zone_cache_free(zones);
    apart_free(apart);
    return failures == 0 ? 0 : 1;
}
