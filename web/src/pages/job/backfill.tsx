/* backfill: triggers for the nominal times of a range that has been. */
import { useState } from "preact/hooks";
import type { BackfillResult, Job } from "../../../generated/schema";
import { messageOf, post } from "../../api";
import { plural } from "../../format";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { TextField } from "../../parts/fields";
import { jobPath } from "../../parts/links";
import { toast } from "../../parts/toast";

const DAY_MS = 86_400_000;

/** For an input of type datetime-local, in the reader's time zone. */
function localText(ms: number): string {
    const date = new Date(ms);
    return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function BackfillDialog({ job, onClose, onDone }: { job: Job; onClose: () => void; onDone: () => void }) {
    const [from, setFrom] = useState(localText(Date.now() - DAY_MS));
    const [to, setTo] = useState(localText(Date.now()));
    const [error, setError] = useState("");
    const isGood = from !== "" && to !== "" && from < to;
    const run = async () => {
        try {
            const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
            const result = await post<BackfillResult>(`/v1${jobPath(job.id)}/backfill`, range);
            toast(`${plural(result.created, "trigger")} made, ${result.not_needed} not needed.`);
            onDone();
            onClose();
        } catch (problem) {
            setError(messageOf(problem));
        }
    };
    return (
        <Dialog
            title={`Backfill ${job.name}`}
            onClose={onClose}
            actions={
                <>
                    <Button onClick={onClose}>Back</Button>
                    <Button kind="main" onClick={run} isDisabled={!isGood}>
                        Backfill
                    </Button>
                </>
            }
        >
            <div class="form">
                <p class="muted">Makes a trigger for each nominal time of the range that has none. Times are yours.</p>
                <div class="form-row">
                    <TextField label="From" type="datetime-local" value={from} onInput={setFrom} />
                    <TextField label="To" type="datetime-local" value={to} onInput={setTo} error={from < to ? "" : "Behind its beginning."} />
                </div>
                {error && (
                    <p class="notice notice-bad" role="alert">
                        {error}
                    </p>
                )}
            </div>
        </Dialog>
    );
}
