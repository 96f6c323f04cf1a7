/* servers: who shares the store, who owns its shards, and how far their clocks are from its own. */
import type { Server } from "../../generated/schema";
import { get, type Page } from "../api";
import { useEvery, useLoad } from "../load";
import { PageHead } from "../parts/panel";
import { Show } from "../parts/states";
import { Status } from "../parts/status";
import { Table, type Column } from "../parts/table";
import { Ago } from "../parts/time";

const OFFSET_WARN_MS = 500;

function Role({ server }: { server: Server }) {
    if (server.draining) {
        return <Status status="draining" />;
    }
    return server.shards.length > 0 ? <Status status="active" word="owner" /> : <Status status="waiting" word="stands by" />;
}

function Offset({ ms }: { ms: number | null }) {
    if (ms === null) {
        return <span class="muted">not compared</span>;
    }
    const words = `${ms > 0 ? "+" : ""}${ms.toFixed(1).replace(/\.0$/, "")} ms`;
    return Math.abs(ms) > OFFSET_WARN_MS ? <Status status="warning" word={words} /> : <span class="nowrap">{words}</span>;
}

const COLUMNS: Column<Server>[] = [
    { title: "Server", cell: (one) => one.server, isWide: true },
    { title: "Role", cell: (one) => <Role server={one} /> },
    { title: "Shards", cell: (one) => (one.shards.length > 0 ? one.shards.join(", ") : "–") },
    { title: "Epoch", cell: (one) => one.epoch ?? "–", isNumber: true },
    { title: "Clock", cell: (one) => <Offset ms={one.clock_offset_ms} />, isNumber: true },
    { title: "Address", cell: (one) => (one.url ? <code>{one.url}</code> : "–"), isWide: true },
    { title: "Version", cell: (one) => one.version, from: "m" },
    { title: "Started", cell: (one) => <Ago at={one.started_at} /> },
    { title: "Last heard", cell: (one) => <Ago at={one.last_seen_at} />, from: "m" },
];

export default function Servers() {
    const servers = useLoad((signal) => get<Page<Server>>("/v1/servers", {}, signal), []);
    useEvery(5000, servers.reload);
    return (
        <>
            <PageHead title="Servers" />
            <Show from={servers}>
                {({ items }) => <Table label="Servers" columns={COLUMNS} rows={items} keyOf={(one) => `${one.server} ${one.url}`} />}
            </Show>
        </>
    );
}
