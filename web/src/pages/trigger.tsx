/* trigger: one fire: how it stands, each attempt with its error and the end of its output, and why it does not run. */
import { useState } from "preact/hooks";
import type { Attempt, Trigger, TriggerDetail } from "../../generated/schema";
import { getText, post } from "../api";
import { count, lengthOf, share } from "../format";
import { indented, rawField } from "../json_raw";
import { useLive } from "../live";
import { useEvery, useLoad } from "../load";
import { Button } from "../parts/button";
import { ask } from "../parts/dialog";
import { jobPath, JobLink, TriggerLink, triggerPath } from "../parts/links";
import { Bar, Code, Facts, PageHead, Panel } from "../parts/panel";
import { Empty, Show } from "../parts/states";
import { Status } from "../parts/status";
import { Ago, At, Since } from "../parts/time";
import { toast } from "../parts/toast";
import { WhyPanel } from "../parts/why";
import { navigate } from "../router";
import type { PageProps } from "../routes";
import { may } from "../session";

const PROGRESS_MS = 2000;

interface TriggerRead {
    trigger: TriggerDetail;
    payload: string;
}

async function readTrigger(id: string, signal: AbortSignal): Promise<TriggerRead> {
    const text = await getText(`/v1${triggerPath(id)}`, {}, signal);
    return { trigger: JSON.parse(text) as TriggerDetail, payload: rawField(text, "payload") ?? "{}" };
}

function isAlive(trigger: Trigger): boolean {
    return trigger.status === "waiting" || trigger.status === "pending" || trigger.status === "running";
}

function Actions({ trigger, onDone }: { trigger: TriggerDetail; onDone: () => void }) {
    const path = `/v1${triggerPath(trigger.id)}`;
    const retry = async () => {
        const made = await post<Trigger>(`${path}/retry`);
        toast(made.id === trigger.id ? "It is due now." : "It is replayed, as a new trigger.");
        onDone();
        navigate(triggerPath(made.id));
    };
    const cancel = async () => {
        const detail = trigger.status === "running" ? "Its worker is told to stop." : undefined;
        if (await ask({ title: "Cancel this trigger?", detail, action: "Cancel the trigger", isDanger: true })) {
            await post(`${path}/cancel`);
            toast("It is cancelled.");
            onDone();
        }
    };
    const isInBackoff = trigger.status === "pending" && trigger.failures > 0;
    return (
        <>
            {trigger.status === "dead" && !trigger.replayed_by && (
                <Button kind="main" onClick={retry}>
                    Replay
                </Button>
            )}
            {isInBackoff && <Button onClick={retry}>Retry now</Button>}
            {isAlive(trigger) && (
                <Button kind="danger" onClick={cancel}>
                    Cancel
                </Button>
            )}
        </>
    );
}

function ProgressLine({ attempt }: { attempt: Attempt }) {
    const { progress } = attempt;
    if (!progress || attempt.finished_at) {
        return null;
    }
    const part = (progress.percent ?? 0) / 100;
    return (
        <p class="progress">
            <Bar share={part} label={`${share(part)} done`} />
            <span>
                {progress.percent !== null && share(part)} {progress.note}{" "}
                <span class="muted">
                    said <Ago at={progress.at} />
                </span>
            </span>
        </p>
    );
}

function AttemptPanel({ attempt, isLast }: { attempt: Attempt; isLast: boolean }) {
    return (
        <details class="panel attempt" open={isLast}>
            <summary>
                <b>Attempt {attempt.number}</b> <Status status={attempt.status} />
                {attempt.error && <code class="tone-bad">{attempt.error.code}</code>}
                <span class="muted">
                    <At at={attempt.started_at} />, {attempt.finished_at ? lengthOf(attempt.duration_ms) : <Since at={attempt.started_at} />}
                </span>
            </summary>
            <ProgressLine attempt={attempt} />
            {attempt.error && <Code label="Error" text={attempt.error.message} />}
            {attempt.result !== null && attempt.result !== undefined && (
                <>
                    <h3>Result</h3>
                    <Code label="Result" text={JSON.stringify(attempt.result, null, 2)} />
                </>
            )}
            {attempt.output && (
                <>
                    <h3>End of its output</h3>
                    <Code label="Output" text={attempt.output} />
                </>
            )}
            <Facts
                facts={[
                    ["Worker", <code>{attempt.worker}</code>],
                    ["Started", <At at={attempt.started_at} />],
                    ["Finished", attempt.finished_at && <At at={attempt.finished_at} />],
                    ["Id", <code>{attempt.id}</code>],
                ]}
            />
        </details>
    );
}

function Overview({ trigger }: { trigger: TriggerDetail }) {
    return (
        <Panel title="Trigger">
            <Facts
                facts={[
                    ["Scheduled for", <At at={trigger.scheduled_for} />],
                    ["Due", <At at={trigger.due_at} />],
                    ["Finished", trigger.finished_at && <At at={trigger.finished_at} />],
                    ["Attempts", count(trigger.attempts)],
                    ["Failures", `${count(trigger.failures)} of at most ${count(trigger.max_attempts)}`],
                    ["Reason", trigger.reason],
                    ["Kind", trigger.kind],
                    ["Type", trigger.type],
                    ["Pool", trigger.pool],
                    ["Definition", `version ${trigger.version}`],
                    ["Replay of", trigger.replay_of && <TriggerLink id={trigger.replay_of} />],
                    ["Replayed by", trigger.replayed_by && <TriggerLink id={trigger.replayed_by} />],
                    ["Root", trigger.root && trigger.root !== trigger.id && <TriggerLink id={trigger.root} />],
                    ["Idempotency key", <code>{trigger.idempotency_key}</code>],
                ]}
            />
        </Panel>
    );
}

function Body({ read, beat }: { read: TriggerRead; beat: number }) {
    const { trigger } = read;
    const attempts = [...trigger.executions].sort((a, b) => b.number - a.number);
    return (
        <div class="columns columns-trigger">
            <div class="stack">
                <Overview trigger={trigger} />
                {isAlive(trigger) && trigger.status !== "running" && <WhyPanel path={`/v1${triggerPath(trigger.id)}/why`} beat={beat} />}
                <Panel title="Payload">
                    <Code label="Payload" text={indented(read.payload)} />
                </Panel>
            </div>
            <div class="stack">
                {attempts.length === 0 && (
                    <Panel title="Attempts">
                        <Empty title="There was no attempt yet." />
                    </Panel>
                )}
                {attempts.map((attempt, i) => (
                    <AttemptPanel key={attempt.id} attempt={attempt} isLast={i === 0} />
                ))}
            </div>
        </div>
    );
}

export default function TriggerPage({ params }: PageProps) {
    const id = params.id ?? "";
    const [beat, setBeat] = useState(0);
    const loaded = useLoad((signal) => readTrigger(id, signal), [id]);
    const trigger = loaded.data?.trigger;
    const reload = () => {
        loaded.reload();
        setBeat((old) => old + 1);
    };
    useLive(trigger && isAlive(trigger) ? { job: trigger.job } : null, (events) => {
        if (events.length === 0 || events.some((event) => event.trigger === id)) {
            reload();
        }
    });
    useEvery(PROGRESS_MS, () => {
        if (trigger?.status === "running") {
            loaded.reload(); // how far it is is no event
        }
    });
    return (
        <>
            <PageHead
                title={<span class="mono-title">{id}</span>}
                above={
                    trigger && (
                        <>
                            <a href="/jobs">Jobs</a> / <JobLink id={trigger.job} name={trigger.name} /> /{" "}
                            <a href={`${jobPath(trigger.job)}?view=history`}>History</a>
                        </>
                    )
                }
            >
                {trigger && <Status status={trigger.status} />}
                {trigger && may("operate") && <Actions trigger={trigger} onDone={reload} />}
            </PageHead>
            <Show from={loaded}>{(read) => <Body read={read} beat={beat} />}</Show>
        </>
    );
}
