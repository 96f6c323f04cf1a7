#include "cli/job_options.h"

#define AT(member) offsetof(struct job_options, member)

/* What both commands take. */
#define JOB_OPTION_ROWS                                                                                                \
    {"cron", "EXPR", "by a cron expression; see belfry next -h", AT(cron)},                                            \
        {"at", "TIME", "once, at this instant, RFC 3339", AT(at)},                                                     \
        {"in", "LENGTH", "once, so long from now, such as 90s or 1h30m", AT(in)},                                      \
        {"every", "LENGTH", "again and again", AT(every)},                                                             \
        {"after-finish", NULL, "with --every: counted from the end of each run", AT(after_finish)},                    \
        {"tz", "ZONE", "of --cron, such as Europe/Paris (default UTC)", AT(tz)},                                       \
        {"dst-gap",                                                                                                    \
         "HOW",                                                                                                        \
         "a fixed time the clock jumps over: after (default), shift, skip",                                            \
         AT(gap),                                                                                                      \
         .choices = "after shift skip",                                                                                \
         .also = "gap"},                                                                                               \
        {"dst-fold",                                                                                                   \
         "HOW",                                                                                                        \
         "a fixed time that comes twice: first (default), second, both",                                               \
         AT(fold),                                                                                                     \
         .choices = "first second both",                                                                               \
         .also = "fold"},                                                                                              \
        {"starts", "TIME", "no fire before", AT(starts)}, {"ends", "TIME", "no fire from then on", AT(ends)},          \
        {"max-fires", "N", "so many fires at most", AT(max_fires)},                                                    \
        {"jitter", "LENGTH", "fires become due up to so much later", AT(jitter)},                                      \
        {"overlap", "HOW", "due while a run goes on: skip, queue, collapse, allow", AT(overlap),                       \
         .choices = "skip queue collapse allow"},                                                                      \
        {"misfire", "HOW", "missed fires: fire_latest, fire_now, skip, backfill", AT(misfire),                         \
         .choices = "fire_latest fire_now skip backfill"},                                                             \
        {"misfire-after", "LENGTH", "a fire that is later was missed (default 60s)", AT(misfire_after)},               \
        {"max-attempts", "N", "the first counts", AT(max_attempts)},                                                   \
        {"retry-delays", "LENGTHS", "waits between attempts, such as 30s,2m,10m; the last repeats", AT(retry_delays)}, \
        {"retry-base", "LENGTH", "or by a formula: the first wait", AT(retry_base)},                                   \
        {"retry-factor", "N", "each wait is so much longer", AT(retry_factor)},                                        \
        {"retry-max", "LENGTH", "no wait is longer", AT(retry_max)},                                                   \
        {"retry-jitter", "SHARE", "up to this share of a wait is added, 0 to 1", AT(retry_jitter)},                    \
        {"dead-replay-after", "LENGTH", "dead letters of passing errors are replayed after this",                      \
         AT(dead_replay_after)},                                                                                       \
        {"dead-max-replays", "N", "so often at most", AT(dead_max_replays)},                                           \
        {"timeout", "LENGTH", "of an attempt (default 300s)", AT(timeout)},                                            \
        {"lease", "LENGTH", "how long a worker may stay silent (default 30s)", AT(lease)},                             \
        {"expires", "LENGTH", "not started so long after it was due: skipped", AT(expires)},                           \
        {"payload", "JSON", "for who does the work; @FILE reads a file, - standard input", AT(payload),                \
         .choices = "@file"},                                                                                          \
        {"http", "URL", "call this URL", AT(http)},                                                                    \
        {"method", "METHOD", "with --http (default POST)", AT(method), .choices = "GET POST PUT PATCH DELETE HEAD"},   \
        {"header", "\"NAME: TEXT\"", "with --http; may be repeated", AT(header), .is_list = true},                     \
        {"env", "NAME=TEXT", "of the command; may be repeated", AT(env), .is_list = true},                             \
        {"cwd", "DIR", "of the command", AT(cwd), .choices = "@dir"},                                                  \
        {"type", "TYPE", "what kind of work it is", AT(type)}, {"pool", "POOL", "which workers do it", AT(pool)},      \
        {"priority", "N", "1 (first) to 5 (default 3)", AT(priority), .choices = "1 2 3 4 5"},                         \
        {"depends-on", "JOB[=END]", "runs when JOB has ended so: success (default), failure, done;\nmay be repeated",  \
         AT(depends_on), .is_list = true},                                                                             \
        {"concurrency-key", "KEY", "a cap across jobs of the tenant", AT(concurrency_key)},                            \
        {"concurrency-max", "N", "so many with that key at once (default 1)", AT(concurrency_max)},                    \
        {"label", "NAME=TEXT", "may be repeated", AT(label), .is_list = true},                                         \
        {"created-by", "TEXT", "who made it", AT(created_by)},                                                         \
        {"tenant", "TENANT", "whose job it is; the same as TENANT/NAME", AT(tenant)},                                  \
    {                                                                                                                  \
        "json-file", "FILE", "a definition as JSON (- is standard input); options go before it", AT(json_file),        \
            .choices = "@file"                                                                                         \
    }

const struct option job_option_table[] = {
    JOB_OPTION_ROWS,
    {"key", "KEY", "repeating it with the same key is safe for a day", AT(key)},
    {0},
};

const struct option job_edit_option_table[] = {
    JOB_OPTION_ROWS,
    {"default", "FIELD", "back to its default, such as retry; may be repeated", AT(set_default), .is_list = true},
    {0},
};
