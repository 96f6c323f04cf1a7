/* why: every gate that holds a job or a trigger, and when it opens. */
import { useEffect } from "preact/hooks";
import type { Gate, Why } from "../../generated/schema";
import { get, sentence } from "../api";
import { useEvery, useLoad } from "../load";
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
            </span>
        </li>
    );
}

/** beat: counts up when it is to be read again. */
export function WhyPanel({ path, beat }: { path: string; beat: number }) {
    const why = useLoad((signal) => get<Why>(path, {}, signal), [path]);
    useEvery(REFRESH_MS, why.reload);
    useEffect(() => {
        if (beat > 0) {
            why.reload();
        }
    }, [beat]);
    return (
        <Panel title="Why is it not running?">
            <Show from={why}>
                {(data) =>
                    data.runnable ? (
                        <Status status="ok" word="Nothing holds it: its turn comes." />
                    ) : (
                        <ul class="gates">
                            {data.gates.map((gate) => (
                                <GateRow key={`${gate.gate} ${gate.name} ${gate.blocked_by}`} gate={gate} />
                            ))}
                        </ul>
                    )
                }
            </Show>
        </Panel>
    );
}
