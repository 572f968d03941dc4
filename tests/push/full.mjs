// SPDX-License-Identifier: BSD-2-Clause
// Full disks: of the folder that push fills, of the one that it empties, and of its temporary files. Nothing is
// lost, sent twice or set aside, the user is told once in each try what to do, and it goes on when there is room.
// The file systems are this process's own, and end with it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import { collector, ended, forget, push, receiver, SAMPLES, sent, until } from "./harness.mjs";

const PAGE = 4096;
const ROOM = 24 * PAGE;

/** Have a file system of ROOM bytes at (path); fill() takes all but (left) of them, and empty() gives them back. */
function disk(path, left) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${ROOM}`, "none", path]);
    const fill = () => {
        assert.throws(() => writeFileSync(`${path}/ballast`, Buffer.alloc(2 * ROOM)), /ENOSPC/);
        truncateSync(`${path}/ballast`, statSync(`${path}/ballast`).size - left);
    };
    return { fill, empty: () => rmSync(`${path}/ballast`) };
}

/** What push says of the recording (path): it meets (what). */
const waits = (path, what) => `(collector push: ${path}: ${what}; recordings wait until there is room.*\\n)`;
const files = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile()).map((file) => file.name);

/** Begin push, and wait until it has said (told) in three tries. */
async function startFull(args, told) {
    const p = { said: "", child: null };
    p.ends = push(args, (child) => (p.child = child).stderr.on("data", (text) => (p.said += text)));
    await until(() => p.said.split(told).length > 3);
    assert.ok(p.said.split(told).length > 3, p.said);
    return p;
}

// catches: a folder that keeps half of a window, a line for each of a thousand windows that wait
mkdirSync("small");
{
    const { fill, empty } = disk("small", PAGE);
    fill();
    const one = waits("queue/usual.tprof", "small/out: No space left on device");
    ended(await push(["--to", "small/out", "--wait", "1", "queue"]), 1,
        /^0 samples in 0 recordings delivered; 3 left in the queue\n$/, new RegExp(`^${one}collector push: gave up after 1 s. .*\\n$`));
    assert.deepEqual(files("small"), ["ballast"]);
    assert.deepEqual(sent(), []);
    const p = await startFull(["--to", "small/out", "--wait", "1", "--follow", "queue"], "until there is room");
    empty();
    await until(() => sent().length === 3);
    p.child.kill("SIGTERM");
    ended(await p.ends, 0, /^1,384 samples in 1 recording delivered; 2 left in the queue\n2,124 samples in 3 recordings delivered\n$/,
        new RegExp(`^${one}+$`));
    assert.equal(files("small").length, 3);
    for (const guest of Object.keys(SAMPLES)) {
        const [name] = files(`small/out/${guest}`);
        assert.deepEqual(readFileSync(`small/out/${guest}/1970-01-01/${name}`), readFileSync(`queue/${guest}.tprof`));
    }
}

// catches: a window that is sent again and again, since its mark has no room in the queue's folder
mkdirSync("spool");
for (const args of [["--follow"], []]) {
    const { fill, empty } = disk("spool", 0);
    for (const guest of Object.keys(SAMPLES)) copyFileSync(`queue/${guest}.tprof`, `spool/${guest}.tprof`);
    fill();
    const server = await receiver();
    const to = ["--to", `pyroscope+http://127.0.0.1:${server.port}/`, "--wait", "1", ...args, "spool"];
    const first = "spool/[a-z_]+.tprof", one = waits(first, `${first}.sent-[0-9a-f]{8}: No space left on device`);
    if (args.length === 0) {
        const p = await push(to);
        assert.match(p.err, new RegExp(`^${one}?collector push: .*until there is room\n$`));
        assert.equal(p.code, 1);
        assert.equal(server.requests.length, 1);
        empty();
        ended(await push(to), 0, /^2,124 samples in 3 recordings delivered\n$/);
        assert.equal(server.requests.length, 4);
    } else {
        let child = null, said = "";
        const ends = push(to, (p) => (child = p).stderr.on("data", (text) => (said += text)));
        await until(() => said.includes("until there is room"));
        await pause(3000); // longer than --wait; nothing tells that it does nothing
        assert.equal(server.requests.length, 1);
        empty();
        await until(() => sent("spool").length === 3);
        child.kill("SIGTERM");
        ended(await ends, 0, /2,124 samples in 3 recordings delivered\n$/, new RegExp(`^${one}$`));
        assert.equal(server.requests.length, 3);
    }
    await server.close();
    execFileSync("umount", ["spool"]);
}

// catches: windows set aside as unreadable, since what is made of them had no room
if (!`${collector} ${process.cwd()}`.match(/(^| )\/tmp\//))
    for (const kind of ["pyroscope", "clickhouse", "folder"]) {
        const { fill, empty } = disk("/tmp", 0);
        fill();
        forget();
        const server = await receiver();
        const to = kind === "folder" ? "copies" : `${kind}+http://127.0.0.1:${server.port}/`;
        const p = await startFull(["--to", to, "--wait", "1", "--follow", "queue"], "until there is room in /tmp");
        assert.deepEqual(sent(), []);
        empty();
        await until(() => sent().length === 3);
        p.child.kill("SIGTERM");
        ended(await p.ends, 0, /2,124 samples in 3 recordings delivered\n$/, /^(collector push: .*No space left on device.*\n)+$/);
        await server.close();
        execFileSync("umount", ["/tmp"]);
    }
else console.log("not looked at: temporary files, since this is in /tmp itself");
