// SPDX-License-Identifier: BSD-2-Clause
// The queue: each recording is handed on once, as it was, and whoever is killed loses nothing.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";

import { collector, ended, forget, push, receiver, SAMPLES, sent } from "./harness.mjs";

const files = (folder) => readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".tprof"));

// catches: a recording that is changed on its way, sent twice, or to one receiver instead of two; a file
// that some program hides until it is whole
copyFileSync("queue/idle.tprof", "queue/.hidden.tprof");
ended(await push(["--to", "out", "queue"]), 0, /^2,124 samples in 3 recordings delivered\n$/);
assert.equal(files("out").length, 3);
for (const guest of Object.keys(SAMPLES)) {
    const [copy] = files(`out/${guest}`);
    assert.match(copy, /^1970-01-01\/000000-[0-9a-f]{32}\.tprof$/);
    assert.deepEqual(readFileSync(`out/${guest}/${copy}`), readFileSync(`queue/${guest}.tprof`));
}
// catches: nothing sent, and not a word on why
ended(await push(["--to", "out", "queue"]), 0, /^nothing to send: 3 recordings were sent before\n$/);
ended(await push(["--to", "out", "queue/idle.tprof"]), 0, /^nothing to send: 1 recording was sent before\n$/);
ended(await push(["--to", "file://./other", "queue"]), 0, /^2,124 samples in 3/);

// catches: a guest whose name leads out of the folder, or hides what is put there
ended(await push(["--to", "dots", "queue/.hidden.tprof"]), 0, /^500 samples in 1/);
assert.equal(files("dots/_hidden").length, 1);
rmSync("queue/.hidden.tprof");

// the same window has the same name: after a failure nothing is there twice
forget();
ended(await push(["--to", "out", "queue"]), 0, /^2,124 samples in 3/);
assert.equal(files("out").length, 3);

// catches: a folder that gets another format than asked for
ended(await push(["--to", "pprof", "--format", "pprof", "queue/usual.tprof"]), 0, /^1,384 samples in 1/);
assert.match(readdirSync("pprof/usual/1970-01-01")[0], /\.pb\.gz$/);

// catches: addresses that are delivered in silence where the user would have had names
execFileSync(collector, ["report", "idle.wire", "-o", "bare.tprof"], { stdio: "ignore" });
ended(await push(["--to", "bare", "--format", "pprof", "bare.tprof"]), 0, /^500 samples in 1/,
    /^collector push: 1 recording has no names: give --symbols DIR or --elf FILE\n$/);
ended(await push(["--to", "named", "--format", "pprof", "--elf", "kernel.elf", "bare.tprof"]), 0, /^500 samples in 1/);
ended(await push(["--to", "as_it_is", "bare.tprof"]), 0, /^500 samples in 1/);

// catches: all recordings set aside for good since the user has mistyped --elf, or its linker is at work
{
    const withImage = (elf) => push(["--to", "image", "--format", "pprof", "--elf", elf, "bare.tprof"]);
    const left = /^0 samples in 0 recordings delivered; 1 left in the queue\n$/;
    writeFileSync("half.elf", readFileSync("kernel.elf").subarray(0, 100));
    ended(await withImage("nowhere.elf"), 1, /^$/, /^collector push: --elf nowhere.elf: No such file or directory\n$/);
    ended(await withImage("half.elf"), 1, left, /^collector push: half.elf: .*\ncollector push: nothing is sent until that image can be read\n$/);
    ended(await withImage("app.elf"), 1, left,
        /^collector push: the guest runs build .*\ncollector push: bare.tprof: it waits for the image of its kernel\n$/);
    ended(await withImage("kernel.elf"), 0, /^500 samples in 1/);
}

ended(await push(["--to", "pprof", "--format", "no", "queue"]), 2, /^$/, /--format no: there is no such format/);
ended(await push(["--to", "gopher://x", "queue"]), 2, /^$/, /what is that\?/);

// catches: ticks that left no sample forgotten on the way; the report says the same number
ended(await push(["--to", "out", "lost.tprof"]), 0, /^2,164 samples in 1 recording delivered; 130 lost before\n$/);

// a file that has changed waits again; one that is no recording is set aside, and the others go on
utimesSync("queue/idle.tprof", 1, 1);
writeFileSync("queue/broken.tprof", readFileSync("queue/idle.tprof").subarray(0, 300));
ended(await push(["--to", "out", "queue"]), 1, /^500 samples in 1 recording delivered; 1 recording unreadable, set aside\n$/,
    /^collector push: queue\/broken.tprof: it is cut before .*\ncollector push: queue\/broken.tprof: it cannot be read, and is set aside\n$/);
assert.match(readFileSync(`queue/${sent().find((name) => name.startsWith("broken"))}`, "utf8"), /^unreadable 300 /);
ended(await push(["--to", "out", "queue"]), 0, /^nothing to send: 3 recordings were sent before, and 1 set aside\n$/);
rmSync("queue/broken.tprof");

// catches: half of a recording sent while it is written
copyFileSync("queue/idle.tprof", "queue/open.tprof");
const holder = spawn("flock", ["queue/open.tprof", "sh", "-c", "echo locked; read end"], { stdio: ["pipe", "pipe", "inherit"] });
await new Promise((locked) => holder.stdout.once("data", locked));
ended(await push(["--to", "out", "queue"]), 0, /^0 samples in 0 recordings delivered; 1 still being written\n$/);
holder.stdin.end("\n");
await new Promise((over) => holder.on("close", over));
ended(await push(["--to", "out", "queue"]), 0, /^500 samples in 1/);
rmSync("queue/open.tprof");

// catches: a window that its spool has removed meanwhile taken for unreadable, a file left beside it
// for ever, or an error; the others go on
mkdirSync("spool");
for (const to of ["pyroscope+http", "s3+http"]) {
    const removing = await receiver((request, i) => {
        if (i === 0) rmSync("spool/g1.tprof");
        return { status: 200 };
    });
    for (let i = 0; i < 3; i++) {
        copyFileSync("queue/idle.tprof", `spool/g${i}.tprof`);
        utimesSync(`spool/g${i}.tprof`, 1, 1 + i);
    }
    process.env.AWS_ACCESS_KEY_ID = process.env.AWS_SECRET_ACCESS_KEY = "x";
    ended(await push(["--to", `${to}://127.0.0.1:${removing.port}/${to[0]}`, "spool"]), 0,
        /^1,000 samples in 2 recordings delivered; 1 removed before they were sent\n$/);
    assert.equal(removing.requests.length, 2);
    assert.deepEqual(readdirSync("spool").filter((name) => name.startsWith("g1")), []);
    await removing.close();
}
// ... and the one that is under way: its file beside would be the last of it
{
    const removing = await receiver(() => (rmSync("one/g.tprof"), { status: 200 }));
    mkdirSync("one");
    copyFileSync("queue/idle.tprof", "one/g.tprof");
    ended(await push(["--to", `pyroscope+http://127.0.0.1:${removing.port}/`, "one"]), 0, /^500 samples in 1 recording delivered\n$/);
    assert.deepEqual(readdirSync("one"), []);
    await removing.close();
}

// killed before the receiver has answered, with the process that sends, which would otherwise send again at once
// where the receiver hangs up: the window is sent once more, with the same rows
forget();
let victim = null;
const killAll = () => {
    for (const child of readFileSync(`/proc/${victim.pid}/task/${victim.pid}/children`, "utf8").split(" ").filter(Number))
        process.kill(child, "SIGKILL");
    victim.kill("SIGKILL");
};
const server = await receiver((request, i) => {
    if (i === 1) killAll(); // the samples of the first one have come
    return i === 1 ? null : { status: 200 };
});
const to = `clickhouse+http://127.0.0.1:${server.port}/`;
const killed = await push(["--to", to, "queue"], (p) => (victim = p));
assert.equal(killed.signal, "SIGKILL");
assert.equal(sent().length, 0);
ended(await push(["--to", to, "queue"]), 0, /^2,124 samples in 3/);
assert.equal(server.requests.length, 2 + 2); // all windows in one request for each table
assert.deepEqual(server.requests[3].body, server.requests[1].body);

// catches: a password that is shown, or one error twice
ended(await push(["--to", "pyroscope+http://me:secret@127.0.0.1:1/?key=secret", "--wait", "1", "bare.tprof"]), 1, /1 left/,
    /^collector push: bare.tprof: http:\/\/127.0.0.1:1\/: Couldn't connect to server; recordings wait\ncollector push: gave up after 1 s. .*\n$/);

// what comes later is sent by --follow, which ends when it is told to
const follow = push(["--to", to, "--follow", "queue"], (p) => {
    victim = p;
    copyFileSync("queue/idle.tprof", "later~");
    execFileSync("mv", ["later~", "queue/later.20260101T000000.tprof"]);
});
while (server.requests.length < 6) await new Promise((tick) => setTimeout(tick, 20));
while (!sent().some((name) => name.startsWith("later"))) await new Promise((tick) => setTimeout(tick, 20));
victim.kill("SIGTERM");
ended(await follow, 0, /^500 samples in 1/);

// catches: a file beside a recording that is no longer there kept for ever, or that of another receiver removed
mkdirSync("orphans");
copyFileSync("queue/idle.tprof", "orphans/gone.tprof");
ended(await push(["--to", "out", "orphans"]), 0, /^500 samples in 1/);
rmSync("orphans/gone.tprof");
writeFileSync("orphans/gone.tprof.sent-0123abcd", "delivered 1 1 1 x\n");
ended(await push(["--to", "out", "orphans"]), 0, /^0 samples in 0/);
assert.deepEqual(readdirSync("orphans"), ["gone.tprof.sent-0123abcd"]);

// catches: windows beyond those of one request left behind, or all of a day in one
mkdirSync("many");
for (let i = 0; i < 260; i++) copyFileSync("queue/idle.tprof", `many/g${i}.tprof`);
ended(await push(["--to", to, "many"]), 0, /^130,000 samples in 260 recordings delivered\n$/);
assert.equal(server.requests.length, 6 + 4);
await server.close();
