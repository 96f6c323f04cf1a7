/* draft: a job's fields as they stand in a form, and what was changed of them. Pure. */
import type { Job } from "../../../generated/schema";
import { indented } from "../../json_raw";

export interface Draft {
    kind: "cron" | "every" | "run_at" | "none";
    cron: string;
    timezone: string;
    every: string;
    run_at: string;
    type: string;
    pool: string;
    priority: string;
    overlap: string;
    misfire: string;
    timeout: string;
    max_attempts: string;
    payload: string;
}

export const OVERLAPS: [string, string][] = [
    ["skip", "skip the new fire"],
    ["queue", "queue each"],
    ["collapse", "run the newest afterwards"],
    ["allow", "run beside"],
];
export const MISFIRES: [string, string][] = [
    ["fire_latest", "run the newest once"],
    ["fire_now", "run the oldest once"],
    ["skip", "skip all"],
    ["backfill", "run each"],
];

function kindOf(job: Job): Draft["kind"] {
    return job.cron ? "cron" : job.every ? "every" : job.run_at ? "run_at" : "none";
}

export function draftOf(job: Job, payload: string): Draft {
    return {
        kind: kindOf(job),
        cron: job.cron ?? "",
        timezone: job.timezone,
        every: typeof job.every === "string" ? job.every : (job.every?.interval ?? ""),
        run_at: job.run_at ?? "",
        type: job.type,
        pool: job.pool,
        priority: String(job.priority),
        overlap: job.overlap,
        misfire: job.misfire,
        timeout: job.timeout,
        max_attempts: String(job.retry.max_attempts),
        payload: indented(payload),
    };
}

/** The fields to send, payload aside. Where nothing was changed there are none. */
export function changesOf(before: Draft, after: Draft, job: Job): Record<string, unknown> {
    const changes: Record<string, unknown> = {};
    const plain = ["cron", "timezone", "run_at", "type", "pool", "overlap", "misfire", "timeout"] as const;
    for (const name of plain) {
        if (after[name] !== before[name]) {
            changes[name] = after[name].trim() === "" ? null : after[name].trim();
        }
    }
    if (after.every !== before.every) {
        changes.every = typeof job.every === "object" ? { ...job.every, interval: after.every.trim() } : after.every.trim();
    }
    if (after.priority !== before.priority) {
        changes.priority = Number(after.priority);
    }
    if (after.max_attempts !== before.max_attempts) {
        changes.retry = { ...job.retry, max_attempts: Number(after.max_attempts) };
    }
    return changes;
}
