/* letters: the dead letters of one group, or all of them, page by page. */
import { useState } from "preact/hooks";
import type { Trigger } from "../../../generated/schema";
import type { Query } from "../../api";
import { plural } from "../../format";
import { Button } from "../../parts/button";
import { JobLink, TriggerLink } from "../../parts/links";
import { Pager, usePages } from "../../parts/pages";
import { Empty, Show } from "../../parts/states";
import { Table, type Column } from "../../parts/table";
import { Ago } from "../../parts/time";
import { may } from "../../session";
import { ActDialog, type Choice } from "./act";

function errorOf(trigger: Trigger) {
    const error = trigger.last_attempt?.error;
    return error ? error.message || error.code : (trigger.reason ?? "");
}

const COLUMNS: Column<Trigger>[] = [
    { title: "Trigger", cell: (one) => <TriggerLink id={one.id} /> },
    { title: "Job", cell: (one) => <JobLink id={one.job} name={one.name} />, isWide: true },
    { title: "Error", cell: (one) => errorOf(one), isWide: true },
    { title: "Died", cell: (one) => <Ago at={one.finished_at} /> },
    { title: "Attempts", cell: (one) => one.attempts, isNumber: true },
    { title: "Type", cell: (one) => one.type, from: "m" },
    { title: "Tenant", cell: (one) => one.tenant, from: "m" },
];

export function Letters({ query, onDone }: { query: Query; onDone: () => void }) {
    const letters = usePages<Trigger>("/v1/dead", query);
    const [chosen, setChosen] = useState(new Set<string>());
    const [choice, setChoice] = useState<Choice | null>(null);
    const there = letters.items.filter((one) => chosen.has(one.id)).map((one) => one.id);
    const choose = (verb: Choice["verb"]) =>
        setChoice({ verb, what: `${plural(there.length, "dead letter")} that you chose`, count: there.length, triggers: there, query: {} });
    const done = () => {
        setChosen(new Set());
        letters.reload();
        onDone();
    };
    return (
        <>
            {there.length > 0 && (
                <div class="bulk">
                    <span>{plural(there.length, "dead letter")} chosen</span>
                    <Button onClick={() => choose("replay")}>Replay</Button>
                    <Button kind="danger" onClick={() => choose("discard")}>
                        Discard
                    </Button>
                </div>
            )}
            <Show from={letters}>
                {({ items }) =>
                    items.length === 0 ? (
                        <Empty title="No dead letter fits." />
                    ) : (
                        <Table
                            label="Dead letters"
                            columns={COLUMNS}
                            rows={items}
                            keyOf={(one) => one.id}
                            nameOf={(one) => `${one.name} ${one.id}`}
                            selection={may("operate") ? { chosen, change: setChosen } : undefined}
                        />
                    )
                }
            </Show>
            <Pager pages={letters} />
            {choice && <ActDialog choice={choice} onDone={done} onClose={() => setChoice(null)} />}
        </>
    );
}
