/* Whatever somebody writes into a field of theirs stays text on every page: it never becomes a part of it.
 *
 *     node --test-reporter=tap test_text.mjs BELFRY [SHOTS]
 */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Stage } from "./stage.mjs";

const stage = await Stage.open(process.argv[2], process.argv[3]);
after(() => stage.close());

const EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>${7*7}{{8*8}}';
const NAME = "javascript:alert-1"; // as far as the characters of a name go

const job = await stage.call("POST", "/v1/jobs", {
    name: NAME,
    tenant: "data:text",
    type: "vbscript:x",
    pool: "evil.pool",
    cron: "0 0 1 1 *",
    labels: { [EVIL.slice(0, 60)]: EVIL },
    created_by: EVIL,
    payload: { [EVIL]: EVIL },
    concurrency: { key: EVIL, max: 1 },
    target: { http: { url: "https://example.org/?<script>alert(3)</script>" } },
});
await stage.call("POST", `/v1/jobs/${job.id}/run`, {});
const [attempt] = await stage.work(
    "evil.pool",
    1,
    () => ({ status: "failed", error: { code: EVIL, message: EVIL }, output: EVIL, retryable: false }),
    { name: EVIL },
);
await stage.call("POST", `/v1/jobs/${job.id}/run`, {});
const held = { worker: `"><b>w</b>-${process.pid}`, name: EVIL, pools: ["evil.pool"], capacity: 2 };
const taken = await stage.call("POST", "/v1/work", { ...held, seq: 1, want: 1, wait: "20s" });
await stage.call("POST", "/v1/work", {
    ...held, seq: 2, holding: [taken.attempts[0].id], progress: [{ attempt: taken.attempts[0].id, percent: 1, note: EVIL }],
});

const PAGES = [
    "/", "/jobs", `/jobs/${job.id}`, `/jobs/${job.id}?view=history`, `/jobs/${job.id}?view=attempts`,
    `/jobs/${job.id}?view=definition`, `/triggers/${attempt.trigger}`, `/triggers/${taken.attempts[0].trigger}`,
    `/jobs?q=${encodeURIComponent(EVIL.slice(0, 50))}`,
];

for (const path of PAGES) {
    test(`texts stay texts on ${path.replace(/_[0-9a-z]{13}/, "_…").replace(/%.*/, "…")}`, async () => {
        const page = await stage.page(path);
        page.on("dialog", (dialog) => {
            stage.complain(page, `a dialog: ${dialog.message()}`);
            void dialog.dismiss();
        });
        await page.locator("main .panel, main table, main .state-title, main .tiles").first().waitFor();
        const found = await page.evaluate(() => ({
            images: document.querySelectorAll("img").length,
            scripts: document.querySelectorAll("script:not([src])").length,
            links: [...document.querySelectorAll("a[href]")].filter((one) => one.origin !== location.origin).length,
            bold: document.querySelectorAll("main b > b, main code b").length,
        }));
        assert.deepEqual(found, { images: 0, scripts: 0, links: 0, bold: 0 });
        assert.deepEqual(stage.complaints().filter((one) => !one.includes("400")), []);
        await page.close();
    });
}

test("they can be read where they belong", async () => {
    const page = await stage.page(`/triggers/${attempt.trigger}`);
    await page.locator("pre", { hasText: EVIL }).first().waitFor();
    await page.goto(`${stage.url}/jobs/${job.id}?view=definition`);
    await page.getByRole("definition").filter({ hasText: EVIL }).first().waitFor();
    await page.close();
});
