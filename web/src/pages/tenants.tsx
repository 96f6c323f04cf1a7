/* tenants: who uses Belfry, how much, and what they may. */
import { useState } from "preact/hooks";
import type { Stats, Tenant, TenantFigures } from "../../generated/schema";
import { get, piece, put } from "../api";
import { count } from "../format";
import { useEvery, useLoad } from "../load";
import { Button } from "../parts/button";
import { Pager, usePages } from "../parts/pages";
import { Bar, PageHead } from "../parts/panel";
import { Empty, Show } from "../parts/states";
import { Table, type Column } from "../parts/table";
import { may } from "../session";
import { ScopeControls, ScopeStatus } from "./scopes/controls";
import { TENANT_FIELDS, inWords } from "./scopes/fields";
import { NewScope } from "./scopes/new_scope";

function pathOf(tenant: string): string {
    return `/v1/tenants/${piece(tenant)}`;
}

type Figures = Map<string, TenantFigures>;

/* How much of a limit is used, where there is one. */
function Usage({ used, limit, what }: { used: number; limit: number | undefined; what: string }) {
    if (limit === undefined) {
        return <span>{count(used)}</span>;
    }
    const words = `${count(used)} of ${count(limit)}`;
    const portion = limit > 0 ? used / limit : 1;
    return (
        <span class="with-bar">
            <Bar share={portion} label={`${words} ${what}`} tone={portion >= 0.9 ? "warn" : "busy"} />
            <span class="nowrap">{words}</span>
        </span>
    );
}

function columns(figures: Figures, reload: () => void): Column<Tenant>[] {
    return [
        { title: "Tenant", cell: (one) => <a href={`/jobs?tenant=${piece(one.tenant)}`}>{one.tenant}</a>, isWide: true },
        { title: "Status", cell: (one) => <ScopeStatus scope={one} /> },
        { title: "Jobs", cell: (one) => <Usage used={one.jobs} limit={one.settings.max_jobs} what="jobs" /> },
        { title: "Running", cell: (one) => <Usage used={one.running} limit={one.settings.max_in_flight} what="running" /> },
        { title: "Ready", cell: (one) => count(one.ready), isNumber: true },
        { title: "24 h", cell: (one) => count(figures.get(one.tenant)?.executed ?? 0), isNumber: true },
        { title: "Retries", cell: (one) => count(figures.get(one.tenant)?.retried ?? 0), isNumber: true, from: "m" },
        {
            title: "Limits",
            cell: (one) => inWords(TENANT_FIELDS, one.settings) || <span class="muted">none</span>,
            from: "l",
            isWide: true,
        },
        {
            title: "Actions",
            cell: (one) => (
                <ScopeControls
                    what={`tenant ${one.tenant}`}
                    path={pathOf(one.tenant)}
                    scope={one}
                    fields={TENANT_FIELDS}
                    onDone={reload}
                />
            ),
        },
    ];
}

export default function Tenants() {
    const tenants = usePages<Tenant>("/v1/tenants", {});
    const stats = useLoad((signal) => get<Stats>("/v1/stats", {}, signal), []);
    const figures: Figures = new Map((stats.data?.tenants ?? []).map((one) => [one.tenant, one]));
    const [isNew, setNew] = useState(false);
    useEvery(5000, () => {
        tenants.reload();
        stats.reload();
    });
    return (
        <>
            <PageHead title="Tenants">{may("configure") && <Button onClick={() => setNew(true)}>Set limits of a tenant</Button>}</PageHead>
            <Show from={tenants}>
                {({ items }) =>
                    items.length === 0 ? (
                        <Empty title="No tenant has jobs or settings." />
                    ) : (
                        <Table label="Tenants" columns={columns(figures, tenants.reload)} rows={items} keyOf={(one) => one.tenant} />
                    )
                }
            </Show>
            <Pager pages={tenants} />
            {isNew && (
                <NewScope
                    title="Limits of a tenant"
                    label="Tenant"
                    fields={TENANT_FIELDS}
                    pathOf={pathOf}
                    save={async (name, settings) => {
                        await put(pathOf(name), settings);
                        tenants.reload();
                    }}
                    onClose={() => setNew(false)}
                />
            )}
        </>
    );
}
