// SPDX-License-Identifier: BSD-2-Clause
// account.mjs COLLECTOR GUESTS SECONDS: 200 guests of two cores, each at 97 Hz, go through serve and push into a real
// ClickHouse, and at random one of the three is killed (-9) and begun anew. In the end, for each
// core: what it has sent = what ClickHouse has + what serve says that it took with it.
//
// What was on its way between a guest and serve when serve was killed is known to nobody but the
// guests, so these rest in every other case, and the sum is exact; else it lacks at most what a core
// sends in a second.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

import { clickhouse } from "./clickhouse_server.mjs";

const [, , collector, program, seconds] = process.argv;
const GUESTS = 200;
const CORES = 2;
const RATE = 97;
const SEED = 1;

let state = SEED;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;

const server = await clickhouse();
server.make(readFileSync(path.join(import.meta.dirname, "../../hostcollector/fleet/push/receivers/clickhouse.sql")));

const guests = spawn(program, ["run", GUESTS, 0, CORES], { stdio: ["pipe", "pipe", "inherit"] });
const lines = readline.createInterface({ input: guests.stdout })[Symbol.asyncIterator]();
const next = async () => (await lines.next()).value;

/** A part of tprof that may be killed. */
class Part {
    constructor(...args) {
        this.args = args;
        this.said = "";
    }

    start() {
        this.child = spawn(collector, this.args, { stdio: ["ignore", "pipe", "pipe"] });
        const hear = (text) => (this.said += text);
        this.child.stdout.on("data", hear);
        this.child.stderr.on("data", hear);
        this.over = new Promise((ended) => this.child.on("close", (code, signal) => ended(signal ?? code)));
    }

    end(signal) {
        this.child.kill(signal);
        return this.over;
    }
}
const serve = new Part("serve", "--watch", "run", "--spool", "spool", "--window", "5s", "--listen", "127.0.0.1:0");
const push = new Part("push", "--to", server.url, "--follow", "spool");
process.on("exit", () => [guests, serve.child, push.child].forEach((child) => child?.kill("SIGKILL")));

const ofCores = () => Array.from({ length: GUESTS }, () => new Array(CORES).fill(0));
const crashed = ofCores();
let unseen = 0; // at most so many of each core were on their way

/** What the new serve says of the one before it, as Prometheus hears it. */
async function readCrashed(from) {
    for (;; await pause(100)) {
        const at = serve.said.slice(from).match(/http:\/\/\S+?\//);
        if (!at) continue;
        const text = await (await fetch(`${at[0]}metrics`)).text();
        const all = text.match(/^tprof_crashed_samples (\d+)$/m);
        if (!all) continue;
        const rows = [...text.matchAll(/^tprof_core_crashed_samples\{guest="(\d+)",core="(\d+)"\} (\d+)$/gm)];
        for (const [, guest, core, samples] of rows) crashed[guest][core] += Number(samples);
        assert.equal(rows.reduce((sum, row) => sum + Number(row[3]), 0), Number(all[1]));
        return Number(all[1]);
    }
}

/** serve has gone on: what it had read before is counted. */
async function turned() {
    for (const since = Date.now(); ; await pause(20)) {
        const page = serve.said.match(/http:\/\/\S+?\//g)?.at(-1);
        if (!page) continue;
        const asked = Date.now();
        const text = await (await fetch(`${page}metrics`)).text();
        const quiet = Number(text.match(/^tprof_quiet_seconds ([\d.]+)$/m)[1]) * 1000;
        if (asked - quiet > since) return; // its last sign came later
    }
}

const kills = { serve: 0, push: 0, clickhouse: 0 };
const kill = {
    async serve() {
        const rests = kills.serve % 2 === 0;
        if (rests) {
            guests.stdin.write("rest\n");
            assert.equal(await next(), "resting");
            await turned(); // what is read is not yet counted
        } else {
            unseen += RATE;
        }
        await serve.end("SIGKILL");
        const from = serve.said.length;
        await pause(random() * 1000);
        serve.start();
        if (rests) guests.stdin.write("work\n");
        console.log(`serve: killed with ${await readCrashed(from)} samples in open windows`);
    },
    async push() {
        await push.end("SIGKILL");
        await pause(random() * 2000);
        push.start();
    },
    async clickhouse() {
        await server.kill();
        await pause(random() * 2000);
        await server.start();
    },
};

serve.start();
push.start();
for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    await pause(2000 + random() * 6000);
    const what = Object.keys(kill)[Math.floor(random() * 3)];
    await kill[what]();
    kills[what]++;
}
assert.equal(await serve.end("SIGTERM"), 0, serve.said);
guests.stdin.end();
const sent = [];
for (let line; (line = await next()) !== undefined;) {
    const [guest, samples, dropped, ...cores] = line.split(" ").map(Number);
    sent[guest] = { samples, dropped, cores };
}
const waiting = () => {
    const names = readdirSync("spool");
    const done = new Set(names.filter((n) => n.includes(".sent-")).map((n) => n.split(".sent-")[0]));
    return names.filter((n) => n.endsWith(".tprof") && !done.has(n)).length;
};
for (let left = -1, same = Date.now(); waiting() !== 0; await pause(200)) {
    if (waiting() !== left) same = Date.now();
    left = waiting();
    assert.ok(Date.now() - same < 60000, `${left} windows stay in the spool: ${push.said}`);
}
assert.equal(await push.end("SIGTERM"), 0, push.said);

const rows = server.ask("SELECT guest, core, sum(samples) AS n FROM (SELECT * FROM tprof_samples FINAL) GROUP BY guest, core");
const delivered = ofCores();
for (const { guest, core, n } of rows) delivered[guest][core] = Number(n);
let all = 0;
let way = 0;
for (let guest = 0; guest < GUESTS; guest++) {
    assert.equal(sent[guest].dropped, 0);
    for (let core = 0; core < CORES; core++) {
        const [took, there, lost] = [sent[guest].cores[core], delivered[guest][core], crashed[guest][core]];
        const missing = took - there - lost;
        assert.ok(missing >= 0 && missing <= unseen, `guest ${guest}, core ${core}: ${took} sent, ${there} there, ${lost} lost and told`);
        all += took;
        way += missing;
    }
}
assert.ok(kills.serve > 0 && kills.push > 0 && kills.clickhouse > 0 && all > 0, JSON.stringify(kills));
const sum = (list) => list.flat().reduce((a, b) => a + b, 0);
console.log(`${GUESTS} guests, ${seconds} s, killed: ${JSON.stringify(kills)}`);
console.log(`${all} samples sent = ${sum(delivered)} in ClickHouse + ${sum(crashed)} told as lost + ${way} on their way when serve was killed`);
await server.kill();
