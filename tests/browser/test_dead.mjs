/* Dead letters in the dashboard: grouped by error, replayed at a rate, discarded; and texts from outside stay texts.
 *
 *     node --test-reporter=tap test_dead.mjs BELFRY [SHOTS]
 */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Stage } from "./stage.mjs";

const stage = await Stage.open(process.argv[2], process.argv[3]);
after(() => stage.close());

const EVIL = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

/** So many dead letters with the messages that message(i) gives. */
async function kill(count, type, message) {
    const jobs = Array.from({ length: count }, () => ({ type, pool: type }));
    await stage.call("POST", "/v1/jobs/batch", { jobs });
    let number = 0;
    while (number < count) {
        const wanted = Math.min(100, count - number);
        const done = await stage.work(type, wanted, () => ({
            status: "failed",
            error: { code: `${type}_broke`, message: message(number++) },
            retryable: false,
        }));
        assert.equal(done.length, wanted);
    }
}

await kill(30, "mail", (i) => `connect to 10.0.0.${i}:25: timed out after ${1000 + i} ms`);
await kill(3, "fax", (i) => `line ${i} is busy`);
await kill(1, "evil", () => EVIL);

function row(page, text) {
    return page.getByRole("row").filter({ hasText: text });
}

function clean() {
    assert.deepEqual(stage.complaints(), []);
}

test("errors that are alike are one row, and what they say stays text", async () => {
    const page = await stage.page("/dead");
    const mail = row(page, "connect to #: timed out after # ms");
    await mail.getByText("30", { exact: true }).waitFor();
    await row(page, "line # is busy").waitFor();
    await row(page, "<img src=x onerror=").waitFor();
    assert.match(await page.title(), /^Dead letters/);
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.deepEqual(await stage.barriers(page), []);
    assert.equal(await stage.overflow(page), 0);
    await stage.shoot(page, "dead");
    await page.close();
    clean();
});

test("a group is looked into, and chosen ones of it are replayed", async () => {
    const page = await stage.page("/dead");
    await page.getByRole("button", { name: "See them: line # is busy" }).click();
    await row(page, "line 2 is busy").waitFor();
    assert.equal(await page.getByRole("row").count(), 4);
    await row(page, "line 2 is busy").getByRole("checkbox").check();
    await stage.shoot(page, "dead-letters");
    assert.deepEqual(await stage.barriers(page), []);
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
    await page.getByText("1 dead letter replayed.").waitFor();
    await row(page, "line 2 is busy").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Show all" }).click();
    await row(page, "connect to 10.0.0.29").waitFor();
    await page.getByLabel("Select all rows of this page").check();
    await page.getByText("33 dead letters chosen").waitFor();
    await page.close();
    clean();
});

test("a group is replayed at a rate, and how far it is is shown", async () => {
    const page = await stage.page("/dead");
    await page.getByRole("button", { name: "Replay: connect to" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Rate").fill("fast");
    await dialog.getByRole("button", { name: "Replay" }).click();
    await dialog.getByRole("alert").waitFor();
    assert.match(stage.complaints().join(), /400/); // the browser's own word for it
    await dialog.getByLabel("Rate").fill("10/s");
    await stage.shoot(page, "dead-replay");
    await dialog.getByRole("button", { name: "Replay" }).click();
    await page.getByText("30 dead letters will be replayed.").waitFor();
    await page.getByText(/^Replaying “connect to/).waitFor();
    await page.getByText(/^Done: Replaying “connect to/).waitFor();
    await page.getByText("30 of 30").waitFor();
    await row(page, "connect to #").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Stop watching" }).click();
    await page.close();
    clean();
});

/** A page that is told that only the newest dead letters were grouped, as it is where there are very many. */
async function pageOfSample() {
    const page = await stage.page("/dead");
    await page.route("**/v1/dead/groups*", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), sample: true } });
    });
    await page.reload();
    await page.getByText(/there are others behind them/).waitFor();
    return page;
}

test("where only the newest were counted, nobody is told a number that is too small", async () => {
    await kill(4, "telex", (i) => `paper ${i} is out`);
    const page = await pageOfSample();
    await page.getByRole("columnheader", { name: "Count, at least" }).waitFor();
    await page.getByRole("button", { name: "Discard: paper # is out" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Discard all with this error?" }).waitFor();
    await dialog.getByText(/At least 4 dead letters, up to 10,000/).waitFor();
    assert.deepEqual(await stage.barriers(page), []);
    await dialog.getByLabel("Rate").fill("1/h");
    await dialog.getByRole("button", { name: "Discard" }).click();
    await page.getByText("4 dead letters will be discarded.").waitFor();
    const line = page.locator(".progress-line", { hasText: "Discarding “paper # is out”" });
    await line.getByText("4 in all").waitFor();
    assert.equal(await line.locator(".bar").count(), 0);
    await page.unroute("**/v1/dead/groups*");
    await line.getByText(/^[01] of 4$/).waitFor(); // all are counted again
    assert.equal(await line.locator(".bar").count(), 1);
    await line.getByRole("button", { name: "Stop watching" }).click();
    await page.close();
    clean();
});

test("a group is discarded after a question", async () => {
    const page = await stage.page("/dead");
    await page.getByRole("button", { name: "Discard: line # is busy" }).click();
    await page.getByRole("dialog").getByText("This cannot be taken back").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Back" }).click();
    await row(page, "line # is busy").waitFor();
    await page.getByRole("button", { name: "Discard: line # is busy" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await row(page, "line # is busy").waitFor({ state: "detached" });
    await page.close();
    clean();
});

test("filters narrow the groups, and an empty list says so", async () => {
    const page = await stage.page("/dead?type=fax");
    await page.getByText("No dead letter is waiting.").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await row(page, "<img").waitFor();
    await page.close();
    clean();
});
