/* hours: what will be due in the next hours, step by step, and where too much of it comes at once. */
import type { Upcoming, UpcomingBucket } from "../../../generated/schema";
import { get } from "../../api";
import { count, exactCount } from "../../format";
import { useEvery, useLoad } from "../../load";
import { Chart } from "../../parts/chart";
import { Panel, Tabs, Tile } from "../../parts/panel";
import { Empty, Show } from "../../parts/states";
import { Table, type Column } from "../../parts/table";
import { Ago, At } from "../../parts/time";
import { queryOf, setQuery } from "../../router";
import { SomeJobs, named } from "./cells";

/* How far ahead, and in how long steps. */
const SPANS: Record<string, { title: string; minutes: number; bucket: string }> = {
    "": { title: "1 h", minutes: 60, bucket: "1m" },
    "6h": { title: "6 h", minutes: 360, bucket: "5m" },
    "24h": { title: "24 h", minutes: 1440, bucket: "15m" },
};

const COLUMNS: Column<UpcomingBucket>[] = [
    { title: "From", cell: (one) => <At at={one.at} /> },
    { title: "That is", cell: (one) => <Ago at={one.at} />, from: "m" },
    { title: "Fires", cell: (one) => exactCount(one.count), isNumber: true },
    { title: "Types", cell: (one) => named(one.types, ({ type }) => type), isWide: true },
    { title: "Tenants", cell: (one) => named(one.tenants, ({ tenant }) => tenant), isWide: true, from: "m" },
    { title: "Some of them", cell: (one) => <SomeJobs jobs={one.examples} />, isWide: true },
];

function Figures({ upcoming }: { upcoming: Upcoming }) {
    const herds = upcoming.buckets.filter((one) => one.herd);
    const most = upcoming.buckets.reduce((a, b) => (b.count > a.count ? b : a), { count: 0, at: upcoming.at });
    return (
        <div class="tiles">
            <Tile label="Fires ahead" value={count(upcoming.total)} note={`in steps of ${upcoming.bucket}`} />
            <Tile label="In a usual step" value={count(upcoming.median)} note="the median" />
            <Tile label="At most" value={count(most.count)} note={<At at={most.at} />} />
            <Tile
                label="Herds"
                value={count(herds.length)}
                tone={herds.length > 0 ? "warn" : undefined}
                note={`steps with more than ${count(upcoming.herd_above)}`}
            />
        </div>
    );
}

function Herds({ buckets }: { buckets: UpcomingBucket[] }) {
    const herds = buckets.filter((one) => one.herd);
    const busiest = [...buckets].filter((one) => one.count > 0).sort((a, b) => b.count - a.count);
    if (busiest.length === 0) {
        return <Empty title="Nothing fires in this time." />;
    }
    return herds.length > 0 ? (
        <Panel title="Herds" note="Another minute, H in the expression, or jitter spreads them">
            <Table label="Herds" columns={COLUMNS} rows={herds} keyOf={(one) => one.at} />
        </Panel>
    ) : (
        <Panel title="Busiest steps">
            <Table label="Busiest steps" columns={COLUMNS} rows={busiest.slice(0, 10)} keyOf={(one) => one.at} />
        </Panel>
    );
}

function Picture({ upcoming }: { upcoming: Upcoming }) {
    const times = upcoming.buckets.map((one) => Date.parse(one.at));
    const pick = (isHerd: boolean) => upcoming.buckets.map((one) => (one.herd === isHerd ? one.count : 0));
    const series = [
        { name: "fires", colour: "--busy", values: pick(false) },
        { name: "herd", colour: "--warn", values: pick(true) },
    ];
    return (
        <Panel title="Coming fires">
            <Chart label="Coming fires" times={times} series={series} unit={count} heightPx={220} isBars isStacked />
        </Panel>
    );
}

export function Hours() {
    const key = queryOf("span") in SPANS ? queryOf("span") : "";
    const { minutes, bucket } = SPANS[key] ?? { minutes: 60, bucket: "1m" };
    const upcoming = useLoad((signal) => get<Upcoming>("/v1/upcoming", { minutes, bucket }, signal), [key]);
    useEvery(10_000, upcoming.reload);
    return (
        <div class="stack">
            <div>
                <Tabs
                    label="How far ahead"
                    tabs={Object.entries(SPANS).map(([one, { title }]) => [one, title])}
                    chosen={key}
                    onChoose={(span) => setQuery({ span })}
                />
            </div>
            <Show from={upcoming}>
                {(data) => (
                    <>
                        <Figures upcoming={data} />
                        {!data.complete && (
                            <p class="notice">
                                Complete up to <At at={data.complete_until} />; behind that some fires of jobs that recur are missing.
                            </p>
                        )}
                        <Picture upcoming={data} />
                        <Herds buckets={data.buckets} />
                    </>
                )}
            </Show>
        </div>
    );
}
