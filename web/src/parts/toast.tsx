/* toast: a sentence that says what was done or what went wrong, and goes by itself. */
import { signal } from "@preact/signals";

interface Toast {
    id: number;
    text: string;
    tone: "ok" | "bad";
}

const SHOWN_MAX = 4;
const GOOD_MS = 5000;
const BAD_MS = 12_000;

const toasts = signal<Toast[]>([]);
let lastId = 0;

function close(id: number) {
    toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function toast(text: string, tone: "ok" | "bad" = "ok") {
    const id = ++lastId;
    toasts.value = [...toasts.value.slice(1 - SHOWN_MAX), { id, text, tone }];
    setTimeout(() => close(id), tone === "ok" ? GOOD_MS : BAD_MS);
}

export function Toasts() {
    return (
        <div class="toasts" role="status" aria-live="polite">
            {toasts.value.map((one) => (
                <div key={one.id} class={`toast toast-${one.tone}`}>
                    <span>{one.text}</span>
                    <button type="button" class="toast-close" aria-label="Close" onClick={() => close(one.id)}>
                        ×
                    </button>
                </div>
            ))}
        </div>
    );
}
