/* peers: the npm libraries croner and cron-parser, behind one question: the next fires of a five-field expression.
 *
 * Each is a function (expr, zone, start, count) to {fires, refused}; instants are in seconds since 1970. refused is
 * what the peer complains of, at once or after the fires that it gave.
 */

import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";

export const peers = {
    croner: (expr, zone, start, count) =>
        collect((fires) => {
            const cron = new Cron(expr, { timezone: zone, paused: true, mode: "5-part" });
            fires.push(...cron.nextRuns(count, new Date(start * 1000)));
        }),
    "cron-parser": (expr, zone, start, count) =>
        collect((fires) => {
            const cron = CronExpressionParser.parse(expr, { tz: zone, currentDate: new Date(start * 1000) });
            while (fires.length < count) {
                fires.push(cron.next().toDate());
            }
        }),
};

function collect(ask) {
    const dates = [];
    let refused;
    try {
        ask(dates);
    } catch (problem) {
        refused = problem.message;
    }
    return { fires: dates.map((date) => date.getTime() / 1000), refused };
}
