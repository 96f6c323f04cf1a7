/* herds: minutes with many fires at once, and how they could be made smaller. */
import type { Forecast, ForecastHerd } from "../../../generated/schema";
import { count, exactCount, plural } from "../../format";
import { JobLink } from "../../parts/links";
import type { Column } from "../../parts/table";
import { Ago, At } from "../../parts/time";
import { Section, SomeJobs, named } from "./cells";

type Move = ForecastHerd["flatten"]["moves"][number];

/* The same advice for herds that come again and again. */
interface Advice {
    herd: ForecastHerd;
    times: number;
}

const MOVES_SHOWN = 3;

const HERDS: Column<ForecastHerd>[] = [
    { title: "Minute", cell: (one) => <At at={one.at} /> },
    { title: "That is", cell: (one) => <Ago at={one.at} />, from: "m" },
    { title: "Fires", cell: (one) => exactCount(one.count), isNumber: true },
    { title: "Types", cell: (one) => named(one.types, ({ type }) => type), isWide: true },
    { title: "Some of the jobs", cell: (one) => <SomeJobs jobs={one.examples} />, isWide: true },
];

/* Herds of the same jobs, moved the same way, are told once. */
function adviceOf(herds: ForecastHerd[]): Advice[] {
    const found = new Map<string, Advice>();
    for (const herd of herds.filter(({ count: before, flatten }) => flatten.moves.length > 0 && flatten.peak < before)) {
        const key = JSON.stringify([herd.count, herd.flatten]);
        const same = found.get(key);
        if (same) {
            same.times++;
        } else {
            found.set(key, { herd, times: 1 });
        }
    }
    return [...found.values()];
}

function MoveList({ moves }: { moves: Move[] }) {
    return (
        <ul>
            {moves.map((move) => (
                <li key={move.job}>
                    <JobLink id={move.job} name={move.name} /> <span class="muted nowrap">{move.by} later</span>
                </li>
            ))}
        </ul>
    );
}

function Moves({ flatten }: { flatten: ForecastHerd["flatten"] }) {
    const more = flatten.moves.slice(MOVES_SHOWN);
    return (
        <div>
            <MoveList moves={flatten.moves.slice(0, MOVES_SHOWN)} />
            {more.length > 0 && (
                <details>
                    <summary>{count(more.length)} more</summary>
                    <MoveList moves={more} />
                </details>
            )}
        </div>
    );
}

const ADVICE: Column<Advice>[] = [
    {
        title: "Herd",
        cell: ({ herd, times }) => (
            <span>
                <At at={herd.at} />
                {times > 1 && <span class="muted"> and {plural(times - 1, "more", "more")} like it</span>}
            </span>
        ),
    },
    { title: "Peak now", cell: ({ herd }) => exactCount(herd.count), isNumber: true },
    { title: "Peak then", cell: ({ herd }) => exactCount(herd.flatten.peak), isNumber: true },
    { title: "Can move", cell: ({ herd }) => plural(herd.flatten.movable, "job"), isNumber: true },
    { title: "Move", cell: ({ herd }) => <Moves flatten={herd.flatten} />, isWide: true },
    { title: "Or a jitter of", cell: ({ herd }) => herd.flatten.jitter ?? "–" },
];

export function Herds({ forecast }: { forecast: Forecast }) {
    const { herds, herds_found: found, herd_above: above } = forecast;
    return (
        <>
            <Section
                title="Herds"
                note={`minutes with more than ${count(above)} fires`}
                columns={HERDS}
                rows={herds}
                keyOf={(one) => one.at}
                found={found}
                listed="the largest"
                empty={`No minute has more than ${count(above)} fires.`}
            />
            <Section
                title="How to flatten them"
                note="within the half hour behind each"
                columns={ADVICE}
                rows={adviceOf(herds)}
                keyOf={({ herd }) => herd.at}
                empty={
                    herds.length > 0
                        ? "Nothing to move: the jobs of these herds fire once, count from their end, or have no emptier minute near."
                        : "Nothing to flatten."
                }
            />
        </>
    );
}
