/* intl_zones: what Node's own tzdata (Intl) says of zones: the tzdata that the peers use. */

const formats = new Map();

function format(zone) {
    if (!formats.has(zone)) {
        const numeric = {
            year: "numeric",
            month: "numeric",
            day: "numeric",
            hour: "numeric",
            minute: "numeric",
            second: "numeric",
        };
        formats.set(zone, new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...numeric }));
    }
    return formats.get(zone);
}

/** Seconds that `zone` is ahead of UTC at an instant in seconds since 1970. */
export function offsetAt(zone, instant) {
    const parts = {};
    for (const { type, value } of format(zone).formatToParts(instant * 1000)) {
        parts[type] = Number(value);
    }
    const local = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
    return local / 1000 - instant;
}

/** [{instant, length, even}] of the changes of offset between two instants. The length is negative for a fold; a change
 *  is even if it moves the clock by an hour or two, from one full hour to another. */
export function changesBetween(zone, first, last) {
    const found = [];
    for (let low = first; low < last; low += 7 * 86400) {
        let [before, after] = [low, Math.min(last, low + 7 * 86400)];
        const [offset, later] = [offsetAt(zone, before), offsetAt(zone, after)];
        if (offset === later) {
            continue;
        }
        while (after - before > 1) {
            const middle = Math.floor((before + after) / 2);
            [before, after] = offsetAt(zone, middle) === offset ? [middle, after] : [before, middle];
        }
        const even = (later - offset) % 3600 === 0 && (after + offset) % 3600 === 0;
        found.push({ instant: after, length: later - offset, even });
    }
    return found;
}
