#include "engine/gate.h"

#include <assert.h>

#include "engine/bug.h"

#define US_PER_MS 1000
#define SECOND_US INT64_C(1000000)

/* Instants times denominators pass 64 bits. */
__extension__ typedef __int128 wide;

/* The rate that holds at some moment; all in 1/rate_count of a microsecond. */
struct pace {
    int64_t interval;
    int64_t ahead; /* how far tat may lie ahead of now: (burst - 1) intervals */
};

void gate_init(struct gate *gate)
{
    *gate = (struct gate){
        .in_flight_max = GATE_UNBOUNDED,
        .rate_count = 1,
        .burst = 1,
        .ramp_until_ms = INT64_MIN,
    };
    list_init(&gate->waiters);
}

/* ---- which rate holds ---- */

static bool has_rate(const struct gate *gate)
{
    return gate->period_us > 0;
}

static bool is_ramping(const struct gate *gate, int64_t now_ms)
{
    return now_ms < gate->ramp_until_ms;
}

static struct pace plain_pace(const struct gate *gate)
{
    return (struct pace){.interval = gate->period_us, .ahead = (gate->burst - 1) * gate->period_us};
}

/* Rule 3. Intervals are whole microseconds here, rounded up. */
static struct pace ramp_pace(const struct gate *gate, int64_t now_ms)
{
    int64_t count = has_rate(gate) ? gate->rate_count : GATE_RAMP_FULL;
    int64_t period_us = has_rate(gate) ? gate->period_us : SECOND_US;
    int64_t elapsed_ms = now_ms > gate->ramp_from_ms ? now_ms - gate->ramp_from_ms : 0;
    wide slowest_us = period_us > SECOND_US * count ? (period_us + count - 1) / count : SECOND_US;
    wide interval_us = slowest_us;

    if (elapsed_ms > 0) {
        wide share = (wide)count * elapsed_ms;
        wide whole = (wide)period_us * (gate->ramp_until_ms - gate->ramp_from_ms);

        interval_us = (whole + share - 1) / share;
    }
    if (interval_us > slowest_us) {
        interval_us = slowest_us;
    }
    return (struct pace){.interval = (int64_t)interval_us * gate->rate_count};
}

/* False: nothing limits the rate now. */
static bool find_pace(const struct gate *gate, int64_t now_ms, struct pace *ret_pace)
{
    if (is_ramping(gate, now_ms)) {
        *ret_pace = ramp_pace(gate, now_ms);
        return true;
    }
    if (has_rate(gate)) {
        *ret_pace = plain_pace(gate);
        return true;
    }
    return false;
}

/* ---- instants, in 1/rate_count of a microsecond ---- */

static wide tat_of(const struct gate *gate)
{
    return (wide)gate->tat_us * gate->rate_count + gate->tat_part;
}

static wide instant_of(const struct gate *gate, int64_t at_ms)
{
    return (wide)at_ms * US_PER_MS * gate->rate_count;
}

/* Rounded down: rule 1. */
static int64_t ms_of(const struct gate *gate, wide instant)
{
    wide per_ms = (wide)US_PER_MS * gate->rate_count;
    wide ms = instant / per_ms;

    return (int64_t)(instant < 0 && ms * per_ms != instant ? ms - 1 : ms);
}

/* ---- settings ---- */

static void set_rate(struct gate *gate, const struct settings *settings)
{
    bool is_rated = settings->rate_count != SETTING_NONE;
    int64_t count = is_rated ? settings->rate_count : 1;

    assert(!is_rated || (count > 0 && count <= SETTING_RATE_MAX && settings->rate_period_ms > 0));
    if (count != gate->rate_count && gate->tat_part > 0) {
        gate->tat_us++; /* rule 4 */
        gate->tat_part = 0;
    }
    gate->rate_count = count;
    gate->period_us = is_rated ? settings->rate_period_ms * US_PER_MS : 0;
    gate->burst = settings->burst != SETTING_NONE && settings->burst > 0 ? settings->burst : 1;
    if (gate->burst > SETTING_RATE_MAX) {
        gate->burst = SETTING_RATE_MAX; /* keeps burst * period within 64 bits */
    }
}

static void set_ramp(struct gate *gate, const struct settings *settings, int64_t now_ms, int64_t wall_ms)
{
    int64_t elapsed_ms;

    gate->ramp_until_ms = INT64_MIN;
    if (settings->ramp_from_ms == SETTING_NONE || settings->ramp_ms == SETTING_NONE) {
        return;
    }
    elapsed_ms = wall_ms > settings->ramp_from_ms ? wall_ms - settings->ramp_from_ms : 0;
    if (elapsed_ms < settings->ramp_ms) {
        gate->ramp_from_ms = now_ms - elapsed_ms;
        gate->ramp_until_ms = gate->ramp_from_ms + settings->ramp_ms;
    }
}

/* Rule 4: what tat can be at most under the rate that holds now. */
static void pull_tat_back(struct gate *gate, int64_t now_ms)
{
    struct pace pace;
    wide latest;

    if (!find_pace(gate, now_ms, &pace)) {
        gate->tat_us = 0;
        return;
    }
    latest = instant_of(gate, now_ms) + pace.ahead + pace.interval;
    /* Starts of this millisecond may have brought it up to one further (rule 1). */
    if (tat_of(gate) > latest + instant_of(gate, 1)) {
        gate->tat_us = (int64_t)(latest / gate->rate_count);
        gate->tat_part = (int64_t)(latest % gate->rate_count);
    }
}

void gate_set(struct gate *gate, const struct settings *settings, int64_t now_ms, int64_t wall_ms)
{
    gate->is_paused = settings->is_paused && !BUG(PAUSE_IGNORED);
    gate->in_flight_max = settings->max_in_flight == SETTING_NONE ? GATE_UNBOUNDED : settings->max_in_flight;
    gate->in_flight_max += BUG(CAP_OFF_BY_ONE) && gate->in_flight_max != GATE_UNBOUNDED ? 1 : 0;
    set_rate(gate, settings);
    set_ramp(gate, settings, now_ms, wall_ms);
    pull_tat_back(gate, now_ms);
}

/* ---- asking ---- */

/* When the start after the next `skipped` ones is allowed. */
static int64_t due_ms(const struct gate *gate, const struct pace *pace, int64_t skipped)
{
    return ms_of(gate, tat_of(gate) - pace->ahead + (wide)pace->interval * skipped);
}

/* When a rate that refuses at now will not any more. */
static int64_t rate_clears_ms(const struct gate *gate, const struct pace *pace, int64_t now_ms)
{
    int64_t clears_ms = due_ms(gate, pace, 0);
    struct pace plain = plain_pace(gate);

    if (!is_ramping(gate, now_ms) || clears_ms < gate->ramp_until_ms) {
        return clears_ms;
    }
    clears_ms = has_rate(gate) ? due_ms(gate, &plain, 0) : gate->ramp_until_ms;
    return clears_ms > gate->ramp_until_ms ? clears_ms : gate->ramp_until_ms;
}

bool gate_rate_allows(const struct gate *gate, int64_t now_ms, int64_t *ret_clears_ms)
{
    struct pace pace;

    if (!find_pace(gate, now_ms, &pace) || tat_of(gate) - pace.ahead < instant_of(gate, now_ms + 1)) {
        return true;
    }
    *ret_clears_ms = rate_clears_ms(gate, &pace, now_ms);
    return false;
}

bool gate_allows(const struct gate *gate, int64_t now_ms, int64_t *ret_clears_ms)
{
    if (gate->is_paused || gate->in_flight >= gate->in_flight_max) {
        *ret_clears_ms = GATE_NEVER;
        return false;
    }
    return gate_rate_allows(gate, now_ms, ret_clears_ms);
}

static int64_t rate_room(const struct gate *gate, const struct pace *pace, int64_t now_ms)
{
    wide now = instant_of(gate, now_ms);
    wide base = tat_of(gate) > now ? tat_of(gate) : now;
    wide left = instant_of(gate, now_ms + 1) + pace->ahead - base;

    if (left <= 0) {
        return 0;
    }
    /* In a ramp the next interval will be another one: one start at a time is all that can be told. */
    return is_ramping(gate, now_ms) ? 1 : ((int64_t)left + pace->interval - 1) / pace->interval;
}

int64_t gate_room(const struct gate *gate, int64_t now_ms)
{
    int64_t room = GATE_UNBOUNDED;
    struct pace pace;

    if (gate->is_paused || gate->in_flight >= gate->in_flight_max) {
        return 0;
    }
    if (gate->in_flight_max != GATE_UNBOUNDED) {
        room = gate->in_flight_max - gate->in_flight;
    }
    if (find_pace(gate, now_ms, &pace)) {
        int64_t by_rate = rate_room(gate, &pace, now_ms);

        room = by_rate < room ? by_rate : room;
    }
    return room;
}

int64_t gate_grows_ms(const struct gate *gate, int64_t now_ms)
{
    struct pace pace;
    int64_t room;

    if (gate->is_paused || gate->in_flight >= gate->in_flight_max || !find_pace(gate, now_ms, &pace)) {
        return GATE_NEVER;
    }
    room = rate_room(gate, &pace, now_ms);
    if (room == 0) {
        return rate_clears_ms(gate, &pace, now_ms);
    }
    if (is_ramping(gate, now_ms)) {
        return gate->ramp_until_ms;
    }
    if (tat_of(gate) <= instant_of(gate, now_ms)) {
        return GATE_NEVER; /* all of the burst is there */
    }
    return due_ms(gate, &pace, room);
}

/* ---- counting ---- */

bool gate_start(struct gate *gate, int64_t now_ms)
{
    struct pace pace;
    int64_t parts;

    gate->in_flight++;
    if (!find_pace(gate, now_ms, &pace)) {
        return false;
    }
    if (gate->tat_us < now_ms * US_PER_MS) {
        gate->tat_us = now_ms * US_PER_MS;
        gate->tat_part = 0;
    }
    parts = gate->tat_part + pace.interval; /* rule 2 */
    gate->tat_us += parts / gate->rate_count;
    gate->tat_part = parts % gate->rate_count;
    return true;
}

void gate_recount(struct gate *gate)
{
    gate->in_flight++;
}

void gate_end(struct gate *gate)
{
    assert(gate->in_flight > 0);
    gate->in_flight--;
}

int64_t gate_tat_ms(const struct gate *gate)
{
    int64_t us = gate->tat_us + (gate->tat_part > 0 ? 1 : 0);

    return us / US_PER_MS + (us % US_PER_MS > 0 ? 1 : 0);
}

void gate_restore_tat(struct gate *gate, int64_t tat_ms)
{
    assert(tat_ms <= INT64_MAX / US_PER_MS);
    gate->tat_us = tat_ms > 0 ? tat_ms * US_PER_MS : 0;
    gate->tat_part = 0;
}

bool gate_valid(const struct gate *gate)
{
    return gate->in_flight >= 0 && gate->in_flight_max >= 0 && gate->rate_count > 0 && gate->period_us >= 0 &&
           gate->burst > 0 && gate->tat_us >= 0 && gate->tat_part >= 0 && gate->tat_part < gate->rate_count;
}
