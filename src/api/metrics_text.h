/* metrics_text: figures in the words of Prometheus' text format. Names get belfry_ before them.
 *
 * See:   api/metrics.h
 */
#ifndef API_METRICS_TEXT_H
#define API_METRICS_TEXT_H

#include <stdint.h>

#include "api/tally.h"
#include "base/buf.h"

/* What a metric is; its samples follow. */
void metrics_head(struct buf *out, const char *name, const char *type, const char *help);

/* Metrics of one sample, whole. */
void metrics_gauge(struct buf *out, const char *name, const char *help, double value);
void metrics_counter(struct buf *out, const char *name, const char *help, uint64_t value);

/* Values are in units of which per_unit make one of the metric's. */
void metrics_histogram(struct buf *out, const char *name, const char *help, const struct histogram *values,
                       double per_unit);

#endif
