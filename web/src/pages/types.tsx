/* types: how each kind of work goes, its limits and its breakers. */
import type { Breaker, Stats, Type, TypeFigures } from "../../generated/schema";
import { get, piece } from "../api";
import { count, lengthOf, share } from "../format";
import { useEvery, useLoad } from "../load";
import { Pager, usePages } from "../parts/pages";
import { PageHead } from "../parts/panel";
import { Empty, Show } from "../parts/states";
import { Status } from "../parts/status";
import { Table, type Column } from "../parts/table";
import { ScopeControls, ScopeStatus } from "./scopes/controls";
import { TYPE_FIELDS, inWords } from "./scopes/fields";

type Figures = Map<string, TypeFigures>;

function Rate({ figures }: { figures: TypeFigures | undefined }) {
    if (!figures || figures.success_rate === null) {
        return <span class="muted">–</span>;
    }
    return figures.warning ? <Status status="warning" word={share(figures.success_rate)} /> : <>{share(figures.success_rate)}</>;
}

function Breakers({ breakers }: { breakers: Breaker[] }) {
    if (breakers.length === 0) {
        return <Status status="closed" />;
    }
    return (
        <>
            {breakers.map((one) => (
                <div key={`${one.tenant} ${one.job}`}>
                    <Status status={one.state} /> <span class="muted">{one.tenant}</span>
                </div>
            ))}
        </>
    );
}

function columns(figures: Figures, reload: () => void): Column<Type>[] {
    const of = (one: Type) => (one.tenant === null ? figures.get(one.type) : undefined);
    return [
        {
            title: "Type",
            cell: (one) => (
                <>
                    <a href={`/jobs?type=${piece(one.type)}${one.tenant ? `&tenant=${piece(one.tenant)}` : ""}`}>{one.type}</a>
                    {one.tenant && <span class="muted"> of {one.tenant}</span>}
                </>
            ),
            isWide: true,
        },
        { title: "Status", cell: (one) => <ScopeStatus scope={one} /> },
        { title: "Ready", cell: (one) => count(one.ready), isNumber: true },
        { title: "Running", cell: (one) => count(one.running), isNumber: true },
        { title: "24 h", cell: (one) => count(of(one)?.executed), isNumber: true },
        { title: "Succeeded", cell: (one) => <Rate figures={of(one)} />, isNumber: true },
        { title: "p99", cell: (one) => lengthOf(of(one)?.duration_ms.p99), isNumber: true, from: "m" },
        { title: "Breaker", cell: (one) => <Breakers breakers={one.breakers} /> },
        { title: "Limits", cell: (one) => inWords(TYPE_FIELDS, one.settings) || <span class="muted">none</span>, from: "l", isWide: true },
        {
            title: "Actions",
            cell: (one) => (
                <ScopeControls
                    what={`type ${one.type}${one.tenant ? ` of ${one.tenant}` : ""}`}
                    path={`/v1/types/${piece(one.type)}`}
                    query={{ tenant: one.tenant ?? undefined }}
                    scope={one}
                    fields={TYPE_FIELDS}
                    onDone={reload}
                />
            ),
        },
    ];
}

/* The list has types with settings or work; those that only worked in the last 24 hours are known by their figures. */
function withWorked(items: Type[], figures: Figures): Type[] {
    const known = new Set(items.map((one) => one.type));
    const worked = [...figures.keys()].filter((type) => !known.has(type));
    const plain = { tenant: null, settings: {}, paused: false, ramp: null, ready: 0, running: 0, breakers: [] };
    return [...items, ...worked.map((type): Type => ({ ...plain, type }))].sort((a, b) => (a.type < b.type ? -1 : 1));
}

export default function Types() {
    const types = usePages<Type>("/v1/types", {});
    const stats = useLoad((signal) => get<Stats>("/v1/stats", {}, signal), []);
    const figures: Figures = new Map((stats.data?.types ?? []).map((one) => [one.type, one]));
    useEvery(5000, () => {
        types.reload();
        stats.reload();
    });
    return (
        <>
            <PageHead title="Types" />
            <Show from={types}>
                {({ items, next }) =>
                    items.length + figures.size === 0 ? (
                        <Empty title="No type has work or settings." />
                    ) : (
                        <Table
                            label="Types"
                            columns={columns(figures, types.reload)}
                            rows={next || types.marks.length > 0 ? items : withWorked(items, figures)}
                            keyOf={(one) => `${one.tenant ?? ""} ${one.type}`}
                        />
                    )
                }
            </Show>
            <Pager pages={types} />
        </>
    );
}
