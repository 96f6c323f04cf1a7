/* live: the server's events, as they become durable.
 *
 *     useLive({ job: id }, job.reload);
 *
 * fetch and not EventSource, which cannot send a token. A lost connection comes back by itself, later and later up to
 * 30 s, and goes on behind the last event that was seen.
 *
 * Rules: (1) told is called at most once in every_ms, with what came since; with nothing where events were missed.
 *        (2) nobody is told while the page is hidden; when it is seen again they are told once.
 */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Event as BelfryEvent, EventKind } from "../generated/schema";
import { authorization, urlOf } from "./api";
import { session } from "./session";

export interface LiveQuery {
    tenant?: string;
    type?: string;
    pool?: string;
    job?: string;
    event?: EventKind[];
}

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 30_000;
const TOLD_MAX = 1000;

/** How the page's stream is: none (the page has none), live, or lost (and tried again). */
export const liveness = signal<"none" | "live" | "lost">("none");

class Stream {
    private stopped = new AbortController();
    private lastId = "";
    private backoffMs = BACKOFF_FIRST_MS;

    constructor(
        private readonly query: LiveQuery,
        private readonly onEvent: (event: BelfryEvent) => void,
        private readonly onMissed: () => void,
    ) {
        void this.run();
    }

    stop() {
        this.stopped.abort();
        liveness.value = "none";
    }

    private async run() {
        let isFirst = true;
        while (!this.stopped.signal.aborted) {
            try {
                await this.connect(isFirst);
            } catch {
                // whatever it was, the next try will tell
            }
            isFirst = false;
            if (this.stopped.signal.aborted || session.value === "out") {
                return;
            }
            liveness.value = "lost";
            await this.pause();
        }
    }

    private pause() {
        const ms = this.backoffMs * (0.5 + Math.random() / 2);
        this.backoffMs = Math.min(this.backoffMs * 2, BACKOFF_MAX_MS);
        return new Promise((resolve) => setTimeout(resolve, ms));
    }

    private async connect(isFirst: boolean) {
        const headers: Record<string, string> = { ...authorization(), Accept: "text/event-stream" };
        if (this.lastId !== "") {
            headers["Last-Event-ID"] = this.lastId;
        }
        const { event, ...rest } = this.query;
        const url = urlOf("/v1/events", { ...rest, event: event?.join(",") });
        const options: RequestInit = { headers, cache: "no-store", credentials: "omit", signal: this.stopped.signal };
        const response = await fetch(url, options);
        if (response.status >= 400 && response.status < 500) {
            this.stop(); // a filter that is not good will not be better next time; the page's own calls say so
        }
        if (!response.ok || !response.body) {
            return;
        }
        liveness.value = "live";
        if (!isFirst && this.lastId === "") {
            this.onMissed();
        }
        await this.read(response.body);
    }

    private async read(body: ReadableStream<Uint8Array>) {
        const reader = body.getReader();
        const decoder = new TextDecoder();
        let text = "";
        for (;;) {
            const { done, value } = await reader.read();
            if (done) {
                return;
            }
            this.backoffMs = BACKOFF_FIRST_MS;
            text += decoder.decode(value, { stream: true });
            const blocks = text.split("\n\n");
            text = blocks.pop() ?? "";
            blocks.forEach((block) => this.take(block));
        }
    }

    private take(block: string) {
        let data = "";
        for (const line of block.split("\n")) {
            if (line.startsWith("id:")) {
                this.lastId = line.slice(3).trim();
            } else if (line.startsWith("data:")) {
                data += line.slice(5).trim();
            }
        }
        if (data === "") {
            return;
        }
        const event = JSON.parse(data) as BelfryEvent;
        if (event.event === "gap") {
            this.onMissed();
        } else {
            this.onEvent(event);
        }
    }
}

/** Tells of events that fit the query; null: none. */
export function useLive(query: LiveQuery | null, told: (events: BelfryEvent[]) => void, everyMs = 1000) {
    const latest = useRef(told);
    latest.current = told;
    useEffect(() => {
        if (!query) {
            return;
        }
        let waiting: BelfryEvent[] = [];
        let isMissed = false;
        let isDue = false;
        let timer = 0;
        const tell = () => {
            timer = 0;
            if (isDue && !document.hidden) {
                const events = isMissed ? [] : waiting;
                waiting = [];
                isMissed = false;
                isDue = false;
                latest.current(events);
            }
        };
        const due = () => {
            isDue = true;
            timer ||= window.setTimeout(tell, everyMs);
        };
        const stream = new Stream(
            query,
            (event) => {
                if (waiting.length < TOLD_MAX) {
                    waiting.push(event);
                } else {
                    isMissed = true;
                }
                due();
            },
            () => {
                isMissed = true;
                due();
            },
        );
        document.addEventListener("visibilitychange", tell);
        return () => {
            stream.stop();
            clearTimeout(timer);
            document.removeEventListener("visibilitychange", tell);
        };
    }, [JSON.stringify(query), everyMs]);
}
