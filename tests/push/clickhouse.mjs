// SPDX-License-Identifier: BSD-2-Clause
// A real ClickHouse: it is filled, asked, and compared with the report, stack by stack and to the
// last sample. catches: rows that it does not take, names that it takes for others, samples that are
// there twice after a failure, or in another core.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { Sums, json } from "../formats/read.mjs";
import { clickhouse } from "./clickhouse_server.mjs";
import { collector, ended, forget, push, SAMPLES } from "./harness.mjs";

const here = import.meta.dirname;
const server = await clickhouse();
const { url, ask } = server;

// without its tables it says so, and nothing is lost
ended(await push(["--to", url, "queue"]), 1, /^0 samples in 0 recordings delivered; 3 left in the queue\n$/,
    /tprof_stacks doesn't exist/);

const sql = readFileSync(path.join(here, "../../hostcollector/fleet/push/receivers/clickhouse.sql"));
server.make(sql);
const label = "O'Brien's \\ rack";
const args = ["--to", url, "--label", `rack=${label}`, "--host", "h1", "queue"];
ended(await push(args), 0, /^2,124 samples in 3 recordings delivered\n$/);
forget(); // as after a failure
ended(await push(args), 0, /^2,124 samples in 3 recordings delivered\n$/);

for (const [guest, samples] of Object.entries(SAMPLES)) {
    execFileSync(collector, ["report", `queue/${guest}.tprof`, "-o", `${guest}.json`], { stdio: "ignore" });
    const is = new Sums();
    for (const row of ask(`SELECT core, functions, sum(samples) AS n, sum(duration) AS ns
            FROM (SELECT * FROM tprof_samples FINAL WHERE guest = '${guest}')
            ANY INNER JOIN (SELECT stack, functions FROM tprof_stacks) USING stack GROUP BY core, functions`))
        is.add(`core ${row.core}`, row.functions.reverse(), Number(row.ns), Number(row.n));
    const should = json(`${guest}.json`);
    assert.deepEqual([...is.keys()].sort(), [...should.keys()].sort());
    let sum = 0;
    for (const [stack, { ns, samples }] of should) {
        assert.equal(is.get(stack).samples, samples, stack);
        assert.ok(Math.abs(is.get(stack).ns - ns) <= samples + 1, `${stack}: ${is.get(stack).ns} ns, not ${ns}`);
        sum += samples;
    }
    assert.equal(sum, samples);
}
const [same] = ask("SELECT uniqExact(window) AS windows, any(host) AS host, any(label.name) AS names, any(label.value) AS labels, any(build) AS build FROM tprof_samples");
assert.deepEqual(same, { windows: "3", host: "h1", names: ["rack"], labels: [label], build: "0123456789abcdef".repeat(3).slice(0, 40) });

// the queries of the file are queries
const queries = sql.toString().match(/-- {5}SELECT[^;]*;/g).map((q) => q.replaceAll(/^--/gm, "").replace("'web1'", "'usual'"));
assert.equal(queries.length, 3);
const [top, builds, minutes] = queries.map((q) => ask(q.replace(";", "")));
assert.deepEqual(top.slice(0, 2).map((row) => [row.function, row.samples]), [["[idle]", "920"], ["mix", "120"]]);
assert.equal(builds.length, 1);
assert.equal(minutes.length, new Set(minutes.map((m) => `${m.guest} ${m.core}`)).size);

await server.kill(); // its files go with the test's
