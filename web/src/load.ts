/* load: what a page shows, read when it opens and again when told.
 *
 *     const stats = useLoad((signal) => get<Stats>("/v1/stats", {}, signal), []);
 *     useEvery(5000, stats.reload);
 *
 * Rules: (1) what was read stays on show while it is read again, also where that fails (error says so).
 *        (2) an answer that comes after its question has changed is dropped.
 *        (3) being told to read again does not cut off a read that goes on: another follows it. So a page comes to its
 *            answer however often it is told, and however slow the server is.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "./api";

const ANSWER_MS_MAX = 30_000;

export interface Loaded<T> {
    data: T | undefined;
    error: unknown;
    isLoading: boolean;
    reload: () => void;
}

interface State<T> {
    data: T | undefined;
    error: unknown;
    isLoading: boolean;
}

/* One read, which ends: with an answer, an error, or because the time for it is over. */
async function within<T>(own: AbortController, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
        isLate = true;
        own.abort();
    }, ANSWER_MS_MAX);
    try {
        return await read(own.signal);
    } catch (error) {
        throw isLate ? new Problem(0, "late", "The server does not answer.") : error;
    } finally {
        clearTimeout(timer);
    }
}

/** Reads now, and again where one of the deps changes (then nothing old stays on show) or reload is called. */
export function useLoad<T>(read: (signal: AbortSignal) => Promise<T>, deps: unknown[]): Loaded<T> {
    const [state, setState] = useState<State<T>>({ data: undefined, error: undefined, isLoading: true });
    const reading = useRef<AbortController | null>(null);
    const isAgain = useRef(false);
    const latest = useRef(read);
    latest.current = read;

    const run = useCallback((isFresh: boolean) => {
        const own = new AbortController();
        reading.current = own;
        isAgain.current = false;
        setState((old) => ({ data: isFresh ? undefined : old.data, error: isFresh ? undefined : old.error, isLoading: true }));
        const end = (next: (old: State<T>) => State<T>) => {
            if (own !== reading.current) {
                return; // rule 2
            }
            reading.current = null;
            setState(next);
            if (isAgain.current) {
                run(false); // rule 3
            }
        };
        within(own, latest.current).then(
            (data) => end(() => ({ data, error: undefined, isLoading: false })),
            (error: unknown) => end((old) => ({ data: old.data, error, isLoading: false })),
        );
    }, []);
    useEffect(() => {
        run(true);
        return () => {
            reading.current?.abort();
            reading.current = null;
        };
    }, deps);
    const reload = useCallback(() => {
        if (reading.current) {
            isAgain.current = true;
        } else {
            run(false);
        }
    }, [run]);
    return { ...state, reload };
}

/** Calls run every so many milliseconds while somebody looks at the page, and when they come back to it. */
export function useEvery(ms: number, run: () => void) {
    const latest = useRef(run);
    latest.current = run;
    useEffect(() => {
        const onTick = () => {
            if (!document.hidden) {
                latest.current();
            }
        };
        const timer = setInterval(onTick, ms);
        document.addEventListener("visibilitychange", onTick);
        return () => {
            clearInterval(timer);
            document.removeEventListener("visibilitychange", onTick);
        };
    }, [ms]);
}
