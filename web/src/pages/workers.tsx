/* workers: who is there, how busy they are, and what they hold. */
import { useState } from "preact/hooks";
import type { Held, Worker } from "../../generated/schema";
import { count } from "../format";
import { useEvery } from "../load";
import { Button } from "../parts/button";
import { Dialog } from "../parts/dialog";
import { Filters, filterValues, type Filter } from "../parts/filters";
import { JobLink, TriggerLink } from "../parts/links";
import { Pager, usePages } from "../parts/pages";
import { Bar, PageHead } from "../parts/panel";
import { Empty, Show } from "../parts/states";
import { Status } from "../parts/status";
import { Table, type Column } from "../parts/table";
import { Ago, Since } from "../parts/time";

const FILTERS: Filter[] = [{ name: "pool", label: "Pool", isSearch: true }];

const HELD: Column<Held>[] = [
    { title: "Job", cell: (one) => <JobLink id={one.job} name={one.name} />, isWide: true },
    { title: "Trigger", cell: (one) => <TriggerLink id={one.attempt.replace(/^att_/, "trg_").replace(/_\d+$/, "")} /> },
    { title: "Type", cell: (one) => one.type },
    { title: "Running", cell: (one) => <Since at={one.started_at} />, isNumber: true },
    { title: "Lease ends", cell: (one) => <Ago at={one.lease_until} /> },
    {
        title: "Progress",
        cell: (one) => (one.progress ? `${one.progress.percent ?? "?"} % ${one.progress.note ?? ""}` : "–"),
        isWide: true,
    },
];

function Busy({ worker }: { worker: Worker }) {
    const words = `${count(worker.running)} of ${count(worker.capacity)}`;
    return (
        <span class="with-bar">
            <Bar share={worker.capacity > 0 ? worker.running / worker.capacity : 0} label={`${words} places taken`} />
            <span class="nowrap">{words}</span>
        </span>
    );
}

function columns(open: (worker: Worker) => void): Column<Worker>[] {
    return [
        {
            title: "Worker",
            cell: (one) => (
                <div>
                    {one.name ?? one.worker}
                    {one.name && <div class="muted mono">{one.worker}</div>}
                </div>
            ),
            isWide: true,
        },
        { title: "State", cell: (one) => <Status status={one.running > 0 ? "running" : "waiting"} word={one.running > 0 ? "working" : one.waiting ? "waits for work" : "idle"} /> },
        { title: "Pools", cell: (one) => one.pools.join(", "), isWide: true },
        { title: "Busy", cell: (one) => <Busy worker={one} /> },
        { title: "Last heard", cell: (one) => <Ago at={one.last_seen_at} /> },
        {
            title: "Actions",
            cell: (one) =>
                one.holding.length > 0 && (
                    <Button kind="quiet" onClick={() => open(one)} label={`${count(one.holding.length)} held by ${one.name ?? one.worker}`}>
                        {count(one.holding.length)} held
                    </Button>
                ),
        },
    ];
}

export default function Workers() {
    const workers = usePages<Worker>("/v1/workers", filterValues(FILTERS));
    const [shown, setShown] = useState("");
    const worker = workers.items.find((one) => one.worker === shown);
    useEvery(3000, workers.reload);
    return (
        <>
            <PageHead title="Workers" />
            <Filters filters={FILTERS} />
            <Show from={workers}>
                {({ items }) =>
                    items.length === 0 ? (
                        <Empty title="No worker is there.">
                            <p>
                                Start one with <code>belfry worker --url {location.origin}</code>, or <code>belfry up</code>.
                            </p>
                        </Empty>
                    ) : (
                        <Table label="Workers" columns={columns((one) => setShown(one.worker))} rows={items} keyOf={(one) => one.worker} />
                    )
                }
            </Show>
            <Pager pages={workers} />
            {worker && (
                <Dialog title={`What ${worker.name ?? worker.worker} holds`} onClose={() => setShown("")} isWide>
                    <Table label="Attempts" columns={HELD} rows={worker.holding} keyOf={(one) => one.attempt} />
                </Dialog>
            )}
        </>
    );
}
