/* tap: says how a test went, in the lines that meson's TAP harness counts. The sibling of tap.py. */

const SEED_DEFAULT = 20260408;
const COMPLAINTS_MAX = 12; // lines shown per failed test

/** BELFRY_TEST_SEED, or the fixed default, so that two runs without it are the same run. */
export function seedFromEnvironment() {
    return Number(process.env.BELFRY_TEST_SEED ?? SEED_DEFAULT) >>> 0;
}

export class Tap {
    count = 0;
    failed = 0;

    note(text) {
        for (const line of String(text).split("\n")) {
            console.log(`# ${line}`);
        }
    }

    /** One test. complaints are lines for the reader of a failure. */
    ok(good, name, complaints = []) {
        this.count += 1;
        this.failed += good ? 0 : 1;
        console.log(`${good ? "ok" : "not ok"} ${this.count} - ${name.replaceAll("#", "nth")}`);
        if (!good) {
            complaints.slice(0, COMPLAINTS_MAX).forEach((line) => this.note(line));
            if (complaints.length > COMPLAINTS_MAX) {
                this.note(`and ${complaints.length - COMPLAINTS_MAX} more lines`);
            }
        }
    }

    done() {
        console.log(`1..${this.count}`);
        process.exitCode = this.failed > 0 ? 1 : 0;
    }
}
