/* The forecast: the coming days in sentences and tables, and the next hours step by step.
 *
 *     node --test-reporter=tap test_forecast.mjs BELFRY [SHOTS]
 *
 * The server keeps a forecast for a minute: each test asks for other days than those before it.
 */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { SECONDS_MAX, Stage } from "./stage.mjs";

const stage = await Stage.open(process.argv[2], process.argv[3]);
after(() => stage.close());

const HERD = 60;
const EVIL = "<img src=x onerror=alert(1)><b>bold</b>";

/* A table of the page, by the title of its panel. */
function table(page, title) {
    return page.getByRole("region", { name: title, exact: true }).locator("table");
}

async function clean(page) {
    await page.close();
    assert.deepEqual(stage.complaints(), []);
}

/* Waits until a job has a run that ended well. */
async function hasRun(job) {
    const end = Date.now() + SECONDS_MAX * 1000;
    while (Date.now() < end) {
        const { counts } = await stage.call("GET", `/v1/jobs/${job.id}`);
        if (counts.succeeded > 0) {
            return;
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${job.name} has not run`);
}

test("nothing to come is said so, in each section", async () => {
    const page = await stage.page("/forecast?days=7");
    for (const words of [
        "No herds: no minute has more than 50 fires.",
        "No minute has more than 50 fires.",
        "Nothing to flatten.",
        "No job is expected to fire while its earlier run goes on.",
        "No clock changes in a time zone that jobs follow.",
        "No pool that is served will have too few places.",
    ]) {
        await page.getByText(words, { exact: true }).waitFor();
    }
    await page.getByRole("button", { name: "Next hours" }).click();
    await page.getByText("Nothing fires in this time.").waitFor();
    await clean(page);
});

test("herds, advice, overlaps and pools that are too small are told of real jobs", async () => {
    const common = { type: "stroll", pool: "narrow", target: { exec: { argv: ["/bin/sleep", "1.5"] } } };
    const slow = await stage.call("POST", "/v1/jobs", { ...common, name: "slow", every: "1s" });
    stage.startWorker("narrow");
    await hasRun(slow);
    await stage.call("PUT", "/v1/pools/narrow", { max_in_flight: 1 });
    const jobs = Array.from({ length: HERD }, (_, i) => ({ ...common, name: `herd-${i}`, cron: "17 3 * * *" }));
    await stage.call("POST", "/v1/jobs/batch", { jobs });
    const page = await stage.page("/forecast");
    await page.getByText(/minutes have more than 50 fires; the largest is on .* with 60\./).waitFor();
    await page.getByText(/^default\/slow runs for .* will overlap and are skipped\.$/).waitFor();

    const herd = table(page, "Herds").locator("tbody tr").first();
    assert.match(await herd.textContent(), /03:17:00.*60.*stroll 60/);
    await herd.getByRole("link", { name: /^herd-/ }).first().waitFor();
    assert.equal(await table(page, "Herds").locator("tbody tr").count(), 7);
    await page.getByRole("button", { name: "Show all: Herds" }).click();
    assert.equal(await table(page, "Herds").locator("tbody tr").count(), 20); // one a day for 30 days, the largest of them
    await page.getByRole("button", { name: "Show fewer: Herds" }).click();
    const advice = table(page, "How to flatten them").locator("tbody tr").first();
    assert.match(await advice.textContent(), /60.*2.*60 jobs.*herd-\d+ \d+m later.*17 more/);
    await advice.getByText("17 more").click();
    assert.equal(await advice.getByRole("link", { name: /^herd-/ }).filter({ visible: true }).count(), 20);
    assert.match(await table(page, "Overlaps").textContent(), /slow.*will.*They are skipped\./);
    const shortage = table(page, "Pools that are too small").locator("tbody tr").first();
    assert.match(await shortage.textContent(), /narrow.*03:17:00/);
    assert.match(await table(page, "Pools at their fullest").textContent(), /narrow/);

    assert.deepEqual(await stage.barriers(page), []);
    assert.equal(await stage.overflow(page), 0);
    await stage.shoot(page, "forecast");
    await herd.getByRole("link", { name: /^herd-/ }).first().click();
    await page.getByRole("heading", { name: /^herd-/, level: 1 }).waitFor();
    await stage.call("PATCH", `/v1/jobs/${slow.id}/status`, { status: "paused" });
    await clean(page);
});

test("clock changes stand there as the server tells them", async () => {
    const zones = ["Europe/Paris", "America/New_York", "Australia/Sydney", "Africa/Casablanca"];
    for (const timezone of zones) {
        const name = `night-${timezone.replace("/", "-")}`;
        await stage.call("POST", "/v1/jobs", { name, cron: "30 2 * * *", timezone, dst: { fold: "both" } });
    }
    const page = await stage.page("/forecast?days=90");
    await page.getByRole("heading", { name: "In short" }).waitFor();
    const { clock_changes: changes, changed_fires: fires } = await stage.call("GET", "/v1/forecast?days=90");
    if (changes.length === 0) { // not in every season
        await page.getByText("No clock changes in a time zone that jobs follow.").waitFor();
    }
    for (const { timezone, local } of changes) {
        await table(page, "Clock changes").locator("tr", { hasText: timezone }).getByText(local.replace("T", " ")).first().waitFor();
    }
    for (const { name, local } of fires) {
        const row = table(page, "Fires that clock changes concern").locator("tr", { hasText: name });
        await row.getByText(local.replace("T", " ")).first().waitFor();
    }
    await clean(page);
});

/* A forecast as the API would answer in spring, of jobs with names that no job can have. */
async function spring() {
    const real = await stage.call("GET", "/v1/forecast?days=30");
    const job = { job: "job_0123456789abc", tenant: EVIL, name: EVIL };
    const change = { timezone: "Europe/Paris", at: "2027-03-28T01:00:00Z", local: "2027-03-28T02:00:00", jump_seconds: 3600 };
    const fire = { timezone: "Europe/Paris", at: "2027-03-28T01:00:00Z", local: "2027-03-28T03:00:00" };
    return {
        ...real,
        complete: false,
        complete_until: "2027-03-30T00:00:00Z",
        sentences: [EVIL, ...real.sentences],
        herds: [{ at: "2027-03-28T01:00:00Z", count: 70, types: [{ type: EVIL, count: 70 }], examples: [job],
            flatten: { movable: 70, peak: 3, jitter: "4m", moves: [{ ...job, by: "5m" }] } }],
        overlaps: [{ ...job, overlap: "queue", measured: false, median_ms: 90_000, p95_ms: 120_000, shortest_interval: "1m",
            fires: 40, expected: 39, possible: 1, first_at: "2027-03-28T01:00:00Z" }],
        clock_changes: [{ ...change, jobs: 3, moved: 1, skipped: 1, doubled: 0 }],
        changed_fires_found: 250,
        changed_fires: [{ ...job, ...fire, kind: "moved" }, { ...job, ...fire, kind: "skipped" }, { ...job, ...fire, kind: "doubled" }],
        shortages: [{ pool: EVIL, from: "2027-03-28T01:00:00Z", to: "2027-03-28T01:05:00Z", capacity: 2, needed: 9, fires: 7, delay_ms: 95_000 }],
    };
}

test("a sample says so, clocks that go forward too, and texts stay texts", async () => {
    const answer = await spring();
    await stage.context.route("**/v1/forecast?*", (route) => route.fulfill({ json: answer }));
    const page = await stage.page("/forecast");
    page.on("dialog", (dialog) => stage.complain(page, `a dialog: ${dialog.message()}`));
    await page.getByText(/^This is a sample: .* Nothing is missing up to 30 Mar 2027/).waitFor();
    await page.getByText("3 of 250, the first").waitFor();
    assert.match(await table(page, "Clock changes").textContent(), /Europe\/Paris2027-03-28 02:00:00.*forward by 1 h/);
    const fires = await table(page, "Fires that clock changes concern").locator("tbody tr").allTextContents();
    ["moved", "skipped", "comes twice"].forEach((word, i) => assert.match(fires[i], new RegExp(`${word}.*2027-03-28 03:00:00`)));
    assert.match(await table(page, "Overlaps").textContent(), /by its type.*39 of 40 will, 1 more may.*one after the other/);
    const shortage = await table(page, "Pools that are too small").locator("td").allTextContents();
    assert.deepEqual(shortage.slice(3), ["2", "9", "7", "7", "1 min 35 s"]);
    assert.equal(await page.locator("main img").count(), 0);
    assert.equal(await page.locator("main b", { hasText: "bold" }).count(), 0);
    assert.deepEqual(await stage.barriers(page), []);
    assert.equal(await stage.overflow(page), 0);
    await stage.shoot(page, "forecast-spring");
    await stage.context.unroute("**/v1/forecast?*");
    await clean(page);
});

test("while another forecast is made the page asks again by itself", async () => {
    const busy = [429, 503];
    const asked = [];
    await stage.context.route("**/v1/forecast?*", (route) => {
        const status = busy.shift();
        asked.push(status ?? 200);
        const problem = { status, code: "overloaded", detail: "another forecast is being made" };
        return status ? route.fulfill({ status, json: problem }) : route.continue();
    });
    const page = await stage.page("/forecast?days=1");
    await page.getByText("perhaps with another forecast: asking again by itself").waitFor();
    await page.getByRole("heading", { name: "In short" }).waitFor();
    assert.deepEqual(asked, [429, 503, 200]);
    await stage.context.unroute("**/v1/forecast?*");
    await page.close();
    for (const text of stage.complaints()) {
        assert.match(text, /429|503/); // the browser's own words for what was refused
    }
});

test("a herd of the next hour is found, with who is in it", async () => {
    const at = new Date(Date.now() + 20 * 60_000).toISOString();
    const jobs = Array.from({ length: 120 }, (_, i) => ({ name: `stampede-${i}`, type: "stampede", run_at: at }));
    await stage.call("POST", "/v1/jobs/batch", { jobs });
    const page = await stage.page("/forecast?view=hours");
    const herds = page.getByRole("region", { name: "Herds" }).first();
    await herds.getByText(/stampede 120/).waitFor();
    await herds.getByRole("link", { name: /^stampede-/ }).first().waitFor();
    assert.deepEqual(await stage.barriers(page), []);
    assert.equal(await stage.overflow(page), 0);
    await stage.shoot(page, "forecast-hours");
    await page.getByRole("button", { name: "6 h" }).click();
    await page.waitForURL(/span=6h/);
    await page.getByText("in steps of 5m").waitFor();
    await clean(page);
});
