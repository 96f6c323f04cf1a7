#include "model/job_reading.h"
#include "model/job_writing.h"
#include "model/settings.h"

#define REPLAY_AFTER_MIN_MS 1000
#define REPLAY_AFTER_MAX_MS (30LL * 24 * 3600 * 1000)
#define REPLAYS_MAX 100

/* Neither has a default: how long a broken thing rests, and when to stop trying, is for a person to say. */
static enum err check_given(struct jr object, const char *field, struct error *reterr)
{
    if (reading_given(object, field)) {
        return ERR_OK;
    }
    return err_in_field(reterr, err_set(reterr, ERR_INVALID, "is missing"), field);
}

enum err dead_policy_read(struct str text, struct jr object, struct dead_policy *ret_policy, struct error *reterr)
{
    static const char *const known[] = {"replay_after", "max_replays", NULL};
    const struct reading reading = {.text = text, .reterr = reterr};
    struct dead_policy policy = {.is_set = true};
    int64_t max_replays = 0;
    enum err err = jr_as_object(object, &object, reterr);

    if (err == ERR_OK) {
        err = jr_check_fields(object, known, reterr);
    }
    if (err == ERR_OK) {
        err = check_given(object, "replay_after", reterr);
    }
    if (err == ERR_OK) {
        err = check_given(object, "max_replays", reterr);
    }
    if (err == ERR_OK) {
        err = reading_duration(&reading, object, "replay_after", REPLAY_AFTER_MIN_MS, REPLAY_AFTER_MAX_MS,
                               &policy.replay_after_ms);
    }
    if (err == ERR_OK) {
        err = jr_opt_int(object, "max_replays", 1, REPLAYS_MAX, &max_replays, reterr);
    }
    if (err == ERR_OK) {
        policy.max_replays = (int)max_replays;
        *ret_policy = policy;
    }
    return err;
}

enum err reading_dead_policy(const struct reading *reading, struct jr object, struct dead_policy *ret_policy)
{
    struct jr given = {0};
    enum err err = jr_opt_object(object, "dead_policy", &given, reading->reterr);

    if (err != ERR_OK || given.node == NULL) {
        return err;
    }
    return err_in_field(reading->reterr, dead_policy_read(reading->text, given, ret_policy, reading->reterr),
                        "dead_policy");
}

void dead_policy_write(const struct dead_policy *policy, struct buf *out)
{
    struct jw jw;

    jw_init(&jw, out);
    writing_dead_policy(&jw, policy);
    jw_done(&jw);
}
