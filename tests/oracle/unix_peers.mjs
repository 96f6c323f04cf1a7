/* unix_peers: Belfry's five fields against npm's croner and cron-parser.
 *
 * Random expressions in UTC, in zones, and at changes of offset. All three must agree fire by fire, or differ in a way
 * that unix_classes.mjs knows by name.
 *
 * Usage: unix_peers.mjs BELFRY    (after `npm ci` in this folder)
 */

import { askBelfry, firesOf, iso, question } from "./belfry.mjs";
import { changesBetween, offsetAt } from "./intl_zones.mjs";
import { peers } from "./peers.mjs";
import { Tap, seedFromEnvironment } from "./tap.mjs";
import { classify, equal, oddFold } from "./unix_classes.mjs";
import { DISAGREEMENTS } from "./unix_disagreements.mjs";
import { Random, unixExpression, unixExpressionNear } from "./unix_random.mjs";

const HOUR = 3600;
const [FIRST, LAST] = [Date.UTC(2010, 0, 1) / 1000, Date.UTC(2030, 0, 1) / 1000];
const [IN_UTC, IN_ZONES, AT_CHANGES] = [5000, 1500, 2500];
const STUCK_MAX = 3;
const ZONES = [
    "America/New_York",
    "Europe/Berlin",
    "Europe/Dublin",
    "Australia/Lord_Howe",
    "Australia/Sydney",
    "America/Havana",
    "America/Santiago",
    "Asia/Beirut",
    "Antarctica/Troll",
    "America/St_Johns",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Asia/Tokyo",
    "Pacific/Auckland",
    "Africa/Lagos",
];

/** cron-parser needs a second to find out that it is stuck: a few such cases show it as well as many. */
function casesFor(peer, cases, answers) {
    let stuck = 0;
    return cases
        .map((testCase, index) => ({ testCase, answer: answers[index] }))
        .filter(({ testCase, answer }) => {
            const last = firesOf(answer)?.at(-1) ?? testCase.start;
            stuck += peer === "cron-parser" && oddFold(testCase, last + 24 * HOUR) !== undefined ? 1 : 0;
            return stuck <= STUCK_MAX || oddFold(testCase, last + 24 * HOUR) === undefined;
        });
}

/** expected: the classes that so many cases cannot but show, so that an agreement which must not be is seen too. */
function checkPeer(tap, belfry, peer, name, asked, expected) {
    const counts = {};
    const complaints = [];
    for (const { testCase, answer } of asked) {
        const theirs = peers[peer](testCase.expr, testCase.zone, testCase.start, testCase.count);
        const kind = classify(belfry, peer, testCase, answer, theirs);
        counts[kind ?? "UNEXPLAINED"] = (counts[kind ?? "UNEXPLAINED"] ?? 0) + 1;
        if (kind === undefined) {
            complaints.push(`replay: ${JSON.stringify(question(testCase))}`);
            complaints.push(`${peer}: ${theirs.fires.map(iso)} ${theirs.refused ?? ""}`);
            complaints.push(`belfry: ${JSON.stringify(answer)}`);
        }
    }
    tap.note(JSON.stringify(counts));
    tap.ok(
        complaints.length === 0,
        `${name}: ${asked.length} expressions, ${peer} agrees or differs as its class says`,
        complaints,
    );
    const seen = expected.every((kind) => counts[kind] > 0);
    tap.ok(seen, `${name}: among the cases for ${peer} are ${expected.join(" and ")}`);
}

function checkCases(tap, belfry, name, cases, expected) {
    const answers = askBelfry(
        belfry,
        "next",
        cases.map((testCase) => question(testCase)),
    );
    for (const peer of Object.keys(peers)) {
        checkPeer(tap, belfry, peer, name, casesFor(peer, cases, answers), expected);
    }
}

function randomCases(random, zones, count, longest) {
    return Array.from({ length: count }, () => {
        const zone = random.pick(Object.keys(zones));
        const testCase = {
            expr: unixExpression(random),
            zone,
            start: random.int(FIRST, LAST - 400 * 86400),
            count: random.int(1, longest),
        };
        return { ...testCase, changes: zones[zone] };
    });
}

function changeCases(random, zones, count) {
    const names = Object.keys(zones).filter((name) => zones[name].length > 0);
    return Array.from({ length: count }, () => {
        const zone = random.pick(names);
        const { instant } = random.pick(zones[zone].filter((change) => change.instant < LAST - 30 * 86400));
        const hour = new Date((instant + offsetAt(zone, instant - 1)) * 1000).getUTCHours();
        const start = instant - random.int(0, 6 * HOUR);
        return { expr: unixExpressionNear(random, hour), zone, start, count: random.int(5, 30), changes: zones[zone] };
    });
}

function checkDisagreements(tap, belfry) {
    for (const [name, expr, zone, from, expected] of DISAGREEMENTS) {
        const start = Date.parse(from) / 1000;
        const count = expected.belfry.length;
        const answer = askBelfry(belfry, "next", [question({ expr, zone, start, count })])[0];
        const good = equal(answer.next ?? [], expected.belfry);
        tap.ok(good, `belfry [${expr}]: ${name}`, [JSON.stringify(answer)]);
        for (const [peer, ask] of Object.entries(peers)) {
            const fires = ask(expr, zone, start, count).fires.map(iso);
            tap.ok(equal(fires, expected[peer] ?? expected.belfry), `${peer} [${expr}]: ${name}`, [fires.join(" ")]);
        }
    }
}

/** {zone: changes} for the zones about which Node's tzdata and Belfry agree: the test is not about tzdata. */
function zonesKnownAlike(tap, belfry) {
    const alike = {};
    for (const zone of ZONES) {
        const changes = changesBetween(zone, FIRST, LAST);
        const instants = [FIRST, LAST, ...changes.flatMap(({ instant }) => [instant - 1, instant])];
        const answers = askBelfry(
            belfry,
            "zone",
            instants.map((instant) => ({ zone, utc: iso(instant) })),
        );
        if (answers.every((answer, index) => answer.offset === offsetAt(zone, instants[index]))) {
            alike[zone] = changes;
        } else {
            tap.note(`Node's tzdata differs in ${zone}, left out`);
        }
    }
    tap.ok(Object.keys(alike).length * 2 > ZONES.length, "Node and Belfry know most zones alike");
    return alike;
}

function main(belfry) {
    const tap = new Tap();
    const seed = seedFromEnvironment();
    tap.note(`seed ${seed}, Node ${process.version}`);
    const random = new Random(seed);
    checkDisagreements(tap, belfry);
    const zones = zonesKnownAlike(tap, belfry);
    checkCases(tap, belfry, "in UTC", randomCases(random, { UTC: [] }, IN_UTC, 10), ["same", "star day"]);
    checkCases(tap, belfry, "in zones", randomCases(random, zones, IN_ZONES, 6), ["same", "star day"]);
    checkCases(tap, belfry, "at changes of offset", changeCases(random, zones, AT_CHANGES), ["same", "change"]);
    tap.done();
}

main(process.argv[2]);
