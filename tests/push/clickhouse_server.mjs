// SPDX-License-Identifier: BSD-2-Clause
// A real ClickHouse for one test, with its files in the working directory.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const freePort = () => new Promise((found) => {
    const probe = net.createServer().listen(0, "127.0.0.1", () => {
        const { port } = probe.address();
        probe.close(() => found(port));
    });
});

/** Resolves to {url, pid, ask, make, start, kill}: ask(query) returns rows, make(sql) makes tables;
 * kill() ends it at once, and start() begins it anew with what it had. */
export async function clickhouse() {
    const ports = { HTTP_PORT: await freePort(), TCP_PORT: await freePort() };
    let config = readFileSync(path.join(import.meta.dirname, "clickhouse.xml"), "utf8").replaceAll("DIR", process.cwd());
    for (const [name, port] of Object.entries(ports)) config = config.replace(name, port);
    writeFileSync("config.xml", config);
    mkdirSync("data");
    mkdirSync("tmp");
    const client = (args, options) => execFileSync("clickhouse-client", ["--port", ports.TCP_PORT, ...args], options);
    const address = `http://127.0.0.1:${ports.HTTP_PORT}/`;
    let server;
    let over;
    const start = async () => {
        server = spawn("clickhouse-server", ["--config-file=config.xml"], { stdio: ["ignore", "ignore", "ignore"] });
        over = new Promise((ended) => server.on("close", ended));
        for (let up = false; !up; await pause(100)) {
            assert.equal(server.exitCode, null, "clickhouse-server does not start");
            up = await fetch(address).then(() => true, () => false);
        }
    };
    const kill = () => {
        server.kill("SIGKILL");
        return over;
    };

    process.on("exit", () => server.kill("SIGKILL"));
    await start();
    return {
        url: `clickhouse+${address}`,
        get pid() {
            return server.pid;
        },
        ask: (query) => client(["--format", "JSONEachRow", "--query", query]).toString().trimEnd().split("\n").filter(Boolean).map(JSON.parse),
        make: (sql) => client(["--multiquery"], { input: sql }),
        start,
        kill,
    };
}
