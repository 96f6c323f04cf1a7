/* graph: the jobs that a job waits for and those that wait for it, and how each stands for one fire; live. */
import type { EventKind, Graph as Answer, GraphNode, Job, Ledger } from "../../../generated/schema";
import { get, piece } from "../../api";
import { instant } from "../../format";
import { useLive } from "../../live";
import { useEvery, useLoad } from "../../load";
import { JobLink, TriggerLink, jobPath } from "../../parts/links";
import { PageHead, Panel } from "../../parts/panel";
import { Empty, Show } from "../../parts/states";
import { Status } from "../../parts/status";
import { Table, type Column } from "../../parts/table";
import { Ago, At } from "../../parts/time";
import { queryOf, setQuery } from "../../router";
import type { PageProps } from "../../routes";
import { concerns } from "./concerns";
import { Drawing } from "./drawing";

const FIRES = 20;
const KINDS: EventKind[] = ["trigger.pending", "attempt.started", "trigger.finished"];

const COLUMNS: Column<GraphNode>[] = [
    { title: "Job", cell: (one) => <JobLink id={one.job} name={one.name} />, isWide: true },
    { title: "State", cell: (one) => <Status status={one.state} /> },
    { title: "Job is", cell: (one) => <Status status={one.status} /> },
    { title: "Type", cell: (one) => one.type },
    { title: "Started", cell: (one) => <Ago at={one.started_at} none="–" /> },
    { title: "Ended", cell: (one) => <Ago at={one.finished_at} none="–" /> },
    { title: "Trigger", cell: (one) => (one.trigger ? <TriggerLink id={one.trigger} /> : "–"), from: "m" },
];

/* The fires that may be looked at: the job's own, the newest first. */
function FireChoice({ job, at }: { job: string; at: string }) {
    const ledger = useLoad((signal) => get<Ledger>(`/v1/jobs/${piece(job)}/triggers`, { limit: FIRES }, signal), [job]);
    const fires = (ledger.data?.items ?? []).flatMap((one) => (one.record === "trigger" ? [one.scheduled_for] : []));
    const all = [...new Set(at === "" ? fires : [at, ...fires])];
    return (
        <select aria-label="Fire" value={at} onChange={(event) => setQuery({ at: event.currentTarget.value })} class="fire-choice">
            <option value="">The latest fire</option>
            {all.map((one) => (
                <option key={one} value={one}>
                    {instant(one)}
                </option>
            ))}
        </select>
    );
}

function Parts({ graph }: { graph: Answer }) {
    if (graph.edges.length === 0) {
        return <Empty title="This job waits for nobody, and nobody waits for it." />;
    }
    return (
        <div class="stack">
            <p>
                {graph.at ? (
                    <>
                        As of the fire of <At at={graph.at} />
                    </>
                ) : (
                    "It has not fired yet."
                )}
            </p>
            {graph.truncated && <p class="notice notice-warn">There are more jobs than are shown.</p>}
            <Drawing graph={graph} />
            <Panel title="The same as a list">
                <Table label="Jobs of the graph" columns={COLUMNS} rows={graph.nodes} keyOf={(one) => one.job} />
            </Panel>
        </div>
    );
}

export default function Graph({ params }: PageProps) {
    const job = params.id ?? "";
    const at = queryOf("at");
    const tenant = queryOf("tenant");
    const graph = useLoad((signal) => get<Answer>(`/v1/jobs/${piece(job)}/graph`, { at, tenant }, signal), [job, at, tenant]);
    const own = useLoad((signal) => get<Job>(`/v1/jobs/${piece(job)}`, { tenant }, signal), [job, tenant]);
    useLive(own.data ? { tenant: own.data.tenant, event: KINDS } : null, (events) => {
        if (concerns(graph.data?.nodes ?? [], events)) {
            graph.reload();
        }
    });
    useEvery(10_000, graph.reload);
    const name = graph.data?.nodes.find((one) => one.job === graph.data?.job)?.name ?? job;
    return (
        <>
            <PageHead title="Graph" above={<a href={jobPath(job)}>{name}</a>}>
                <FireChoice job={job} at={at} />
            </PageHead>
            <Show from={graph}>{(data) => <Parts graph={data} />}</Show>
        </>
    );
}
