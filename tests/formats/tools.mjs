// SPDX-License-Identifier: BSD-2-Clause
// tools.mjs WHAT NAME NPM: opens NAME.* by the tools in the folder NPM, and compares what they say with
// the JSON report. WHAT is a function of (tools).
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

import * as read from "./read.mjs";

const [what, name, npm] = process.argv.slice(2);
const load = (path) => JSON.parse(readFileSync(path, "utf8"));
const report = load(`${name}.json`);

/** Seconds of busy self time by function, of the core at (index). */
const self = (index) => new Map(report.guests[0].cores[index].table.filter((row) => row.self.samples)
    .map((row) => [row.name, row.self.seconds]));

/** What the page of speedscope shows of (file), in a browser without a window, once it shows (loaded); the table of its
 * view "sandwich" is text. */
async function inSpeedscope(file, loaded) {
    const { chromium } = createRequire(resolve(npm, "x.js"))("playwright-core");
    const profile = readFileSync(file).toString("base64");
    writeFileSync("profile.js", `speedscope.loadFileFromBase64("${file}", "${profile}");`);
    const browser = await chromium.launchPersistentContext(resolve("chromium"), {
        executablePath: "/usr/bin/chromium", headless: true,
        args: ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"] });
    try {
        const page = await browser.newPage();
        const index = resolve(npm, "node_modules/speedscope/dist/release/index.html");
        await page.goto(`file://${index}#localProfilePath=${resolve("profile.js")}`);
        await page.getByText(loaded).first().waitFor();
        await page.keyboard.press("3");
        await page.getByText("Symbol Name").waitFor();
        const rows = (await page.locator("tr").allInnerTexts()).map((row) => row.replace(/\s+/g, " "));
        return { rows, shown: (await page.content()).replace(/<[^>]*>/g, " ") };
    } finally {
        await browser.close();
    }
}

/** An object whose members are all described must have no others. */
function close(schema) {
    if (schema === null || typeof schema !== "object") return;
    if (schema.properties) schema.additionalProperties = false;
    Object.values(schema).forEach(close);
}

const tools = {
    schema() {
        const Ajv = createRequire(resolve(npm, "x.js"))("ajv");
        const schema = load(process.argv[5]);
        close(schema);
        const check = new Ajv({ strict: true, strictRequired: true, allowUnionTypes: true }).compile(schema);
        assert.ok(check(report), JSON.stringify(check.errors, null, 1));
        if (report.guests) delete report.guests[0].total.busy.low;
        else if (report.looks) delete report.looks[0].guests[0].cores[0].frames[0].function;
        else if (report.annotation) delete report.annotation.self.low;
        else delete report.functions[0].all.low;
        assert.ok(!check(report)); // it can fail
    },

    // the text of all lines and blocks of the same annotation, which is NAME.txt
    annotation() {
        const a = report.annotation;
        const off = ({ share, low, high }) => Math.max(high - share, share - low);
        const row = ({ self }, what) => `${(100 * self.share).toFixed(1).padStart(6)} ${(100 * off(self)).toFixed(1).padStart(5)}  ${what}`;
        const sampled = (list) => list.filter((x) => x.self.samples);
        const want = [
            ...sampled(a.bodies).flatMap((body) => sampled(body.lines).map((line) => row(line, `${line.line}`.padStart(5)))),
            ...a.code.flatMap((code) => code.blocks.map((block, i) => [block, i]).filter(([block]) => block.self.samples)
                .map(([block, i]) => row(block, `block ${i + 1}`))),
            ...a.inlined_into.map((host) => row(host, host.function)),
        ];
        const got = readFileSync(`${name}.txt`, "utf8").match(/^ *[0-9.]+ +[0-9.]+  +(\d+|block \d+|[a-z_]+$)/gm);
        assert.deepEqual(got.sort(), want.sort());
        assert.ok(want.length > 1);
    },

    // profiler-cli asks a process that has loaded the file; its own "load" gives that half a second to begin. A question
    // that comes before x.json takes the socket away from the process, which then never answers: wait for x.json first.
    async firefox() {
        const cli = resolve(npm, "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js");
        const sessions = resolve("sessions");
        const env = { ...process.env, PROFILER_CLI_SESSION_DIR: sessions };
        const within10s = async (what) => {
            for (let tries = 0; ; tries++)
                try {
                    return what();
                } catch (e) {
                    if (tries === 50) throw e;
                    await setTimeout(200);
                }
        };
        const ask = (...args) => within10s(() =>
            JSON.parse(execFileSync(process.execPath, [cli, ...args, "--json", "--session", "x"], { env, stdio: "pipe" })));
        rmSync(sessions, { recursive: true, force: true });
        mkdirSync(sessions);
        const loaded = spawn(process.execPath, [cli, "--daemon", resolve(`${name}.firefox.json`), "--session", "x"], { env, stdio: "ignore" });
        try {
            await within10s(() => load(resolve(sessions, "x.json")));
            for (const index of report.guests[0].cores.keys()) {
                const said = await ask("thread", "functions", "--thread", `t-${index}`, "--limit", "0");
                const got = new Map(said.functions.map((f) => [f.name, f.selfSamples]));
                for (const [f, seconds] of self(index))
                    assert.ok(Math.abs(got.get(f) - seconds * 1e3) < 1e-3, `core ${index}: ${f}: ${got.get(f)} ms`);
            }
        } finally {
            loaded.kill();
        }
    },

    async speedscope() {
        const { rows, shown } = await inSpeedscope(`${name}.speedscope.json`, /^core \d+ /);
        for (const [f, seconds] of self(0)) {
            const ms = `${(seconds * 1e3).toFixed(2)}ms (`;
            assert.ok(rows.some((row) => row.includes(ms) && row.trim().endsWith(` ${f}`)), `${f}: ${ms}: ${rows.join("\n")}`);
        }
        for (const core of report.guests[0].cores)
            assert.match(shown, new RegExp(`core ${core.core} `));
    },

    // samples with names of threads: perf's text and the trace have the same sums
    threads() {
        const [want, got] = [read.perfscript(`${name}.perf.txt`), read.perfetto(`${name}.pftrace`)];
        assert.deepEqual([...got].sort(), [...want].sort());
        // a track for each thread, in the order of time
        const times = (sums) => [...sums].map(([key, { ns }]) => [key, Math.round(ns)]).sort();
        assert.deepEqual(times(read.firefox(`${name}.firefox.json`)), times(want));
        assert.deepEqual(times(read.speedscope(`${name}.speedscope.json`)), times(want));
        const tracks = load(`${name}.firefox.json`).threads;
        assert.equal(new Set(tracks.map((t) => t.tid)).size, tracks.length);
        for (const t of tracks)
            assert.ok(t.samples.time.every((ms, i) => i === 0 || t.samples.time[i - 1] <= ms), `${t.name}: time goes back`);
        for (const { name: thread, sampled_seconds: s } of report.guests[0].threads)
            assert.ok(s === 0 || [...got.keys()].some((key) => thread === "" || key.startsWith(thread)), thread);
        assert.ok([...got.keys()].some((key) => key.startsWith("core 0 "))); // before the first switch
    },

    // slow requests are slices of the trace, each with the report's times
    requests() {
        const { requests, slow_requests: slow } = report.guests[0], ns = (s) => Math.round(s * 1e9);
        const kind = (number) => requests.find((r) => r.kind === number).name || `kind ${number}`;
        const slices = read.perfettoSlices(`${name}.pftrace`);
        assert.equal(new Set(slices.map((s) => s.track)).size, slow.length); // they overlap
        assert.deepEqual(slices.map((s) => [s.name, Number(s.begin), Number(s.end)]).sort(), slow.map((r) =>
            [`1000/Slow ${kind(r.kind)}: ${kind(r.kind)} ${r.number}`, ns(r.began_seconds), ns(r.began_seconds) + ns(r.request_seconds)]).sort());
    },

    // each line is a wait of the report, and speedscope shows the time of each thread
    async waits() {
        const { threads, thread_waits: waits } = report.guests[0], us = (s) => Math.round((s ?? 0) * 1e6);
        const want = waits.filter((w) => w.kind === "at" && !threads[w.thread - 1]?.idle && w.seconds + (w.open_seconds ?? 0) > 0)
            .map((w) => [w.stack.map((f) => f.replaceAll(";", ":")).join(";"), us(w.seconds) + us(w.open_seconds)]);
        const lines = readFileSync(`${name}.waits.folded`, "utf8").trimEnd().split("\n").map((l) => l.match(/^blocked;(.*?);(.*?)(;\[woken by\];.*)? (\d+)$/));
        const got = lines.map(([, , stack, , count]) => [stack.replace("[unknown stack]", ""), Number(count)]);
        assert.deepEqual(got.sort(), want.sort());
        assert.ok(want.length > 3);
        const { rows } = await inSpeedscope(`${name}.waits.folded`, /waits\.folded/);
        for (const thread of new Set(lines.map((l) => l[1]))) {
            const all = lines.filter((l) => l[1] === thread).reduce((sum, l) => sum + Number(l[4]), 0);
            assert.ok(rows.some((row) => row.trim().replaceAll(",", "").startsWith(`${all} (`) && row.trim().endsWith(` ${thread}`)), `${thread} ${all}: ${rows.join("\n")}`);
        }
    },

    // every node of the tree that is wide enough is a box below its parent's box, as wide as its share, with its title
    async svg() {
        execFileSync("xmllint", ["--noout", "--nonet", `${name}.svg`]);
        const { chromium } = createRequire(resolve(npm, "x.js"))("playwright-core");
        const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
        try {
            const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
            await page.goto(`file://${resolve(`${name}.svg`)}`);
            const boxes = await page.evaluate(() => [...document.querySelectorAll("svg > svg")].map((b) => ({
                x: b.x.baseVal.value, y: b.y.baseVal.value, width: b.width.baseVal.value,
                cut: getComputedStyle(b).overflow === "hidden", seen: b.querySelector("rect").getBoundingClientRect().width,
                title: b.querySelector("title")?.textContent ?? "", label: b.querySelector("text")?.textContent ?? "" })));
            assert.equal(await page.evaluate(() => document.querySelectorAll("script, a, image, foreignObject").length), 0);
            const { tree, busy } = report.guests[0].total, { functions } = report.guests[0], whole = busy.seconds;
            const width = (node) => 1200 * node.total.seconds / whole, found = [], taken = new Set();
            assert.equal(boxes[0].label, "all 100.0 %");
            for (const [i, node] of tree.entries()) {
                if (width(node) < 0.51) continue;
                const above = found[node.parent] ?? boxes[0], f = functions[node.function].name;
                const box = boxes.find((b) => !taken.has(b) && b.y === above.y + 18 && b.x > above.x - 0.02 &&
                    b.x < above.x + above.width + 1 && b.title.split("\n")[0].replace(" (inlined)", "") === f);
                assert.ok(box && Math.abs(width(node) - box.width) < 1.02 && Math.abs(box.seen - box.width) < 0.02, f);
                assert.ok(Math.abs(box.title.match(/TOTAL ([\d.]+)[^%]* %/)[1] - 100 * node.total.seconds / whole) < 0.051, box.title);
                assert.ok(box.cut && (width(node) < 40 || box.label.startsWith(f.slice(0, 2))), `${f}: ${box.label}`);
                taken.add(found[i] = box);
            }
            assert.equal(taken.size, boxes.length - 1);
            assert.ok(taken.size > 5);
        } finally {
            await browser.close();
        }
    },

    // a renderer of GitHub's Markdown finds the rows of the report, code, and no element that a guest wrote
    async md() {
        const require = createRequire(resolve(npm, "x.js"));
        const { chromium } = require("playwright-core"), { marked } = require("marked");
        const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
        try {
            const page = await browser.newPage();
            await page.setContent(marked.parse(readFileSync(`${name}.md`, "utf8"), { gfm: true }));
            const { rows, elements, tree } = await page.evaluate(() => ({
                rows: [...document.querySelectorAll("tbody tr")].map((tr) => [...tr.cells].map((td) => td.innerText)),
                elements: [...new Set([...document.body.querySelectorAll("*")].map((e) => e.localName))],
                tree: [...document.querySelectorAll("pre code")].map((code) => code.textContent) }));
            const most = report.guests[0].total.table.filter((row) => row.self.share >= 0.01).slice(0, 12);
            assert.deepEqual(rows.map(([, , , f]) => f.replace(/ late \d+ %$/, "")), most.map((row) => row.name));
            for (const [i, row] of most.entries()) {
                const near = (cell, share) => assert.ok(Math.abs(rows[i][cell] - 100 * share) < 0.051, `${row.name}: ${rows[i]}`);
                near(0, row.self.share);
                const error = Math.max(row.self.high - row.self.share, row.self.share - row.self.low);
                if (rows[i][1].startsWith("<"))
                    assert.ok(error > row.self.share && Math.abs(rows[i][1].slice(1) - 100 * row.self.high) < 0.051, rows[i]);
                else
                    near(1, error);
                near(2, row.total.share);
                const { file, line } = report.guests[0].functions[row.function];
                assert.equal(rows[i][4], file ? `${file.split("/").at(-1)}:${line}` : "");
            }
            assert.ok(tree.some((text) => text.startsWith("TREE")));
            const ours = ["h3", "code", "p", "pre", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"];
            assert.deepEqual(elements.filter((e) => !ours.includes(e)), []);
        } finally {
            await browser.close();
        }
    },

    callgrind() {
        const said = execFileSync("callgrind_annotate", ["--threshold=100", "--auto=no", `${name}.callgrind`]).toString();
        const lines = said.split("\n").map((l) => l.replaceAll(",", ""));
        for (const [f, want] of new Map(report.guests[0].total.table.filter((row) => row.self.samples).map((row) => [row.name, row.self])))
            assert.ok(lines.some((l) => l.includes(`:${f} [`) && Math.abs(parseInt(l) - want.seconds * 1e9) <= want.samples), f);
        const all = report.guests[0].total.all;
        assert.match(said.replaceAll(",", ""), new RegExp(`${Math.round(all.seconds * 1e9)} \\(100.0%\\) +${all.samples} .*PROGRAM TOTALS`));
    },

    pprof() {
        const pprof = (...args) => execFileSync("go", ["tool", "pprof", ...args],
            { env: { ...process.env, PPROF_TMPDIR: "." }, stdio: ["ignore", "pipe", "ignore"] }).toString();
        const file = `${name}.pb.gz`;
        const ms = (index) => [...self(index).values()].reduce((sum, s) => sum + s * 1e3, 0);

        assert.match(pprof("-top", file), /File: kernel\.elf\nBuild ID: 0123456789abcdef/);
        for (const index of report.guests[0].cores.keys()) {
            const top = pprof("-top", "-nodecount=1000", "-nodefraction=0", "-unit=ms", `-tagfocus=core=${index}`, "-ignore=\\[idle\\]", file);
            const [, accounted] = top.match(/nodes accounting for ([\d.]+)ms/);
            assert.ok(Math.abs(accounted - ms(index)) < 0.02, `core ${index}: ${accounted} ms`);
        }
        assert.match(pprof("-peek", "^walk$", file), /\| +walk/);
        writeFileSync("kernel.c", readFileSync(process.argv[5]));
        assert.match(pprof("-list", "^mix$", "-source_path", ".", "-trim_path", "/kernel", file),
            /ROUTINE =+ mix in kernel\.c\n +120\.30ms[^]* 120\.30ms +21:/);
        assert.match(pprof("-top", "-diff_base", file, file), /nodes accounting for 0,/);
        assert.match(pprof("-tags", file), /guest: Total .*\n.*kernel\.elf/);
    },

    perf() {
        const perf = (...args) => execFileSync("perf", args, { stdio: ["ignore", "pipe", "ignore"] }).toString();
        const file = ["-i", `${name}.perf.data`];
        const rows = perf("report", ...file, "--stdio", "--no-children", "-g", "none", "--sort", "cpu,sym", "-F", "period,cpu,sym")
            .split("\n").map((l) => l.match(/^ +(\d+) +(\d+) +\[.\] (.*?) *$/)).filter(Boolean);
        const got = (core, f) => Number(rows.find(([, , cpu, sym]) => Number(cpu) === core && sym === f)?.[1]);
        const period = report.guests[0].period_seconds * 1e9;

        for (const [index, core] of report.guests[0].cores.entries())
            for (const [f, seconds] of self(index))
                if (/^\w+$/.test(f) && f !== "mix" && f !== "checksum") // which is inlined, and into what
                    assert.ok(Math.abs(got(core.core, f) - seconds * 1e9) < period, `core ${index}: ${f}: ${got(core.core, f)} ns`);
        assert.match(perf("report", ...file, "--stdio", "--sort", "comm,pid,dso"), / 64\.84% +64\.84% +kernel\.elf .*\[idle\]/);
        assert.match(perf("evlist", ...file), /cpu-clock/);
        assert.match(perf("report", ...file, "--header-only"), /^# hostname : kernel\.elf$/m);
        assert.match(perf("buildid-list", ...file), /0123456789abcdef0123456789abcdef01234567 .*kernel\.elf/);
        assert.match(perf("annotate", ...file, "--stdio", "walk"), / +80\.00 .*200077:/);
    },

    hotspot() {
        const said = execFileSync("/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser",
            ["--input", `${name}.perf.data`, "--print-stats"]).toString();
        assert.match(said, new RegExp(`^samples: ${report.guests[0].total.all.samples}$`, "m"));
        assert.match(said, /^samples time violations: 0$/m);
        // symbols that it has found are in what it sends to hotspot's window
        const sent = execFileSync("/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser", ["--input", `${name}.perf.data`],
            { stdio: ["ignore", "pipe", "ignore"] }).toString("latin1");
        for (const symbol of ["ring::push(unsigned long)", "kernel::bus::receive", "[idle]"])
            assert.ok(sent.includes(symbol), symbol);
        // the machine's name, before two that are not known
        assert.match(sent, /\x0akernel\.elf\xff{8}/);
    },
};

await tools[what]();
console.log(`${name}: ${what} agrees`);
