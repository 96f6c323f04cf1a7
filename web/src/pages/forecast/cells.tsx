/* cells: what the tables of the forecast have in common. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { UpcomingJob } from "../../../generated/schema";
import { count } from "../../format";
import { Button } from "../../parts/button";
import { JobLink } from "../../parts/links";
import { Panel } from "../../parts/panel";
import { Table, type Column } from "../../parts/table";

const SHOWN_MAX = 3;
const ROWS_FOLDED = 7;

/** The first of them with their counts: "report 60, sync 12, …". */
export function named<T extends { count: number }>(list: T[], name: (one: T) => string): string {
    const shown = list.slice(0, SHOWN_MAX).map((one) => `${name(one)} ${count(one.count)}`);
    return shown.join(", ") + (list.length > SHOWN_MAX ? ", …" : "");
}

export function SomeJobs({ jobs }: { jobs: UpcomingJob[] }) {
    return (
        <span>
            {jobs.slice(0, SHOWN_MAX).map((job, i) => (
                <span key={job.job}>
                    {i > 0 && ", "}
                    <JobLink id={job.job} name={job.name} />
                </span>
            ))}
        </span>
    );
}

/** A job, and whose it is. */
export function JobCell({ job }: { job: UpcomingJob }) {
    return (
        <div>
            <JobLink id={job.job} name={job.name} />
            {job.tenant !== "default" && <div class="muted">{job.tenant}</div>}
        </div>
    );
}

/** What the clock of a zone shows: 2027-03-28 03:00:00. */
export function Local({ at }: { at: string }) {
    return <span class="mono nowrap">{at.replace("T", " ")}</span>;
}

interface SectionProps<Row> {
    title: string;
    columns: Column<Row>[];
    rows: Row[];
    keyOf: (row: Row) => string;
    /** The sentence that stands for the table where it has no rows. */
    empty: string;
    /** How many there are in all, and which of them are listed: "the largest". */
    found?: number;
    listed?: string;
    note?: ComponentChildren;
}

/** A panel with a table, or with a sentence. Long tables are folded. */
export function Section<Row>({ title, columns, rows, keyOf, empty, found = rows.length, listed, note }: SectionProps<Row>) {
    const [isOpen, setOpen] = useState(false);
    const isCut = found > rows.length;
    const actions = rows.length > ROWS_FOLDED && (
        <Button kind="quiet" label={`${isOpen ? "Show fewer" : "Show all"}: ${title}`} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Show fewer" : "Show all"}
        </Button>
    );
    return (
        <Panel
            title={title}
            note={isCut ? `${count(rows.length)} of ${count(found)}, ${listed ?? "the first"}` : note}
            actions={actions}
        >
            {rows.length > 0 ? (
                <Table label={title} columns={columns} rows={isOpen ? rows : rows.slice(0, ROWS_FOLDED)} keyOf={keyOf} />
            ) : (
                <p class="muted">{empty}</p>
            )}
        </Panel>
    );
}
