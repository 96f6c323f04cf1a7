/* The form of a new job: what it means while it is typed, what is wrong with it at the fields, the same as a command.
 *
 *     node --test-reporter=tap test_new_job.mjs BELFRY [SHOTS]
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, test } from "node:test";
import { Stage } from "./stage.mjs";

const stage = await Stage.open(process.argv[2], process.argv[3]);
after(() => stage.close());

function clean() {
    assert.deepEqual(stage.complaints(), []);
}

test("a schedule is explained while it is typed, with its clock changes and its herds", async () => {
    await stage.call("POST", "/v1/jobs/batch", { jobs: Array.from({ length: 60 }, () => ({ cron: "30 2 * * *", pool: "herd" })) });
    const page = await stage.page("/new");
    await page.getByLabel("Cron expression").fill("30 2 * * *");
    await page.getByText("At 02:30").waitFor();
    assert.equal(await page.getByRole("list", { name: "Next fires" }).getByRole("listitem").count(), 8);
    await page.getByText("At least 60 other jobs fire in the minute of").waitFor();
    await page.getByLabel("Time zone").fill("America/New_York");
    await page.getByRole("list", { name: "Next fires" }).getByText(/^E[SD]T$/).first().waitFor();
    assert.deepEqual(await stage.barriers(page), []);
    assert.equal(await stage.overflow(page), 0);
    await stage.shoot(page, "new-job");
    await page.getByLabel("Cron expression").fill("0 9 * * MON-FRI");
    await page.getByText("At least 60 other jobs").waitFor({ state: "detached" });
    await page.close();
    clean();
});

test("what is wrong stands at its field", async () => {
    const page = await stage.page("/new");
    await page.getByLabel("Cron expression").fill("0 25 * * *");
    const alert = page.getByRole("alert").filter({ hasText: "hour" });
    await alert.waitFor();
    assert.equal(await page.getByLabel("Cron expression").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Cron expression").fill("0 9 * * *");
    await alert.waitFor({ state: "detached" });
    await page.getByLabel("Time zone").fill("Mars/Olympus");
    await page.getByRole("alert").filter({ hasText: "Mars" }).waitFor();
    await page.getByLabel("Time zone").fill("UTC");
    await page.getByLabel("Payload").fill("{");
    await page.getByLabel("Name", { exact: true }).fill("no good name");
    await page.getByRole("button", { name: "Create job" }).click();
    await page.getByText("This is not JSON.").waitFor();
    await page.getByLabel("Payload").fill("");
    await page.getByRole("button", { name: "Create job" }).click();
    await page.getByLabel("Name", { exact: true }).and(page.locator("[aria-invalid]")).waitFor();
    await stage.shoot(page, "new-job-errors");
    await page.close();
    assert.match(stage.complaints().join(), /40[0-9]|422/); // the browser's own words for refusals
});

test("a job is created as it was typed, and the command makes the same", async () => {
    const page = await stage.page("/new");
    await page.getByLabel("Name", { exact: true }).fill("night-watch");
    await page.getByLabel("Tenant").fill("acme");
    await page.getByLabel("Type").fill("report");
    await page.getByLabel("Pool").fill("heavy");
    await page.getByLabel("Cron expression").fill("15 3 * * *");
    await page.getByLabel("Time zone").fill("Europe/Paris");
    await page.getByLabel("A time that comes twice").selectOption("both");
    await page.getByLabel("Due while a run goes on").selectOption("queue");
    await page.getByLabel("Jitter").fill("30s");
    await page.getByRole("button", { name: "Call a URL" }).click();
    await page.getByLabel("URL").fill("https://example.org/it's?a=1&b=2");
    await page.getByLabel("Method").selectOption("PUT");
    await page.getByLabel("Headers").fill("X-Team: billing");
    await page.getByLabel("Attempts at most").fill("3");
    await page.getByLabel("Waits between attempts").fill("10s, 1m");
    await page.getByLabel("Priority").selectOption("1");
    await page.getByLabel("Labels").fill("team=billing\ntier=gold");
    await page.getByLabel("Payload").fill('{"big":12345678901234567890,"text":"it\'s $HOME"}');
    const command = await page.getByLabel("The command").textContent();
    await page.getByRole("button", { name: "curl" }).click();
    assert.match(await page.getByLabel("The call").textContent(), /12345678901234567890/);
    await page.getByRole("button", { name: "Create job" }).click();
    await page.getByText("Created night-watch.").waitFor();
    const job = await stage.call("GET", "/v1/jobs/night-watch?tenant=acme");
    assert.deepEqual([job.cron, job.timezone, job.dst.fold, job.overlap, job.jitter], ["15 3 * * *", "Europe/Paris", "both", "queue", "30s"]);
    assert.deepEqual(job.target.http, { url: "https://example.org/it's?a=1&b=2", method: "PUT", headers: { "X-Team": "billing" } });
    assert.deepEqual([job.priority, job.retry.max_attempts, job.retry.delays], [1, 3, ["10s", "1m"]]);
    assert.deepEqual(job.labels, { team: "billing", tier: "gold" });
    await page.close();
    const words = command.replace(/^belfry add /, `"$BELFRY" add --url "$URL" --data "$DATA" --json `);
    const env = { PATH: process.env.PATH, BELFRY: stage.belfry, URL: stage.url, DATA: stage.data };
    const again = JSON.parse(execFileSync("sh", ["-c", words], { env, encoding: "utf8" }));
    assert.equal(again.id, job.id); // the same definition: nothing new was made
    clean();
});

/* Whether a line of the text runs into the button that copies it. */
function isCovered(code) {
    const button = code.querySelector("button").getBoundingClientRect();
    const text = document.createRange();
    text.selectNodeContents(code.querySelector("pre"));
    return [...text.getClientRects()].some((line) => line.right > button.left && line.top < button.bottom);
}

test("a long command is beside its copy button, not below it", async () => {
    const page = await stage.page("/new");
    await page.getByLabel("Name", { exact: true }).fill("a-name-that-is-as-long-as-names-of-people-who-like-long-names");
    await page.getByLabel("Labels").fill("team=billing\ntier=gold\nregion=europe-north");
    for (const width of [375, 1024, 1600]) {
        await page.setViewportSize({ width, height: 900 });
        assert.equal(await page.locator(".code").evaluate(isCovered), false, `at ${width} px`);
    }
    await stage.shoot(page, "new-job-long");
    await page.close();
    clean();
});

test("other schedules and targets have their own fields", async () => {
    const page = await stage.page("/new");
    const tab = (name) => page.getByRole("button", { name, exact: true }).click();
    const command = page.getByLabel("The command");
    await tab("Every");
    await page.getByLabel("Every", { exact: true }).fill("90s");
    await page.getByText("Every 1 minute and 30 seconds").or(page.getByText(/every 90/i)).first().waitFor();
    await page.getByLabel("Counted from the end of each run").check();
    assert.match(await command.textContent(), /--every 90s --after-finish/);
    await tab("Delay");
    await page.getByLabel("After", { exact: true }).fill("10m");
    assert.match(await command.textContent(), /--in 10m/);
    await tab("Once");
    await page.getByLabel("At", { exact: true }).fill("2030-01-02T03:04");
    assert.match(await command.textContent(), /--at 2030-01-02T03:04:00.000Z/);
    await tab("Now");
    await page.getByText("as soon as it is created").waitFor();
    await tab("Run a command");
    await page.getByLabel("Command", { exact: true }).fill("/bin/echo\nhello world");
    assert.match(await command.textContent(), / -- \/bin\/echo 'hello world'/);
    await tab("After jobs");
    await page.getByRole("button", { name: "Create job" }).click();
    await page.getByText("At least one job is needed.").waitFor();
    await page.getByLabel("Jobs it waits for").fill("nobody=done");
    assert.match(await command.textContent(), /--depends-on nobody=done/);
    await page.getByRole("button", { name: "Create job" }).click();
    await page.getByRole("alert").filter({ hasText: "nobody" }).waitFor();
    assert.match(stage.complaints().join(), /4\d\d/); // there is no such job
    await page.close();
    clean();
});
