/* pages: a list of the API, page by page, by the marks that the server gives (keyset): as quick on page 10,000.
 *
 *     const jobs = usePages<JobSummary>("/v1/jobs", filterValues(FILTERS));
 *     … <Pager pages={jobs} />
 *
 * Rules: (1) a filtered page may come short, even empty, with a mark for more: it is filled up, in a bounded number of
 *            calls; Next goes on from there.
 */
import { useEffect, useState } from "preact/hooks";
import { get, type Page, type Query } from "../api";
import { useLoad, type Loaded } from "../load";
import { Button } from "./button";

const CALLS_MAX = 8;
export const PAGE_ROWS = 50;

export interface Pages<T> extends Loaded<Page<T>> {
    items: T[];
    marks: string[];
    setMarks: (marks: string[]) => void;
}

async function readPage<T>(path: string, query: Query, after: string, rows: number, signal: AbortSignal) {
    const page: Page<T> = { items: [], next: after };
    for (let i = 0; i < CALLS_MAX; i++) {
        const limit = rows - page.items.length;
        const more = await get<Page<T>>(path, { ...query, limit, after: page.next ?? "" }, signal);
        page.items.push(...more.items);
        page.next = more.next;
        if (!page.next || page.items.length >= rows) {
            break;
        }
    }
    return page;
}

export function usePages<T>(path: string, query: Query, rows = PAGE_ROWS): Pages<T> {
    const text = JSON.stringify([path, query]);
    const [held, setHeld] = useState<{ text: string; marks: string[] }>({ text, marks: [] });
    const marks = held.text === text ? held.marks : []; // another list begins at its beginning
    const after = marks[marks.length - 1] ?? "";
    const loaded = useLoad((signal) => readPage<T>(path, query, after, rows, signal), [text, after]);
    useEffect(() => setHeld({ text, marks: [] }), [text]);
    return { ...loaded, items: loaded.data?.items ?? [], marks, setMarks: (list) => setHeld({ text, marks: list }) };
}

export function Pager<T>({ pages }: { pages: Pages<T> }) {
    const next = pages.data?.next ?? null;
    if (pages.marks.length === 0 && !next) {
        return null;
    }
    return (
        <nav class="pager" aria-label="Pages">
            <Button isDisabled={pages.marks.length === 0} onClick={() => pages.setMarks([])}>
                First
            </Button>
            <Button isDisabled={pages.marks.length === 0} onClick={() => pages.setMarks(pages.marks.slice(0, -1))}>
                Previous
            </Button>
            <span class="muted">Page {pages.marks.length + 1}</span>
            <Button isDisabled={!next} onClick={() => next && pages.setMarks([...pages.marks, next])}>
                Next
            </Button>
        </nav>
    );
}
