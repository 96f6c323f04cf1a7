/* states: what is shown where there is nothing to show, not yet or not at all. */
import type { ComponentChildren } from "preact";
import { messageOf } from "../api";
import type { Loaded } from "../load";
import { Button } from "./button";

export function Loading({ what = "Loading" }: { what?: string }) {
    return (
        <div class="state" role="status">
            <span class="spinner" aria-hidden="true" /> {what}…
        </div>
    );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
    return (
        <div class="state">
            <p class="state-title">{title}</p>
            {children}
        </div>
    );
}

export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
    return (
        <div class="state state-bad" role="alert">
            <p>{messageOf(error)}</p>
            {retry && <Button onClick={retry}>Try again</Button>}
        </div>
    );
}

interface ShowProps<T> {
    from: Loaded<T>;
    /** What is said while it is read for the first time. */
    what?: string;
    children: (data: T) => ComponentChildren;
}

/** What was read, or why it is not there. Old data stays on show under a line that says so. */
export function Show<T>({ from, what, children }: ShowProps<T>) {
    if (from.data === undefined) {
        return from.error ? <Failed error={from.error} retry={from.reload} /> : <Loading what={what} />;
    }
    return (
        <>
            {from.error !== undefined && (
                <p class="notice notice-warn" role="alert">
                    {messageOf(from.error)} What you see is older.
                </p>
            )}
            {children(from.data)}
        </>
    );
}
