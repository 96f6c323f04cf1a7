/* bulk: the same thing done to many, a few at a time, and what became of it in a sentence. */
import { messageOf } from "./api";
import { plural } from "./format";
import { toast } from "./parts/toast";

const AT_ONCE = 4;

export interface Outcome {
    done: number;
    failed: [key: string, why: string][];
}

export async function forEach(keys: string[], run: (key: string) => Promise<unknown>): Promise<Outcome> {
    const outcome: Outcome = { done: 0, failed: [] };
    const waiting = [...keys];
    const worker = async () => {
        for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
            try {
                await run(key);
                outcome.done += 1;
            } catch (error) {
                outcome.failed.push([key, messageOf(error)]);
            }
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return outcome;
}

/** "3 jobs paused." and, where some were not, why the first was not. */
export function tell(outcome: Outcome, one: string, did: string) {
    if (outcome.done > 0) {
        toast(`${plural(outcome.done, one)} ${did}.`);
    }
    const [first] = outcome.failed;
    if (first) {
        toast(`${plural(outcome.failed.length, one)} not ${did}: ${first[1]}`, "bad");
    }
}
