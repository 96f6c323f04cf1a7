/* unix_classes: the ways in which Belfry may differ from croner and cron-parser, by name.
 *
 * A difference must be of a class, and the class is checked, never assumed. In each Belfry follows the contract, which
 * is Debian's cron. unix_disagreements.mjs has readable examples.
 *
 *   star day     A day field with a step from a star, beside a restricted one: Debian's cron wants both to match, the
 *                peers either. Checked: the peer's fires are what Belfry gives when the star is spelled as a range.
 *   change       Within one length of a gap or fold the peers have rules of their own (brute.py judges Belfry's
 *                exactly). Checked: outside that stretch the fires are equal, and inside it the peer's are among those
 *                that Belfry gives under some policy.
 *   not an hour  cron-parser takes every gap for one of an hour that begins on the hour. Checked: as `change`, with an
 *                hour more on either side; each fire of its own is one of Belfry's moved by an hour, or by the hour in
 *                place of the gap's length.
 *   stuck        cron-parser gives up at a fold of half an hour, or off the hour. Checked: up to there its fires are
 *                Belfry's.
 *   short month  croner loses the first days of a month after it looked in vain for a late day in the shorter one
 *                before. Checked: nothing else is lost, and nothing is added.
 *   sun          croner takes a range that ends on `sun` to end on 7. Checked: so spelled, Belfry gives its fires.
 *   long step    croner refuses a step longer than its field. Checked: there is one, and that is what it says.
 *   duplicates   cron-parser refuses a field that names a value twice. Checked likewise.
 *   never        What can never fire: Belfry refuses it and says so, the peers give nothing.
 */

import { askBelfry, firesOf, question } from "./belfry.mjs";
import { offsetAt } from "./intl_zones.mjs";
import * as shape from "./unix_shape.mjs";

const HOUR = 3600;

/** The first fold after the start that is not even, if there is one before `until`. */
export function oddFold({ start, changes }, until) {
    return changes.find(({ instant, length, even }) => start < instant && instant <= until && length < 0 && !even);
}

function refusal(peer, testCase, ours, theirs) {
    const { expr } = testCase;
    if (peer === "croner" && shape.hasLongStep(expr) && /steps cannot be greater/.test(theirs.refused)) {
        return "long step";
    }
    if (peer === "cron-parser" && shape.hasDuplicates(expr) && /duplicate values found/.test(theirs.refused)) {
        return "duplicates";
    }
    const fold = oddFold(testCase, Infinity);
    if (peer === "cron-parser" && fold !== undefined && /loop limit exceeded/.test(theirs.refused)) {
        const before = ours.filter((instant) => instant < fold.instant + fold.length);
        return equal(before, theirs.fires) ? "stuck" : undefined;
    }
    return undefined;
}

/** The fires up to where both lists are complete. */
function cut(testCase, theirs, ours) {
    const ends = [theirs, ours].filter((fires) => fires.length >= testCase.count).map((fires) => fires.at(-1));
    const until = Math.min(...ends, Infinity);
    return [theirs, ours].map((fires) => fires.filter((instant) => instant <= until));
}

export const equal = (one, other) => one.length === other.length && one.every((value, index) => value === other[index]);

/** Everything that Belfry fires at under any policy. */
function possible(belfry, testCase) {
    const fixed = { ...testCase, expr: shape.withFixedTimes(testCase.expr), count: testCase.count * 3 };
    const questions = ["after", "shift"].map((gap) => question(fixed, { gap, fold: "both" }));
    return new Set(askBelfry(belfry, "next", questions).flatMap((answer) => firesOf(answer) ?? []));
}

/** Are the peer's fires Belfry's but for some on the first days of a month, no later than the one before was short? */
function losesDaysAfterShortMonth(testCase, mine, other) {
    const overflow = (instant) => {
        const local = new Date((instant + offsetAt(testCase.zone, instant)) * 1000);
        const daysBefore = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), 0)).getUTCDate();
        return local.getUTCDate() <= 31 - daysBefore;
    };
    const lost = mine.filter((instant) => !other.includes(instant));
    return other.every((instant) => mine.includes(instant)) && lost.every(overflow);
}

/** Outside the stretches around changes the fires are equal; inside them each of the peer's is allowed. */
function differsOnlyNear(changes, margin, mine, other, isAllowed) {
    const near = (instant) =>
        changes.find((change) => Math.abs(instant - change.instant) <= Math.abs(change.length) + margin);
    const outside = (fires) => fires.filter((instant) => near(instant) === undefined);
    const inside = other.filter((instant) => near(instant) !== undefined);
    return equal(outside(mine), outside(other)) && inside.every((instant) => isAllowed(instant, near(instant)));
}

function changeClass(belfry, peer, { changes, ...testCase }, mine, other) {
    const allowed = possible(belfry, testCase);
    if (differsOnlyNear(changes, 0, mine, other, (instant) => allowed.has(instant))) {
        return "change";
    }
    const gaps = changes.filter(({ length, even }) => length > 0 && (length !== HOUR || !even));
    const moved = (instant, { length }) => [0, length - HOUR, -HOUR].some((by) => allowed.has(instant + by));
    return peer === "cron-parser" && differsOnlyNear(gaps, HOUR, mine, other, moved) ? "not an hour" : undefined;
}

/** Does Belfry give the peer's fires for another spelling of the expression? */
function sameWhenSpelled(belfry, testCase, expr, theirs) {
    const answer = askBelfry(belfry, "next", [question({ ...testCase, expr })])[0];
    return equal(...cut(testCase, theirs.fires, firesOf(answer) ?? []));
}

/** The name of the class that a case belongs to, "same" if there is no difference, undefined if it is of no class. */
export function classify(belfry, peer, testCase, answer, theirs) {
    const ours = firesOf(answer);
    if (ours === undefined) {
        return theirs.fires.length === 0 && /never/.test(answer.error) ? "never" : undefined;
    }
    if (theirs.refused !== undefined) {
        return refusal(peer, testCase, ours, theirs);
    }
    const [other, mine] = cut(testCase, theirs.fires, ours);
    const { expr } = testCase;
    if (equal(mine, other)) {
        return "same";
    }
    if (shape.hasDayStar(expr) && sameWhenSpelled(belfry, testCase, shape.withoutDayStars(expr), theirs)) {
        return "star day";
    }
    if (peer === "croner" && shape.withSundayLast(expr) !== expr) {
        return sameWhenSpelled(belfry, testCase, shape.withSundayLast(shape.withoutDayStars(expr)), theirs)
            ? "sun"
            : undefined;
    }
    if (peer === "croner" && shape.hasLateDay(expr) && losesDaysAfterShortMonth(testCase, mine, other)) {
        return "short month";
    }
    return changeClass(belfry, peer, testCase, mine, other);
}
