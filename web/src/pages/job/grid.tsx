/* grid: many decisions in little room, a mark each; what they were is in their titles and read out. */
import type { LedgerEntry } from "../../../generated/schema";
import { instant, lengthOf, plural } from "../../format";
import { triggerPath } from "../../parts/links";
import { Empty } from "../../parts/states";
import { Shape, toneOf, wordOf } from "../../parts/status";

/** The words for an entry: "succeeded, 14:03:05, 1.2 s, 2 attempts". */
function wordsOf(entry: LedgerEntry): string {
    if (entry.record === "trigger") {
        const took = entry.last_attempt?.duration_ms;
        const parts = [wordOf(entry.status), instant(entry.scheduled_for), took ? lengthOf(took) : "", entry.reason ?? ""];
        return [...parts, entry.attempts > 1 ? plural(entry.attempts, "attempt") : ""].filter(Boolean).join(", ");
    }
    const what = entry.record === "skip" ? `skipped, ${entry.reason}` : "due";
    return `${what}, ${plural(entry.count, "fire")}, ${instant(entry.from)}`;
}

function statusOf(entry: LedgerEntry): string {
    return entry.record === "trigger" ? entry.status : entry.record === "skip" ? "skipped" : "due";
}

function Cell({ entry }: { entry: LedgerEntry }) {
    const status = statusOf(entry);
    const words = wordsOf(entry);
    const name = `cell cell-${toneOf(status)}`;
    if (entry.record === "trigger") {
        return (
            <a class={name} href={triggerPath(entry.id)} title={words} aria-label={words}>
                <Shape status={status} />
            </a>
        );
    }
    return (
        <span class={name} title={words} role="img" aria-label={words}>
            <Shape status={status} />
        </span>
    );
}

export function HistoryGrid({ entries }: { entries: LedgerEntry[] }) {
    if (entries.length === 0) {
        return <Empty title="Nothing was decided yet." />;
    }
    return (
        <div class="grid-cells">
            {entries.map((entry) => (
                <Cell key={entry.record === "trigger" ? entry.id : `${entry.record} ${entry.from}`} entry={entry} />
            ))}
        </div>
    );
}
