#include "worker/outcome.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

#include "calendar/duration.h"

/* sysexits.h: what will fail in the same way again lies from EX_USAGE to EX_CONFIG, but for EX_TEMPFAIL. */
#define EXIT_PERMANENT_FIRST 64
#define EXIT_PERMANENT_LAST 78
#define EXIT_TEMPORARY 75

struct outcome outcome_succeeded(void)
{
    return (struct outcome){.status = OUTCOME_SUCCEEDED};
}

struct outcome outcome_released(void)
{
    return (struct outcome){.status = OUTCOME_RELEASED};
}

struct outcome outcome_failed(bool is_retryable, const char *code, const char *format, ...)
{
    struct outcome outcome = {.status = OUTCOME_FAILED, .is_retryable = is_retryable};
    va_list args;

    (void)snprintf(outcome.code, sizeof outcome.code, "%s", code);
    va_start(args, format);
    (void)vsnprintf(outcome.message, sizeof outcome.message, format, args);
    va_end(args);
    return outcome;
}

struct outcome outcome_of_exit(int code)
{
    char name[OUTCOME_CODE_BYTES];
    bool is_permanent = code >= EXIT_PERMANENT_FIRST && code <= EXIT_PERMANENT_LAST && code != EXIT_TEMPORARY;

    if (code == 0) {
        return outcome_succeeded();
    }
    (void)snprintf(name, sizeof name, "exit_%d", code);
    return outcome_failed(!is_permanent, name, "the program ended with exit code %d", code);
}

struct outcome outcome_of_signal(int signal_number)
{
    const char *abbreviation = sigabbrev_np(signal_number);
    char name[OUTCOME_CODE_BYTES];

    (void)snprintf(name, sizeof name, "signal_%d", signal_number);
    return outcome_failed(true, name, "the program was ended by signal %d (%s)", signal_number,
                          abbreviation != NULL ? abbreviation : "unnamed");
}

struct outcome outcome_of_status(long http_status, int64_t retry_after_ms)
{
    char name[OUTCOME_CODE_BYTES];
    bool is_retryable = http_status == 408 || http_status == 425 || http_status == 429 || http_status >= 500;

    if (http_status >= 200 && http_status < 300) {
        return outcome_succeeded();
    }
    (void)snprintf(name, sizeof name, "http_%ld", http_status);

    struct outcome outcome =
        outcome_failed(is_retryable, name, "the endpoint answered %ld%s", http_status,
                       http_status >= 300 && http_status < 400 ? "; redirects are not followed" : "");
    outcome.retry_after_ms = is_retryable ? retry_after_ms : 0;
    return outcome;
}

struct outcome outcome_timeout(int64_t timeout_ms)
{
    char text[DURATION_BYTES];

    return outcome_failed(true, "timeout", "it did not end within its timeout of %s",
                          duration_format(timeout_ms, text));
}
