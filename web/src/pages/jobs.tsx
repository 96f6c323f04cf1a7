/* jobs: all definitions, searched and narrowed, page by page. */
import type { JobSummary } from "../../generated/schema";
import { useLive } from "../live";
import { useEvery } from "../load";
import { Filters, filterValues, type Filter } from "../parts/filters";
import { JobLink } from "../parts/links";
import { Pager, usePages } from "../parts/pages";
import { PageHead } from "../parts/panel";
import { Empty, Show } from "../parts/states";
import { Status } from "../parts/status";
import { Table, type Column } from "../parts/table";
import { Ago } from "../parts/time";
import { scheduleOf } from "../schedule";

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

const COLUMNS: Column<JobSummary>[] = [
    { title: "Job", cell: (job) => <JobLink id={job.id} name={job.name} />, isWide: true },
    { title: "Status", cell: (job) => <Status status={job.status} /> },
    { title: "Tenant", cell: (job) => job.tenant },
    { title: "Schedule", cell: (job) => scheduleOf(job), isWide: true },
    { title: "Next fire", cell: (job) => <Ago at={job.next_fire_at} none="none" /> },
    { title: "Last result", cell: (job) => (job.last_result ? <Status status={job.last_result.status} /> : "–") },
    { title: "Type", cell: (job) => job.type, from: "m" },
    { title: "Pool", cell: (job) => job.pool, from: "m" },
];

export default function Jobs() {
    const query = filterValues(FILTERS);
    const jobs = usePages<JobSummary>("/v1/jobs", query);
    useLive({ event: ["job.created", "job.changed", "job.paused", "job.resumed", "job.cancelled", "job.deleted"] }, jobs.reload);
    useEvery(10_000, jobs.reload);
    return (
        <>
            <PageHead title="Jobs" />
            <Filters filters={FILTERS} />
            <Show from={jobs}>
                {({ items }) =>
                    items.length === 0 ? (
                        <Empty title="No job fits." />
                    ) : (
                        <Table label="Jobs" columns={COLUMNS} rows={items} keyOf={(job) => job.id} />
                    )
                }
            </Show>
            <Pager pages={jobs} />
        </>
    );
}
