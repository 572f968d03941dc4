// SPDX-License-Identifier: BSD-2-Clause
// Who gets what by HTTP, and that nobody else suffers from it.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { parse } from "./prometheus.mjs";

const TOKEN = "0123456789abcdef-token";
const PROMTOOL = process.argv[3]; // Prometheus' own reader, if it can be had
const ATTACK = "\"\\\n</td><script>alert(1)</script>&'\x1b[2J";

/** Start the program: {port, err, end}. end() resolves to its exit status. */
async function serve(...args) {
    const p = spawn(process.argv[2], args, { stdio: ["pipe", "pipe", "pipe"] });
    const s = { port: 0, err: "", process: p };
    const closed = new Promise((done) => p.on("close", (code, signal) => done(signal ?? code)));
    p.stderr.on("data", (d) => (s.err += d));
    s.end = () => (p.stdin.end(), closed);
    const said = new Promise((ready) => p.stderr.on("data", () => {
        const line = /^collector: page at http:\/\/[^ ]+:(\d+)\/\n/.exec(s.err);
        if (line === null) return;
        s.port ||= Number(line[1]);
        s.err = s.err.slice(line[0].length);
        ready();
    }));
    await Promise.race([closed, said]);
    return s;
}

/** Ask for (path). Resolves to {status, headers, text}. */
function ask(port, path, headers = {}, method = "GET", body = "") {
    return new Promise((done, fail) => {
        const r = http.request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (a) => {
            let text = "";
            a.on("data", (d) => (text += d));
            a.on("end", () => done({ status: a.statusCode, headers: a.headers, text }));
        });
        r.on("error", fail);
        r.end(body);
    });
}

/** Send (bytes) as they are; resolves to the bytes that come until the other end closes. */
function raw(port, bytes) {
    return new Promise((done) => {
        const c = net.connect(port, "127.0.0.1", () => c.write(bytes));
        let got = "";
        c.on("data", (d) => (got += d.toString("latin1")));
        c.on("error", () => {});
        c.on("close", () => done(got));
    });
}

async function pages() {
    const s = await serve("127.0.0.1:0");
    const page = await ask(s.port, "/");
    assert.equal(page.status, 200);
    assert.match(page.headers["content-type"], /^text\/html/);
    assert.match(page.headers["content-security-policy"], /default-src 'none'/);
    assert.match(page.headers["content-security-policy"], /frame-ancestors 'none'/);
    assert.equal(page.headers["access-control-allow-origin"], undefined);
    assert.match(page.text, /2 of 4 guests sampled\. /);
    assert.match(page.text, /<td><a href="\/guest\/web10">web10<\/a><td>sampled<td>2<td>97<td>12.3 %<td>1,234,567<td>0<td>\d+ s ago<td><a href="\/guest\/web10\?since=-10m">10 min<\/a>, <a href="\/guest\/web10\?since=-1h">1 h<\/a>, <a href="\/guest\/web10\?since=today">today<\/a><\/tr>/);
    assert.match(page.text, /<td class="bad">15,848 \(59 %\), 7 before/); // lost, in a window that was not kept, and in one that was open at a crash
    const names = [...page.text.matchAll(/<tr><td>(?:<a [^>]*>)?(.{5})/g)].map((row) => row[1]);
    assert.deepEqual(names, ["&#34;", "a-gue", "web9<", "web10"]);
    assert.match(page.text, /The spool has 70 windows in 140.0 KB; 11 removed by its limits\. <span class="bad">3 windows with 1,003 samples could not be kept\./);
    assert.match(page.text, /1 window waits for collector push; the oldest began 5 min ago\. Collecting for 6 min\.</);
    assert.match(page.text, /5 of the removed windows had not been sent to all receivers/);
    assert.doesNotMatch(page.text, /<script/);
    assert.match(page.text, /&#60;script&#62;/);

    const metrics = await ask(s.port, "/metrics");
    assert.match(metrics.headers["content-type"], /^text\/plain; version=0\.0\.4/);
    if (PROMTOOL !== undefined) {
        const { status, stdout, stderr } = spawnSync(PROMTOOL, ["check", "metrics"], { input: metrics.text, encoding: "utf8" });
        assert.deepEqual([status, stdout, stderr], [0, "", ""]);
    }
    const families = parse(metrics.text);
    const of = (name) => families.get(name).samples.map((x) => x.value);
    assert.deepEqual(of("tprof_samples_total"), ["9007199255975560"]); // exact above 2^53
    assert.deepEqual(of("tprof_lag_seconds"), ["0.250"]);
    assert.deepEqual(of("tprof_lost_window_samples_total"), ["1003"]);
    assert.deepEqual(of("tprof_spool_unsent_removed_windows_total"), ["5"]);
    assert.deepEqual(of("tprof_spool_unsent_removed_samples_total"), ["4850"]);
    assert.deepEqual(of("tprof_crashed_samples"), ["7"]);
    assert.deepEqual(of("tprof_dropped_samples_total"), ["2500"]);
    assert.deepEqual(families.get("tprof_core_crashed_samples").samples.map((x) => [x.labels.guest, x.labels.core, x.value]),
                     [["web10", "0", "7"], ["gone", "1023", "1"]]);
    assert.deepEqual(families.get("tprof_spool_unsent_windows").samples.map((x) => [x.labels.tag, x.value]),
                     [["0123abcd", "2"], ["89abcdef", "1"], ["76543210", "0"]]);
    const [, oldest, none] = of("tprof_spool_oldest_unsent_seconds").map(Number);
    assert(oldest >= 300 && oldest < 400 && none === 0);
    assert.deepEqual(of("tprof_guest_up"), ["1", "1", "0", "0"]);
    assert.deepEqual(of("tprof_guest_busy_ratio"), ["0.123456"]); // of the others it is not known
    assert.deepEqual(of("tprof_guest_lost_samples_total"), ["0", "12345", "0", "0"]);
    assert.deepEqual(of("tprof_guest_lost_window_samples_total"), ["0", "1003", "0", "0"]);
    assert.deepEqual(of("tprof_guest_dropped_samples_total"), ["0", "2500", "0", "0"]);
    assert.equal(families.get("tprof_guest_up").samples[3].labels.guest, ATTACK);

    assert.equal((await ask(s.port, "/healthz")).status, 200);
    assert.equal((await ask(s.port, "/nothing")).status, 404);
    const head = await ask(s.port, "/", {}, "HEAD");
    assert.equal(head.status, 200);
    assert.equal(head.text, "");
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        const refused = await ask(s.port, "/", {}, method, "x=1");
        assert.equal(refused.status, 405, method);
        assert.equal(refused.headers.allow, "GET, HEAD");
    }
    assert.equal(await s.end(), 0);
    assert.equal(s.err, "");
}

async function hosts() {
    const s = await serve("127.0.0.1:0");
    for (const host of ["127.0.0.1", `LocalHost:${s.port}`, "[::1]:1", "127.9.9.9:80"])
        assert.equal((await ask(s.port, "/", { host })).status, 200, host);
    // a page that has its own name resolve to this machine
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "[::2]"]) {
        const refused = await ask(s.port, "/metrics", { host });
        assert.equal(refused.status, 403, host);
        assert.doesNotMatch(refused.text, /tprof_/);
    }
    // no name and digits, none, and two of them: what no client sends
    for (const host of ["localhost:evil.com", "localhost:80@evil.com", "127.0.0.1:@evil", "localhost:", "localhost:123456",
                        "[::1]evil", "[::1", "localhost evil", "localhost/", "", ":80", "[::1]:80:80"])
        assert.match(await raw(s.port, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`), /^HTTP\/1\.[01] 400 (?!.*tprof_)/s, host);
    for (const headers of ["", "Host: localhost\r\nHost: evil.example\r\n", "Host: localhost\r\nhost: localhost\r\n"])
        assert.match(await raw(s.port, `GET /metrics HTTP/1.0\r\n${headers}\r\n`), /^HTTP\/1\.[01] 400 (?!.*tprof_)/s, headers);
    assert.equal(await s.end(), 0);
}

async function tokens() {
    for (const all of ["0.0.0.0:0", "[::]:0"]) {
        const refused = await serve(all);
        assert.equal(await refused.end(), 1);
        assert.match(refused.err, /other machines reach that address: name a token/);
    }
    writeFileSync("short", "abc\n");
    const short = await serve("127.0.0.1:0", "short");
    assert.equal(await short.end(), 1);
    assert.match(short.err, /the token needs at least 16/);

    writeFileSync("token", `${TOKEN}\n`);
    const s = await serve("0.0.0.0:0", "token");
    const by = async (authorization) => (await ask(s.port, "/metrics", { host: "any.example", authorization })).status;
    assert.equal(await by(`Bearer ${TOKEN}`), 200);
    assert.equal(await by(`bearer ${TOKEN}`), 200);
    for (const wrong of [`Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, "Bearer ", `Basic ${TOKEN}`, TOKEN,
                         `Bearer ${TOKEN}${"x".repeat(5000)}`])
        assert.equal(await by(wrong), 401, wrong);
    assert.equal((await ask(s.port, "/healthz")).status, 401);
    assert.equal(await s.end(), 0);
}

async function rude() {
    const s = await serve("127.0.0.1:0");
    const requests = ["\0".repeat(100), "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00",
                      `GET /${"a".repeat(100000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
                      `GET / HTTP/1.1\r\n${"x: y\r\n".repeat(20000)}\r\n`,
                      "GET /%00%ff/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
                      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                      "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"];
    let seed = 1;
    for (let i = 0; i < 200; i++) // a good one, with bytes of it changed
        requests.push("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n".replace(/./gs, (c) => {
            seed = (seed * 1103515245 + 12345) % 2147483648;
            return seed % 23 === 0 ? String.fromCharCode((seed >> 8) % 256) : c;
        }));
    for (let i = 0; i < requests.length; i += 30) // those that are incomplete wait for their deadline
        await Promise.all(requests.slice(i, i + 30).map((bytes) => Promise.race([
            raw(s.port, Buffer.from(bytes, "latin1")), new Promise((go) => setTimeout(go, 200))])));
    // clients that keep all places, a byte now and then
    const slow = Array.from({ length: 80 }, () => {
        const c = net.connect(s.port, "127.0.0.1", () => c.write("GET / HT"));
        c.on("error", () => {});
        const drip = setInterval(() => c.destroyed || c.write("T"), 500);
        return { end: () => (clearInterval(drip), c.destroy()) };
    });
    await new Promise((go) => setTimeout(go, 1000));
    assert.equal((await ask(s.port, "/healthz")).status, 200); // once their time is up
    slow.forEach((c) => c.end());
    assert.equal((await ask(s.port, "/")).status, 200);
    assert.equal(await s.end(), 0);
    assert.equal(s.err, "");
}

for (const test of [pages, hosts, tokens, rude]) {
    await test();
    console.log(`${test.name} ok`);
}
process.exit(0);
