/* act: replaying and discarding dead letters, of a group or chosen ones. */
import { useState } from "preact/hooks";
import type { DiscardResult, ReplayResult } from "../../../generated/schema";
import { Problem, messageOf, post, type Query } from "../../api";
import { exactCount, plural } from "../../format";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { TextField } from "../../parts/fields";
import { toast } from "../../parts/toast";
import { watch } from "./progress";

export interface Choice {
    verb: "replay" | "discard";
    what: string; // for people
    count: number;
    isSample?: boolean; // count is of the newest ones alone: there may be more of them
    group?: string;
    triggers?: string[];
    query: Query; // the filters of the list, which narrow a group, too
}

const WORDS = {
    replay: {
        title: "Replay",
        doing: "Replaying",
        detail: "Each runs again as a new trigger, with all its attempts and the run key of the one that died.",
    },
    discard: {
        title: "Discard",
        doing: "Discarding",
        detail: "They go for good, with their history and their payloads. This cannot be taken back.",
    },
};

/* What one call takes at most (docs/openapi.yaml: replay_dead, discard_dead). */
const AT_ONCE_MAX = 10_000;

/* Safe to repeat, where the answer is lost. */
function newKey(): string {
    return `dashboard-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

function bodyOf(choice: Choice, rate: string) {
    const { tenant, type, error_code: code } = choice.query;
    const which = choice.triggers ? { triggers: choice.triggers } : { group: choice.group, tenant, type, error_code: code };
    return rate === "" ? which : { ...which, rate };
}

async function act(choice: Choice, rate: string) {
    const words = WORDS[choice.verb];
    const headers: Record<string, string> = choice.verb === "replay" ? { "Idempotency-Key": newKey() } : {};
    const result = await post<ReplayResult | DiscardResult>(`/v1/dead/${choice.verb}`, bodyOf(choice, rate), { headers });
    if (rate !== "" && choice.group) {
        const task = { verb: words.doing, what: choice.what, group: choice.group, query: choice.query, total: result.accepted };
        watch(task, !choice.isSample);
    }
    const more = result.more ? " There are more: do it again for the next ones." : "";
    const past = choice.verb === "replay" ? "replayed" : "discarded";
    toast(`${plural(result.accepted, "dead letter")} ${rate === "" ? past : `will be ${past}`}.${more}`);
}

export function ActDialog({ choice, onDone, onClose }: { choice: Choice; onDone: () => void; onClose: () => void }) {
    const [rate, setRate] = useState(choice.verb === "replay" && choice.group ? "10/s" : "");
    const [error, setError] = useState("");
    const words = WORDS[choice.verb];
    const go = async () => {
        try {
            await act(choice, rate.trim());
            onClose();
            onDone();
        } catch (problem) {
            if (!(problem instanceof Problem) || problem.field !== "rate") {
                throw problem;
            }
            setError(messageOf(problem));
        }
    };
    return (
        <Dialog
            title={choice.isSample ? `${words.title} all with this error?` : `${words.title} ${plural(choice.count, "dead letter")}?`}
            onClose={onClose}
            actions={
                <>
                    <Button onClick={onClose}>Back</Button>
                    <Button kind={choice.verb === "discard" ? "danger" : "main"} onClick={go}>
                        {words.title}
                    </Button>
                </>
            }
        >
            <div class="form">
                <p class="error-shape">{choice.what}</p>
                {choice.isSample && (
                    <p class="notice notice-warn">
                        At least {plural(choice.count, "dead letter")}, up to {exactCount(AT_ONCE_MAX)}: only the newest were counted.
                    </p>
                )}
                <p>{words.detail}</p>
                <TextField
                    label="Rate"
                    value={rate}
                    onInput={setRate}
                    error={error}
                    placeholder="all at once"
                    hint="One after the other, such as 10/s; all at once where it is empty."
                />
            </div>
        </Dialog>
    );
}
