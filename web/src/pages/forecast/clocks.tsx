/* clocks: changes of clocks in zones that jobs follow, and the fires that they move, skip or double. */
import type { Forecast, ForecastChangedFire, ForecastClockChange } from "../../../generated/schema";
import { count, exactCount, lengthOf } from "../../format";
import { Status } from "../../parts/status";
import type { Column } from "../../parts/table";
import { At } from "../../parts/time";
import { JobCell, Local, Section } from "./cells";

const CHANGES: Column<ForecastClockChange>[] = [
    { title: "Time zone", cell: (one) => one.timezone },
    { title: "Local time", cell: (one) => <Local at={one.local} /> },
    { title: "Here", cell: (one) => <At at={one.at} />, from: "m" },
    {
        title: "Clocks go",
        cell: ({ jump_seconds: jump }) => `${jump > 0 ? "forward" : "back"} by ${lengthOf(Math.abs(jump) * 1000)}`,
    },
    { title: "Jobs", cell: (one) => exactCount(one.jobs), isNumber: true },
    { title: "Moved", cell: (one) => exactCount(one.moved), isNumber: true },
    { title: "Skipped", cell: (one) => exactCount(one.skipped), isNumber: true },
    { title: "Doubled", cell: (one) => exactCount(one.doubled), isNumber: true },
];

const KINDS: Record<ForecastChangedFire["kind"], [status: string, word: string]> = {
    moved: ["due", "moved"],
    skipped: ["skipped", "skipped, next at"],
    doubled: ["warning", "comes twice"],
};

function Kind({ kind }: { kind: ForecastChangedFire["kind"] }) {
    const [status, word] = KINDS[kind];
    return <Status status={status} word={word} />;
}

const FIRES: Column<ForecastChangedFire>[] = [
    { title: "Job", cell: (one) => <JobCell job={one} />, isWide: true },
    { title: "The fire", cell: (one) => <Kind kind={one.kind} /> },
    { title: "Local time", cell: (one) => <Local at={one.local} /> },
    { title: "Time zone", cell: (one) => one.timezone },
    { title: "Here", cell: (one) => <At at={one.at} />, from: "m" },
];

export function Clocks({ forecast }: { forecast: Forecast }) {
    const { clock_changes: changes, changed_fires: fires, changed_fires_found: found } = forecast;
    return (
        <>
            <Section
                title="Clock changes"
                note="daylight saving, in zones that jobs follow"
                columns={CHANGES}
                rows={changes}
                keyOf={(one) => `${one.timezone} ${one.at}`}
                empty="No clock changes in a time zone that jobs follow."
            />
            {changes.length > 0 && (
                <Section
                    title="Fires that clock changes concern"
                    note={count(found)}
                    columns={FIRES}
                    rows={fires}
                    keyOf={(one) => `${one.job} ${one.at} ${one.kind}`}
                    found={found}
                    empty="No fire is moved, skipped or doubled."
                />
            )}
        </>
    );
}
