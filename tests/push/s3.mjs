// SPDX-License-Identifier: BSD-2-Clause
// An object store, npm's s3rver: it gets the recordings as they are.
// catches: a request that is signed wrongly, an object that is cut or called otherwise the second time.
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { ended, forget, push, receiver } from "./harness.mjs";

const S3rver = createRequire(`${process.cwd()}/../npm/`)("s3rver");

mkdirSync("store");
const server = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory: "store", configureBuckets: [{ name: "profiles" }] });
const { port } = await server.run();
const url = `s3+http://127.0.0.1:${port}/profiles/some/prefix`;
const list = async () => (await (await fetch(`http://127.0.0.1:${port}/profiles`)).text()).match(/<Key>[^<]*/g)?.map((key) => key.slice(5)) ?? [];
const get = async (key) => Buffer.from(await (await fetch(`http://127.0.0.1:${port}/profiles/${encodeURI(key)}`)).arrayBuffer());

copyFileSync("queue/idle.tprof", "queue/a b+c.tprof");
ended(await push(["--to", url, "queue"]), 1, /4 left in the queue\n$/, /AWS_ACCESS_KEY_ID/);
process.env.AWS_ACCESS_KEY_ID = "S3RVER"; // those that s3rver knows
process.env.AWS_SECRET_ACCESS_KEY = "S3RVER";
ended(await push(["--to", url, "queue"]), 0, /^2,624 samples in 4 recordings delivered\n$/);
forget();
ended(await push(["--to", url, "queue"]), 0, /^2,624 samples in 4 recordings delivered\n$/);

const keys = await list();
assert.equal(keys.length, 4);
for (const guest of ["usual", "two_images", "idle", "a b+c"]) {
    const key = keys.find((k) => k.startsWith(`some/prefix/${guest}/`));
    assert.match(key, /\/1970-01-01\/000000-[0-9a-f]{32}\.tprof$/);
    assert.deepEqual(await get(key), readFileSync(`queue/${guest}.tprof`));
}

// s3rver does not look at signatures of version 4: they are computed here, as AWS tells how to
const hmac = (key, text, ...how) => createHmac("sha256", key).update(text).digest(...how);
const sha = (bytes) => createHash("sha256").update(bytes).digest("hex");
function signature({ method, url, headers, body }) {
    const [, scope, signed] = headers.authorization.match(/^AWS4-HMAC-SHA256 Credential=[^/]*\/([^,]*), *SignedHeaders=([^,]*), *Signature=/);
    assert.equal(headers["x-amz-content-sha256"], sha(body));
    const canonical = [method, url, "", ...signed.split(";").map((name) => `${name}:${headers[name]}`), "", signed, sha(body)].join("\n");
    const key = scope.split("/").reduce((key, part) => hmac(key, part), "AWS4S3cret");
    return hmac(key, ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha(canonical)].join("\n"), "hex");
}
forget();
Object.assign(process.env, { AWS_SECRET_ACCESS_KEY: "S3cret", AWS_SESSION_TOKEN: "a+token", AWS_REGION: "eu-central-1" });
const recorder = await receiver();
ended(await push(["--to", `s3+http://127.0.0.1:${recorder.port}/profiles`, "queue"]), 0, /^2,624 samples/);
await recorder.close();
assert.equal(recorder.requests.length, 4);
for (const request of recorder.requests) {
    assert.equal(request.method, "PUT");
    assert.equal(request.headers["x-amz-security-token"], "a+token");
    assert.match(request.headers.authorization, /\/eu-central-1\/s3\/aws4_request,.*x-amz-security-token/);
    assert.ok(request.headers.authorization.endsWith(`=${signature(request)}`));
}
forget();
ended(await push(["--to", url, "--format", "pprof", "queue/idle.tprof"]), 0, /^500 samples/);
assert.equal((await list()).length, 5);
await server.close();
