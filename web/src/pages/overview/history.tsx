/* history: throughput by outcome, fire lag and the queue over time. */
import { useMemo } from "preact/hooks";
import type { StatsHistory, StatsPoint } from "../../../generated/schema";
import { count, lengthOf } from "../../format";
import { Chart, type Series } from "../../parts/chart";
import { Panel } from "../../parts/panel";

interface Drawn {
    times: number[];
    outcomes: Series[];
    lag: Series[];
    queue: Series[];
}

/* Null where nobody counted: a gap, not nothing. */
function endedOtherwise({ timed_out: timedOut, lost }: StatsPoint): number | null {
    return timedOut === null || lost === null ? null : timedOut + lost;
}

function seriesOf(points: StatsPoint[]): Drawn {
    const values = (of: (point: StatsPoint) => number | null) => points.map(of);
    return {
        times: points.map((point) => Date.parse(point.at)),
        outcomes: [
            { name: "succeeded", colour: "--ok", values: values((point) => point.succeeded) },
            { name: "failed", colour: "--bad", values: values((point) => point.failed) },
            { name: "timed out, lost", colour: "--warn", values: values(endedOtherwise) },
        ],
        lag: [
            { name: "p50", colour: "--busy", values: values((point) => point.lag_ms.p50) },
            { name: "p99", colour: "--warn", values: values((point) => point.lag_ms.p99), isDashed: true },
        ],
        queue: [
            { name: "running", colour: "--busy", values: values((point) => point.running) },
            { name: "in queue", colour: "--calm", values: values((point) => point.ready), isFilled: true },
        ],
    };
}

export function History({ history }: { history: StatsHistory }) {
    const drawn = useMemo(() => seriesOf(history.points), [history]);
    const each = `each ${history.step}`;
    return (
        <div class="columns columns-3">
            <Panel title="Attempts by outcome" note={each}>
                <Chart
                    label={`Attempts by outcome, ${each}`}
                    times={drawn.times}
                    series={drawn.outcomes}
                    unit={count}
                    isStacked
                    isBars
                    isWhole
                />
            </Panel>
            <Panel title="Fire lag" note="from due to started">
                <Chart label="Fire lag" times={drawn.times} series={drawn.lag} unit={lengthOf} isWhole />
            </Panel>
            <Panel title="Queue">
                <Chart label="Queue" times={drawn.times} series={drawn.queue} unit={count} isWhole />
            </Panel>
        </div>
    );
}
