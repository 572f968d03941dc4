// SPDX-License-Identifier: BSD-2-Clause
// totals.mjs NAME [several|sums|files]: do all files NAME.* say the same? The JSON report is compared with
// each other format, stack by stack: with (several), the guests' names are part of folded stacks;
// with (sums), only the sums of each core; with (files), the guest calls its images otherwise than perf
// does, which knows their files. catches: a format that leaves samples out, counts some twice,
// rounds a sum away, or names, orders or joins functions in its own way.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import * as read from "./read.mjs";

const [name, how] = process.argv.slice(2);
const several = how === "several";
const truth = read.json(`${name}.json`);
const guests = JSON.parse(readFileSync(`${name}.json`, "utf8")).guests;
const period = guests[0].period_seconds * 1e9;

/** Sums by core, or by another part of the keys. */
function fold(sums, key = (k) => k.match(/^.*?core \d+/)[0]) {
    const folded = new Map();
    for (const [k, v] of sums) {
        const sum = folded.get(key(k)) ?? { ns: 0, samples: 0 };
        folded.set(key(k), { ns: sum.ns + v.ns, samples: sum.samples + v.samples });
    }
    return folded;
}

/** Each is rounded to whole nanoseconds at most once for a sample. */
function same(format, is, should) {
    assert.deepEqual([...is.keys()].sort(), [...should.keys()].sort(), `${format}: other stacks`);
    for (const [key, want] of should) {
        const got = is.get(key);
        assert.ok(Math.abs(got.ns - want.ns) <= want.samples + 1, `${format}: ${key}: ${got.ns} ns, not ${want.ns}`);
        if (!Number.isNaN(got.samples))
            assert.equal(got.samples, want.samples, `${format}: ${key}: samples`);
    }
}

function compare(format, is, should = truth) {
    if (how !== "sums") same(format, is, should);
    same(`${format}: cores`, fold(is), fold(should));
}

// the report's own sums
for (const guest of guests) {
    const sum = (part, what) => guest.cores.reduce((s, core) => s + core[part][what], 0);
    for (const part of ["all", "busy", "idle"]) {
        assert.equal(sum(part, "samples"), guest.total[part].samples);
        assert.ok(Math.abs(sum(part, "seconds") - guest.total[part].seconds) < 1e-9);
    }
    assert.equal(guest.total.busy.samples + guest.total.idle.samples, guest.total.all.samples);
}
assert.equal([...truth.values()].reduce((s, v) => s + v.samples, 0),
    guests.reduce((s, guest) => s + guest.total.all.samples, 0));
assert.ok(truth.size > 0);

/** What the report tells twice is the same: waits and the idle tree, a function's lines and its row, the time line
 * and the cores' sums but for what lies before the first sample. */
const seconds = (list, of) => list.reduce((s, x) => s + of(x), 0);
const near = (is, should, what) => assert.ok(Math.abs(is - should) < 1e-9, `${what}: ${is}, not ${should}`);
for (const guest of guests) {
    for (const scope of [guest.total, ...guest.cores]) {
        near(seconds(scope.waits, (w) => w.self.seconds), scope.idle.seconds, "waits");
        for (const { node, stack, self } of scope.waits) {
            const path = [];
            for (let at = node; at !== undefined; at = scope.idle_tree[at].parent)
                if (guest.functions[scope.idle_tree[at].function].name !== "[idle]") path.unshift(scope.idle_tree[at].function);
            assert.deepEqual(stack, path);
            assert.equal(self.seconds, scope.idle_tree[node].self.seconds);
        }
    }
    for (const row of guest.total.table) {
        const lines = guest.functions[row.function].lines ?? [];
        if (!row.name.startsWith("["))
            near(seconds(lines, (l) => l.self.seconds), row.self.seconds, `lines of ${row.name}`);
        if (lines.length === 1) // all of the function is there, so it is known as well
            for (const end of ["low", "high"]) near(lines[0].self[end], row.self[end], `interval of ${row.name}'s line`);
    }
    for (const line of guest.timeline.cores) {
        const core = guest.cores.find((c) => c.core === line.core);
        for (const [part, lists] of [["busy", ["busy", "unseen"]], ["idle", ["idle"]]]) {
            const lacks = core ? core[part].seconds - seconds(lists, (l) => seconds(line[l], (x) => x)) : 0;
            assert.ok(lacks > -1e-9 && lacks < 3 * guest.period_seconds, `timeline of core ${line.core}: ${lacks} s ${part}`);
        }
    }
}

for (const format of ["speedscope", "firefox", "perfscript", "pprof", "perfetto"]) {
    const suffix = { perfetto: "pftrace", speedscope: "speedscope.json", firefox: "firefox.json", perfscript: "perf.txt", pprof: "pb.gz" };
    compare(format, read[format](`${name}.${suffix[format]}`, several));
}

/** The order of time, in which Firefox has a row for each sample; speedscope joins equal stacks beside each other. */
const turns = (leaves) => leaves.filter((f, i) => f !== leaves[i - 1]);
const { profiles, shared } = JSON.parse(readFileSync(`${name}.speedscope.json`, "utf8"));
for (const [i, t] of JSON.parse(readFileSync(`${name}.firefox.json`, "utf8")).threads.entries())
    assert.deepEqual(turns(profiles[i].samples.map((stack) => shared.frames[stack.at(-1)].name)),
        turns(t.samples.stack.map((s) => t.stringArray[t.funcTable.name[t.frameTable.func[t.stackTable.frame[s]]]])),
        `speedscope: the order of ${profiles[i].name}`);

const folded = read.folded(`${name}.folded`, several);
assert.deepEqual([...folded.keys()].sort(), [...truth.keys()].sort());
for (const [key, want] of truth)
    assert.ok(Math.abs(folded.get(key).ns - want.ns / period) <= 0.5 || folded.get(key).ns === 1, `folded: ${key}`);

// the last function of a busy stack, and time by function
const leaf = (k) => `${k.match(/^.*?core \d+/)[0]} ${k.replace(/^.*?core \d+ /, "").split(";").at(-1)}`;
const busy = new Map([...truth].filter(([k]) => !k.endsWith("[idle]") && !k.includes(" [timer ")));
const rows = new Map([...read.csv(`${name}.csv`, several)].filter(([k]) => !k.includes(" [timer ")));
compare("csv", rows, fold(busy, leaf));

const cost = read.callgrind(`${name}.callgrind`);
const named = (sums, f) => sums[Object.keys(sums).find((k) => read.plain(k) === f)] ?? NaN;
const self = fold(truth, (k) => k.replace(/^.*?core \d+ /, "").split(";").at(-1));
const total = [...truth.values()].reduce((s, v) => ({ ns: s.ns + v.ns, samples: s.samples + v.samples }));
assert.ok(Math.abs(cost.total - total.ns) <= total.samples);
if (how !== "sums")
    for (const [key, want] of self)
        assert.ok(Math.abs(named(cost.self, key) - want.ns) <= want.samples + 1, `callgrind: ${key}`);
const inclusive = new Map();
for (const [key, v] of truth)
    for (const f of new Set(key.replace(/^.*?core \d+ /, "").split(";")))
        inclusive.set(f, (inclusive.get(f) ?? 0) + v.ns);
if (how !== "sums")
    for (const [f, ns] of inclusive)
        assert.ok(Math.abs(named(cost.inclusive, f) - ns) <= total.samples, `callgrind: calls of ${f}`);

const images = [read.perfdataImages(`${name}.perf.data`, several), read.perfscriptImages(`${name}.perf.txt`)];
if (how === "files") same("perfdata: cores", fold(images[0]), fold(images[1]));
else compare("perfdata", ...images);
console.log(`${name}: ${truth.size} stacks, ${total.samples} samples, ${total.ns} ns in every format`);
