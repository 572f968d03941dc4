// SPDX-License-Identifier: BSD-2-Clause
// What the tests of collector push have in common: the program, and a receiver that keeps all it
// is sent.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { setTimeout as pause } from "node:timers/promises";

export const collector = process.argv[2];

/** How many samples the recordings have: what wrote them says so. */
export const SAMPLES = { usual: 1384, two_images: 240, idle: 500 };

const running = new Set();
process.on("exit", () => running.forEach((p) => p.kill("SIGKILL"))); // where a test has failed

/** Run collector push. Resolves to {code, signal, out, err}, where (err) is without the line with which
 * --follow begins; child(process) is told of it. */
export function push(args, child = () => {}) {
    const p = spawn(collector, ["push", ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const result = { out: "", err: "" };
    const killer = setTimeout(() => p.kill("SIGKILL"), 60000);
    running.add(p);
    p.stdout.on("data", (d) => (result.out += d));
    p.stderr.on("data", (d) => (result.err += d));
    child(p);
    return new Promise((done) => p.on("close", (code, signal) => {
        clearTimeout(killer);
        running.delete(p);
        if (args.includes("--follow"))
            result.err = result.err.replace(/^(.*)\n/, (_, begun) => {
                assert.match(begun, /^collector push: sending new recordings in \w+ to .+, until Ctrl-C$/);
                return "";
            });
        done({ ...result, code, signal });
    }));
}

/** All is in the queue again, for every receiver. */
export function forget() {
    for (const name of readdirSync("queue"))
        if (name.includes(".sent-")) rmSync(`queue/${name}`);
}

/** The files beside recordings, which are the last that push does for one. */
export const sent = (folder = "queue") => readdirSync(folder).filter((name) => /\.sent-[0-9a-f]{8}$/.test(name));

/**
 * A receiver. (answer) is called with each request, {method, url, headers, body}, and its number
 * from 0 on; it returns {status, headers, text}, or null to hang up. Resolves to {port, requests,
 * close}. With (tls), a key and a certificate, it speaks TLS; with (at) it is at that port.
 */
export async function receiver(answer = () => ({ status: 200 }), tls = undefined, at = 0) {
    const requests = [];
    const serve = (request, response) => {
        const parts = [];
        request.on("data", (d) => parts.push(d));
        request.on("end", () => {
            const { method, url, headers } = request;
            const got = { method, url, headers, body: Buffer.concat(parts) };
            requests.push(got);
            const said = answer(got, requests.length - 1);
            if (said === null) return request.socket.destroy();
            response.writeHead(said.status, said.headers ?? {});
            response.end(said.text ?? "");
        });
        request.on("error", () => {});
    };
    const server = tls ? https.createServer(tls, serve) : http.createServer(serve);
    await new Promise((ready) => server.listen(at, "127.0.0.1", ready));
    const close = () => new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
    });
    return { port: server.address().port, requests, close };
}

/** Wait until holds() is true, which is asked each (ms), for at most so many (seconds): the caller looks then at
 * what has come of it. */
export async function until(holds, seconds = 40, ms = 20) {
    for (const end = Date.now() + seconds * 1000; !holds() && Date.now() < end;) await pause(ms);
}

/** (p) has ended with (code), and said (out) and nothing but (err). */
export function ended(p, code, out, err = /^$/) {
    assert.match(p.err, err);
    assert.match(p.out, out);
    assert.equal(p.code, code, p.err);
}
