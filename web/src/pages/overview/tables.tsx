/* tables: the busiest types and pools. */
import type { PoolStats, TypeFigures } from "../../../generated/schema";
import { count, lengthOf, share } from "../../format";
import { Bar, Panel } from "../../parts/panel";
import { Empty } from "../../parts/states";
import { Status } from "../../parts/status";
import { Table, type Column } from "../../parts/table";

const BUSY_SHARE = 0.9;

const TYPE_COLUMNS: Column<TypeFigures>[] = [
    { title: "Type", cell: (one) => <a href={`/jobs?type=${encodeURIComponent(one.type)}`}>{one.type}</a>, isWide: true },
    { title: "Executed", cell: (one) => count(one.executed), isNumber: true },
    { title: "Failed", cell: (one) => count(one.failed), isNumber: true },
    {
        title: "Success",
        cell: (one) => (one.warning ? <Status status="warning" word={share(one.success_rate)} /> : share(one.success_rate)),
        isNumber: true,
    },
    { title: "Mean", cell: (one) => lengthOf(one.duration_ms.avg), isNumber: true },
    { title: "p99", cell: (one) => lengthOf(one.duration_ms.p99), isNumber: true },
    { title: "Queue", cell: (one) => count(one.ready), isNumber: true },
    { title: "Running", cell: (one) => count(one.running), isNumber: true },
];

export function TypeTable({ types: all }: { types: TypeFigures[] }) {
    const types = all.filter((one) => one.executed + one.ready + one.running > 0);
    return (
        <Panel title="Types" note="last 24 hours">
            {types.length === 0 ? (
                <Empty title="Nothing ran yet." />
            ) : (
                <Table label="Types" columns={TYPE_COLUMNS} rows={types} keyOf={(one) => one.type} />
            )}
        </Panel>
    );
}

function Saturation({ pool }: { pool: PoolStats }) {
    if (pool.workers === 0) {
        return pool.backlog > 0 ? <Status status="warning" word="no worker" /> : <span class="muted">no worker</span>;
    }
    const value = pool.saturation ?? 0;
    return (
        <span class="saturation">
            <Bar share={value} label={`${share(value)} busy`} tone={value >= BUSY_SHARE ? "warn" : "busy"} />
            {share(value)}
        </span>
    );
}

const POOL_COLUMNS: Column<PoolStats>[] = [
    { title: "Pool", cell: (one) => <a href={`/jobs?pool=${encodeURIComponent(one.pool)}`}>{one.pool}</a>, isWide: true },
    { title: "Saturation", cell: (one) => <Saturation pool={one} /> },
    { title: "Workers", cell: (one) => count(one.workers), isNumber: true },
    { title: "Running", cell: (one) => count(one.running), isNumber: true },
    { title: "Queue", cell: (one) => count(one.ready), isNumber: true },
    {
        title: "Oldest",
        cell: (one) => (one.oldest_ready ? lengthOf(one.oldest_ready_ms) : "–"),
        isNumber: true,
    },
];

export function PoolTable({ pools }: { pools: PoolStats[] }) {
    return (
        <Panel title="Pools" note="now">
            {pools.length === 0 ? (
                <Empty title="No pool has work or workers." />
            ) : (
                <Table label="Pools" columns={POOL_COLUMNS} rows={pools} keyOf={(one) => one.pool} />
            )}
        </Panel>
    );
}
