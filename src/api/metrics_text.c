#include "api/metrics_text.h"

#include <inttypes.h>

void metrics_head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_printf(out, "# HELP belfry_%s %s\n# TYPE belfry_%s %s\n", name, help, name, type);
}

void metrics_gauge(struct buf *out, const char *name, const char *help, double value)
{
    metrics_head(out, name, "gauge", help);
    buf_printf(out, "belfry_%s %.17g\n", name, value);
}

void metrics_counter(struct buf *out, const char *name, const char *help, uint64_t value)
{
    metrics_head(out, name, "counter", help);
    buf_printf(out, "belfry_%s %" PRIu64 "\n", name, value);
}

void metrics_histogram(struct buf *out, const char *name, const char *help, const struct histogram *values,
                       double per_unit)
{
    uint64_t below = 0;

    metrics_head(out, name, "histogram", help);
    for (size_t i = 0; i < HISTOGRAM_BOUNDS; i++) {
        below += values->buckets[i];
        buf_printf(out, "belfry_%s_bucket{le=\"%.9g\"} %" PRIu64 "\n", name, (double)histogram_bounds_ms[i] / per_unit,
                   below);
    }
    below += values->buckets[HISTOGRAM_BOUNDS];
    buf_printf(out, "belfry_%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, below);
    buf_printf(out, "belfry_%s_sum %.9g\nbelfry_%s_count %" PRIu64 "\n", name, (double)values->sum_ms / per_unit, name,
               below);
}
