/* ticking: the present, to the second, for everything that says "5 s ago". Corrected by what the server's clock says. */
import { signal } from "@preact/signals";

const offsetMs = signal(0);

export const now = signal(Date.now());

/** The server's answer says what time it is there. */
export function learnTime(serverInstant: string) {
    offsetMs.value = Date.parse(serverInstant) - Date.now();
}

export function startTicking() {
    setInterval(() => {
        if (!document.hidden) {
            now.value = Date.now() + offsetMs.value;
        }
    }, 1000);
}
