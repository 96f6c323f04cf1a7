/* jobs: all definitions, searched and narrowed, page by page; what is chosen is paused, resumed, run or cancelled. */
import { useEffect, useState } from "preact/hooks";
import type { EventKind, JobSummary } from "../../generated/schema";
import { patch, post } from "../api";
import { forEach, tell } from "../bulk";
import { plural } from "../format";
import { useLive } from "../live";
import { useEvery } from "../load";
import { Button } from "../parts/button";
import { ask } from "../parts/dialog";
import { Filters, filterValues, type Filter } from "../parts/filters";
import { JobLink, jobPath } from "../parts/links";
import { Pager, usePages } from "../parts/pages";
import { PageHead } from "../parts/panel";
import { Empty, Show } from "../parts/states";
import { Status } from "../parts/status";
import { Table, type Column } from "../parts/table";
import { Ago } from "../parts/time";
import { hasPage } from "../router";
import { scheduleOf } from "../schedule";
import { may } from "../session";

const REFRESH_MS = 10_000;

const FILTERS: Filter[] = [
    { name: "q", label: "Name begins with", isSearch: true },
    {
        name: "status",
        label: "Status",
        options: ["active", "paused", "completed", "cancelled"].map((word) => [word, word]),
    },
    { name: "tenant", label: "Tenant" },
    { name: "type", label: "Type" },
    { name: "pool", label: "Pool" },
    { name: "label", label: "Label", placeholder: "Label: key=value" },
];

const EVENTS: EventKind[] = [
    "job.created",
    "job.changed",
    "job.paused",
    "job.resumed",
    "job.cancelled",
    "job.completed",
    "job.deleted",
];

const COLUMNS: Column<JobSummary>[] = [
    { title: "Job", cell: (job) => <JobLink id={job.id} name={job.name} />, isWide: true },
    { title: "Status", cell: (job) => <Status status={job.status} /> },
    { title: "Tenant", cell: (job) => job.tenant },
    { title: "Schedule", cell: (job) => scheduleOf(job), isWide: true },
    { title: "Next fire", cell: (job) => <Ago at={job.next_fire_at} none="none" /> },
    { title: "Last result", cell: (job) => (job.last_result ? <Status status={job.last_result.status} /> : "–") },
    { title: "Type", cell: (job) => job.type, from: "m" },
    { title: "Pool", cell: (job) => job.pool, from: "l" },
];

interface BulkProps {
    chosen: Set<string>;
    onDone: () => void;
}

function Bulk({ chosen, onDone }: BulkProps) {
    const jobs = plural(chosen.size, "job");
    const setStatus = async (status: string, did: string) => {
        tell(await forEach([...chosen], (id) => patch(`/v1${jobPath(id)}/status`, { status })), "job", did);
        onDone();
    };
    const run = async () => {
        if (await ask({ title: `Run ${jobs} now?`, action: "Run now" })) {
            tell(await forEach([...chosen], (id) => post(`/v1${jobPath(id)}/run`, {})), "job", "started");
            onDone();
        }
    };
    const cancel = async () => {
        const detail = "Cancelling is final: what has not started is dropped, what runs is stopped.";
        if (await ask({ title: `Cancel ${jobs}?`, detail, action: `Cancel ${jobs}`, isDanger: true })) {
            await setStatus("cancelled", "cancelled");
        }
    };
    return (
        <div class="bulk" role="group" aria-label="With the chosen jobs">
            <b>{jobs} chosen</b>
            <Button onClick={() => setStatus("paused", "paused")}>Pause</Button>
            <Button onClick={() => setStatus("active", "resumed")}>Resume</Button>
            <Button onClick={run}>Run now</Button>
            <Button kind="danger" onClick={cancel}>
                Cancel
            </Button>
        </div>
    );
}

export default function Jobs() {
    const query = filterValues(FILTERS);
    const jobs = usePages<JobSummary>("/v1/jobs", query);
    const [chosen, setChosen] = useState<Set<string>>(new Set());
    const key = JSON.stringify([query, jobs.marks]);
    useEffect(() => setChosen(new Set()), [key]); // what is chosen is always what is seen
    useLive({ event: EVENTS, tenant: query.tenant, type: query.type, pool: query.pool }, jobs.reload);
    useEvery(REFRESH_MS, jobs.reload);
    const done = () => {
        setChosen(new Set());
        jobs.reload();
    };
    const isFiltered = Object.keys(query).length > 0;
    return (
        <>
            <PageHead title="Jobs">
                {may("operate") && hasPage("/new") && (
                    <a class="button button-main" href="/new">
                        New job
                    </a>
                )}
            </PageHead>
            <Filters filters={FILTERS} />
            {chosen.size > 0 && <Bulk chosen={chosen} onDone={done} />}
            <Show from={jobs}>
                {({ items, next }) =>
                    items.length === 0 ? (
                        <Empty title={next ? "None so far; there is more to search." : isFiltered ? "No job fits." : "There is no job yet."}>
                            {!isFiltered && <code>belfry add hello --every 1m -- echo hello</code>}
                        </Empty>
                    ) : (
                        <Table
                            label="Jobs"
                            columns={COLUMNS}
                            rows={items}
                            keyOf={(job) => job.id}
                            nameOf={(job) => job.name}
                            selection={may("operate") ? { chosen, change: setChosen } : undefined}
                        />
                    )
                }
            </Show>
            <Pager pages={jobs} />
        </>
    );
}
