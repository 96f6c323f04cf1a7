/* The dashboard's own arithmetic: numbers, lengths of time and JSON as it was written, without a browser.
 *
 *     node --test-reporter=tap test_pure.mjs
 */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const WEB = new URL("../../web/", import.meta.url);
const { buildSync } = createRequire(new URL("package.json", WEB))("esbuild");

/** A module of web/src as the browser gets it. */
async function load(name) {
    const entryPoints = [fileURLToPath(new URL(`src/${name}`, WEB))];
    const { outputFiles } = buildSync({ entryPoints, bundle: true, format: "esm", write: false, logLevel: "silent" });
    return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

const { rawField, indented } = await load("json_raw.ts");
const { share, lengthOf, relative, count, plural } = await load("format.ts");
const { concerns } = await load("pages/graph/concerns.ts");
const { draftOf, changesOf } = await load("pages/job/draft.ts");

test("a graph is read again for events of its jobs, and where events were missed", () => {
    const nodes = [{ job: "job_a" }, { job: "job_b" }];
    assert.equal(concerns(nodes, [{ job: "job_z" }, { job: "job_b" }]), true);
    assert.equal(concerns(nodes, [{ job: "job_z" }, {}]), false);
    assert.equal(concerns(nodes, []), true);
});

test("a field comes out as it was written", () => {
    const text = '{"name":"payload","labels":{"payload":1},"payload" : {"n":12345678901234567890,"s":"}\\"{,"},"z":[1,2]}';
    assert.equal(rawField(text, "payload"), '{"n":12345678901234567890,"s":"}\\"{,"}');
    assert.equal(rawField(text, "z"), "[1,2]");
    assert.equal(rawField(text, "name"), '"payload"');
    assert.equal(rawField(text, "nothing"), undefined);
    assert.equal(rawField("{}", "a"), undefined);
    assert.equal(rawField('{"a":1e400}', "a"), "1e400");
});

test("JSON over lines is the same JSON", () => {
    const text = '{"a":[1,{"b":"x,:{[\\"\\\\"},[]],"c":{},"d":1.0e5,"e":"ü"}';
    assert.deepEqual(JSON.parse(indented(text)), JSON.parse(text));
    assert.match(indented(text), /\n {2}"c": \{\},\n/);
    assert.match(indented('{"n":12345678901234567890}'), /12345678901234567890/);
    assert.equal(indented("null"), "null");
});

test("a share is never rounded to all or to nothing", () => {
    assert.equal(share(1), "100 %");
    assert.equal(share(0.99999), "99.99 %");
    assert.equal(share(0.982), "98.2 %");
    assert.equal(share(0.00001), "0.01 %");
    assert.equal(share(0), "0 %");
    assert.equal(share(null), "–");
});

test("lengths of time have the unit that is read at once", () => {
    assert.deepEqual([0, 999, 1250, 2000, 75_000, 7_500_000, 90_000_000].map(lengthOf),
        ["0 ms", "999 ms", "1.25 s", "2 s", "1 min 15 s", "2 h 5 min", "1 d 1 h"]);
    assert.equal(relative(1_000_000, 1_000_400), "now");
    assert.equal(relative(5_000, 0), "in 5 s");
    assert.equal(relative(0, 3_600_000 + 120_000), "1 h 2 min ago");
    assert.equal(relative(0, 5 * 86_400_000), "5 d ago");
});

test("counts are short, and one is one", () => {
    assert.deepEqual([0, 9999, 12_345, 10_000_000].map(count), ["0", "9,999", "12.3K", "10M"]);
    assert.equal(plural(1, "job"), "1 job");
    assert.equal(plural(2, "retry", "retries"), "2 retries");
});

test("only what was changed in a form is sent", () => {
    const job = {
        cron: "0 9 * * *", timezone: "UTC", type: "t", pool: "p", priority: 3, overlap: "skip", misfire: "skip", timeout: "5m",
        retry: { max_attempts: 5, delays: ["30s"], jitter: 0.2 },
    };
    const before = draftOf(job, "{}");
    assert.deepEqual(changesOf(before, before, job), {});
    assert.deepEqual(changesOf(before, { ...before, cron: " 0 10 * * * ", priority: "1", timezone: "" }, job),
        { cron: "0 10 * * *", priority: 1, timezone: null });
    assert.deepEqual(changesOf(before, { ...before, max_attempts: "2" }, job),
        { retry: { max_attempts: 2, delays: ["30s"], jitter: 0.2 } });
    const repeated = { ...job, cron: undefined, every: { interval: "5m", after: "finish" } };
    const draft = draftOf(repeated, "{}");
    assert.deepEqual(changesOf(draft, { ...draft, every: "10m" }, repeated), { every: { interval: "10m", after: "finish" } });
});
