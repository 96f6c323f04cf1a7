/* why: every gate that holds a job or a trigger, when it opens and what to do; of a job also what became of its fires. */
import { useEffect, useState } from "preact/hooks";
import type { FireFate, Gate, JobWhy, SkipTold, Why } from "../../generated/schema";
import { get, messageOf, sentence } from "../api";
import { useEvery, useLoad } from "../load";
import { Button } from "./button";
import { TextField } from "./fields";
import { jobPath, triggerPath } from "./links";
import { Panel } from "./panel";
import { Show } from "./states";
import { Status } from "./status";
import { Ago } from "./time";

const REFRESH_MS = 5000;

function Holder({ id }: { id: string }) {
    return <a href={id.startsWith("job_") ? jobPath(id) : triggerPath(id)}>{id}</a>;
}

function GateRow({ gate }: { gate: Gate }) {
    return (
        <li>
            <code>{gate.gate}</code>
            <span>
                {sentence(gate.detail)}{" "}
                <span class="muted">
                    Clears {gate.clears_at ? <Ago at={gate.clears_at} /> : gate.clears}.
                </span>{" "}
                {gate.blocked_by && <Holder id={gate.blocked_by} />}
                {gate.advice && <span class="advice">{gate.advice}</span>}
            </span>
        </li>
    );
}

function Skips({ skips }: { skips: SkipTold[] }) {
    if (skips.length === 0) {
        return null;
    }
    return (
        <>
            <h3>Skipped lately</h3>
            <ul class="gates">
                {skips.map((skip) => (
                    <li key={`${skip.from} ${skip.reason}`}>
                        <Status status="skipped" word={skip.reason} />
                        <span>{sentence(skip.detail)}</span>
                    </li>
                ))}
            </ul>
        </>
    );
}

const OUTCOMES: Record<FireFate["outcome"], string> = {
    ran: "ok",
    running: "running",
    pending: "pending",
    skipped: "skipped",
    due: "due",
    coming: "due",
    not_a_fire: "unknown",
    before_job: "unknown",
    over: "unknown",
    unknown: "unknown",
};

function Fate({ fire }: { fire: FireFate }) {
    const made = fire.trigger ?? fire.instead;
    return (
        <p class="fate" role="status">
            <Status status={OUTCOMES[fire.outcome]} word={fire.outcome.replace(/_/g, " ")} /> {sentence(fire.detail)}{" "}
            {made && <Holder id={made} />}
        </p>
    );
}

/* "Why did it not run at nine?" The time is one of the job's own time zone. */
function AskFate({ path, zone }: { path: string; zone: string }) {
    const [at, setAt] = useState("");
    const [fire, setFire] = useState<FireFate | null>(null);
    const [error, setError] = useState("");
    const ask = async () => {
        try {
            setFire((await get<JobWhy>(path, { at })).fire);
            setError("");
        } catch (problem) {
            setFire(null);
            setError(messageOf(problem));
        }
    };
    return (
        <>
            <div class="ask-fate">
                <TextField
                    label={`What became of the fire at (${zone})`}
                    type="datetime-local"
                    value={at}
                    onInput={setAt}
                    error={error}
                />
                <Button onClick={ask} isDisabled={at === ""}>
                    Tell
                </Button>
            </div>
            {fire && <Fate fire={fire} />}
        </>
    );
}

interface Props {
    path: string;
    /** Counts up when it is to be read again. */
    beat: number;
    /** Of a job: its time zone. */
    zone?: string;
}

export function WhyPanel({ path, beat, zone }: Props) {
    const why = useLoad((signal) => get<Why & Partial<JobWhy>>(path, {}, signal), [path]);
    useEvery(REFRESH_MS, why.reload);
    useEffect(() => {
        if (beat > 0) {
            why.reload();
        }
    }, [beat]);
    return (
        <Panel title="Why is it not running?">
            <Show from={why}>
                {(data) => (
                    <>
                        {data.runnable ? (
                            <Status status="ok" word="Nothing holds it: its turn comes." />
                        ) : (
                            <ul class="gates">
                                {data.gates.map((gate) => (
                                    <GateRow key={`${gate.gate} ${gate.name} ${gate.blocked_by}`} gate={gate} />
                                ))}
                            </ul>
                        )}
                        <Skips skips={data.skipped ?? []} />
                    </>
                )}
            </Show>
            {zone && <AskFate path={path} zone={zone} />}
        </Panel>
    );
}
