/* standing: how a job is now: figures, why it does not run, its next fires, its last runs. */
import { useEffect } from "preact/hooks";
import type { Job, JobFires, Ledger as LedgerPage } from "../../../generated/schema";
import { get, sentence } from "../../api";
import { count, lengthOf, plural } from "../../format";
import { useLoad } from "../../load";
import { Fires } from "../../parts/fires";
import { jobPath, triggerPath } from "../../parts/links";
import { Panel, Tile } from "../../parts/panel";
import { Empty, Show } from "../../parts/states";
import { toneOf, wordOf } from "../../parts/status";
import { Ago } from "../../parts/time";
import { WhyPanel } from "../../parts/why";
import { HistoryGrid } from "./grid";

const FIRES_SHOWN = 10;
const GRID_SHOWN = 120;

function Tiles({ job }: { job: Job }) {
    const last = job.last_result;
    const tone = last ? toneOf(last.status) : undefined;
    return (
        <div class="tiles tiles-7">
            <Tile label="Next fire" value={<Ago at={job.next_fire_at} none="none" />} />
            <Tile label="Last fired" value={<Ago at={job.last_fired_at} />} />
            <Tile
                label="Last result"
                value={last ? wordOf(last.status) : "–"}
                note={last ? `${lengthOf(last.duration_ms)}, ${plural(last.attempts, "attempt")}` : undefined}
                tone={tone === "bad" || tone === "ok" ? tone : undefined}
                href={last ? triggerPath(last.trigger) : undefined}
            />
            <Tile label="Fired" value={count(job.counts.fired)} note="by its schedule" />
            <Tile label="Waiting" value={count(job.counts.pending + job.counts.waiting)} note={`${count(job.counts.running)} running`} />
            <Tile label="Succeeded" value={count(job.counts.succeeded)} note="of the newest 10,000" />
            <Tile label="Dead" value={count(job.counts.dead)} tone={job.counts.dead > 0 ? "bad" : undefined} note={job.counts.dead > 0 ? "out of attempts" : undefined} />
        </div>
    );
}

function NextFires({ job, beat }: { job: Job; beat: number }) {
    const next = useLoad((signal) => get<JobFires>(`/v1${jobPath(job.id)}/next`, { count: FIRES_SHOWN }, signal), [job.id]);
    useEffect(() => {
        if (beat > 0) {
            next.reload();
        }
    }, [beat, job.version]);
    return (
        <Panel title="Next fires" note={next.data?.timezone}>
            <Show from={next}>
                {(data) => (
                    <>
                        {data.description && <p class="described">{sentence(data.description)}</p>}
                        {data.fires.length > 0 ? <Fires fires={data.fires} /> : <Empty title="No fire time is known ahead." />}
                    </>
                )}
            </Show>
        </Panel>
    );
}

function LastRuns({ job, beat }: { job: Job; beat: number }) {
    const ledger = useLoad((signal) => get<LedgerPage>(`/v1${jobPath(job.id)}/triggers`, { limit: GRID_SHOWN }, signal), [job.id]);
    useEffect(() => {
        if (beat > 0) {
            ledger.reload();
        }
    }, [beat]);
    return (
        <Panel title="Last decisions" note="newest first" actions={<a href={`${jobPath(job.id)}?view=history`}>All</a>}>
            <Show from={ledger}>{(page) => <HistoryGrid entries={page.items} />}</Show>
        </Panel>
    );
}

export function Standing({ job, beat }: { job: Job; beat: number }) {
    return (
        <div class="stack">
            <Tiles job={job} />
            <div class="columns">
                <NextFires job={job} beat={beat} />
                <div class="stack">
                    <WhyPanel path={`/v1${jobPath(job.id)}/why`} beat={beat} zone={job.timezone} />
                    <LastRuns job={job} beat={beat} />
                </div>
            </div>
        </div>
    );
}
