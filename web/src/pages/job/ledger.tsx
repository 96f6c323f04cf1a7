/* ledger: every decision about a job's fires, newest first, page by page. */
import { useEffect } from "preact/hooks";
import type { Job, LedgerEntry } from "../../../generated/schema";
import { count, lengthOf, plural } from "../../format";
import { Filters, filterValues, type Filter } from "../../parts/filters";
import { jobPath, TriggerLink, triggerPath } from "../../parts/links";
import { Pager, usePages } from "../../parts/pages";
import { Empty, Show } from "../../parts/states";
import { Status } from "../../parts/status";
import { Table, type Column } from "../../parts/table";
import { At } from "../../parts/time";
import { HistoryGrid } from "./grid";

const FILTERS: Filter[] = [
    {
        name: "record",
        label: "Record",
        options: [
            ["trigger", "triggers"],
            ["skip", "skipped fires"],
            ["due", "due fires"],
        ],
    },
];

function fireOf(entry: LedgerEntry) {
    if (entry.record === "trigger") {
        return (
            <a href={triggerPath(entry.id)}>
                <At at={entry.scheduled_for} />
            </a>
        );
    }
    return entry.from === entry.to ? (
        <At at={entry.from} />
    ) : (
        <>
            <At at={entry.from} /> to <At at={entry.to} />
        </>
    );
}

function noteOf(entry: LedgerEntry) {
    if (entry.record === "trigger") {
        const error = entry.last_attempt?.error;
        return error && entry.status !== "succeeded" ? `${error.code}: ${error.message}` : (entry.reason ?? "");
    }
    return `${plural(entry.count, "fire")}${entry.record === "skip" ? `, ${entry.reason}` : ", not decided yet"}`;
}

const COLUMNS: Column<LedgerEntry>[] = [
    { title: "Fire", cell: fireOf },
    {
        title: "Status",
        cell: (entry) => <Status status={entry.record === "trigger" ? entry.status : entry.record === "skip" ? "skipped" : "due"} />,
    },
    { title: "Trigger", cell: (entry) => (entry.record === "trigger" ? <TriggerLink id={entry.id} /> : "–"), from: "m" },
    { title: "Kind", cell: (entry) => (entry.record === "trigger" ? entry.kind : "–"), from: "l" },
    { title: "Attempts", cell: (entry) => (entry.record === "trigger" ? count(entry.attempts) : "–"), isNumber: true },
    {
        title: "Took",
        cell: (entry) => (entry.record === "trigger" ? lengthOf(entry.last_attempt?.duration_ms) : "–"),
        isNumber: true,
    },
    { title: "Note", cell: noteOf, isWide: true },
];

export function Ledger({ job, beat }: { job: Job; beat: number }) {
    const ledger = usePages<LedgerEntry>(`/v1${jobPath(job.id)}/triggers`, filterValues(FILTERS));
    useEffect(() => {
        if (beat > 0) {
            ledger.reload();
        }
    }, [beat]);
    return (
        <div>
            <Filters filters={FILTERS} />
            <Show from={ledger}>
                {({ items }) =>
                    items.length === 0 ? (
                        <Empty title="Nothing was decided yet." />
                    ) : (
                        <div class="stack">
                            <HistoryGrid entries={items} />
                            <Table
                                label="Fire ledger"
                                columns={COLUMNS}
                                rows={items}
                                keyOf={(entry) => (entry.record === "trigger" ? entry.id : `${entry.record} ${entry.from}`)}
                            />
                        </div>
                    )
                }
            </Show>
            <Pager pages={ledger} />
        </div>
    );
}
