// SPDX-License-Identifier: BSD-2-Clause
// Pyroscope and Coroot, which cannot be had here: what is sent to them is compared with their
// interfaces as published, and with the report. catches: a path, a label, or a time that they do not
// understand, and a profile that says something else than the report.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { collector, ended, forget, push, receiver } from "./harness.mjs";
import { samePprof } from "./pprofs.mjs";

const GUESTS = ["usual", "two_images", "idle"];
const BUILD = "0123456789abcdef".repeat(3).slice(0, 40);

/** Push all to (kind), and give what arrived, in its order, as {url, body, headers, guest}. */
async function sentTo(kind, ...args) {
    forget();
    const server = await receiver();
    ended(await push(["--to", `${kind}+http://127.0.0.1:${server.port}`, "--host", "h1", "--label", "zone=a,b=c{}",
        ...args, "queue"]), 0, /^2,124 samples in 3 recordings delivered\n$/);
    await server.close();
    assert.equal(server.requests.length, 3);
    return server.requests.map((r, i) => ({ ...r, guest: GUESTS[i], query: new URL(r.url, "http://x/") }));
}

for (const [kind, format] of [["pyroscope", "pprof"], ["pyroscope-folded", "folded"]])
    for (const { method, query, body, guest } of await sentTo(kind)) {
        assert.equal(method, "POST");
        assert.equal(query.pathname, "/ingest");
        const parameters = Object.fromEntries(query.searchParams);
        assert.match(parameters.sampleRate, /^(998|997|100)$/);
        delete parameters.sampleRate;
        assert.deepEqual(parameters, { format, spyName: "tprof", units: "samples", aggregationType: "sum",
            name: `${guest}{guest=${guest},host=h1,build=${BUILD},zone=a_b_c__}` });
        if (format === "pprof") samePprof(body, guest);
        else assert.match(body.toString(), /^(core\d+;[^\n]+ \d+\n)+$/);
    }

// a guest belongs to a service, if the user says so; and there is a time where it is known
for (const { query } of await sentTo("pyroscope", "--label", "service=web"))
    assert.match(query.searchParams.get("name"), /^web\{guest=/);

// what a file of guests says of one is in its recordings, and so in each of their labels; --label is stronger
mkdirSync("labelled");
writeFileSync("list", "serial=usual.wire name=one zone=b rack=7 service=api\n");
execFileSync(collector, ["record", "--guests", "list", "-o", "labelled/one.tprof"], { stdio: "ignore" });
const labelled = await receiver();
ended(await push(["--to", `pyroscope+http://127.0.0.1:${labelled.port}`, "--host", "h1", "--label", "zone=a", "labelled"]),
    0, /^1,384 samples in 1 recording delivered\n$/, /has no names/);
await labelled.close();
assert.match(new URL(labelled.requests[0].url, "http://x/").searchParams.get("name"),
    /^api\{guest=one,host=h1,(build=\w+,)?zone=a,rack=7,service=api\}$/);

/** The bytes that protoc has written as (text) in quotes. */
const bytesOf = (text) => Buffer.from(text.replace(/\\([0-7]{3}|.)/g, (_, c) =>
    c.length === 3 ? String.fromCharCode(parseInt(c, 8)) : { n: "\n", r: "\r", t: "\t" }[c] ?? c), "latin1");

const ids = new Set();
for (const { query, headers, body, guest } of await sentTo("pyroscope-push")) {
    assert.equal(query.pathname, "/push.v1.PusherService/Push");
    assert.equal(headers["content-type"], "application/proto");
    const protoc = (how, input) => execFileSync("protoc", [`-I${import.meta.dirname}`, `--${how}=push.v1.PushRequest`, "push.proto"],
        { input, maxBuffer: 1 << 28 });
    const text = protoc("decode", body).toString("latin1");
    assert.deepEqual(protoc("encode", Buffer.from(text, "latin1")), body); // nothing is there that the schema does not know
    const labels = Object.fromEntries([...text.matchAll(/name: "(.*)"\n *value: "(.*)"/g)].map((m) => m.slice(1)));
    assert.deepEqual(labels, { __name__: "process_cpu", service_name: guest, guest, host: "h1", build: BUILD, zone: "a,b=c{}" });
    ids.add(text.match(/ID: "([0-9a-f]{32})"/)[1]);
    samePprof(bytesOf(text.match(/raw_profile: "(.*)"\n/)[1]), guest);
}
assert.equal(ids.size, 3);

for (const { method, query, body, guest } of await sentTo("coroot")) {
    assert.equal(method, "POST");
    assert.equal(query.pathname, "/v1/profiles");
    assert.deepEqual(Object.fromEntries(query.searchParams),
        { "service.name": guest, guest, "host.name": "h1", build: BUILD, zone: "a,b=c{}" });
    samePprof(body, guest);
}

// a path of the user's own stays, and --as says what a plain URL is
forget();
const server = await receiver();
ended(await push(["--to", `http://127.0.0.1:${server.port}/prefix/profiles?team=x`, "--as", "coroot", "queue/idle.tprof"]), 0, /^500 /);
assert.match(server.requests[0].url, /^\/prefix\/profiles\?team=x&service\.name=idle&/);
await server.close();
