/* attention: what a person should look at now, the worst first, each with where to look. */
import type { Attention, AttentionKind } from "../../../generated/schema";
import { sentence } from "../../api";
import { Status } from "../../parts/status";
import { hasPage } from "../../router";

const PAGES: Record<AttentionKind, (subject: string) => string> = {
    clock_held: () => "/servers",
    held: () => "/doctor",
    jobs_unreadable: () => "/doctor",
    pool_without_workers: () => "/pools",
    pool_saturated: () => "/pools",
    overdue: () => "/doctor",
    dead_letters: () => "/dead",
    tenant_paused: () => "/tenants",
    pool_paused: () => "/pools",
    type_paused: (type) => `/jobs?type=${encodeURIComponent(type)}`,
    breaker_open: (type) => `/jobs?type=${encodeURIComponent(type)}`,
    type_failing: (type) => `/jobs?type=${encodeURIComponent(type)}`,
};

function placeOf(item: Attention): string | null {
    const place = PAGES[item.kind]?.(item.subject ?? "");
    return place && hasPage(place) ? place : null;
}

export function AttentionList({ items }: { items: Attention[] }) {
    if (items.length === 0) {
        return <Status status="ok" word="Nothing needs a person now." />;
    }
    const sorted = [...items].sort((a, b) => a.severity.localeCompare(b.severity));
    return (
        <ul class="attention">
            {sorted.map((item) => {
                const place = placeOf(item);
                return (
                    <li key={`${item.kind} ${item.tenant} ${item.subject}`}>
                        <Status status={item.severity} />
                        <span>{sentence(item.detail)}</span>
                        {place && <a href={place}>Look</a>}
                    </li>
                );
            })}
        </ul>
    );
}
