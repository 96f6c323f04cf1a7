#include "worker/outbox.h"

/* The reports of one exchange; the first always fits. */
#define REPORTS_BYTES_MAX (500 * 1024)

static struct report *report_at(struct list_node *node)
{
    return node != NULL ? CONTAINER_OF(node, struct report, node) : NULL;
}

static struct report *first(const struct outbox *outbox)
{
    return report_at(list_first(&outbox->reports));
}

static struct report *next(const struct outbox *outbox, const struct report *report)
{
    return report_at(list_next(&outbox->reports, &report->node));
}

static void drop(struct outbox *outbox, struct report *report)
{
    list_remove(&report->node);
    outbox->count--;
    outbox->bytes -= report->json.len;
    report_free(report);
}

void outbox_init(struct outbox *outbox)
{
    *outbox = (struct outbox){0};
    list_init(&outbox->reports);
}

void outbox_done(struct outbox *outbox)
{
    while (!list_empty(&outbox->reports)) {
        drop(outbox, first(outbox));
    }
}

void outbox_add(struct outbox *outbox, struct report *report)
{
    list_push_back(&outbox->reports, &report->node);
    outbox->count++;
    outbox->bytes += report->json.len;
}

size_t outbox_choose(struct outbox *outbox, uint64_t seq, struct report *chosen[static REQUEST_REPORTS_MAX])
{
    size_t count = 0, bytes = 0, nodes = 0;

    for (struct report *report = first(outbox); report != NULL && count < REQUEST_REPORTS_MAX;
         report = next(outbox, report)) {
        size_t len = report_json(report).len;

        if (report->carried_by != 0) {
            continue; /* rule 2 */
        }
        if (count > 0 && (bytes + len > REPORTS_BYTES_MAX || nodes + report->nodes > REQUEST_NODES_MAX)) {
            break;
        }
        report->carried_by = seq;
        chosen[count++] = report;
        bytes += len;
        nodes += report->nodes;
    }
    return count;
}

bool outbox_has_waiting(const struct outbox *outbox)
{
    for (const struct report *report = first(outbox); report != NULL; report = next(outbox, report)) {
        if (report->carried_by == 0) {
            return true;
        }
    }
    return false;
}

void outbox_delivered(struct outbox *outbox, uint64_t seq)
{
    struct report *following;

    for (struct report *report = first(outbox); report != NULL; report = following) {
        following = next(outbox, report);
        if (report->carried_by == seq) {
            drop(outbox, report); /* rule 1 */
        }
    }
}

void outbox_returned(struct outbox *outbox, uint64_t seq, bool is_refused)
{
    for (struct report *report = first(outbox); report != NULL; report = next(outbox, report)) {
        if (report->carried_by == seq) {
            report->carried_by = 0;
            report->is_plain = report->is_plain || is_refused;
        }
    }
}
