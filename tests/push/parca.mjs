// SPDX-License-Identifier: BSD-2-Clause
// Parca's own message types, as its web page uses them, decode what is sent to it, and the profile
// inside is the report's.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

import { ended, push, receiver } from "./harness.mjs";
import { samePprof } from "./pprofs.mjs";

const types = "../npm/node_modules/@parca/client/dist/parca/profilestore/v1alpha1/profilestore.js";
const { WriteRawRequest } = await import(pathToFileURL(types));
const GUESTS = ["usual", "two_images", "idle"];

const server = await receiver();
ended(await push(["--to", `parca+http://127.0.0.1:${server.port}/`, "--host", "h1", "--label", 'zone="\\a\u00e4', "queue"]), 0,
    /^2,124 samples in 3 recordings delivered\n$/);
await server.close();
for (const [i, { method, url, headers, body }] of server.requests.entries()) {
    const guest = GUESTS[i];
    assert.deepEqual([method, url, headers["content-type"]], ["POST", "/api/profiles/writeraw", "application/json"]);
    const request = WriteRawRequest.fromJsonString(body.toString(), { ignoreUnknownFields: false });
    assert.equal(request.series.length, 1);
    const [{ labels, samples }] = request.series;
    assert.deepEqual(Object.fromEntries(labels.labels.map(({ name, value }) => [name, value])),
        { __name__: "process_cpu", service_name: guest, guest, host: "h1", build: "0123456789abcdef".repeat(3).slice(0, 40), zone: '"\\a\u00e4' });
    assert.equal(samples.length, 1);
    samePprof(samples[0].rawProfile, guest);
}
assert.equal(server.requests.length, 3);
