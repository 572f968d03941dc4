// SPDX-License-Identifier: BSD-2-Clause
// collector push --follow: it waits for what may pass.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

import { push } from "./harness.mjs";

// catches: a window set aside for ever since the kernel had no memory once, or one that kills each of
// its readers tried for ever
{
    mkdirSync("kill");
    writeFileSync("kill/long.tprof", Buffer.alloc(3000 * readFileSync("usual.wire").length, readFileSync("usual.wire")));
    let killed = 0, following = null;
    const killReader = () => {
        try {
            for (const child of readFileSync(`/proc/${following.pid}/task/${following.pid}/children`, "utf8").split(" ")
                .filter(Number)) {
                process.kill(child, "SIGKILL");
                killed++;
            }
        } catch { /* either has ended by itself */ }
    };
    const ends = push(["--to", "killed", "--follow", "kill"], (p) => (following = p));
    const marks = () => readdirSync("kill").filter((name) => name.includes(".sent-"));
    while (marks().length === 0) {
        killReader();
        await new Promise((tick) => setTimeout(tick, 2));
    }
    following.kill("SIGTERM");
    const { out, err, code } = await ends;
    assert.match(readFileSync(`kill/${marks()[0]}`, "utf8"), /^unreadable /);
    assert.equal(err, "collector push: kill/long.tprof: the process that reads it was killed: Killed\n".repeat(3));
    assert.match(out, /^0 samples in 0 recordings delivered; 1 recordings unreadable, set aside\n$/);
    assert.equal(code, 1);
    assert.ok(killed >= 3);
}
