// SPDX-License-Identifier: BSD-2-Clause
// Bodies of which libcurl has sent a part, or all, when it has to send them anew: it reads them from their
// beginning then, and neither the user nor the queue hears of it.
// catches: a body that goes on where the first one ended, or is empty the second time.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import net from "node:net";

import { ended, push, sent } from "./harness.mjs";

process.env.AWS_ACCESS_KEY_ID = process.env.AWS_SECRET_ACCESS_KEY = "x"; // an object is a recording as it is
execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
    "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost",
    "-addext", "subjectAltName=IP:127.0.0.1"], { stdio: "ignore" });
mkdirSync("both");
copyFileSync("queue/idle.tprof", "both/small.tprof"); // comes first, and has a connection opened
utimesSync("both/small.tprof", 1, 1);
const usual = readFileSync("usual.wire");
const large = Buffer.alloc(400 * usual.length, usual); // more than a connection takes at once, and than 1 MB
writeFileSync("both/large.tprof", large);

/** Push both to (server), and look at what it has answered with 200, its (bodies). */
async function pushTo(server, scheme, bodies, err = /^$/) {
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    ended(await push(["--to", `s3+${scheme}://127.0.0.1:${server.address().port}/bucket`, "--ca", "cert.pem", "both"]), 0,
        /^554,100 samples in 2 recordings delivered\n$/, err);
    server.close();
    assert.equal(bodies.length, 2);
    assert.deepEqual(bodies[0], readFileSync("both/small.tprof"));
    assert.ok(bodies[1].equals(large));
    for (const name of sent("both")) rmSync(`both/${name}`);
}

// The receiver hangs up when it has all of the second body, or has begun to read it: libcurl takes that for a
// connection that had ended before, unless it hears of it in the midst of writing, when push tries again.
for (const most of [large.length, 200000]) {
    const bodies = [];
    let requests = 0;
    const serve = (request, response) => {
        const parts = [], second = requests++ === 1;
        let size = 0;
        request.on("data", (part) => {
            parts.push(part);
            size += part.length;
            if (second && size >= most) request.socket.destroy();
        });
        request.on("error", () => {});
        request.on("end", () => {
            if (second) return;
            bodies.push(Buffer.concat(parts));
            response.writeHead(200).end();
        });
    };
    const server = http.createServer(serve).on("checkContinue", serve); // says nothing: libcurl waits for a second
    await pushTo(server, "http", bodies, most === large.length ? /^$/ : /^(collector push: both\/large.tprof: .*\n)?$/);
    assert.equal(requests, 3);
    server.closeAllConnections();
}

// The receiver knows nothing of "Expect: 100-continue", which libcurl sends before more than 1 MB.
{
    const bodies = [];
    let refused = 0;
    const server = net.createServer((socket) => {
        let bytes = Buffer.alloc(0);
        socket.on("data", (part) => {
            bytes = Buffer.concat([bytes, part]);
            for (let end; (end = bytes.indexOf("\r\n\r\n") + 4) >= 4;) {
                const head = bytes.toString("latin1", 0, end), size = Number(/\r\nContent-Length: (\d+)/i.exec(head)[1]);
                if (/\r\nExpect: /i.test(head)) {
                    refused++;
                    socket.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
                    bytes = bytes.subarray(end);
                    continue;
                }
                if (bytes.length < end + size) return;
                bodies.push(Buffer.from(bytes.subarray(end, end + size)));
                bytes = bytes.subarray(end + size);
                socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            }
        });
    });
    await pushTo(server, "http", bodies);
    assert.equal(refused, 1);
}

// By HTTP/2 the receiver refuses what it has begun to read.
{
    const bodies = [];
    let streams = 0;
    const server = http2.createSecureServer({ key: readFileSync("key.pem"), cert: readFileSync("cert.pem") });
    server.on("stream", (stream) => {
        const parts = [], second = streams++ === 1;
        stream.on("data", (part) => {
            parts.push(part);
            if (second) stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
        });
        stream.on("error", () => {});
        stream.on("end", () => {
            if (second) return;
            bodies.push(Buffer.concat(parts));
            stream.respond({ ":status": 200 });
            stream.end();
        });
    });
    await pushTo(server, "https", bodies);
    assert.equal(streams, 3);
}
