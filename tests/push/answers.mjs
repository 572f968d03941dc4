// SPDX-License-Identifier: BSD-2-Clause
// What a receiver may answer, and what collector push makes of that.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import { ended, forget, push, receiver, sent, until } from "./harness.mjs";

const url = (server, scheme = "http") => `clickhouse+${scheme}://127.0.0.1:${server.port}/?database=d`;

/** Push all to a receiver that gives these (answers) first, and then 200. */
async function pushTo(answers, ...args) {
    forget();
    const server = await receiver((request, i) => (i < answers.length ? answers[i] : { status: 200 }));
    const p = await push(["--to", url(server), ...args, "queue"]);
    await server.close();
    return { p, requests: server.requests };
}

// catches: a request that a receiver could not make sense of
writeFileSync("headers", "X-Api-Key: secret\n\nX-Scope-OrgID: me\n");
{
    const { p, requests } = await pushTo([], "--headers", "headers", "--label", "zone=a", "--host", "h1");
    ended(p, 0, /^2,124 samples in 3/);
    assert.equal(requests.length, 2);
    for (const [i, r] of requests.entries()) {
        const query = new URL(r.url, "http://x/").searchParams;
        assert.equal(r.method, "POST");
        assert.equal(query.get("database"), "d");
        assert.match(query.get("query"), i % 2 ? /^INSERT INTO tprof_samples \(/ : /^INSERT INTO tprof_stacks \(/);
        assert.equal(r.headers["content-encoding"], "gzip");
        assert.equal(r.headers["x-api-key"], "secret");
        assert.equal(r.headers["x-scope-orgid"], "me");
        assert.equal(Number(r.headers["content-length"]), r.body.length);
        assert.match(r.headers["user-agent"], /^tprof\/\d/);
    }
    const all = gunzipSync(requests[1].body).toString().trimEnd().split("\n").map((row) => row.split("\t"));
    assert.equal(all.length, 2124);
    const rows = all.filter((row) => row[7] === "usual");
    assert.equal(rows.length, 1384);
    for (const [i, row] of rows.entries()) {
        assert.equal(row.length, 13);
        assert.equal(row[6], String(i));
        assert.deepEqual(row.slice(7, 9), ["usual", "h1"]);
        assert.deepEqual(row.slice(10, 12), ["['zone']", "['a']"]);
    }
}

// what may pass by itself is tried again, all parts from the first on, and with the same bytes
for (const answer of [{ status: 503 }, { status: 500 }, { status: 429 }, { status: 425 }, { status: 408 }, null]) {
    const { p, requests } = await pushTo([answer, answer, { status: 200 }, answer]);
    ended(p, 0, /^2,124 samples in 3/, /^collector push: queue\/usual.tprof: .*\n$/);
    assert.deepEqual(requests.at(-1).body, requests[3].body);
    if (answer) assert.equal(requests.length, 6);
    else assert.ok(requests.length >= 5); // libcurl itself sends once more where a connection that was open had ended
}

// the receiver says when to come back
{
    const times = [];
    const server = await receiver((request, i) => {
        times.push(Date.now());
        return i === 0 ? { status: 429, headers: { "Retry-After": "2" } } : { status: 200 };
    });
    forget();
    ended(await push(["--to", url(server), "queue/idle.tprof"]), 0, /^500 /, /429/);
    await server.close();
    assert.ok(times[1] - times[0] >= 1900, `came back after ${times[1] - times[0]} ms`);
}

// what is wrong with one window is wrong for ever: it is found among those that it went with, set
// aside, counted, and not sent again
for (const status of [400, 413, 422]) {
    const { p, requests } = await pushTo([{ status }, { status, text: "bad \u001b[31mrows" }]);
    ended(p, 1, /^740 samples in 2 recordings delivered; 1,384 samples in 1 recording refused and set aside\n$/,
        new RegExp(`^collector push: queue/usual.tprof: it says ${status}: bad \\\\x1b\\[31mrows\n$`));
    assert.equal(requests.length, 1 + 1 + 4);
    assert.equal(sent().filter((name) => readFileSync(`queue/${name}`, "utf8").startsWith("refused ")).length, 1);
}

// what is wrong with the receiver's address or our credentials ends the work, and the queue stays
for (const status of [301, 401, 403, 404]) {
    const { p, requests } = await pushTo([{ status, headers: { Location: "/else" } }]);
    ended(p, 1, /^0 samples in 0 recordings delivered; 3 left in the queue\n$/, new RegExp(`it says ${status}`));
    assert.equal(requests.length, 1);
    assert.equal(sent().length, 0);
}

// catches: a journal that never says that an outage is over, nor what came of it
{
    let following = null;
    forget();
    const server = await receiver((request, i) => ({ status: i === 0 ? 503 : 200 }));
    const p = push(["--to", url(server).replace("clickhouse", "pyroscope"), "--follow", "queue"], (p) => (following = p));
    await until(() => sent().length === 3);
    following.kill("SIGTERM");
    ended(await p, 0, /^1,384 samples in 1 recording delivered; 2 left in the queue\n2,124 samples in 3 recordings delivered\n$/, /503/);
    await server.close();
}

// catches: a window that its receiver has taken, and that the next push sends again, since this one was told
// to end before it had read the answer; here it wakes up to both
{
    let ending = null;
    forget();
    const server = await receiver(() => {
        ending.kill("SIGSTOP");
        ending.kill("SIGTERM");
        setImmediate(() => ending.kill("SIGCONT")); // the answer is in its socket by then
        return { status: 200 };
    });
    ended(await push(["--to", url(server).replace("clickhouse", "pyroscope"), "queue/idle.tprof"], (p) => (ending = p)), 0,
        /^500 samples in 1 recording delivered\n$/);
    assert.equal(sent().length, 1);
    await server.close();
}

// one window that the receiver cannot digest now does not keep the others waiting for ever
{
    const server = await receiver((request) => ({ status: gunzipSync(request.body).includes("usual\t") ? 500 : 200 }));
    forget();
    ended(await push(["--to", url(server), "--wait", "1", "queue"]), 1,
        /^740 samples in 2 recordings delivered; 1 left in the queue\n$/, /usual.tprof: it says 500/);
    await server.close();
}

// nobody there, as long as only root may be: the queue stays, and the next run delivers it
{
    forget();
    ended(await push(["--to", url({ port: 1 }), "--wait", "1", "queue"]), 1,
        /^0 samples in 0 recordings delivered; 3 left in the queue\n$/, /usual.tprof: http:\/\/127.0.0.1:\d+\/: Couldn't connect.*; recordings wait\n/);
    ended(await pushTo([]).then(({ p }) => p), 0, /^2,124 samples in 3/);
}

// TLS: a certificate that nobody vouches for is refused, and with --ca it is taken
execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
    "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost",
    "-addext", "subjectAltName=IP:127.0.0.1"], { stdio: "ignore" });
{
    const server = await receiver(undefined, { key: readFileSync("key.pem"), cert: readFileSync("cert.pem") });
    forget();
    ended(await push(["--to", url(server, "https"), "--wait", "0", "queue"]), 1, /3 left/, /certificate/i);
    assert.equal(server.requests.length, 0);
    ended(await push(["--to", url(server, "https"), "--ca", "cert.pem", "queue"]), 0, /^2,124 samples in 3/);
    await server.close();
}

// a receiver that asks who we are gets our certificate, and without it nothing of ours
execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
    "-keyout", "own-key.pem", "-out", "own.pem", "-days", "2", "-subj", "/CN=host1"], { stdio: "ignore" });
writeFileSync("both.pem", Buffer.concat([readFileSync("own.pem"), readFileSync("own-key.pem")]));
{
    const server = await receiver(undefined, {
        key: readFileSync("key.pem"), cert: readFileSync("cert.pem"), ca: readFileSync("own.pem"), requestCert: true,
        rejectUnauthorized: true,
    });
    const to = ["--to", url(server, "https"), "--ca", "cert.pem", "--wait", "0", "queue"];
    forget();
    ended(await push(to), 1, /3 left/, /usual.tprof: /); // by its alert, or by its hanging up
    ended(await push(["--cert", "cert.pem", "--key", "key.pem", ...to]), 1, /3 left/, /usual.tprof: /); // by its alert, or by its hanging up
    assert.equal(server.requests.length, 0);
    ended(await push(["--cert", "own.pem", "--key", "own-key.pem", ...to]), 0, /^2,124 samples in 3/);
    forget();
    ended(await push(["--cert", "both.pem", ...to]), 0, /^2,124 samples in 3/);
    ended(await push(["--key", "own-key.pem", ...to]), 2, /^$/, /--key is that of a --cert/);
    ended(await push(["--cert", "absent.pem", ...to]), 0, /^nothing to send/);
    forget();
    ended(await push(["--cert", "absent.pem", ...to]), 1, /3 left/, /local SSL certificate/);
    await server.close();
}
