/* links: where things are, in one place. Ids and names come from outside: they are always escaped. */
import { piece } from "../api";

export const jobPath = (id: string) => `/jobs/${piece(id)}`;
export const triggerPath = (id: string) => `/triggers/${piece(id)}`;

export function JobLink({ id, name }: { id: string; name?: string }) {
    return (
        <a href={jobPath(id)} class={name && name !== id ? undefined : "mono"}>
            {name ?? id}
        </a>
    );
}

export function TriggerLink({ id }: { id: string }) {
    return (
        <a href={triggerPath(id)} class="mono">
            {id}
        </a>
    );
}
