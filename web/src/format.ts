/* format: numbers, lengths of time and instants as people read them. Pure. */

const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** 1,234 and 12.3K. */
export function count(value: number | null | undefined): string {
    if (value === null || value === undefined) {
        return "–";
    }
    return Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value);
}

export function exactCount(value: number): string {
    return whole.format(value);
}

/** 98.2 %, and never 100 % of what is not all. */
export function share(value: number | null | undefined): string {
    if (value === null || value === undefined) {
        return "–";
    }
    if (value >= 1 || value <= 0) {
        return `${Math.round(value * 100)} %`;
    }
    return `${Math.min(99.99, Math.max(0.01, value * 100)).toFixed(value > 0.999 || value < 0.001 ? 2 : 1)} %`;
}

/** 12 ms, 1.25 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function lengthOf(ms: number | null | undefined): string {
    if (ms === null || ms === undefined) {
        return "–";
    }
    if (ms < 1000) {
        return `${Math.round(ms)} ms`;
    }
    if (ms < 10_000) {
        return `${(ms / 1000).toFixed(2).replace(/\.?0+$/, "")} s`;
    }
    const seconds = Math.round(ms / 1000);
    return twoParts(seconds);
}

function twoParts(seconds: number): string {
    const units: [string, number][] = [
        ["d", 86_400],
        ["h", 3600],
        ["min", 60],
        ["s", 1],
    ];
    const first = units.findIndex(([, size]) => seconds >= size);
    const [name, size] = units[first] ?? ["s", 1];
    const [nextName, nextSize] = units[first + 1] ?? ["", 0];
    const rest = nextSize > 0 ? Math.floor((seconds % size) / nextSize) : 0;
    return `${Math.floor(seconds / size)} ${name}${rest > 0 ? ` ${rest} ${nextName}` : ""}`;
}

/** One unit, below ten hours two: 5 s, 3 min, 2 h 5 min, 14 h, 4 d. */
function roughly(ms: number): string {
    const seconds = Math.floor(ms / 1000);
    if (seconds < 60) {
        return `${seconds} s`;
    }
    if (seconds < 3600) {
        return `${Math.floor(seconds / 60)} min`;
    }
    if (seconds < 36_000) {
        return twoParts(seconds);
    }
    return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** in 5 min, 3 s ago. */
export function relative(instantMs: number, nowMs: number): string {
    const distance = instantMs - nowMs;
    if (Math.abs(distance) < 1000) {
        return "now";
    }
    return distance > 0 ? `in ${roughly(distance)}` : `${roughly(-distance)} ago`;
}

/** 14:03:05 today, 8 Apr 2026 14:03:05 otherwise; the reader's own time zone. */
export function instant(value: string | number, nowMs = Date.now()): string {
    const date = new Date(value);
    const isToday = day.format(date) === day.format(nowMs);
    return isToday ? clock.format(date) : `${day.format(date)} ${clock.format(date)}`;
}

/** Both zones in full, for a title. */
export function instantInFull(value: string | number): string {
    const date = new Date(value);
    return `${day.format(date)} ${clock.format(date)} here, ${date.toISOString()}`;
}

/** 1 job, 2 jobs. */
export function plural(number: number, one: string, many = `${one}s`): string {
    return `${count(number)} ${number === 1 ? one : many}`;
}
