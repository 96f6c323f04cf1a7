/* time: instants and lengths of time that tick. */
import { instant, instantInFull, lengthOf, relative } from "../format";
import { now } from "../ticking";

/** "5 s ago", with the instant in full as its title. */
export function Ago({ at, none = "never" }: { at: string | null | undefined; none?: string }) {
    if (!at) {
        return <span class="muted">{none}</span>;
    }
    return (
        <time dateTime={at} title={instantInFull(at)} class="nowrap">
            {relative(Date.parse(at), now.value)}
        </time>
    );
}

/** The instant itself, in the reader's time zone. */
export function At({ at, none = "–" }: { at: string | null | undefined; none?: string }) {
    if (!at) {
        return <span class="muted">{none}</span>;
    }
    return (
        <time dateTime={at} title={instantInFull(at)} class="nowrap">
            {instant(at)}
        </time>
    );
}

/** How long it has been going on. */
export function Since({ at }: { at: string }) {
    return <span>{lengthOf(Math.max(0, now.value - Date.parse(at)))}</span>;
}
