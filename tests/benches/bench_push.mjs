// SPDX-License-Identifier: BSD-2-Clause
// bench_push.mjs BUILD: what it takes to hand windows on to a real ClickHouse, and what they take there,
// as `name value unit` lines. 1,000 guests of one core at 97 Hz, which have 64 stacks of 16 frames each,
// are served for SECONDS (30), in windows of WINDOW (10s); what is kept of them is then pushed at once. The working directory is
// for files, and BUILD has the targets push_guests and collector.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

import { clickhouse } from "../push/clickhouse_server.mjs";

const GUESTS = 1000;
const SECONDS = Number(process.env.SECONDS ?? 30);
const WINDOW = process.env.WINDOW ?? "10s";
const build = process.argv[2];
const collector = path.join(build, "hostcollector/collector");

async function fillSpool() {
    mkdirSync("run");
    const guests = spawn(path.join(build, "tests/push/push_guests"), ["run", GUESTS], { stdio: ["pipe", "pipe", "inherit"] });
    process.on("exit", () => guests.kill("SIGKILL"));
    const lines = readline.createInterface({ input: guests.stdout })[Symbol.asyncIterator]();
    while (!existsSync(`run/${GUESTS - 1}`)) await pause(100);
    const serve = spawn(collector, ["serve", "--watch", "run", "--spool", "spool", "--window", WINDOW], { stdio: "ignore" });
    process.on("exit", () => serve.kill("SIGKILL"));
    const over = new Promise((ended) => serve.on("close", ended));
    await pause(SECONDS * 1000);
    guests.stdin.write("rest\n");
    assert.equal((await lines.next()).value, "resting");
    serve.kill("SIGTERM");
    assert.equal(await over, 0);
    guests.stdin.end();
    let samples = 0;
    for await (const line of lines) samples += Number(line.split(" ")[1]);
    return samples;
}

/** Seconds of a processor that process (pid) has had. */
function cpu(pid) {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
}

const samples = await fillSpool();
const windows = readdirSync("spool").filter((name) => name.endsWith(".tprof")).length;
const server = await clickhouse();
server.make(readFileSync(path.join(import.meta.dirname, "../../hostcollector/fleet/push/receivers/clickhouse.sql"), "utf8"));
const number = (query) => Number(Object.values(server.ask(query)[0])[0]);

const cpuBefore = cpu(server.pid);
const push = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S %R"; time "$@"', "push", collector, "push", "--to", server.url, "spool"]);
assert.equal(push.status, 0, String(push.stderr));
const [user, system, wall] = String(push.stderr).trim().split("\n").at(-1).split(" ").map(Number);
assert.equal(number("SELECT sum(samples) FROM tprof_samples"), samples);
await pause(2000); // what it merges in the background
const cpuTaken = cpu(server.pid) - cpuBefore;

server.make("OPTIMIZE TABLE tprof_samples FINAL; OPTIMIZE TABLE tprof_stacks FINAL");
const kept = number("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table LIKE 'tprof%'");
const say = (name, value, unit) => console.log(`push_${name} ${value} ${unit}`);
say("samples", samples, "samples");
say("windows_per_s", Math.round(windows / wall), "windows/s");
say("window_core", ((1e3 * (user + system)) / windows).toFixed(1), "ms/window");
say("core", ((1e6 * (user + system)) / samples).toFixed(2), "s/Msample");
say("clickhouse_core", ((1e6 * cpuTaken) / samples).toFixed(2), "s/Msample");
say("clickhouse_kept", (kept / samples).toFixed(2), "bytes/sample");
await server.kill();
