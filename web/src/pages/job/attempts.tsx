/* attempts: how long attempts took and how they ended, over time; and a Gantt of each trigger's. */
import { useEffect, useMemo } from "preact/hooks";
import type { Attempt, Job } from "../../../generated/schema";
import { lengthOf } from "../../format";
import { Chart, type Series } from "../../parts/chart";
import { jobPath } from "../../parts/links";
import { Pager, usePages } from "../../parts/pages";
import { Panel } from "../../parts/panel";
import { Empty, Show } from "../../parts/states";
import { Gantt } from "./gantt";

const ROWS = 100;

interface Drawn {
    times: number[];
    durations: Series[];
    successes: Series[];
}

function durationOf(attempt: Attempt, isWanted: boolean): number | null {
    return isWanted ? attempt.duration_ms : null;
}

/* Share of successes among the last ten, at each attempt. */
function successOf(attempts: Attempt[]): number[] {
    return attempts.map((_, i) => {
        const last = attempts.slice(Math.max(0, i - 9), i + 1);
        return last.filter((one) => one.status === "succeeded").length / last.length;
    });
}

function seriesOf(items: Attempt[]): Drawn {
    const ended = items
        .filter((one) => one.finished_at && one.status !== "released")
        .sort((a, b) => Date.parse(a.finished_at ?? "") - Date.parse(b.finished_at ?? ""));
    return {
        times: ended.map((one) => Date.parse(one.finished_at ?? "")),
        durations: [
            { name: "succeeded", colour: "--ok", values: ended.map((one) => durationOf(one, one.status === "succeeded")) },
            { name: "other", colour: "--bad", values: ended.map((one) => durationOf(one, one.status !== "succeeded")) },
        ],
        successes: [{ name: "of the last ten", colour: "--busy", values: successOf(ended), isFilled: true }],
    };
}

function percent(value: number | null): string {
    return value === null ? "–" : `${Math.round(value * 100)} %`;
}

function Charts({ items }: { items: Attempt[] }) {
    const drawn = useMemo(() => seriesOf(items), [items]);
    if (drawn.times.length < 2) {
        return null;
    }
    return (
        <div class="columns">
            <Panel title="Duration">
                <Chart label="Duration of attempts" times={drawn.times} series={drawn.durations} unit={lengthOf} isPoints heightPx={150} />
            </Panel>
            <Panel title="Success">
                <Chart label="Share of successes" times={drawn.times} series={drawn.successes} unit={percent} heightPx={150} />
            </Panel>
        </div>
    );
}

export function Attempts({ job, beat }: { job: Job; beat: number }) {
    const attempts = usePages<Attempt>(`/v1${jobPath(job.id)}/executions`, {}, ROWS);
    useEffect(() => {
        if (beat > 0) {
            attempts.reload();
        }
    }, [beat]);
    return (
        <div>
            <Show from={attempts}>
                {({ items }) =>
                    items.length === 0 ? (
                        <Empty title="There was no attempt yet." />
                    ) : (
                        <div class="stack">
                            <Charts items={items} />
                            <Panel title="Attempts of each trigger" note="from its first start on, newest first">
                                <Gantt attempts={items} />
                            </Panel>
                        </div>
                    )
                }
            </Show>
            <Pager pages={attempts} />
        </div>
    );
}
