// SPDX-License-Identifier: BSD-2-Clause
// The page of collector serve in a browser: it fits a small window, asks for nothing but itself, and
// the browser has nothing to complain of, its policy for the page included.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const LONG = "a-guest-of-a-long-name.x86_64.rack-17.zone-a";
writeFileSync("guests", `serial=one name=web1\nserial=two name=${LONG}\n`);
const serve = spawn(process.env.COLLECTOR, ["serve", "--guests", "guests", "--listen", "127.0.0.1:0"],
                    { stdio: ["ignore", "ignore", "pipe"] });
process.on("exit", () => serve.kill("SIGKILL")); // also after a failure
const ended = new Promise((done) => serve.on("close", done));
let err = "";
const url = await new Promise((found, fail) => {
    serve.stderr.on("data", (d) => {
        const at = /page at (http:[^ ]+)\n/.exec(err += d);
        if (at) found(at[1]);
    });
    ended.then(() => fail(new Error(err)));
});
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", headless: true,
                                        args: ["--no-sandbox", "--disable-gpu"] });
for (const width of [480, 640, 1280]) {
    const page = await browser.newPage({ viewport: { width, height: 480 } }), said = [];
    page.on("console", (m) => said.push(m.text()));
    page.on("pageerror", (e) => said.push(String(e)));
    page.on("request", (r) => r.url() === url || said.push(r.url()));
    const fine = async () => {
        const row = page.locator("tbody tr", { hasText: LONG });
        await row.waitFor();
        assert.match(await row.innerText(), /waiting/);
        // nothing has to be moved to be seen
        assert.ok(await page.evaluate(() => [document.documentElement, document.querySelector(".wide")]
            .every((e) => e.scrollWidth <= e.clientWidth)), `${width} is too narrow`);
    };
    await page.goto(url);
    // rows come within the second in which the loop counts first
    while (await page.locator("tbody tr").count() < 2) await page.reload();
    await fine();
    await page.waitForNavigation(); // by itself
    await fine();
    assert.deepEqual(said, []);
    await page.close();
}
// catches: a page that begins anew while it is read aloud, and what axe finds
for (const colorScheme of ["light", "dark"]) {
    const page = await browser.newPage({ viewport: { width: 480, height: 800 }, colorScheme }), loads = [];
    await page.goto(url);
    await page.click("text=Do not reload");
    page.on("request", (r) => loads.push(r.url()));
    await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
    assert.deepEqual(await page.evaluate(async () => (await window.axe.run()).violations.flatMap((v) =>
        v.nodes.map((node) => `${v.id}: ${node.html}`))), []);
    assert.equal(await page.locator("meta[http-equiv=refresh]").count(), 0);
    assert.deepEqual(loads, []);
    await page.click("text=Reload every 5 s");
    assert.equal(page.url(), url);
    await page.close();
}
await browser.close();
serve.kill("SIGTERM");
assert.equal(await ended, 0, err);
