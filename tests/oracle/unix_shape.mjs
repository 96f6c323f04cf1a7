/* unix_shape: what can be told of a valid five-field expression by looking at its text. */

const FIELDS = [
    [0, 59],
    [0, 23],
    [1, 31],
    [1, 12],
    [0, 6],
];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTH = 3;
const WEEKDAY = 4;
const LONGEST_STEPS = [60, 24, 31, 12, 7]; // what croner takes

function numberOf(text, index) {
    if (/^[0-9]+$/.test(text)) {
        return Number(text);
    }
    return index === MONTH ? MONTHS.indexOf(text.toLowerCase()) + 1 : WEEKDAYS.indexOf(text.toLowerCase());
}

/** The values of one item of a list, Sunday as 0; an item names no value twice, except that 0-7 names Sunday twice. */
function valuesOf(item, index) {
    const [span, step] = item.split("/");
    const [first, last] = span.split("-");
    const [low, high] = span === "*" ? FIELDS[index] : [numberOf(first, index), numberOf(last ?? first, index)];
    const values = [];
    for (let value = low; value <= high; value += Number(step ?? 1)) {
        values.push(index === WEEKDAY ? value % 7 : value);
    }
    return values;
}

/** Does a field name a value twice? */
export function hasDuplicates(expr) {
    return expr.split(" ").some((text, index) => {
        const values = text.split(",").flatMap((item) => valuesOf(item, index));
        return new Set(values).size < values.length;
    });
}

/** Is a step longer than its field? */
export function hasLongStep(expr) {
    const long = (item, index) => item.includes("/") && Number(item.split("/")[1]) > LONGEST_STEPS[index];
    return expr.split(" ").some((text, index) => text.split(",").some((item) => long(item, index)));
}

/** Does a day field begin with a star and go on, beside one that is not a star alone? */
export function hasDayStar(expr) {
    const [, , dom, , dow] = expr.split(" ");
    const starred = (text) => text.startsWith("*") && text !== "*";
    return (starred(dom) && dow !== "*") || (starred(dow) && dom !== "*");
}

/** The expression with such stars spelled as ranges, so that they no longer begin the field. */
export function withoutDayStars(expr) {
    const [minute, hour, dom, month, dow] = expr.split(" ");
    const spell = (text, range) => (text === "*" ? text : text.replace(/^\*/, range));
    return [minute, hour, spell(dom, "1-31"), month, spell(dow, "0-6")].join(" ");
}

/** The expression with ranges that end on `sun` spelled as ending on 7. */
export function withSundayLast(expr) {
    const [minute, hour, dom, month, dow] = expr.split(" ");
    return [minute, hour, dom, month, dow.replaceAll(/-sun/gi, "-7")].join(" ");
}

/** Is the day of the month restricted, with a day among its values that some months do not have? */
export function hasLateDay(expr) {
    const dom = expr.split(" ")[2];
    return dom !== "*" && dom.split(",").some((item) => valuesOf(item, 2).some((day) => day > 28));
}

/** The expression as one of fixed times: no star begins its minute or hour. */
export function withFixedTimes(expr) {
    const [minute, hour, ...days] = expr.split(" ");
    return [minute.replace(/^\*/, "0-59"), hour.replace(/^\*/, "0-23"), ...days].join(" ");
}
