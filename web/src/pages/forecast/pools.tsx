/* pools: when they have too few places, and how full they will be. */
import type { Forecast, ForecastPool, ForecastShortage } from "../../../generated/schema";
import { piece } from "../../api";
import { count, exactCount, lengthOf } from "../../format";
import type { Column } from "../../parts/table";
import { At } from "../../parts/time";
import { Section } from "./cells";

function PoolLink({ pool }: { pool: string }) {
    return <a href={`/workers?pool=${piece(pool)}`}>{pool}</a>;
}

const SHORTAGES: Column<ForecastShortage>[] = [
    { title: "Pool", cell: (one) => <PoolLink pool={one.pool} />, isWide: true },
    { title: "From", cell: (one) => <At at={one.from} /> },
    { title: "To", cell: (one) => <At at={one.to} />, from: "l" },
    { title: "Places", cell: (one) => exactCount(one.capacity), isNumber: true },
    { title: "Needed", cell: (one) => exactCount(one.needed), isNumber: true, from: "m" },
    { title: "Missing", cell: (one) => exactCount(Math.max(0, one.needed - one.capacity)), isNumber: true },
    { title: "Fires that wait", cell: (one) => exactCount(one.fires), isNumber: true },
    { title: "For up to", cell: (one) => lengthOf(one.delay_ms), isNumber: true },
];

const POOLS: Column<ForecastPool>[] = [
    { title: "Pool", cell: (one) => <PoolLink pool={one.pool} />, isWide: true },
    { title: "Places", cell: (one) => (one.capacity > 0 ? exactCount(one.capacity) : "nobody serves it"), isNumber: true },
    { title: "Most runs at a time", cell: (one) => exactCount(one.peak), isNumber: true },
    { title: "When", cell: (one) => <At at={one.peak_at} /> },
    { title: "Always taken", cell: (one) => count(one.steady), isNumber: true, from: "m" },
];

export function Pools({ forecast }: { forecast: Forecast }) {
    return (
        <>
            <Section
                title="Pools that are too small"
                note="fires wait for more than 10 s"
                columns={SHORTAGES}
                rows={forecast.shortages}
                keyOf={(one) => `${one.pool} ${one.from}`}
                found={forecast.shortages_found}
                listed="the longest waits"
                empty="No pool that is served will have too few places."
            />
            <Section
                title="Pools at their fullest"
                columns={POOLS}
                rows={forecast.pools}
                keyOf={(one) => one.pool}
                empty="No pool has work or workers now."
            />
        </>
    );
}
