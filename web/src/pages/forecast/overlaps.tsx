/* overlaps: jobs that will fire while their earlier run goes on. */
import type { Forecast, ForecastOverlap, Overlap } from "../../../generated/schema";
import { count, lengthOf } from "../../format";
import type { Column } from "../../parts/table";
import { At } from "../../parts/time";
import { JobCell, Section } from "./cells";

const OUTCOMES: Record<Overlap, string> = {
    skip: "They are skipped.",
    queue: "They wait, and run one after the other.",
    collapse: "They wait, and the newest runs for all.",
    allow: "They run beside it.",
};

function Chance({ of }: { of: ForecastOverlap }) {
    return of.expected > 0 ? (
        <span>
            <b>{count(of.expected)}</b> of {count(of.fires)} will{of.possible > 0 && `, ${count(of.possible)} more may`}
        </span>
    ) : (
        <span>
            <b>{count(of.possible)}</b> of {count(of.fires)} may
        </span>
    );
}

const COLUMNS: Column<ForecastOverlap>[] = [
    { title: "Job", cell: (one) => <JobCell job={one} />, isWide: true },
    {
        title: "Runs for",
        cell: (one) => (
            <span>
                {lengthOf(one.median_ms)}
                <span class="muted">
                    , 95 % within {lengthOf(one.p95_ms)}
                    {!one.measured && ", by its type"}
                </span>
            </span>
        ),
    },
    { title: "Fires every", cell: (one) => one.shortest_interval },
    { title: "Overlap", cell: (one) => <Chance of={one} /> },
    { title: "First", cell: (one) => <At at={one.first_at} />, from: "m" },
    { title: "What becomes of them", cell: (one) => OUTCOMES[one.overlap], isWide: true },
];

export function Overlaps({ forecast }: { forecast: Forecast }) {
    return (
        <Section
            title="Overlaps"
            note="a run lasts longer than the time to the next fire"
            columns={COLUMNS}
            rows={forecast.overlaps}
            keyOf={(one) => one.job}
            found={forecast.overlaps_found}
            listed="the worst"
            empty="No job is expected to fire while its earlier run goes on."
        />
    );
}
