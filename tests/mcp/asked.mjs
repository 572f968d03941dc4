// SPDX-License-Identifier: BSD-2-Clause
// Asks collector mcp as an assistant does, and as a broken program does.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

const collector = process.argv[2];
const BYTES = 6200; // of an answer: below 2,000 tokens

async function connect(...args) {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StdioClientTransport({ command: collector, args: ["mcp", ...args] }));
    client.ask = async (name, args = {}) => {
        const answer = await client.callTool({ name, arguments: args });
        const [{ type, text }] = answer.content;
        assert.equal(type, "text");
        assert.ok(text.length <= BYTES, `${name}: ${text.length} bytes`);
        return { text, failed: answer.isError };
    };
    return client;
}

/** The collector's own words for (args). */
function say(...args) {
    return spawnSync(collector, args, { encoding: "utf8" }).stdout;
}

/** Send (lines) as they are. Returns the answers, and the status of the program. */
function send(...lines) {
    const run = spawnSync(collector, ["mcp", "profiles"], { input: lines.join("\n"), encoding: "utf8" });
    return { answers: run.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line)), ...run };
}

async function tools(client) {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((t) => t.name),
        ["list_recordings", "report", "function", "annotate", "diff", "check"]);
    for (const t of tools) {
        assert.ok(t.annotations.readOnlyHint, t.name);
        assert.equal(t.inputSchema.additionalProperties, false, t.name);
    }
    assert.deepEqual(tools[2].inputSchema.required, ["function"]);
}

async function lists(client) {
    const { text } = await client.ask("list_recordings");
    const names = [...text.matchAll(/^ {2}(\S+)/gm)].map((m) => m[1]);
    assert.deepEqual(names, ["profiles/usual.tprof", "profiles/deep/counts_its_work.tprof",
        "profiles/deep/counts_more_work.tprof", "profiles/lost_samples.tprof",
        "profiles/terminal_escapes.tprof", "0", "kernel.elf"]);
    assert.match(text, /^ {2}0 {2}\d{4}-\d\d-\d\d .* UTC to \d{4}-/m);
}

async function reports(client) {
    const { text, failed } = await client.ask("report"); // of the newest recording
    assert.equal(failed, false);
    assert.equal(text, say("report", "profiles/usual.tprof", "--width", "80", "--top", "15"));
    assert.match(text, /samples of .* cores/);
    assert.match(text, /^ {2}SELF {4}\+- {2}TOTAL/m);
    const few = await client.ask("report", { recording: "profiles/usual.tprof", rows: 1 });
    assert.match(few.text, /Shown: at most 1 row/);
    assert.match((await client.ask("report", { recording: "profiles/lost_samples.tprof" })).text, /lost/);
    assert.match((await client.ask("report", { guest: "0", since: "-1h" })).text, /samples of 1 core/);
}

async function functions(client) {
    const { text } = await client.ask("function", { function: "checksum" });
    assert.match(text, /CALLERS, % of its total/);
    assert.match(text, /itself, .* with what it calls/);
    assert.match((await client.ask("annotate", { function: "checksum" })).text, /samples\. SELF is in %/);
}

async function differences(client) {
    const before = "profiles/deep/counts_its_work.tprof", after = "profiles/deep/counts_more_work.tprof";
    const { text, failed } = await client.ask("diff", { before, after });
    assert.equal(failed, false);
    assert.equal(text, say("diff", before, after, "--width", "80", "--top", "15"));
    assert.match((await client.ask("diff", { after })).text, /diff needs 'before'/);
}

async function checks(client) {
    assert.match((await client.ask("check")).text, /A profile of kernel.elf will show/);
    assert.equal((await client.ask("check", { image: "/bin/sh" })).failed, true);
}

/** Files outside the folders that the user named stay closed, and links are not followed. */
async function refuses(client) {
    for (const recording of ["secret.tprof", "../secret.tprof", "profiles/link.tprof", "/etc/passwd",
        "profiles/../secret.tprof", "profiles", ""])
        assert.deepEqual(await client.ask("report", { recording }),
            { text: `no recording '${recording}': list_recordings has the names`, failed: true });
    assert.equal((await client.ask("report", { guest: "../x" })).failed, true);
    assert.equal((await client.ask("report", { guest: "0", recording: "profiles/usual.tprof" })).failed, true);
    for (const [tool, args] of [["report", { rows: 0 }], ["report", { rows: 61 }], ["report", { rows: "5" }],
        ["report", { recording: 5 }], ["report", { output: "x" }], ["report", { recording: "a\0b" }],
        ["function", {}], ["shell", {}]])
        await assert.rejects(client.callTool({ name: tool, arguments: args }), /-32602/, `${tool} ${JSON.stringify(args)}`);
}

/** Names that a guest has chosen reach nobody's terminal, and are valid JSON. */
async function hostile(client) {
    const { text } = await client.ask("report", { recording: "profiles/terminal_escapes.tprof" });
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(text, /[\x00-\x08\x0b-\x1f\x7f]/);
}

function broken() {
    const hello = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const codes = (...lines) => send(...lines).answers.map((a) => a.error?.code ?? 0);
    assert.deepEqual(codes("{", hello), [-32700, 0]);
    assert.deepEqual(codes("[]", '{"id":1}', '{"id":{},"method":"ping"}', hello),
        [-32600, -32600, -32600, 0]);
    assert.deepEqual(codes('{"id":1,"method":"rm"}', '{"method":"notifications/x"}', "", hello), [-32601, 0]);
    assert.deepEqual(codes('{"id":1,"method":"tools/call"}', '{"id":1,"method":"tools/call","params":[]}',
        '{"id":1,"method":"tools/call","params":{"name":"report","arguments":[]}}'), [-32602, -32602, -32602]);
    assert.deepEqual(codes("[".repeat(100000), hello), [-32700, 0]);
    assert.equal(send(hello).status, 0);
    const long = send(" ".repeat(2 << 20) + hello);
    assert.equal(long.status, 1);
    assert.equal(long.stderr, "collector mcp: a message of more than 1 MiB\n");
    // an older client gets its own version, an unknown one the newest that we know
    for (const [asked, told] of [["2024-11-05", "2024-11-05"], ["1999-01-01", "2025-06-18"]]) {
        const { answers } = send(`{"id":"a","method":"initialize","params":{"protocolVersion":"${asked}"}}`);
        assert.equal(answers[0].result.protocolVersion, told);
        assert.equal(answers[0].id, "a");
    }
}

const files = readdirSync(".", { recursive: true }).filter((f) => !f.startsWith("node_modules")).length;
const client = await connect("profiles", "--spool", "spool", "--elf", "kernel.elf");
for (const test of [tools, lists, reports, functions, differences, checks, refuses, hostile]) {
    await test(client);
    console.log(`ok ${test.name}`);
}
await client.close();
broken();
console.log("ok broken");
assert.match(await (await connect("profiles")).ask("report", { guest: "0" }).then((a) => a.text),
    /the user named no spool/);
assert.equal(readdirSync(".", { recursive: true }).filter((f) => !f.startsWith("node_modules")).length, files);
process.exit(0);
