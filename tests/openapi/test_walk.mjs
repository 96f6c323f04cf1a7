/* Every operation of the description, called at a real server: each answer that the file lists is made and judged.
 *
 *     test_walk.mjs BELFRY     beside a PostgreSQL server (with_postgres.py), which one of the scenarios uses
 */

import { Tap } from "../oracle/tap.mjs";
import { Server } from "./walk/server.mjs";
import { Walk } from "./walk/walk.mjs";
import { isUnreached, UNREACHED } from "./walk/unreached.mjs";

const SCENARIOS = ["refusals", "jobs", "graph", "work", "triggers", "dead", "settings", "figures", "unavailable"];

const tap = new Tap();
const server = await Server.start(process.argv[2]);
const walk = new Walk(server, tap);

for (const name of SCENARIOS) {
    try {
        const { default: scenario } = await import(`./walk/${name}.mjs`);
        await scenario(walk);
    } catch (error) {
        tap.ok(false, `${name} comes to its end`, [error.stack]);
    }
}
await server.stop();

const all = walk.all();
const missed = all.filter((answer) => !walk.seen.has(answer) && !isUnreached(answer));
const made = all.filter((answer) => walk.seen.has(answer) && isUnreached(answer));
const idle = UNREACHED.filter(({ answers }) => !all.some((answer) => answers.test(answer)));
tap.ok(missed.length === 0, `all ${all.length} answers that are described were made`, missed);
tap.ok(made.length === 0, "what was made is not said to be impossible", made);
tap.ok(idle.length === 0, "what is said to be impossible is described", idle.map(({ answers }) => String(answers)));
tap.done();
