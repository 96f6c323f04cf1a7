/* actions: what can be done to a job. Only what makes sense for its status is offered. */
import { useState } from "preact/hooks";
import type { JobStatus, Trigger } from "../../../generated/schema";
import { patch, post, remove } from "../../api";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { jobPath, triggerPath } from "../../parts/links";
import { toast } from "../../parts/toast";
import { navigate } from "../../router";
import { BackfillDialog } from "./backfill";
import { EditDialog } from "./edit";
import type { JobRead } from "./index";

interface Props {
    read: JobRead;
    onDone: () => void;
}

function StatusActions({ read, onDone }: Props) {
    const { job } = read;
    const setStatus = async (status: JobStatus, did: string) => {
        await patch(`/v1${jobPath(job.id)}/status`, { status });
        toast(`${job.name} is ${did}.`);
        onDone();
    };
    const cancel = async () => {
        const detail = "It never fires again. What has not started is dropped, what runs is stopped.";
        if (await ask({ title: `Cancel ${job.name}?`, detail, action: "Cancel the job", isDanger: true })) {
            await setStatus("cancelled", "cancelled");
        }
    };
    return (
        <>
            {job.status === "active" && <Button onClick={() => setStatus("paused", "paused")}>Pause</Button>}
            {job.status === "paused" && <Button onClick={() => setStatus("active", "active again")}>Resume</Button>}
            {(job.status === "active" || job.status === "paused") && (
                <Button kind="danger" onClick={cancel}>
                    Cancel
                </Button>
            )}
        </>
    );
}

function Delete({ read }: { read: JobRead }) {
    const { job } = read;
    const run = async () => {
        const detail = "The definition and all its history go. This cannot be undone.";
        if (await ask({ title: `Delete ${job.name}?`, detail, action: "Delete the job", isDanger: true })) {
            await remove(`/v1${jobPath(job.id)}`);
            toast(`${job.name} is deleted.`);
            navigate("/jobs");
        }
    };
    return (
        <Button kind="danger" onClick={run}>
            Delete
        </Button>
    );
}

export function JobActions({ read, onDone }: Props) {
    const { job } = read;
    const [open, setOpen] = useState<"" | "edit" | "backfill">("");
    const isAlive = job.status === "active" || job.status === "paused";
    const close = () => setOpen("");
    const run = async () => {
        const key = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
        const trigger = await post<Trigger>(`/v1${jobPath(job.id)}/run`, {}, { headers: { "Idempotency-Key": key } });
        toast(`${job.name} runs now.`);
        navigate(triggerPath(trigger.id));
    };
    return (
        <>
            {job.status !== "cancelled" && (
                <Button kind="main" onClick={run}>
                    Run now
                </Button>
            )}
            {isAlive && <Button onClick={() => setOpen("edit")}>Edit</Button>}
            {(job.cron || job.every) && isAlive && <Button onClick={() => setOpen("backfill")}>Backfill</Button>}
            <StatusActions read={read} onDone={onDone} />
            {!isAlive && <Delete read={read} />}
            {open === "edit" && <EditDialog read={read} onClose={close} onDone={onDone} />}
            {open === "backfill" && <BackfillDialog job={job} onClose={close} onDone={onDone} />}
        </>
    );
}
