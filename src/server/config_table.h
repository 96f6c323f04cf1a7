/* config_table: every setting of the programs that run: one row, one name.
 *
 * A setting called worker-slots is --worker-slots on the command line, BELFRY_WORKER_SLOTS in the environment and
 * worker-slots in the file. Help, reading and `belfry config` are all made of these rows.
 *
 * Columns: id, name, kind, what stands for its value in the help, default, smallest, largest, choices, sentence.
 */
#ifndef SERVER_CONFIG_TABLE_H
#define SERVER_CONFIG_TABLE_H

#define CONFIG_MIB_ (1024LL * 1024)
#define CONFIG_DAY_MS_ (24LL * 3600 * 1000)
/* Ages of what is kept: shorter ones than an hour are a typing error that cannot be undone. */
#define CONFIG_AGE_MIN_MS_ (3600LL * 1000)
#define CONFIG_AGE_MAX_MS_ (36500 * CONFIG_DAY_MS_)

/* All programs. */
#define CONFIG_COMMON_TABLE(X)                                                                                         \
    X(CONFIG_FILE, "config", CONFIG_PATH, "FILE", "", 0, 0, "@file",                                                   \
      "read settings from FILE (default: belfry.conf\nin the data folder, where it is there)")                         \
    X(CONFIG_DATA, "data", CONFIG_PATH, "DIR", "", 0, 0, "@dir",                                                       \
      "the data folder (default: /var/lib/belfry for root,\nelse ~/.local/share/belfry)")                              \
    X(CONFIG_TOKEN_FILE, "token-file", CONFIG_PATH, "FILE", "", 0, 0, "@file",                                         \
      "the file with the token (default: token in the data\nfolder, which is made at the first start)")                \
    X(CONFIG_LOG_LEVEL, "log-level", CONFIG_CHOICE, "LEVEL", "info", 0, 0, "debug info warn error",                    \
      "what is logged: debug, info (default), warn (default on\na terminal), error")                                   \
    X(CONFIG_LOG_FORMAT, "log-format", CONFIG_CHOICE, "FORM", "text", 0, 0, "text json",                               \
      "how: text (default) or json, a line each on standard error")                                                    \
    X(CONFIG_DRAIN_GRACE, "drain-grace", CONFIG_DURATION, "TIME", "30s", 0, CONFIG_DAY_MS_, NULL,                      \
      "what a stop leaves to attempts that run (default 30s)")

#define CONFIG_SERVER_TABLE(X)                                                                                         \
    X(CONFIG_LISTEN, "listen", CONFIG_TEXT, "ADDR:PORT", "127.0.0.1:7600", 0, 0, NULL,                                 \
      "where to listen (default 127.0.0.1:7600; port 0: any)")                                                         \
    X(CONFIG_AUTH, "auth", CONFIG_CHOICE, "HOW", "token", 0, 0, "token none",                                          \
      "token (default): every call shows the token; none: nobody\nis asked, on the loopback address only")             \
    X(CONFIG_STORE, "store", CONFIG_TEXT, "STORE", "", 0, 0, "@file",                                                  \
      "the SQLite file (default: belfry.db in the data folder),\nor postgres://USER@HOST/DATABASE for a cluster")      \
    X(CONFIG_ADVERTISE, "advertise", CONFIG_TEXT, "URL", "", 0, 0, NULL,                                               \
      "where the other servers of a cluster reach this one\n(default: where it listens)")                              \
    X(CONFIG_NET_THREADS, "net-threads", CONFIG_COUNT, "N", "2", 1, 16, NULL, "threads that serve connections (2)")    \
    X(CONFIG_READERS, "readers", CONFIG_COUNT, "N", "2", 1, 16, NULL, "threads that read from the store (2)")          \
    X(CONFIG_MAX_CONNECTIONS, "max-connections", CONFIG_COUNT, "N", "10000", 1, 60000, NULL,                           \
      "connections at once (10000)")                                                                                   \
    X(CONFIG_MAX_BODY, "max-body", CONFIG_BYTES, "SIZE", "1MiB", 64 * 1024, 64 * CONFIG_MIB_, NULL,                    \
      "the largest body of a request, bulk calls aside (1MiB)")                                                        \
    X(CONFIG_MAX_STREAMS, "max-streams", CONFIG_COUNT, "N", "200", 0, 10000, NULL, "streams of events at once (200)")  \
    X(CONFIG_KEEP_HISTORY, "keep-history", CONFIG_DURATION, "TIME", "90d", CONFIG_AGE_MIN_MS_, CONFIG_AGE_MAX_MS_,     \
      NULL, "how long what has ended is kept (default 90d)")                                                           \
    X(CONFIG_KEEP_DEAD, "keep-dead", CONFIG_DURATION, "TIME", "30d", CONFIG_AGE_MIN_MS_, CONFIG_AGE_MAX_MS_, NULL,     \
      "how long dead letters are kept (default 30d)")                                                                  \
    X(CONFIG_KEEP_FINISHED, "keep-finished", CONFIG_DURATION, "TIME", "365d", CONFIG_AGE_MIN_MS_, CONFIG_AGE_MAX_MS_,  \
      NULL, "how long recurring jobs that were completed or\ncancelled are kept (default 365d)")                       \
    X(CONFIG_ARCHIVE, "archive", CONFIG_PATH, "DIR", "", 0, 0, "@dir",                                                 \
      "write what is removed for its age into this folder first,\nas compressed lines of JSON (default: none)")        \
    X(CONFIG_ALERT_URL, "alert-url", CONFIG_TEXT, "URL", "", 0, 0, NULL,                                               \
      "tell this webhook of what is wrong, and when it is over\n(JSON by POST; default: nobody is told)")              \
    X(CONFIG_OTLP_ENDPOINT, "otlp-endpoint", CONFIG_TEXT, "URL", "", 0, 0, NULL,                                       \
      "send spans of attempts to this OpenTelemetry collector\n(OTLP over HTTP; default: none)")                       \
    X(CONFIG_ACCEPT_CLOCK, "accept-clock", CONFIG_SWITCH, NULL, "no", 0, 0, NULL,                                      \
      "believe a wall clock that jumps ahead")                                                                         \
    X(CONFIG_HOLD, "hold", CONFIG_SWITCH, NULL, "no", 0, 0, NULL,                                                      \
      "give nothing to workers until somebody says belfry accept:\nfor the first start on a store that was restored")  \
    X(CONFIG_ZONES, "zones", CONFIG_PATH, "DIR", "", 0, 0, "@dir",                                                     \
      "the folder of time zones (default: TZDIR, else\n/usr/share/zoneinfo)")

#define CONFIG_WORKER_TABLE(X)                                                                                         \
    X(CONFIG_WORKER_NAME, "worker-name", CONFIG_TEXT, "NAME", "", 0, 0, NULL,                                          \
      "what the worker is called (default: the host's name)")                                                          \
    X(CONFIG_WORKER_POOLS, "worker-pools", CONFIG_TEXT, "POOLS", "default", 0, 0, NULL,                                \
      "the pools it serves, separated by commas (default)")                                                            \
    X(CONFIG_WORKER_SLOTS, "worker-slots", CONFIG_COUNT, "N", "32", 1, 1024, NULL, "attempts at once (32)")            \
    X(CONFIG_EXEC, "exec", CONFIG_CHOICE, "HOW", "auto", 0, 0, "auto on off",                                          \
      "whether jobs may run programs here: on, off, or auto\n(default): where the server is on this machine")          \
    X(CONFIG_PRIVATE_TARGETS, "private-targets", CONFIG_CHOICE, "HOW", "auto", 0, 0, "auto on off",                    \
      "whether http targets may be at private addresses:\non, off, or auto (default): as for exec")

/* belfry worker alone. */
#define CONFIG_REMOTE_TABLE(X)                                                                                         \
    X(CONFIG_URL, "url", CONFIG_TEXT, "URL", "", 0, 0, NULL,                                                           \
      "the server, or several of a cluster, with commas (default:\nthe one of the data folder, else "                  \
      "http://127.0.0.1:7600)")

/* In the environment alone: a command line is seen by everybody, a file is copied. */
#define CONFIG_SECRET_TABLE(X)                                                                                         \
    X(CONFIG_TOKEN, "token", CONFIG_SECRET, "TOKEN", "", 0, 0, NULL, "the token, instead of the file")                 \
    X(CONFIG_WEBHOOK_SECRETS, "webhook-secrets", CONFIG_SECRET, "SECRETS", "", 0, 0, NULL,                             \
      "sign the calls of http targets with these")

#define CONFIG_TABLE(X)                                                                                                \
    CONFIG_COMMON_TABLE(X) CONFIG_SERVER_TABLE(X) CONFIG_WORKER_TABLE(X) CONFIG_REMOTE_TABLE(X) CONFIG_SECRET_TABLE(X)

enum config_id {
#define X(id, name, kind, value, standard, low, high, choices, help) id,
    CONFIG_TABLE(X)
#undef X
        CONFIG_SETTINGS
};

#endif
