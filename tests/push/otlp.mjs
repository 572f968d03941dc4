// SPDX-License-Identifier: BSD-2-Clause
// OpenTelemetry, whose collector cannot be had here: what is sent is what protoc reads, the same in both
// encodings, and what the report says. The rules of its checker of profiles: tests/unit/test_otlp.c.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

import { json, Sums } from "../formats/read.mjs";
import { collector, ended, forget, push, receiver } from "./harness.mjs";
import { decode, protocAgrees } from "./otlp_read.mjs";

const BUILD = "0123456789abcdef".repeat(3).slice(0, 40);
const APP_BUILD = "aabbccddeeff00112233445566778899aabbccdd";
const GUESTS = ["usual", "two_images", "idle"];
const KINDS = { otlp: "application/x-protobuf", "otlp-json": "application/json" };
const parse = { otlp: decode, "otlp-json": (bytes) => JSON.parse(bytes) };

/** Samples and nanoseconds of (request) by core and stack. */
function sums({ resourceProfiles: [{ scopeProfiles: [{ profiles }] }], dictionary: d }) {
    const sums = new Sums();
    for (const { sampleType, samples } of profiles) {
        const type = `${d.stringTable[sampleType.typeStrindex]} ${d.stringTable[sampleType.unitStrindex]}`;
        assert.match(type, /^(cpu nanoseconds|samples count)$/);
        for (const { stackIndex, attributeIndices, values } of samples) {
            const core = attributeIndices.map((i) => d.attributeTable[i]).find((a) => d.stringTable[a.keyStrindex] === "cpu.logical_number");
            const frames = d.stackTable[stackIndex].locationIndices.flatMap((l) => d.locationTable[l].lines
                .map(({ functionIndex }) => d.stringTable[d.functionTable[functionIndex].nameStrindex])).reverse();
            const value = Number(values[0]);
            sums.add(`core ${core.value.intValue}`, frames, ...(type === "samples count" ? [0, value] : [value, 0]));
        }
    }
    return sums;
}

function saysTheReport(request, guest) {
    execFileSync(collector, ["report", `queue/${guest}.tprof`, "-o", `${guest}.json`], { stdio: "ignore" });
    const is = sums(request), should = json(`${guest}.json`);
    assert.deepEqual([...is.keys()].sort(), [...should.keys()].sort());
    for (const [stack, { ns, samples }] of should) {
        assert.equal(is.get(stack).samples, samples, stack);
        assert.ok(Math.abs(is.get(stack).ns - ns) <= samples, stack); // each is rounded once
    }
}

/** By OpenTelemetry's conventions: of the first and the last 4096 bytes, and the length. */
function htlhash(file) {
    const bytes = readFileSync(file);
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.length));
    return createHash("sha256").update(bytes.subarray(0, 4096)).update(bytes.subarray(-4096)).update(length)
        .digest("hex").slice(0, 32);
}

/** Each image of (request) of which there is a file is told by its build-id and by the hash of that. */
function tellsImages({ dictionary: d }, ...images) {
    const said = d.mappingTable.slice(1).filter((m) => m.attributeIndices).map((m) => [path.basename(d.stringTable[m.filenameStrindex]),
        Object.fromEntries(m.attributeIndices.map((i) => d.attributeTable[i])
            .map((a) => [d.stringTable[a.keyStrindex], a.value.stringValue]))]);
    assert.deepEqual(Object.fromEntries(said), Object.fromEntries(images.map(([file, build]) => [file,
        { "process.executable.build_id.gnu": build, "process.executable.build_id.htlhash": htlhash(file) }])));
}

const got = {};
for (const [kind, type] of Object.entries(KINDS)) {
    forget();
    const server = await receiver();
    ended(await push(["--to", `${kind}+http://127.0.0.1:${server.port}`, "--host", "h1", "--label", "service=web",
        "--label", 'zone="\\a\u00e4', "--label", "guest=no", "queue"]), 0, /^2,124 samples in 3 recordings delivered/);
    await server.close();
    got[kind] = server.requests.map(({ method, url, headers, body }) => {
        assert.deepEqual([method, url, headers["content-type"], headers["content-encoding"]],
            ["POST", "/v1development/profiles", type, "gzip"]);
        return gunzipSync(body);
    });
    assert.equal(got[kind].length, 3);
}
const ids = new Set();
for (const [i, guest] of GUESTS.entries()) {
    const request = decode(got.otlp[i]);
    protocAgrees(got.otlp[i]);
    assert.deepEqual(JSON.parse(got["otlp-json"][i]), request);
    saysTheReport(request, guest);
    tellsImages(request, ["kernel.elf", BUILD], ...(guest === "two_images" ? [["app.elf", APP_BUILD]] : []));
    const [{ resource, scopeProfiles: [{ scope, profiles }] }] = request.resourceProfiles;
    assert.deepEqual(Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value.stringValue])),
        { "service.name": "web", guest, "host.name": "h1", "process.executable.build_id.gnu": BUILD, service: "web", zone: '"\\a\u00e4' });
    assert.equal(scope.name, "tprof");
    for (const p of profiles) ids.add(p.profileId);
}
assert.equal(ids.size, 6);

// where the recording has no names, the file is at hand; it is another one now
execFileSync(collector, ["report", "usual.wire", "--elf", "kernel.elf", "--no-names", "-o", "bare.tprof"], { stdio: "ignore" });
appendFileSync("kernel.elf", "behind all that is read");
const bare = await receiver();
ended(await push(["--to", `otlp+http://127.0.0.1:${bare.port}`, "--elf", "kernel.elf", "bare.tprof"]), 0, /^1,384 samples/);
await bare.close();
tellsImages(decode(gunzipSync(bare.requests[0].body)), ["kernel.elf", BUILD]);

/** Push all to (kind), which gives these (answers) first, and then 200. */
async function pushTo(kind, answers, code, out, err = /^$/, path = "") {
    forget();
    const server = await receiver((_, i) => answers[i] ?? { status: 200 });
    ended(await push(["--to", `${kind}+http://127.0.0.1:${server.port}${path}`, "queue"]), code, out, err);
    await server.close();
    return server.requests;
}

for (const kind of Object.keys(KINDS)) {
    // what may be tried again is sent again, with the same bytes, and so with the same ids
    for (const status of [429, 502, 503, 504]) {
        const requests = await pushTo(kind, [{ status }], 0, /^2,124 samples in 3/, new RegExp(`says ${status}`));
        assert.equal(requests.length, 4);
        assert.deepEqual(parse[kind](gunzipSync(requests[0].body)), parse[kind](gunzipSync(requests[1].body)));
    }
    // and what may not, is not
    for (const status of [400, 500, 501])
        assert.equal((await pushTo(kind, [{ status }], 1, /^740 samples in 2 .*; 1,384 samples in 1 recording refused/, new RegExp(`says ${status}`))).length, 3);
    // a path of the user's own
    for (const { url } of await pushTo(kind, [], 0, /^2,124/, /^$/, "/v1/profiles?x=y")) assert.equal(url, "/v1/profiles?x=y");
}

// a receiver that takes a part says so in a success: that is a loss, and not sent again
const partial = [
    ["otlp", Buffer.from("0a0708021203" + "6e1b6f", "hex")],
    ["otlp-json", '{"partialSuccess":{"rejectedProfiles":"2","errorMessage":"n\\u001bo"}}'],
    ["otlp-json", '{"partialSuccess":{"rejectedProfiles":2,"errorMessage":"n\\u001bo"}}'], // as some write it
];
for (const [kind, text] of partial) {
    const requests = await pushTo(kind, [{ status: 200, text }], 1, /^740 samples in 2 recordings delivered.*; 1,384 samples in 1 recording refused and set aside\n$/,
        /^collector push: queue\/usual.tprof: it rejects 2 profiles: n\?o\n$/);
    assert.equal(requests.length, 3);
}
// what is empty, or nothing of the kind, is a success as others are
for (const text of ["", "{}", "[]", '{"partialSuccess":[]}', Buffer.from("0a00", "hex"), Buffer.from("0affffffffffffffffff01ff", "hex"), "\n\x02\x08"])
    for (const kind of Object.keys(KINDS)) await pushTo(kind, [{ status: 200, text }], 0, /^2,124/);
