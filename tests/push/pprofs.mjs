// SPDX-License-Identifier: BSD-2-Clause
// What arrives as a file for pprof, in whatever envelope, says what the report says.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

import { json, pprof } from "../formats/read.mjs";
import { collector } from "./harness.mjs";

/** (bytes) are the profile of (guest): go's pprof reads it, and each stack has the report's samples. */
export function samePprof(bytes, guest) {
    writeFileSync("got.pb.gz", bytes);
    execFileSync(collector, ["report", `queue/${guest}.tprof`, "-o", `${guest}.json`], { stdio: "ignore" });
    const is = pprof("got.pb.gz"), should = json(`${guest}.json`);
    assert.deepEqual([...is.keys()].sort(), [...should.keys()].sort());
    for (const [stack, { samples }] of should) assert.equal(is.get(stack).samples, samples, stack);
    const raw = execFileSync("go", ["tool", "pprof", "-raw", "got.pb.gz"], { env: { ...process.env, PPROF_TMPDIR: "." }, maxBuffer: 1 << 28 }).toString();
    assert.deepEqual(new Set(raw.match(/guest:\[[^\]]*\]/g)), new Set([`guest:[${guest}]`]));
}
