/* overview: how it goes, in one look: figures, what needs attention, the last hours, who is busy. */
import { useState } from "preact/hooks";
import type { Stats, StatsHistory } from "../../../generated/schema";
import { get } from "../../api";
import { useLive } from "../../live";
import { useEvery, useLoad } from "../../load";
import { PageHead, Panel, Tabs } from "../../parts/panel";
import { Show } from "../../parts/states";
import { learnTime } from "../../ticking";
import { AttentionList } from "./attention";
import { History } from "./history";
import { PoolTable, TypeTable } from "./tables";
import { Tiles } from "./tiles";
import { UpcomingPanel } from "./upcoming";

const STATS_MS = 3000;
const HISTORY_MS = 15_000;

interface Range {
    key: string;
    ms: number;
    step: string;
}

/* Minutes are kept for a day (docs/openapi.yaml: stats_history). */
const RANGES: Range[] = [
    { key: "1h", ms: 3_600_000, step: "1m" },
    { key: "6h", ms: 21_600_000, step: "5m" },
    { key: "24h", ms: 86_400_000, step: "15m" },
];

async function readStats(signal: AbortSignal): Promise<Stats> {
    const stats = await get<Stats>("/v1/stats", {}, signal);
    learnTime(stats.at);
    return stats;
}

function useHistory(key: string) {
    const range = RANGES.find((one) => one.key === key) ?? RANGES[0]!;
    const read = (signal: AbortSignal) => {
        const from = new Date(Date.now() - range.ms).toISOString();
        return get<StatsHistory>("/v1/stats/history", { from, step: range.step }, signal);
    };
    return useLoad(read, [key]);
}

export default function Overview() {
    const [range, setRange] = useState("1h");
    const stats = useLoad(readStats, []);
    const history = useHistory(range);
    useEvery(STATS_MS, stats.reload);
    useEvery(HISTORY_MS, history.reload);
    useLive({ event: ["breaker.opened", "breaker.closed", "scope.paused", "scope.resumed"] }, stats.reload);
    const ranges = <Tabs label="Range" tabs={RANGES.map(({ key }) => [key, key])} chosen={range} onChoose={setRange} />;
    return (
        <>
            <PageHead title="Overview">{ranges}</PageHead>
            <div class="stack">
                <Show from={stats}>
                    {(data) => (
                        <>
                            <Tiles stats={data} />
                            <Panel title="Needs attention">
                                <AttentionList items={data.attention} />
                            </Panel>
                        </>
                    )}
                </Show>
                <Show from={history}>{(data) => <History history={data} />}</Show>
                <UpcomingPanel />
                {stats.data && (
                    <div class="columns columns-tables">
                        <TypeTable types={stats.data.types} />
                        <PoolTable pools={stats.data.pools} />
                    </div>
                )}
            </div>
        </>
    );
}
