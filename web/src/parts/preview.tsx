/* preview: what a cron expression means, while it is typed: plain English, the next fires, what may not be meant. */
import { useEffect, useState } from "preact/hooks";
import type { Preview, PreviewRequest } from "../../generated/schema";
import { messageOf, post, Problem, sentence } from "../api";
import { Fires } from "./fires";
import { Status } from "./status";

const SETTLE_MS = 250;

interface State {
    preview: Preview | null;
    error: string;
    field: string;
}

/** The preview of the request, a moment after its last change; null: there is nothing to preview. */
export function usePreview(request: PreviewRequest | null): State {
    const [state, setState] = useState<State>({ preview: null, error: "", field: "" });
    const text = JSON.stringify(request);
    useEffect(() => {
        if (!request || request.cron.trim() === "") {
            setState({ preview: null, error: "", field: "" });
            return;
        }
        const own = new AbortController();
        const timer = setTimeout(() => {
            post<Preview>("/v1/schedules/preview", request, { signal: own.signal }).then(
                (preview) => setState({ preview, error: "", field: "" }),
                (error: unknown) => {
                    if (!own.signal.aborted) {
                        const field = error instanceof Problem ? (error.field ?? "cron") : "cron";
                        setState((old) => ({ preview: old.preview, error: messageOf(error), field }));
                    }
                },
            );
        }, SETTLE_MS);
        return () => {
            clearTimeout(timer);
            own.abort();
        };
    }, [text]);
    return state;
}

export function PreviewView({ state }: { state: State }) {
    const { preview, error } = state;
    if (!preview) {
        return null;
    }
    return (
        <div class={error ? "preview preview-old" : "preview"} aria-live="polite">
            <p class="described">{sentence(preview.description)}</p>
            {preview.warnings.map((warning) => (
                <p key={warning.code + warning.detail} class="preview-warning">
                    <Status status="warning" word={sentence(warning.detail)} />
                </p>
            ))}
            <Fires fires={preview.fires} />
        </div>
    );
}
