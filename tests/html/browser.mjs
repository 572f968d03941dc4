// SPDX-License-Identifier: BSD-2-Clause
// What the tests of the page share: the collector, the browser, and comparisons.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const { COLLECTOR, SCENES } = process.env;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
               "--disable-background-networking", "--disable-component-update",
               "--disable-sync", "--js-flags=--max-old-space-size=4096"];

export function collector(...args) {
    try {
        return execFileSync(COLLECTOR, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
        if (error.status === 3) // no samples
            return error.stdout;
        throw error;
    }
}

// NAME.wire of a golden scene.
export function scene(name) {
    writeFileSync(`${name}.wire`, execFileSync(SCENES, [name]));
    return `${name}.wire`;
}

// The lines of the .folded file that the collector writes, sorted.
export function folded(...args) {
    return collector("report", ...args, "-o", "-", "--format", "folded")
        .split("\n").filter((line) => line !== "").sort();
}

// Lines without their counts, each with the sum of its counts.
export function sums(lines) {
    const map = new Map();
    for (const line of lines) {
        const at = line.lastIndexOf(" ");
        const stack = line.slice(0, at);
        map.set(stack, (map.get(stack) || 0) + Number(line.slice(at + 1)));
    }
    return map;
}

let browser, profile;

async function launch() {
    profile = mkdtempSync(join(tmpdir(), "tprof-page-"));
    browser = await chromium.launchPersistentContext(profile, {
        executablePath: "/usr/bin/chromium", headless: true, args: FLAGS,
        reducedMotion: "reduce", viewport: { width: 1280, height: 900 },
    });
}

// Open (file) with what follows the #. The page may ask for nothing and complain of
// nothing: page.fine() says so at the end.
export async function open(file, hash = "") {
    if (browser === undefined)
        await launch();
    const page = await browser.newPage(), said = [];
    page.on("console", (m) => said.push(`${m.type()}: ${m.text()}`));
    page.on("pageerror", (e) => said.push(`error: ${e.stack}`));
    page.on("dialog", (d) => {
        said.push(`dialog: ${d.message()}`);
        d.dismiss();
    });
    page.on("request", (r) => {
        if (!/^(file|data|blob):/.test(r.url()))
            said.push(`request: ${r.url()}`);
    });
    page.fine = async () => {
        await page.close();
        assert.deepEqual(said, []);
    };
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    // Seconds of the main thread so far: what others do on the machine does not count.
    page.busy = async () => {
        const { metrics } = await session.send("Performance.getMetrics");
        return metrics.find((m) => m.name === "ThreadTime").value;
    };
    await page.goto(`file://${resolve(file)}${hash}`);
    await page.waitForSelector("html[data-ready]", { timeout: 120000, state: "attached" });
    await settle(page);
    return page;
}

// Until what follows from the last change is drawn.
export async function settle(page) {
    await page.evaluate(() => new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(done))));
}

// What the page's own sums say, as lines of a .folded file.
export function pageFolded(page) {
    return page.evaluate(() => window.tprof.state.sums.folded());
}

// Run each of (cases), a name and a function, and end the process. ONLY in the environment
// is a regular expression for the names of those to run.
export async function run(cases) {
    let failed = 0;
    const wanted = new RegExp(process.env.ONLY || "");
    for (const [name, test] of Object.entries(cases)) {
        if (!wanted.test(name))
            continue;
        try {
            await test();
            console.log(`ok ${name}`);
        } catch (error) {
            failed++;
            console.log(`FAILED ${name}: ${error.stack}`);
        }
    }
    if (browser !== undefined)
        await browser.close();
    rmSync(profile, { recursive: true, force: true });
    process.exit(failed === 0 ? 0 : 1);
}

export { assert, readFileSync, writeFileSync };
