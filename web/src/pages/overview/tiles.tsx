/* tiles: the figures of now and of the last 24 hours. */
import type { Stats } from "../../../generated/schema";
import { count, lengthOf, plural, share } from "../../format";
import { Tile } from "../../parts/panel";
import { hasPage } from "../../router";

const GOOD_SHARE = 0.95;

export function Tiles({ stats }: { stats: Stats }) {
    const day = stats.last_24h;
    const isPoor = day.success_rate !== null && day.success_rate < GOOD_SHARE;
    const retries = plural(day.retried, "retry", "retries");
    return (
        <div class="tiles tiles-8">
            <Tile label="Executed in 24 h" value={count(day.executed)} note={retries} />
            <Tile
                label="Success rate, 24 h"
                value={share(day.success_rate)}
                note={`${count(day.failed + day.timed_out + day.lost)} failed`}
                tone={isPoor ? "bad" : undefined}
            />
            <Tile
                label="Duration, mean"
                value={lengthOf(day.duration_ms.avg)}
                note={`p99 ${lengthOf(day.duration_ms.p99)}`}
            />
            <Tile label="Fire lag, p50" value={lengthOf(day.lag_ms.p50)} note={`p99 ${lengthOf(day.lag_ms.p99)}`} />
            <Tile label="In queue" value={count(stats.ready)} note={`${count(stats.running)} running`} />
            <Tile
                label="Overdue"
                value={count(stats.overdue)}
                note={stats.overdue > 0 ? `oldest ${lengthOf(stats.oldest_ready_ms)}` : "more than a minute"}
                tone={stats.overdue > 0 ? "warn" : undefined}
            />
            <Tile
                label="Dead letters"
                value={stats.dead >= 10_000 ? "10K+" : count(stats.dead)}
                note={stats.dead > 0 ? `${count(day.dead)} in 24 h` : "none waits"}
                tone={stats.dead > 0 ? "bad" : undefined}
                href={hasPage("/dead") ? "/dead" : undefined}
            />
            <Tile
                label="Workers"
                value={count(stats.workers)}
                note={stats.saturation === null ? "nobody is there" : `${share(stats.saturation)} busy`}
                tone={stats.workers === 0 ? "warn" : undefined}
                href={hasPage("/workers") ? "/workers" : undefined}
            />
        </div>
    );
}
