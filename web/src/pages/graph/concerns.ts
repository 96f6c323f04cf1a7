/* concerns: whether what happened changes a graph. A tenant may be busy with much else. */
import type { Event as BelfryEvent, GraphNode } from "../../../generated/schema";

/** No events at all stand for some that were missed (live.ts, rule 1). */
export function concerns(nodes: Pick<GraphNode, "job">[], events: Pick<BelfryEvent, "job">[]): boolean {
    const jobs = new Set(nodes.map((one) => one.job));
    return events.length === 0 || events.some(({ job }) => job !== undefined && jobs.has(job));
}
