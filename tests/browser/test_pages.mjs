/* The pages of jobs: overview, list, one job, one trigger. What they show, what they do, and that nobody is kept out.
 *
 *     node --test-reporter=tap test_pages.mjs BELFRY [SHOTS]
 */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fill } from "./fill.mjs";
import { Stage } from "./stage.mjs";

const stage = await Stage.open(process.argv[2], process.argv[3]);
after(() => stage.close());
const jobs = await fill(stage);

/** Good for everybody: no complaint, no barrier, fits a phone; and its picture is taken. */
async function judge(page, name) {
    await stage.shoot(page, name);
    assert.deepEqual(await stage.barriers(page), []);
    assert.equal(await stage.overflow(page), 0, "the page is wider than a phone");
    assert.deepEqual(stage.complaints(), []);
    await page.close();
}

async function triggersOf(job) {
    return (await stage.call("GET", `/v1/jobs/${job.id}/triggers`)).items;
}

test("the overview shows figures, what needs attention, and the busiest", async () => {
    const page = await stage.page("/");
    await page.getByText("2 dead letters wait for a decision.").waitFor();
    assert.equal(await page.locator(".tile", { hasText: "Success rate" }).locator(".tile-value").textContent(), "75.0 %");
    const row = page.getByRole("region", { name: "Types" }).locator("tr", { hasText: "import" });
    await row.getByText("75.0 %").waitFor();
    await page.getByRole("img", { name: /^Attempts by outcome.*succeeded 6, failed 2/ }).waitFor();
    await page.getByRole("group", { name: "Range" }).getByRole("button", { name: "24h" }).click();
    await page.getByRole("img", { name: /^Attempts.*each 15m.*succeeded 6/ }).waitFor();
    await page.getByRole("button", { name: "Table" }).first().click();
    await page.getByRole("region", { name: /as a table/ }).waitFor();
    await page.getByRole("button", { name: "Table" }).first().click();
    await judge(page, "overview");
});

test("what happened before the server counted is a gap in the charts, not nothing", async () => {
    const page = await stage.page("/");
    const ranges = page.getByRole("group", { name: "Range" }).getByRole("button");
    assert.deepEqual(await ranges.allTextContents(), ["1h", "6h", "24h"]);
    await ranges.getByText("6h").click();
    await page.getByRole("img", { name: /^Attempts.*each 5m/ }).waitFor();
    await page.getByRole("button", { name: "Table" }).first().click();
    const rows = page.getByRole("region", { name: /^Attempts by outcome.* as a table/ }).locator("tbody tr");
    assert.deepEqual((await rows.first().locator("td").allTextContents()).slice(1), ["–", "–", "–"]);
    assert.match((await rows.last().locator("td").allTextContents())[1], /^\d+$/);
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("the overview warns of a herd that comes", async () => {
    const at = new Date(Date.now() + 30 * 60_000).toISOString();
    const herd = Array.from({ length: 80 }, (_, i) => ({ name: `herd-${i}`, run_at: at, type: "herd", tenant: "herds" }));
    await stage.call("POST", "/v1/jobs/batch", { jobs: herd });
    const page = await stage.page("/");
    const row = page.locator(".upcoming li", { hasText: "herd 80" });
    await row.waitFor();
    assert.match(await row.textContent(), /herd-\d/);
    await page.getByRole("img", { name: /^Coming fires, each 1m, 1 herd/ }).waitFor();
    await judge(page, "overview-herd");
});

test("jobs are searched and narrowed, and the address says how", async () => {
    const page = await stage.page("/jobs");
    await page.getByRole("link", { name: "morning-report" }).waitFor();
    await page.getByLabel("Name begins with").fill("hourly-");
    await page.getByRole("link", { name: "morning-report" }).waitFor({ state: "detached" });
    assert.equal(await page.locator("tbody tr").count(), 2);
    await page.waitForURL(/q=hourly-/);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Label").fill("team=billing");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Status").selectOption("paused");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("link", { name: "extract" }).waitFor();
    await judge(page, "jobs");
});

test("a job that somebody else makes appears by itself", async () => {
    const page = await stage.page("/jobs?q=live-");
    await page.getByText("No job fits.").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await stage.call("POST", "/v1/jobs", { name: "live-one", every: "1h" });
    await page.getByRole("link", { name: "live-one" }).waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("chosen jobs are paused, resumed, run and cancelled together", async () => {
    for (const name of ["bulk-a", "bulk-b"]) {
        await stage.call("POST", "/v1/jobs", { name, cron: "0 0 1 1 *", pool: "nobody" });
    }
    const page = await stage.page("/jobs?q=bulk-");
    const statuses = (word) =>
        page.waitForFunction((want) => {
            const cells = [...document.querySelectorAll('td[data-title="Status"]')];
            return cells.length === 2 && cells.every((one) => one.textContent === want);
        }, word);
    const chosen = page.getByRole("group", { name: "With the chosen jobs" });
    await page.getByLabel("Select all rows of this page").check();
    await page.getByText("2 jobs chosen").waitFor();
    await chosen.getByRole("button", { name: "Pause" }).click();
    await statuses("paused");
    await page.getByLabel("Select all rows of this page").check();
    await chosen.getByRole("button", { name: "Resume" }).click();
    await statuses("active");
    await page.getByLabel("Select bulk-a").check();
    await chosen.getByRole("button", { name: "Run now" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click();
    await page.getByText("1 job started.").waitFor();
    await page.getByLabel("Select all rows of this page").check();
    await chosen.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel 2 jobs" }).click();
    await statuses("cancelled");
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("lists go page by page, forward and back", async () => {
    const many = Array.from({ length: 60 }, (_, i) => ({ name: `page-${String(i).padStart(3, "0")}`, cron: "0 0 1 1 *" }));
    await stage.call("POST", "/v1/jobs/batch", { jobs: many });
    const page = await stage.page("/jobs?q=page-");
    await page.getByRole("link", { name: "page-000" }).waitFor();
    assert.equal(await page.locator("tbody tr").count(), 50);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("link", { name: "page-059" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Next" }).isDisabled(), true);
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByRole("link", { name: "page-000" }).waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("a job shows its next fires, why it waits, its history and its attempts", async () => {
    const page = await stage.page(`/jobs/${jobs.history.id}`);
    await page.getByText("Every 15 minutes, UTC.").waitFor();
    await page.getByText("No worker serves pool imports.").waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".cell").length === 8);
    assert.equal(await page.locator(".cell-bad").count(), 2);
    await stage.shoot(page, "job");
    assert.deepEqual(await stage.barriers(page), []);
    await page.getByRole("button", { name: "History" }).click();
    await page.getByText("timeout: connect to 10.0.0.7:5432: timeout").waitFor();
    await stage.shoot(page, "job-history");
    assert.deepEqual(await stage.barriers(page), []);
    await page.getByRole("button", { name: "Attempts" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".gantt-bar").length === 8);
    await stage.shoot(page, "job-attempts");
    assert.deepEqual(await stage.barriers(page), []);
    await page.getByRole("button", { name: "Definition" }).click();
    await page.getByText('"source": "https://orders.example.org/export"').waitFor();
    await judge(page, "job-definition");
});

test("a job tells what became of a fire that somebody asks about", async () => {
    const page = await stage.page(`/jobs/${jobs.history.id}`);
    await page.getByLabel("What became of the fire at").fill("2026-01-01T09:07");
    await page.getByRole("button", { name: "Tell" }).click();
    await page.locator(".fate").getByText("before job").waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("fires at a change of the clock are marked", async () => {
    const job = await stage.call("POST", "/v1/jobs", { name: "dst", cron: "30 2 * 3 SUN", timezone: "Europe/Paris" });
    const page = await stage.page(`/jobs/${job.id}`);
    await page.locator(".fire-note").first().waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("a job is changed with a preview, and not over somebody else's change", async () => {
    const job = await stage.call("POST", "/v1/jobs", { name: "editable", cron: "0 9 * * *", payload: { big: 1 } });
    const page = await stage.page(`/jobs/${job.id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("At 09:00, every day, UTC.").waitFor();
    await dialog.getByLabel("Cron").fill("61 9 * * *");
    await dialog.getByRole("alert").waitFor();
    assert.match(stage.complaints().join(), /400/);
    await dialog.getByLabel("Cron").fill("30 9 * * MON-FRI");
    await dialog.getByText("At 09:30, Monday to Friday, UTC.").waitFor();
    await stage.shoot(page, "job-edit");
    assert.deepEqual(await stage.barriers(page), []);
    await dialog.getByLabel("Payload").fill('{"big": 12345678901234567890}');
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("At 09:30, Monday to Friday, UTC.").waitFor();
    await page.getByRole("button", { name: "Definition" }).click();
    await page.getByText("12345678901234567890").waitFor();

    await page.getByRole("button", { name: "Edit" }).click();
    await stage.call("PATCH", `/v1/jobs/${job.id}`, { priority: 1 });
    await dialog.getByLabel("Pool").fill("other");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").waitFor();
    assert.equal((await stage.call("GET", `/v1/jobs/${job.id}`)).pool, "default");
    assert.match(stage.complaints().join(), /412/);
    await page.close();
});

test("a job is run now, and its trigger is cancelled", async () => {
    const job = await stage.call("POST", "/v1/jobs", { name: "manual", cron: "0 0 1 1 *", pool: "nobody" });
    const page = await stage.page(`/jobs/${job.id}`);
    await page.getByRole("button", { name: "Run now" }).click();
    await page.waitForURL(/\/triggers\/trg_/);
    await page.getByText("No worker serves pool nobody.").waitFor();
    await stage.shoot(page, "trigger-waiting");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the trigger" }).click();
    await page.locator("header .status", { hasText: "cancelled" }).waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("what was missed is backfilled", async () => {
    const definition = { name: "holes", cron: "0 * * * *", pool: "nobody", starts_at: new Date(Date.now() - 3 * 86_400_000).toISOString() };
    const job = await stage.call("POST", "/v1/jobs", { ...definition, overlap: "queue" });
    const page = await stage.page(`/jobs/${job.id}`);
    await page.getByRole("button", { name: "Backfill" }).click();
    await stage.shoot(page, "job-backfill");
    await page.getByRole("dialog").getByRole("button", { name: "Backfill" }).click();
    await page.getByText(/2[345] triggers made/).waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("a running trigger shows how far it is", async () => {
    const [trigger] = await triggersOf(jobs.running);
    const page = await stage.page(`/triggers/${trigger.id}`);
    await page.getByText("frame 1200 of 3000").waitFor();
    await judge(page, "trigger-running");
});

test("a dead trigger shows its error, and is replayed", async () => {
    const dead = (await triggersOf(jobs.history)).find((one) => one.status === "dead");
    const page = await stage.page(`/triggers/${dead.id}`);
    await page.getByText(dead.last_attempt.error.message).waitFor();
    await stage.shoot(page, "trigger-dead");
    assert.deepEqual(await stage.barriers(page), []);
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByRole("link", { name: dead.id }).waitFor();
    assert.equal((await stage.call("GET", `/v1/triggers/${dead.id}`)).replayed_by, page.url().split("/").pop());
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});
