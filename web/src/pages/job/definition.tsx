/* definition: everything a job says, defaults written out. */
import type { Job, Retry, Target } from "../../../generated/schema";
import { indented } from "../../json_raw";
import { JobLink } from "../../parts/links";
import { Code, Facts, Panel } from "../../parts/panel";
import { At } from "../../parts/time";
import { scheduleOf } from "../../schedule";
import type { JobRead } from "./index";

function retryOf(retry: Retry): string {
    const waits = retry.delays ? retry.delays.join(", ") : `${retry.base} × ${retry.factor}, at most ${retry.max}`;
    return `${retry.max_attempts} attempts; waits ${waits}; jitter ${retry.jitter}`;
}

function targetOf(target: Target | undefined) {
    if (target?.http) {
        return (
            <code>
                {target.http.method ?? "POST"} {target.http.url}
            </code>
        );
    }
    return target?.exec ? <code>{target.exec.argv.join(" ")}</code> : "somebody's own worker";
}

function Labels({ job }: { job: Job }) {
    return (
        <span class="labels">
            {Object.entries(job.labels ?? {}).map(([key, value]) => (
                <a key={key} class="label" href={`/jobs?label=${encodeURIComponent(`${key}=${value}`)}`}>
                    {key}={value}
                </a>
            ))}
        </span>
    );
}

function upstreams(job: Job) {
    return job.depends_on?.map((one) => (
        <span key={one.job} class="upstream">
            {one.job.startsWith("job_") ? (
                <JobLink id={one.job} />
            ) : (
                <a href={`/jobs/${encodeURIComponent(one.job)}?tenant=${encodeURIComponent(job.tenant)}`}>{one.job}</a>
            )}{" "}
            <span class="muted">{one.on}</span>
        </span>
    ));
}

export function Definition({ read }: { read: JobRead }) {
    const { job } = read;
    return (
        <div class="stack">
            <Panel title="What and when" note={`version ${job.version}`}>
                <Facts
                    facts={[
                        ["Id", <code>{job.id}</code>],
                        ["Schedule", scheduleOf(job)],
                        ["Depends on", upstreams(job)],
                        ["Time zone", job.timezone],
                        ["Clock changes", `gap: ${job.dst.gap}, fold: ${job.dst.fold}`],
                        ["Starts", job.starts_at && <At at={job.starts_at} />],
                        ["Ends", job.ends_at && <At at={job.ends_at} />],
                        ["Fires at most", job.max_fires],
                        ["Jitter", job.jitter],
                        ["Target", targetOf(job.target)],
                        ["Type", job.type],
                        ["Pool", job.pool],
                        ["Priority", job.priority],
                        ["Labels", job.labels && <Labels job={job} />],
                        ["Created", <At at={job.created_at} />],
                        ["Created by", job.created_by],
                        ["Changed", <At at={job.updated_at} />],
                    ]}
                />
            </Panel>
            <Panel title="Policies">
                <Facts
                    facts={[
                        ["Overlap", job.overlap],
                        ["Misfire", `${job.misfire}, after ${job.misfire_after}`],
                        ["Retry", retryOf(job.retry)],
                        ["Timeout", job.timeout],
                        ["Lease", job.lease],
                        ["Expires after", job.expires_after],
                        ["Dead letters", job.dead_policy && `replayed after ${job.dead_policy.replay_after}, ${job.dead_policy.max_replays} times`],
                        ["Concurrency", job.concurrency && `${job.concurrency.max} of ${job.concurrency.key}`],
                    ]}
                />
            </Panel>
            <Panel title="Payload">
                <Code label="Payload" text={indented(read.payload)} />
            </Panel>
        </div>
    );
}
