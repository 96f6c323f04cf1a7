/* status: how something stands, by colour, shape and word, so that none of them is needed alone. */

type Tone = "ok" | "bad" | "warn" | "busy" | "calm" | "off";

interface Look {
    tone: Tone;
    shape: keyof typeof SHAPES;
    word?: string;
}

const SHAPES = {
    check: <path d="M2.5 6.5l2.5 2.5 4.5-6" fill="none" stroke="currentColor" stroke-width="2" />,
    cross: <path d="M3 3l6 6M9 3l-6 6" fill="none" stroke="currentColor" stroke-width="2" />,
    ring: <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="1.8" />,
    dot: <circle cx="6" cy="6" r="4" fill="currentColor" />,
    play: <path d="M3.5 2v8l6.5-4z" fill="currentColor" />,
    pause: <path d="M3 2.5h2v7H3zM7 2.5h2v7H7z" fill="currentColor" />,
    square: <path d="M2.5 2.5h7v7h-7z" fill="currentColor" />,
    diamond: <path d="M6 1.5L10.5 6 6 10.5 1.5 6z" fill="none" stroke="currentColor" stroke-width="1.6" />,
    triangle: <path d="M6 1.5L11 10.5H1z" fill="currentColor" />,
    clock: <path d="M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM6 3.5V6l2 1.2" fill="none" stroke="currentColor" stroke-width="1.5" />,
    back: <path d="M5 3L2 6l3 3M2 6h8" fill="none" stroke="currentColor" stroke-width="1.7" />,
    skip: <path d="M2 2.5L6 6 2 9.5zM7 2.5h2v7H7z" fill="currentColor" />,
};

const LOOKS: Record<string, Look> = {
    active: { tone: "ok", shape: "dot" },
    paused: { tone: "warn", shape: "pause" },
    cancelled: { tone: "off", shape: "square" },
    completed: { tone: "off", shape: "check" },
    waiting: { tone: "calm", shape: "diamond" },
    pending: { tone: "calm", shape: "ring" },
    due: { tone: "calm", shape: "clock" },
    running: { tone: "busy", shape: "play" },
    started: { tone: "busy", shape: "play", word: "running" },
    succeeded: { tone: "ok", shape: "check" },
    failed: { tone: "bad", shape: "cross" },
    dead: { tone: "bad", shape: "triangle" },
    timed_out: { tone: "bad", shape: "clock", word: "timed out" },
    lost: { tone: "bad", shape: "diamond" },
    released: { tone: "off", shape: "back" },
    skipped: { tone: "warn", shape: "skip" },
    none: { tone: "off", shape: "ring", word: "not yet" },
    ok: { tone: "ok", shape: "check" },
    warning: { tone: "warn", shape: "triangle" },
    critical: { tone: "bad", shape: "triangle" },
    unknown: { tone: "off", shape: "diamond" },
    closed: { tone: "ok", shape: "dot" },
    open: { tone: "bad", shape: "triangle" },
    half_open: { tone: "warn", shape: "diamond", word: "half open" },
    draining: { tone: "warn", shape: "back" },
};

function lookOf(status: string): Look {
    return LOOKS[status] ?? { tone: "off", shape: "ring" };
}

export function toneOf(status: string): Tone {
    return lookOf(status).tone;
}

export function wordOf(status: string): string {
    return lookOf(status).word ?? status.replace(/_/g, " ");
}

/** Shape alone, for dense grids; its word is read out and shown as a title. */
export function Shape({ status }: { status: string }) {
    const look = lookOf(status);
    return (
        <svg class={`shape tone-${look.tone}`} viewBox="0 0 12 12" aria-hidden="true">
            {SHAPES[look.shape]}
        </svg>
    );
}

export function Status({ status, word }: { status: string; word?: string }) {
    return (
        <span class={`status tone-${toneOf(status)}`}>
            <Shape status={status} />
            {word ?? wordOf(status)}
        </span>
    );
}
