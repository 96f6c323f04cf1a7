/* dead: dead letters, those with the same error as one; replayed at a rate, or discarded. */
import { useState } from "preact/hooks";
import type { DeadGroup, DeadGroups } from "../../../generated/schema";
import { get, type Query } from "../../api";
import { count, exactCount } from "../../format";
import { useEvery, useLoad } from "../../load";
import { Button } from "../../parts/button";
import { Filters, filterValues, type Filter } from "../../parts/filters";
import { TriggerLink } from "../../parts/links";
import { PageHead, Tabs } from "../../parts/panel";
import { Empty, Show } from "../../parts/states";
import { Table, type Column } from "../../parts/table";
import { Ago } from "../../parts/time";
import { queryOf, setQuery } from "../../router";
import { may } from "../../session";
import { ActDialog, type Choice } from "./act";
import { Letters } from "./letters";
import { Progress } from "./progress";

const FILTERS: Filter[] = [
    { name: "type", label: "Type", isSearch: true },
    { name: "tenant", label: "Tenant" },
    { name: "error_code", label: "Error code" },
];

const TABS: [string, string][] = [
    ["", "By error"],
    ["letters", "One by one"],
];

function Shape({ group }: { group: DeadGroup }) {
    return (
        <div>
            <div class="error-shape" title={group.example.message ?? undefined}>
                {group.error || <span class="muted">without a message</span>}
            </div>
            {group.error_code && <code class="muted">{group.error_code}</code>}
        </div>
    );
}

function columns(isSample: boolean, choose: (verb: Choice["verb"], group: DeadGroup) => void): Column<DeadGroup>[] {
    return [
        { title: "Error", cell: (one) => <Shape group={one} />, isWide: true },
        { title: isSample ? "Count, at least" : "Count", cell: (one) => count(one.count), isNumber: true },
        { title: "Types", cell: (one) => one.types.join(", ") },
        { title: "First", cell: (one) => <Ago at={one.first_seen} />, from: "m" },
        { title: "Last", cell: (one) => <Ago at={one.last_seen} /> },
        { title: "Example", cell: (one) => <TriggerLink id={one.example.trigger} />, from: "l" },
        {
            title: "Actions",
            cell: (one) => (
                <div class="actions">
                    <Button kind="quiet" onClick={() => setQuery({ group: one.group, view: "letters" })} label={`See them: ${one.error}`}>
                        See them
                    </Button>
                    {may("operate") && (
                        <>
                            <Button onClick={() => choose("replay", one)} label={`Replay: ${one.error}`}>
                                Replay
                            </Button>
                            <Button kind="danger" onClick={() => choose("discard", one)} label={`Discard: ${one.error}`}>
                                Discard
                            </Button>
                        </>
                    )}
                </div>
            ),
        },
    ];
}

function Groups({ groups, query, onDone }: { groups: DeadGroups; query: Query; onDone: () => void }) {
    const [choice, setChoice] = useState<Choice | null>(null);
    const choose = (verb: Choice["verb"], group: DeadGroup) =>
        setChoice({
            verb,
            what: group.error || group.error_code || "no message",
            count: group.count,
            isSample: groups.sample,
            group: group.group,
            query,
        });
    if (groups.items.length === 0) {
        return <Empty title="No dead letter is waiting." />;
    }
    return (
        <>
            {groups.sample && (
                <p class="notice">
                    The newest {exactCount(groups.looked_at)} dead letters are grouped here; there are others behind them.
                </p>
            )}
            <Table label="Dead letters by error" columns={columns(groups.sample, choose)} rows={groups.items} keyOf={(one) => one.group} />
            {choice && <ActDialog choice={choice} onDone={onDone} onClose={() => setChoice(null)} />}
        </>
    );
}

export default function Dead() {
    const query = filterValues(FILTERS);
    const view = queryOf("view");
    const group = queryOf("group");
    const groups = useLoad((signal) => get<DeadGroups>("/v1/dead/groups", query, signal), [JSON.stringify(query)]);
    useEvery(5000, groups.reload);
    const shown = groups.data?.items.find((one) => one.group === group);
    return (
        <>
            <PageHead title="Dead letters">
                <Tabs label="View" tabs={TABS} chosen={view} onChoose={(key) => setQuery({ view: key, group: "" })} />
            </PageHead>
            <Filters filters={FILTERS} />
            <Progress onChange={groups.reload} />
            {view === "" ? (
                <Show from={groups}>{(data) => <Groups groups={data} query={query} onDone={groups.reload} />}</Show>
            ) : (
                <>
                    {group && (
                        <p class="notice">
                            Only those with the error <span class="error-shape">{shown?.error ?? group}</span>{" "}
                            <Button kind="quiet" onClick={() => setQuery({ group: "" })}>
                                Show all
                            </Button>
                        </p>
                    )}
                    <Letters query={group ? { ...query, group } : query} onDone={groups.reload} />
                </>
            )}
        </>
    );
}
