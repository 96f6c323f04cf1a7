/* schedule: when a job fires, in a few words. */
import type { Every, JobSummary } from "../generated/schema";
import { At } from "./parts/time";

function everyOf(every: Every): string {
    return typeof every === "string" ? `every ${every}` : `${every.interval} after each run`;
}

export function scheduleOf(job: JobSummary) {
    if (job.cron) {
        return (
            <span>
                <code>{job.cron}</code> {job.timezone !== "UTC" && <span class="muted">{job.timezone}</span>}
            </span>
        );
    }
    if (job.every) {
        return everyOf(job.every);
    }
    if (job.depends_on) {
        return <span>after {job.depends_on.map((one) => one.job).join(", ")}</span>;
    }
    if (job.run_at) {
        return (
            <span>
                once, <At at={job.run_at} />
            </span>
        );
    }
    return job.delay ? `once, after ${job.delay}` : "once";
}
