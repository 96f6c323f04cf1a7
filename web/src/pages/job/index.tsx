/* job: one definition: how it stands, when it fires, why it does not, what it did. */
import { useEffect, useState } from "preact/hooks";
import type { Job } from "../../../generated/schema";
import { getText } from "../../api";
import { rawField } from "../../json_raw";
import { useLive } from "../../live";
import { useLoad } from "../../load";
import { jobPath } from "../../parts/links";
import { PageHead, Tabs } from "../../parts/panel";
import { Show } from "../../parts/states";
import { Status } from "../../parts/status";
import { hasPage, queryOf, setQuery } from "../../router";
import type { PageProps } from "../../routes";
import { may } from "../../session";
import { JobActions } from "./actions";
import { Attempts } from "./attempts";
import { Definition } from "./definition";
import { Ledger } from "./ledger";
import { Standing } from "./standing";

/** A job, with its payload as it was written. */
export interface JobRead {
    job: Job;
    payload: string;
}

const VIEWS: [string, string][] = [
    ["", "Now"],
    ["history", "History"],
    ["attempts", "Attempts"],
    ["definition", "Definition"],
];

async function readJob(id: string, tenant: string, signal: AbortSignal): Promise<JobRead> {
    const text = await getText(`/v1${jobPath(id)}`, { tenant }, signal);
    return { job: JSON.parse(text) as Job, payload: rawField(text, "payload") ?? "{}" };
}

function Page({ read, reload, beat }: { read: JobRead; reload: () => void; beat: number }) {
    const { job } = read;
    const view = queryOf("view");
    const graph = `${jobPath(job.id)}/graph`;
    useEffect(() => {
        document.title = `${job.name} · Belfry`;
    }, [job.name]);
    return (
        <>
            <PageHead
                title={job.name}
                above={
                    <>
                        <a href="/jobs">Jobs</a> / <a href={`/jobs?tenant=${encodeURIComponent(job.tenant)}`}>{job.tenant}</a>
                    </>
                }
            >
                <Status status={job.status} />
                {hasPage(graph) && (
                    <a class="button" href={graph}>
                        Graph
                    </a>
                )}
                {may("operate") && <JobActions read={read} onDone={reload} />}
            </PageHead>
            <div class="view-tabs">
                <Tabs label="View" tabs={VIEWS} chosen={view} onChoose={(key) => setQuery({ view: key })} />
            </div>
            {view === "history" && <Ledger job={job} beat={beat} />}
            {view === "attempts" && <Attempts job={job} beat={beat} />}
            {view === "definition" && <Definition read={read} />}
            {view === "" && <Standing job={job} beat={beat} />}
        </>
    );
}

export default function JobPage({ params }: PageProps) {
    const tenant = queryOf("tenant");
    const [beat, setBeat] = useState(0); // counts what happened to the job: everything on show is read again
    const job = useLoad((signal) => readJob(params.id ?? "", tenant, signal), [params.id, tenant]);
    const id = job.data?.job.id;
    useLive(id ? { job: id } : null, () => {
        job.reload();
        setBeat((old) => old + 1);
    });
    const reload = () => {
        job.reload();
        setBeat((old) => old + 1);
    };
    return (
        <>
            {!job.data && <PageHead title={params.id ?? "Job"} />}
            <Show from={job}>{(read) => <Page read={read} reload={reload} beat={beat} />}</Show>
        </>
    );
}
