// SPDX-License-Identifier: BSD-2-Clause
// collector push --follow: it hears of what comes, and waits for what may pass.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
    copyFileSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync,
} from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import { collector, ended, push, receiver, sent, until } from "./harness.mjs";

/** What is copied to (to) comes into its folder whole. */
function put(from, to) {
    copyFileSync(from, `${to}~`);
    renameSync(`${to}~`, to);
}

// catches: a push that reads its folder while nothing happens there, one that misses what is linked,
// renamed, written or unlocked, and one that does not see that what it has sent is another file now
{
    let following = null;
    mkdirSync("watched");
    copyFileSync("queue/idle.tprof", "watched/first.tprof");
    const { port, close, requests } = await receiver();
    const ends = push(["--to", `pyroscope+http://127.0.0.1:${port}/`, "--follow", "watched"], (p) => (following = p));
    const arrived = async (count) => {
        await until(() => requests.length >= count, 15); // it would look by itself after 30 s
        assert.equal(requests.length, count);
    };
    const switches = () => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${following.pid}/status`, "utf8"))[1]);
    await arrived(1);
    // Its own mark wakes it once more. Nothing tells that it rests but time in which it does nothing; a push that
    // looked each second would have none of 3 s.
    let woken = 2;
    for (let i = 0; i < 5 && woken > 1; i++) {
        const before = switches();
        await pause(3000);
        woken = switches() - before;
    }
    assert.ok(woken <= 1, "it does not rest");
    linkSync("queue/idle.tprof", "watched/linked.tprof");
    await arrived(2);
    put("queue/idle.tprof", "watched/renamed.tprof");
    await arrived(3);
    writeFileSync("watched/written.tprof", readFileSync("queue/idle.tprof"));
    await arrived(4);
    writeFileSync("watched/written.tprof", readFileSync("queue/usual.tprof"));
    await arrived(5);
    // it is locked before it has the name by which push hears of it, and for longer than push takes to look
    execFileSync("sh", ["-c", "exec 3>watched/locked~; flock 3; mv watched/locked~ watched/locked.tprof; cat queue/idle.tprof >&3; sleep 2"]);
    await arrived(6);
    await until(() => sent("watched").some((name) => name.startsWith("locked")));
    following.kill("SIGTERM");
    ended(await ends, 0, /^3,884 samples in 6 recordings delivered\n$/);
    await close();
}

// catches: windows that a full spool has removed while the receiver was away, and nobody was told; here
// the removing is ours, since a spool removes files in the same way
{
    let following = null, away = true, said = "", taken = 0;
    mkdirSync("day");
    for (let i = 0; i < 5; i++) {
        copyFileSync("queue/idle.tprof", `day/web.${1764000000000 + i * 10000}.tprof`);
        utimesSync(`day/web.${1764000000000 + i * 10000}.tprof`, 1, 1 + i);
    }
    const { port, close } = await receiver(() => (away ? null : (taken++, { status: 200 })));
    const told = () => said.split("recordings wait").length - 1;
    const ends = push(["--to", `pyroscope+http://127.0.0.1:${port}/`, "--wait", "1", "--follow", "day"], (p) => {
        (following = p).stderr.on("data", (text) => (said += text));
    });
    await until(() => told() >= 2);
    for (let i = 0; i < 2; i++) rmSync(`day/web.${1764000000000 + i * 10000}.tprof`);
    await until(() => told() >= 3); // it has looked anew
    away = false;
    await until(() => sent("day").length >= 3);
    // a window that was being sent when it was removed is sent; else it is counted
    following.kill("SIGTERM");
    const { out, code } = await ends;
    const [, delivered, removed] = /([0-9]+) recordings delivered; ([0-9]+) removed before they were sent\n$/.exec(out);
    assert.equal(Number(delivered) + Number(removed), 5, out);
    assert.equal(Number(delivered), taken);
    assert.ok(Number(removed) >= 1);
    assert.equal(code, 0);
    assert.equal(sent("day").length, 3);
    await close();
}

// catches: a window set aside for ever since its reader had no memory or no files once: it reads bad bytes
// here, which are good when it is read again, by the same size and time
{
    let following = null, told = "";
    const good = readFileSync("queue/idle.tprof");
    const write = (bytes) => {
        writeFileSync("passing/idle.tprof", bytes);
        utimesSync("passing/idle.tprof", 1, 1);
    };
    mkdirSync("passing");
    write(Buffer.alloc(good.length));
    const ends = push(["--to", "passed", "--follow", "passing"], (p) => {
        (following = p).stderr.on("data", (said) => (told += said));
    });
    await until(() => told.split("\n").length > 2);
    write(good);
    await until(() => sent("passing").length !== 0);
    following.kill("SIGTERM");
    // it is read again after 5 s, and after 10 more, if this process was that late
    ended(await ends, 0, /^500 samples in 1 recording delivered\n$/, /^(collector push: .*\n){1,2}$/);
}

// catches: a window set aside for ever since a linker was writing the image
{
    let following = null, told = "";
    mkdirSync("linked");
    copyFileSync("usual.wire", "linked/usual.tprof");
    writeFileSync("linked.elf", readFileSync("kernel.elf").subarray(0, 100));
    const ends = push(["--to", "linking", "--format", "pprof", "--elf", "linked.elf", "--follow", "linked"], (p) => {
        (following = p).stderr.on("data", (said) => (told += said));
    });
    await until(() => told.split("linked.elf").length >= 1 + 3);
    copyFileSync("kernel.elf", "linked.elf");
    await until(() => sent("linked").length > 0);
    following.kill("SIGTERM");
    ended(await ends, 0, /^1,384 samples in 1 recording delivered\n$/,
        /^collector push: linked.elf: .*\ncollector push: linked.usual.tprof: it waits: .*\n(collector push: linked.elf: .*\n)+$/);
}

// catches: a window set aside for ever since the kernel had no memory once, or one that kills each of
// its readers tried for ever, or again and again without a rest
{
    mkdirSync("kill");
    writeFileSync("kill/long.tprof", Buffer.alloc(3000 * readFileSync("usual.wire").length, readFileSync("usual.wire")));
    let killed = 0, following = null, begun = 0;
    const killReader = (p) => {
        try {
            for (const child of readFileSync(`/proc/${p.pid}/task/${p.pid}/children`, "utf8").split(" ").filter(Number)) {
                process.kill(child, "SIGKILL");
                killed++;
                begun ||= Date.now();
            }
        } catch { /* either has ended by itself */ }
    };
    const ends = push(["--to", "killed", "--sandbox=off", "--follow", "kill"], (p) => (following = p)); // no helper
    const marks = () => sent("kill");
    await until(() => (killReader(following), marks().length !== 0), 50, 2); // it reads for half a second
    assert.ok(Date.now() - begun >= 14900, "it does not rest for 5 s and for 10");
    following.kill("SIGTERM");
    const { out, err, code } = await ends;
    assert.match(readFileSync(`kill/${marks()[0]}`, "utf8"), /^unreadable /);
    assert.equal(err, "collector push: kill/long.tprof: the process that reads it was killed: Killed\n".repeat(3) +
        "collector push: kill/long.tprof: it cannot be read, and is set aside\n");
    assert.match(out, /^0 samples in 0 recordings delivered; 1 recording unreadable, set aside\n$/);
    assert.equal(code, 1);
    assert.ok(killed >= 3);

    // a push that does not stay leaves it to the next one
    rmSync(`kill/${marks()[0]}`);
    killed = 0;
    const once = push(["--to", "killed", "--sandbox=off", "kill"], (p) => (following = p));
    // and no longer: a sanitizer looks for leaks by a process of its own
    await until(() => (killReader(following), killed !== 0), 50, 2);
    ended(await once, 1, /^0 samples in 0 recordings delivered; 1 left in the queue\n$/, /^collector push: kill.*was killed: Killed\n$/);
    assert.deepEqual(marks(), []);
}

// catches: a helper that is killed, as by a kernel that has no memory, and all windows behind it set aside
{
    mkdirSync("helped");
    let following = null;
    const ends = push(["--to", "help", "--follow", "helped"], (p) => (following = p));
    put("usual.wire", "helped/a.tprof");
    await until(() => sent("helped").length === 1);
    // catches: a helper that has inherited the folder, and keeps it locked while push rests
    execFileSync(collector, ["compact", "helped"], { stdio: "ignore", timeout: 20000 });
    for (const child of readFileSync(`/proc/${following.pid}/task/${following.pid}/children`, "utf8").split(" ").filter(Number))
        process.kill(child, "SIGKILL");
    put("usual.wire", "helped/b.tprof");
    await until(() => sent("helped").length === 2);
    following.kill("SIGTERM");
    const { out, err, code } = await ends;
    assert.equal(err, "");
    assert.match(out, /in 2 recordings delivered\n$/);
    assert.equal(code, 0);
}
