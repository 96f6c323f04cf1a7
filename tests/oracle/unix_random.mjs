/* unix_random: random valid five-field expressions from a seed. Written apart from generate.py, so that a blind spot of
 * one is not a blind spot of both. */

import { hasDuplicates } from "./unix_shape.mjs";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** A small seeded generator (mulberry32). */
export class Random {
    constructor(seed) {
        this.state = seed >>> 0;
    }

    real() {
        this.state = (this.state + 0x6d2b79f5) >>> 0;
        let mixed = this.state;
        mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    }

    /** A whole number of low..high, both included. */
    int(low, high) {
        return low + Math.floor(this.real() * (high - low + 1));
    }

    pick(list) {
        return list[this.int(0, list.length - 1)];
    }

    chance(probability) {
        return this.real() < probability;
    }
}

function spelled(random, value, names, namesFrom) {
    if (names.length === 0 || value - namesFrom >= names.length || random.chance(0.6)) {
        return String(value);
    }
    const name = names[value - namesFrom];
    return random.pick([name, name.toUpperCase()]);
}

function item(random, low, high, names, namesFrom) {
    const spell = (value) => spelled(random, value, names, namesFrom);
    const first = random.int(low, high);
    if (random.chance(0.5)) {
        return spell(first);
    }
    const range = `${spell(first)}-${spell(random.int(first, high))}`;
    return random.chance(0.5) ? range : `${range}/${random.int(1, high + 2)}`;
}

function field(random, star, low, high, names = [], namesFrom = 0) {
    if (random.chance(star)) {
        return "*";
    }
    if (random.chance(0.2)) {
        return `*/${random.int(1, high + 2)}`;
    }
    const items = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => item(random, low, high, names, namesFrom));
    if (random.chance(0.02)) {
        items.splice(random.int(0, items.length), 0, "*");
    }
    return items.join(",");
}

function anyExpression(random) {
    return [
        field(random, 0.2, 0, 59),
        field(random, 0.3, 0, 23),
        field(random, 0.6, 1, 31),
        field(random, 0.7, 1, 12, MONTHS, 1),
        field(random, 0.6, 0, 7, WEEKDAYS, 0),
    ].join(" ");
}

/** Values named twice are allowed, but cron-parser will not hear of them, so they are kept rare. */
function mostlyWithoutDuplicates(random, make) {
    const mayRepeat = random.chance(0.05);
    for (;;) {
        const expr = make();
        if (mayRepeat || !hasDuplicates(expr)) {
            return expr;
        }
    }
}

/** Anything. */
export function unixExpression(random) {
    return mostlyWithoutDuplicates(random, () => anyExpression(random));
}

/** Something that fires on any day, often in the hours around `hour`. */
export function unixExpressionNear(random, hour) {
    return mostlyWithoutDuplicates(random, () => {
        const near = () => (hour + random.int(-1, 1) + 24) % 24;
        const wide = ["*", "*/2", "0-23", "0-23/3", field(random, 0, 0, 23)];
        const hours = random.pick([`${near()}`, `${near()},${near()}`, ...wide]);
        const minutes = random.pick(["*/15", "*/20", "0", "30", "15,45", "0-59/10", field(random, 0.1, 0, 59)]);
        return `${minutes} ${hours} * * *`;
    });
}
