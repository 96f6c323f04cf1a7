/* The operators' pages: workers, pools, tenants, types, servers, the doctor.
 *
 *     node --test-reporter=tap test_operate.mjs BELFRY [SHOTS]
 */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fill } from "./fill.mjs";
import { Stage } from "./stage.mjs";

const stage = await Stage.open(process.argv[2], process.argv[3]);
after(() => stage.close());
await fill(stage);

/* A worker that stays: it says every few seconds that it still holds what it took. */
const keeper = { worker: `keeper-${process.pid}-0123456789abcdef`, name: "studio-1", pools: ["studio"], capacity: 4 };
await stage.call("POST", "/v1/jobs", { name: "mixdown", type: "mix", pool: "studio" });
const { attempts } = await stage.call("POST", "/v1/work", { ...keeper, seq: 1, want: 1, wait: "20s" });
const holding = [attempts[0].id];
const progress = [{ attempt: holding[0], percent: 40, note: "bar 12 of 30" }];
let seq = 1;
const keep = () => stage.call("POST", "/v1/work", { ...keeper, seq: ++seq, holding, progress }).catch(() => {});
await keep();
const timer = setInterval(keep, 5000);
after(() => clearInterval(timer));

/** The page looks well: no barrier, not wider than a phone, nothing that the browser complains about; and a picture. */
async function wellMade(page, name) {
    assert.deepEqual(await stage.barriers(page), []);
    assert.equal(await stage.overflow(page), 0);
    await stage.shoot(page, name);
    assert.deepEqual(stage.complaints(), []);
}

function row(page, text) {
    return page.getByRole("row").filter({ hasText: text });
}

test("workers are shown with what they hold", async () => {
    const page = await stage.page("/workers");
    await row(page, "studio-1").getByText("1 of 4").waitFor();
    await wellMade(page, "workers");
    await page.getByRole("button", { name: "1 held by studio-1" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("link", { name: "mixdown" }).waitFor();
    await dialog.getByText("40 % bar 12 of 30").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByLabel("Pool").fill("nobodys");
    await page.getByText("No worker is there.").waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("a pool is paused, resumed with a ramp, and limited", async () => {
    const page = await stage.page("/pools");
    await row(page, "studio").getByText("25.0 % of 4").waitFor();
    await wellMade(page, "pools");
    await page.getByRole("button", { name: "Pause pool studio" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await row(page, "studio").getByText("paused").waitFor();
    await page.getByRole("button", { name: "Resume pool studio" }).click();
    await page.getByLabel("Ramp").fill("10m");
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await row(page, "studio").getByText("ramping up").waitFor();
    await page.getByRole("button", { name: "Settings of pool studio" }).click();
    await page.getByLabel("Rate").fill("many");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").filter({ hasText: "rate" }).waitFor();
    assert.match(stage.complaints().join(), /400/); // the browser's own word for it
    await page.getByLabel("Rate").fill("100/s");
    await page.getByLabel("Running at most").fill("8");
    await stage.shoot(page, "settings");
    await page.getByRole("button", { name: "Save" }).click();
    await row(page, "studio").getByText("running at most 8, rate 100/s").waitFor();
    assert.deepEqual((await stage.call("GET", "/v1/pools/studio")).settings, { max_in_flight: 8, rate: "100/s" });
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("a tenant has its use beside its limits, and they can be changed", async () => {
    const page = await stage.page("/tenants");
    await page.getByRole("button", { name: "Settings of tenant acme" }).click();
    await page.getByLabel("Jobs at most").fill("ten");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("This must be a number.").waitFor();
    await page.getByLabel("Jobs at most").fill("10");
    await page.getByRole("button", { name: "Save" }).click();
    await row(page, "acme").getByText("3 of 10").waitFor();
    await page.getByRole("button", { name: "Set limits of a tenant" }).click();
    await page.getByLabel("Tenant", { exact: true }).fill("initech");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByLabel("Weight").fill("2");
    await page.getByRole("button", { name: "Save" }).click();
    await row(page, "initech").waitFor();
    await wellMade(page, "tenants");
    await page.getByRole("button", { name: "Pause tenant initech" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await row(page, "initech").getByText("paused").waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("limits of a tenant that has some begin with those, and none of them is lost", async () => {
    await stage.call("PUT", "/v1/tenants/hooli", { max_jobs: 50, rate: "20/s", retry: { max_attempts: 7 } });
    const before = (await stage.call("GET", "/v1/tenants/hooli")).settings;
    const page = await stage.page("/tenants");
    await page.getByRole("button", { name: "Set limits of a tenant" }).click();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("Tenant is missing.").waitFor();
    await page.getByLabel("Tenant", { exact: true }).fill("not a name");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("alert").filter({ hasText: /name|tenant/i }).waitFor();
    assert.match(stage.complaints().join(), /400/); // the browser's own word for it
    assert.deepEqual(await stage.barriers(page), []);
    await page.getByLabel("Tenant", { exact: true }).fill("hooli");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("heading", { name: "Settings of tenant hooli" }).waitFor();
    assert.equal(await page.getByLabel("Rate").inputValue(), "20/s");
    await page.getByLabel("Weight").fill("3");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.deepEqual((await stage.call("GET", "/v1/tenants/hooli")).settings, { ...before, weight: 3 });
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("a type shows how it goes, and is paused and set", async () => {
    const page = await stage.page("/types");
    await row(page, "import").getByText("75.0 %").waitFor();
    await wellMade(page, "types");
    await page.getByRole("button", { name: "Pause type import" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await row(page, "import").getByText("paused").waitFor();
    await page.getByRole("button", { name: "Resume type import" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await row(page, "import").getByText("active").waitFor();
    await page.getByRole("button", { name: "Settings of type import" }).click();
    await page.getByLabel("Breaker").fill("{");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("This is not JSON.").waitFor();
    await page.getByLabel("Breaker").fill('{"failure_rate":0.9,"min_attempts":50}');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal((await stage.call("GET", "/v1/types/import")).settings.breaker.failure_rate, 0.9);
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("servers say who owns what", async () => {
    const page = await stage.page("/servers");
    await page.getByText("owner").waitFor();
    await wellMade(page, "servers");
    await page.close();
});

test("the doctor says what is wrong and what to do", async () => {
    await stage.call("POST", "/v1/jobs", { name: "nobody-does-it", pool: "empty" });
    const page = await stage.page("/doctor");
    await page.getByText("Pool empty has 1 ready and no worker.").waitFor();
    await page.getByRole("link", { name: "See workers of empty" }).waitFor();
    await wellMade(page, "doctor");
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByText("Are there dead letters?").waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});
