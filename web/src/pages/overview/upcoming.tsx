/* upcoming: the next fires on a timeline, with the herds that come. */
import { useMemo, useState } from "preact/hooks";
import type { Upcoming, UpcomingBucket } from "../../../generated/schema";
import { get } from "../../api";
import { count, instant, plural } from "../../format";
import { useEvery, useLoad } from "../../load";
import { Chart, type Series } from "../../parts/chart";
import { JobLink } from "../../parts/links";
import { Panel, Tabs } from "../../parts/panel";
import { Show } from "../../parts/states";
import { Status } from "../../parts/status";
import { Ago } from "../../parts/time";
import { now } from "../../ticking";

const REFRESH_MS = 15_000;
const SHOWN_MAX = 5;

const RANGES: Record<string, { minutes: number; bucket: string }> = {
    "1h": { minutes: 60, bucket: "1m" },
    "6h": { minutes: 360, bucket: "5m" },
    "24h": { minutes: 1440, bucket: "15m" },
};

function seriesOf(upcoming: Upcoming): { times: number[]; series: Series[] } {
    const { buckets } = upcoming;
    return {
        times: buckets.map((bucket) => Date.parse(bucket.at)),
        series: [
            { name: "fires", colour: "--busy", values: buckets.map((bucket) => (bucket.herd ? 0 : bucket.count)) },
            { name: "herd", colour: "--warn", values: buckets.map((bucket) => (bucket.herd ? bucket.count : 0)) },
        ],
    };
}

function BucketRow({ bucket }: { bucket: UpcomingBucket }) {
    const types = bucket.types.map((one) => `${one.type} ${count(one.count)}`).join(", ");
    return (
        <li>
            {bucket.herd ? <Status status="warning" word="herd" /> : <span class="muted">fires</span>}
            <span>
                {instant(bucket.at)}{" "}
                <span class="muted">{Date.parse(bucket.at) <= now.value ? "now" : <Ago at={bucket.at} />}</span>
            </span>
            <span>
                <b>{count(bucket.count)}</b> <span class="muted">{types}</span>
            </span>
            <span class="upcoming-jobs">
                {bucket.examples.map((job) => (
                    <JobLink key={job.job} id={job.job} name={job.name} />
                ))}
            </span>
        </li>
    );
}

function Timeline({ upcoming }: { upcoming: Upcoming }) {
    const drawn = useMemo(() => seriesOf(upcoming), [upcoming]);
    const busy = upcoming.buckets.filter((bucket) => bucket.count > 0);
    const herds = busy.filter((bucket) => bucket.herd);
    const shown = [...herds, ...busy.filter((bucket) => !bucket.herd)].slice(0, SHOWN_MAX);
    const sorted = shown.sort((a, b) => a.at.localeCompare(b.at));
    return (
        <>
            <Chart
                label={`Coming fires, each ${upcoming.bucket}, ${plural(herds.length, "herd")}`}
                times={drawn.times}
                series={drawn.series}
                unit={count}
                heightPx={130}
                isStacked
                isBars
                isWhole
            />
            <ul class="upcoming">
                {sorted.map((bucket) => (
                    <BucketRow key={bucket.at} bucket={bucket} />
                ))}
            </ul>
            {!upcoming.complete && (
                <p class="muted">
                    There are more jobs than were looked at: behind {instant(upcoming.complete_until)} some fires are missing.
                </p>
            )}
        </>
    );
}

export function UpcomingPanel() {
    const [key, setKey] = useState("1h");
    const range = RANGES[key] ?? { minutes: 60, bucket: "1m" };
    const upcoming = useLoad((signal) => get<Upcoming>("/v1/upcoming", { ...range }, signal), [key]);
    useEvery(REFRESH_MS, upcoming.reload);
    const tabs = Object.keys(RANGES).map((one): [string, string] => [one, one]);
    const total = upcoming.data ? plural(upcoming.data.total, "fire") : "";
    return (
        <Panel title="Next fires" note={total} actions={<Tabs label="How far ahead" tabs={tabs} chosen={key} onChoose={setKey} />}>
            <Show from={upcoming}>{(data) => <Timeline upcoming={data} />}</Show>
        </Panel>
    );
}
