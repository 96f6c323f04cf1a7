/* test_worlds: worlds as tests, in TAP.
 *
 *     test_worlds regress DIR        every line of DIR's *.seed files, "seed profile [--without FEATURE] # why", finds
 * nothing
 *     test_worlds swarm WORLDS       the first worlds of every profile find nothing (./dev sim draws new ones)
 *     test_worlds same FILE          a seed has one digest, and those in FILE, "seed profile digest", are the same
 * everywhere
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apart.h"

#define LINE_BYTES 512
#define LINES_MAX 512
#define SAME_WORLDS 12
/* With sanitizers on a busy machine. */
#define WORLD_SECONDS_MAX 120

static struct zone_cache *zones;
static struct apart *apart;
static int tests, failures;

/* without: FEATURE_COUNT where the world has all that its seed draws. */
static bool run(uint64_t seed, enum profile profile, enum feature without, uint64_t *ret_digest)
{
    struct swarm swarm;
    bool is_good;

    swarm_draw(seed, profile, &swarm);
    swarm.features &= ~(UINT64_C(1) << without);
    is_good = apart_run(apart, &swarm, zones, NULL, WORLD_SECONDS_MAX);
    *ret_digest = apart->digest;
    if (!is_good) {
        printf("# FOUND: %s: %s\n# replay: ./dev sim --seed 0x%" PRIx64 " --profile %s%s%s\n", apart->finding.rule,
               apart->finding.text, seed, profile_text(profile), without != FEATURE_COUNT ? " --without " : "",
               without != FEATURE_COUNT ? feature_text(without) : "");
    }
    return is_good;
}

static void say(bool is_good, const char *what, const char *more)
{
    printf("%s %d - %s %s\n", is_good ? "ok" : "not ok", ++tests, what, more);
    (void)fflush(stdout);
    failures += is_good ? 0 : 1;
}

/* A line of a file: "seed profile [--without FEATURE] rest". */
struct line {
    uint64_t seed;
    enum profile profile;
    enum feature without;  /* FEATURE_COUNT: nothing */
    char rest[LINE_BYTES]; /* "" where there is none */
};

static bool read_line(char *text, struct line *ret_line)
{
    char *seed = strtok(text, " \t\n");
    char *profile = strtok(NULL, " \t\n");
    char *rest = strtok(NULL, "\n");
    char without[64];

    if (seed == NULL || seed[0] == '#' || profile == NULL) {
        return false;
    }
    ret_line->seed = strtoull(seed, NULL, 0);
    ret_line->profile = profile_parse(profile);
    ret_line->without = FEATURE_COUNT;
    if (rest != NULL && sscanf(rest, "--without %63s", without) == 1) {
        ret_line->without = feature_parse(without);
    }
    (void)snprintf(ret_line->rest, sizeof ret_line->rest, "%s", rest != NULL ? rest : "");
    return ret_line->profile != PROFILE_COUNT;
}

/* All of a file at once: a world's process shares the place in a file that is open. Returns how many lines there are.
 */
static size_t read_lines(const char *path, struct line lines[static LINES_MAX])
{
    FILE *file = fopen(path, "r");
    char text[LINE_BYTES];
    size_t count = 0;

    while (file != NULL && count < LINES_MAX && fgets(text, sizeof text, file) != NULL) {
        count += read_line(text, &lines[count]) ? 1 : 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return count;
}

static void regress_file(const char *path)
{
    static struct line lines[LINES_MAX];
    size_t count = read_lines(path, lines);

    for (size_t i = 0; i < count; i++) {
        uint64_t digest;

        say(run(lines[i].seed, lines[i].profile, lines[i].without, &digest), "regress", lines[i].rest);
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

static void test_swarm(uint64_t worlds)
{
    const char *given = getenv("BELFRY_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 1;
    bool is_good = true;

    for (uint64_t i = 0; is_good && i < worlds; i++) {
        enum profile profile = i % 2 == 0 ? PROFILE_SWARM : (enum profile)(i / 2 % PROFILE_COUNT);
        uint64_t digest;

        is_good = run(seed + i, profile, FEATURE_COUNT, &digest);
    }
    say(is_good, "the first worlds find nothing", "");
}

static void test_same(const char *path)
{
    static struct line lines[LINES_MAX];
    size_t count = read_lines(path, lines);
    bool is_same = true;

    for (uint64_t seed = 1; is_same && seed <= SAME_WORLDS; seed++) {
        enum profile profile = (enum profile)(seed % PROFILE_COUNT);
        uint64_t one = 0;
        uint64_t other = 0;

        is_same = run(seed, profile, FEATURE_COUNT, &one) && run(seed, profile, FEATURE_COUNT, &other) && one == other;
    }
    say(is_same, "a seed has one digest", "");
    for (size_t i = 0; i < count; i++) {
        uint64_t digest;
        bool is_good = run(lines[i].seed, lines[i].profile, lines[i].without, &digest);

        printf("# seed 0x%" PRIx64 " profile %s digest 0x%016" PRIx64 "\n", lines[i].seed,
               profile_text(lines[i].profile), digest);
        say(is_good && digest == strtoull(lines[i].rest, NULL, 0), "the digest is the one that was pinned", "");
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
        test_swarm(strtoull(argv[2], NULL, 10));
    } else {
        test_same(argv[2]);
    }
    printf("1..%d\n", tests);
    zone_cache_free(zones);
    apart_free(apart);
    return failures == 0 ? 0 : 1;
}
