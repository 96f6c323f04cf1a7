/* unreached: the answers that cannot be made at a healthy server with one key, and why. An entry that is not needed any
 * more is a failure, too. */

export const UNREACHED = [
    { answers: / 403$/, why: "there are no keys that may do less than everything" },
];

/** Of "operation status". */
export function isUnreached(answer) {
    return UNREACHED.some(({ answers }) => answers.test(answer));
}
