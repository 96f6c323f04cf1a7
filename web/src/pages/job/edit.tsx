/* edit: changes a job, with a preview of what its schedule will mean. Only what was changed is sent; where somebody else
 * changed the job meanwhile, nothing is (If-Match). */
import { useState } from "preact/hooks";
import type { JobChanged } from "../../../generated/schema";
import { messageOf, patch, Problem } from "../../api";
import { plural } from "../../format";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { AreaField, SelectField, TextField } from "../../parts/fields";
import { jobPath } from "../../parts/links";
import { PreviewView, usePreview } from "../../parts/preview";
import { toast } from "../../parts/toast";
import { changesOf, draftOf, MISFIRES, OVERLAPS, type Draft } from "./draft";
import type { JobRead } from "./index";

interface FieldsProps {
    draft: Draft;
    set: (values: Partial<Draft>) => void;
    errorOf: (field: string) => string | undefined;
}

function ScheduleFields({ draft, set, errorOf }: FieldsProps) {
    return (
        <div class="form-row">
            {draft.kind === "cron" && (
                <>
                    <TextField label="Cron" isMono value={draft.cron} onInput={(cron) => set({ cron })} error={errorOf("cron")} />
                    <TextField
                        label="Time zone"
                        value={draft.timezone}
                        onInput={(timezone) => set({ timezone })}
                        error={errorOf("timezone")}
                    />
                </>
            )}
            {draft.kind === "every" && (
                <TextField label="Every" value={draft.every} onInput={(every) => set({ every })} error={errorOf("every")} />
            )}
            {draft.kind === "run_at" && (
                <TextField label="At" isMono value={draft.run_at} onInput={(run_at) => set({ run_at })} error={errorOf("run_at")} />
            )}
        </div>
    );
}

function PolicyFields({ draft, set, errorOf }: FieldsProps) {
    return (
        <>
            <div class="form-row">
                <TextField label="Type" value={draft.type} onInput={(type) => set({ type })} error={errorOf("type")} />
                <TextField label="Pool" value={draft.pool} onInput={(pool) => set({ pool })} error={errorOf("pool")} />
                <SelectField
                    label="Priority"
                    value={draft.priority}
                    onInput={(priority) => set({ priority })}
                    options={["1", "2", "3", "4", "5"].map((one) => [one, one === "1" ? "1, first" : one])}
                />
            </div>
            <div class="form-row">
                <SelectField label="Overlap" value={draft.overlap} onInput={(overlap) => set({ overlap })} options={OVERLAPS} />
                <SelectField label="Misfire" value={draft.misfire} onInput={(misfire) => set({ misfire })} options={MISFIRES} />
                <TextField label="Timeout" value={draft.timeout} onInput={(timeout) => set({ timeout })} error={errorOf("timeout")} />
                <TextField
                    label="Attempts"
                    type="number"
                    value={draft.max_attempts}
                    onInput={(max_attempts) => set({ max_attempts })}
                    error={errorOf("retry")}
                />
            </div>
            <AreaField
                label="Payload"
                isMono
                rows={6}
                value={draft.payload}
                onInput={(payload) => set({ payload })}
                error={errorOf("payload")}
            />
        </>
    );
}

/* The changes as the API takes them; the payload goes as it was typed, so that no number changes on the way. */
function bodyOf(changes: Record<string, unknown>, payload: string | undefined): string {
    const fields = Object.entries(changes).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return `{${[...fields, ...(payload === undefined ? [] : [`"payload":${payload}`])].join(",")}}`;
}

export function EditDialog({ read, onClose, onDone }: { read: JobRead; onClose: () => void; onDone: () => void }) {
    const { job } = read;
    const [before] = useState(() => draftOf(job, read.payload));
    const [version] = useState(job.version);
    const [draft, setDraft] = useState(before);
    const [problem, setProblem] = useState<unknown>(null);
    const preview = usePreview(
        draft.kind === "cron" ? { cron: draft.cron, timezone: draft.timezone, dst: job.dst, seed: job.name, count: 8 } : null,
    );
    const changes = changesOf(before, draft, job);
    const payload = draft.payload === before.payload ? undefined : draft.payload;
    const isChanged = Object.keys(changes).length > 0 || payload !== undefined;
    const errorOf = (field: string) => {
        const isOurs = problem instanceof Problem && problem.field?.split(".")[0] === field;
        return isOurs ? messageOf(problem) : preview.field === field && preview.error ? preview.error : undefined;
    };
    const save = async () => {
        try {
            const headers = { "If-Match": `"${version}"` };
            if (payload !== undefined) {
                JSON.parse(payload); // what is no JSON is not even sent
            }
            const changed = await patch<JobChanged>(`/v1${jobPath(job.id)}`, bodyOf(changes, payload), { headers });
            const skipped = changed.skipped ? ` ${plural(changed.skipped.count, "fire")} that was due is skipped.` : "";
            toast(`${job.name} is changed (version ${changed.version}).${skipped}`);
            onDone();
            onClose();
        } catch (error) {
            setProblem(error instanceof SyntaxError ? new Problem(0, "", "The payload is no JSON.", "payload") : error);
        }
    };
    const set = (values: Partial<Draft>) => {
        setDraft({ ...draft, ...values });
        setProblem(null);
    };
    const isGeneral = problem !== null && !(problem instanceof Problem && problem.field);
    return (
        <Dialog
            title={`Edit ${job.name}`}
            onClose={onClose}
            isWide
            actions={
                <>
                    <Button onClick={onClose}>Back</Button>
                    <Button kind="main" onClick={save} isDisabled={!isChanged}>
                        Save
                    </Button>
                </>
            }
        >
            <div class="form">
                {isGeneral && (
                    <p class="notice notice-bad" role="alert">
                        {messageOf(problem)}
                    </p>
                )}
                <ScheduleFields draft={draft} set={set} errorOf={errorOf} />
                <PreviewView state={preview} />
                <PolicyFields draft={draft} set={set} errorOf={errorOf} />
            </div>
        </Dialog>
    );
}
