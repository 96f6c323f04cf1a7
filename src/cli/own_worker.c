#include "cli/own_worker.h"

#include "base/mem.h"
#include "client/place.h"

/* More than a worker may serve; it refuses what is too many itself. */
#define POOL_WORDS_MAX 256

/* auto means for a server on this machine, whose token is this machine's. Whoever may run programs here, or reach what
 * only this network reaches, is to be told so by who starts the worker. */
static bool may(const struct config *config, enum config_id what, const char *url)
{
    return config_is(config, what, "on") || (config_is(config, what, "auto") && place_is_local(url));
}

/* The words between commas, each NUL-terminated, in a copy that the first points to. */
static size_t split(char *text, const char *words[static POOL_WORDS_MAX])
{
    size_t count = 0;

    for (char *rest = text; rest != NULL && count < POOL_WORDS_MAX;) {
        char *comma = strchr(rest, ',');

        if (comma != NULL) {
            *comma = '\0';
        }
        words[count++] = rest;
        rest = comma != NULL ? comma + 1 : NULL;
    }
    return count;
}

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

enum err own_worker_start(const struct config *config, const char *url, const char *token, const char *id,
                          struct worker **ret_worker, struct error *reterr)
{
    const char *pools[POOL_WORDS_MAX];
    SCOPE_FREE char *text = mem_strdup(config_text(config, CONFIG_WORKER_POOLS));
    const struct worker_config worker = {
        .id = id,
        .url = url,
        .token = or_null(token),
        .name = or_null(config_text(config, CONFIG_WORKER_NAME)),
        .pools = pools,
        .pool_count = split(text, pools),
        .slots = (uint32_t)config_number(config, CONFIG_WORKER_SLOTS),
        .grace_ms = config_number(config, CONFIG_DRAIN_GRACE),
        .is_exec_allowed = may(config, CONFIG_EXEC, url),
        .is_private_denied = !may(config, CONFIG_PRIVATE_TARGETS, url),
        .webhook_secrets = or_null(config_text(config, CONFIG_WEBHOOK_SECRETS)),
    };

    return worker_start(&worker, ret_worker, reterr);
}
