/* gantt: the attempts of each trigger as bars on one scale, beginning with its first start: long ones, retries and the
 * waits between them are seen at once. */
import type { Attempt } from "../../../generated/schema";
import { instant, lengthOf } from "../../format";
import { triggerPath } from "../../parts/links";
import { Shape, toneOf, wordOf } from "../../parts/status";
import { now } from "../../ticking";

interface Row {
    trigger: string;
    startMs: number;
    endMs: number;
    attempts: Attempt[];
}

function endOf(attempt: Attempt, nowMs: number): number {
    return attempt.finished_at ? Date.parse(attempt.finished_at) : nowMs;
}

function rowsOf(attempts: Attempt[], nowMs: number): Row[] {
    const rows = new Map<string, Attempt[]>();
    for (const one of attempts) {
        rows.set(one.trigger, [...(rows.get(one.trigger) ?? []), one]);
    }
    return [...rows].map(([trigger, list]) => ({
        trigger,
        attempts: list.sort((a, b) => a.number - b.number),
        startMs: Math.min(...list.map((one) => Date.parse(one.started_at))),
        endMs: Math.max(...list.map((one) => endOf(one, nowMs))),
    }));
}

function Bar({ attempt, row, scaleMs, nowMs }: { attempt: Attempt; row: Row; scaleMs: number; nowMs: number }) {
    const left = ((Date.parse(attempt.started_at) - row.startMs) / scaleMs) * 100;
    const width = ((endOf(attempt, nowMs) - Date.parse(attempt.started_at)) / scaleMs) * 100;
    const error = attempt.error ? `, ${attempt.error.code}` : "";
    return (
        <span
            class={`gantt-bar tone-bg-${toneOf(attempt.status)}`}
            style={{ left: `${left}%`, width: `max(3px, ${width}%)` }}
            title={`Attempt ${attempt.number}: ${wordOf(attempt.status)}, ${lengthOf(attempt.duration_ms)}${error}`}
        />
    );
}

function describe(row: Row): string {
    const ends = row.attempts.map((one) => `${one.number} ${wordOf(one.status)}`).join(", ");
    return `attempts: ${ends}`;
}

export function Gantt({ attempts }: { attempts: Attempt[] }) {
    const isOpen = attempts.some((one) => !one.finished_at);
    const nowMs = isOpen ? now.value : 0; // nothing ticks where nothing runs
    const rows = rowsOf(attempts, nowMs);
    const scaleMs = Math.max(1, ...rows.map((row) => row.endMs - row.startMs));
    return (
        <div class="gantt">
            <div class="gantt-scale" aria-hidden="true">
                <span>0</span>
                <span>{lengthOf(scaleMs / 2)}</span>
                <span>{lengthOf(scaleMs)}</span>
            </div>
            <ul>
                {rows.map((row) => {
                    const last = row.attempts[row.attempts.length - 1];
                    return (
                        <li key={row.trigger}>
                            <a href={triggerPath(row.trigger)}>
                                <span class="gantt-name">
                                    <Shape status={last?.status ?? "none"} />
                                    {instant(row.startMs)}
                                    <span class="hidden-text">{describe(row)}</span>
                                </span>
                                <span class="gantt-track">
                                    {row.attempts.map((one) => (
                                        <Bar key={one.id} attempt={one} row={row} scaleMs={scaleMs} nowMs={nowMs} />
                                    ))}
                                </span>
                                <span class="gantt-took">{lengthOf(row.endMs - row.startMs)}</span>
                            </a>
                        </li>
                    );
                })}
            </ul>
        </div>
    );
}
