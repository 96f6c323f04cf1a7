/* pools: where work waits and who serves it. */
import type { Pool, PoolStats, Stats } from "../../generated/schema";
import { get, piece } from "../api";
import { count, lengthOf, share } from "../format";
import { useEvery, useLoad } from "../load";
import { Pager, usePages } from "../parts/pages";
import { Bar, PageHead } from "../parts/panel";
import { Empty, Show } from "../parts/states";
import { Table, type Column } from "../parts/table";
import { ScopeControls, ScopeStatus } from "./scopes/controls";
import { POOL_FIELDS, inWords } from "./scopes/fields";

type Figures = Map<string, PoolStats>;

function Saturation({ stats }: { stats: PoolStats | undefined }) {
    if (!stats || stats.saturation === null) {
        return <span class="muted">no workers</span>;
    }
    const words = `${share(stats.saturation)} of ${count(stats.capacity)}`;
    return (
        <span class="with-bar">
            <Bar share={stats.saturation} label={words} tone={stats.saturation >= 1 ? "warn" : "busy"} />
            <span class="nowrap">{words}</span>
        </span>
    );
}

function columns(figures: Figures, reload: () => void): Column<Pool>[] {
    return [
        { title: "Pool", cell: (pool) => <a href={`/jobs?pool=${piece(pool.pool)}`}>{pool.pool}</a>, isWide: true },
        { title: "Status", cell: (pool) => <ScopeStatus scope={pool} /> },
        { title: "Ready", cell: (pool) => count(pool.ready), isNumber: true },
        { title: "Running", cell: (pool) => count(pool.running), isNumber: true },
        { title: "Oldest", cell: (pool) => lengthOf(figures.get(pool.pool)?.oldest_ready_ms || null), isNumber: true },
        {
            title: "Workers",
            cell: (pool) => (pool.ready > 0 && pool.workers === 0 ? <b class="tone-bad">none</b> : count(pool.workers)),
            isNumber: true,
        },
        { title: "Saturation", cell: (pool) => <Saturation stats={figures.get(pool.pool)} /> },
        { title: "Limits", cell: (pool) => inWords(POOL_FIELDS, pool.settings) || <span class="muted">none</span>, from: "m", isWide: true },
        {
            title: "Actions",
            cell: (pool) => (
                <ScopeControls
                    what={`pool ${pool.pool}`}
                    path={`/v1/pools/${piece(pool.pool)}`}
                    scope={pool}
                    fields={POOL_FIELDS}
                    onDone={reload}
                />
            ),
        },
    ];
}

export default function Pools() {
    const pools = usePages<Pool>("/v1/pools", {});
    const stats = useLoad((signal) => get<Stats>("/v1/stats", {}, signal), []);
    const figures: Figures = new Map((stats.data?.pools ?? []).map((one) => [one.pool, one]));
    useEvery(3000, () => {
        pools.reload();
        stats.reload();
    });
    return (
        <>
            <PageHead title="Pools" />
            <Show from={pools}>
                {({ items }) =>
                    items.length === 0 ? (
                        <Empty title="No pool has work, workers or settings." />
                    ) : (
                        <Table label="Pools" columns={columns(figures, pools.reload)} rows={items} keyOf={(one) => one.pool} />
                    )
                }
            </Show>
            <Pager pages={pools} />
        </>
    );
}
