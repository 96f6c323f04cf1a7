/* overview: how it goes, in one look. */
import type { Stats } from "../../generated/schema";
import { get } from "../api";
import { count, lengthOf, share } from "../format";
import { useEvery, useLoad } from "../load";
import { PageHead, Tile } from "../parts/panel";
import { Show } from "../parts/states";

function Tiles({ stats }: { stats: Stats }) {
    const day = stats.last_24h;
    return (
        <div class="tiles">
            <Tile label="Executed in 24 h" value={count(day.executed)} note={`${count(day.retried)} retries`} />
            <Tile label="Success rate" value={share(day.success_rate)} note={`${count(day.failed)} failed`} />
            <Tile label="Duration" value={lengthOf(day.duration_ms.avg)} note={`p99 ${lengthOf(day.duration_ms.p99)}`} />
            <Tile label="In queue" value={count(stats.ready)} note={`${count(stats.running)} running`} />
            <Tile label="Dead letters" value={count(stats.dead)} tone={stats.dead > 0 ? "bad" : undefined} />
            <Tile label="Overdue" value={count(stats.overdue)} tone={stats.overdue > 0 ? "warn" : undefined} />
        </div>
    );
}

export default function Overview() {
    const stats = useLoad((signal) => get<Stats>("/v1/stats", {}, signal), []);
    useEvery(3000, stats.reload);
    return (
        <>
            <PageHead title="Overview" />
            <Show from={stats}>{(data) => <Tiles stats={data} />}</Show>
        </>
    );
}
