/* belfry: asks the real binary, many questions at a time. The sibling of batch.py. Instants are seconds since 1970. */

import { spawnSync } from "node:child_process";

export const iso = (instant) => new Date(instant * 1000).toISOString().replace(".000Z", "Z");

/** The answers, one for each question. Throws if one is missing, or if the process ends badly. */
export function askBelfry(belfry, command, questions) {
    const input = questions.map((question) => JSON.stringify(question) + "\n").join("");
    const done = spawnSync(belfry, [command, "--batch"], { input, encoding: "utf8", maxBuffer: 1 << 30 });
    const answers = (done.stdout ?? "").split("\n").slice(0, -1);
    if (answers.length !== questions.length || done.status !== 0) {
        throw new Error(`${questions.length} lines asked, ${answers.length} answered: ${done.stderr ?? done.error}`);
    }
    return answers.map((line) => JSON.parse(line));
}

/** What a case asks of `belfry next`. */
export function question({ expr, zone, start, count }, more = {}) {
    return { expr, tz: zone, from: iso(start), count, ...more };
}

/** The fires of an answer, or undefined if it is an error. */
export function firesOf(answer) {
    return answer.next?.map((text) => Date.parse(text) / 1000);
}
