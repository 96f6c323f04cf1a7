/* inside: how the parts of a forecast share their work. Only for src/forecast. */
#ifndef FORECAST_INSIDE_H
#define FORECAST_INSIDE_H

#include "forecast/forecast.h"

#define FORECAST_MINUTE_MS INT64_C(60000)

/* Fires of each minute of the window. */
struct forecast_minutes {
    int64_t from_ms;
    uint32_t *counts;
    size_t count;
};

/* Plays the window through: minutes, overlaps, shortages, loads. */
void forecast_play(struct forecast *forecast, const struct forecast_input *input, struct forecast_minutes *minutes);

/* Whether a job is a stream rather than single fires; and how far its fires lie apart then. */
bool forecast_is_steady(const struct forecast_input *input, const struct forecast_job *job, int64_t *ret_every_ms);

void forecast_find_herds(struct forecast *forecast, const struct forecast_input *input,
                         struct forecast_minutes *minutes);
void forecast_find_changes(struct forecast *forecast, const struct forecast_input *input);

struct forecast_name forecast_name_of(struct forecast *forecast, const struct forecast_job *job);
struct str forecast_keep(struct forecast *forecast, struct str text);

#endif
