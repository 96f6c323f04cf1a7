/* load: what a page shows, read when it opens and again when told.
 *
 *     const stats = useLoad((signal) => get<Stats>("/v1/stats", {}, signal), []);
 *     useEvery(5000, stats.reload);
 *
 * Rules: (1) what was read stays on show while it is read again, also where that fails (error says so).
 *        (2) an answer that comes after its question has changed is dropped.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

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

/** Reads now, and again where one of the deps changes (then nothing old stays on show) or reload is called. */
export function useLoad<T>(read: (signal: AbortSignal) => Promise<T>, deps: unknown[]): Loaded<T> {
    const [state, setState] = useState<State<T>>({ data: undefined, error: undefined, isLoading: true });
    const reading = useRef<AbortController | null>(null);
    const latest = useRef(read);
    latest.current = read;

    const run = useCallback((isFresh: boolean) => {
        reading.current?.abort();
        const own = new AbortController();
        reading.current = own;
        setState((old) => ({ data: isFresh ? undefined : old.data, error: old.error, isLoading: true }));
        latest.current(own.signal).then(
            (data) => own === reading.current && setState({ data, error: undefined, isLoading: false }),
            (error: unknown) =>
                own === reading.current && setState((old) => ({ data: old.data, error, isLoading: false })),
        );
    }, []);
    useEffect(() => {
        run(true);
        return () => {
            reading.current?.abort();
            reading.current = null;
        };
    }, deps);
    const reload = useCallback(() => run(false), [run]);
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
