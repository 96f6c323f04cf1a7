/* The forecast: coming fires, and where too many come at once.
 *
 *     node --test-reporter=tap test_forecast.mjs BELFRY [SHOTS]
 */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Stage } from "./stage.mjs";

const stage = await Stage.open(process.argv[2], process.argv[3]);
after(() => stage.close());

test("nothing to come is said so", async () => {
    const page = await stage.page("/forecast");
    await page.getByText("Nothing fires in this time.").waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});

test("a herd is found, with who is in it", async () => {
    const at = new Date(Date.now() + 20 * 60_000).toISOString();
    const jobs = Array.from({ length: 120 }, (_, i) => ({ name: `herd-${i}`, type: "stampede", run_at: at }));
    await stage.call("POST", "/v1/jobs/batch", { jobs });
    await stage.call("POST", "/v1/jobs", { name: "calm", type: "walk", every: "1m" });
    const page = await stage.page("/forecast");
    const herds = page.getByRole("region", { name: "Herds" }).first();
    await herds.getByText(/stampede 120/).waitFor();
    await herds.getByRole("link", { name: /^herd-/ }).first().waitFor();
    assert.deepEqual(await stage.barriers(page), []);
    assert.equal(await stage.overflow(page), 0);
    await stage.shoot(page, "forecast");
    await page.getByRole("button", { name: "6 h" }).click();
    await page.waitForURL(/span=6h/);
    await page.getByText("in steps of 5m").waitFor();
    await page.close();
    assert.deepEqual(stage.complaints(), []);
});
