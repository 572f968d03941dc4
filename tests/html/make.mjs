// SPDX-License-Identifier: BSD-2-Clause
// Makes pages that no test could sample: a million samples of 100,000 stacks, a day of
// four cores. The data are laid out as report/html/html_data.h says.
//
//   make.mjs PAGE million|day OUT
//
// PAGE is any page of the collector; what comes before its data is taken.
import { createWriteStream, readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

const MARKS = ["[caller?]", "[idle]", "[lost]", "[deeper]", "[others]", "[lent]", "[rest]"];

// The same numbers in each run.
let seed = 12345;
function random() {
    seed = Math.imul(seed ^ seed >>> 15, 0x2c1b3c6d) + 0x9e3779b9 | 0;
    const x = Math.imul(seed ^ seed >>> 12, 0x297a2d39);
    return ((x ^ x >>> 15) >>> 0) / 2 ** 32;
}

class Writer {
    constructor() {
        this.bytes = Buffer.alloc(1 << 20);
        this.size = 0;
    }

    room(n) {
        if (this.size + n <= this.bytes.length)
            return;
        const larger = Buffer.alloc(Math.max(2 * this.bytes.length, this.size + n));
        this.bytes.copy(larger);
        this.bytes = larger;
    }

    number(n) {
        this.room(10);
        for (; n > 127; n = Math.floor(n / 128))
            this.bytes[this.size++] = n % 128 + 128;
        this.bytes[this.size++] = n;
    }

    raw(bytes) {
        this.room(bytes.length);
        this.bytes.set(bytes, this.size);
        this.size += bytes.length;
    }

    text(text) {
        const bytes = Buffer.from(text);
        this.number(bytes.length);
        this.raw(bytes);
    }

    column(count, at) {
        const column = new Writer();
        for (let i = 0; i < count; i++)
            column.number(at(i));
        this.number(count);
        this.number(column.size);
        this.raw(column.bytes.subarray(0, column.size));
    }

    doubles(list) {
        this.number(list.length);
        this.raw(new Uint8Array(Float64Array.from(list).buffer));
    }

    block(part) {
        const packed = deflateSync(this.bytes.subarray(0, this.size));
        return `<script type="text/plain" data-part="${part}">${packed.toString("base64")}` +
            "</script>\n";
    }
}

// A tree of (leaves) stacks over (functions) functions; node 0 is the first.
function makeTree(leaves, functions) {
    const parent = [0], frame = [0], depth = [1], ends = [];
    while (ends.length < leaves) {
        let at = Math.floor(parent.length * random() ** 2);
        while (depth[at] > 40)
            at -= parent[at];
        for (let n = 1 + Math.floor(6 * random()); n > 0; n--) {
            parent.push(parent.length - at);
            depth.push(depth[at] + 1);
            frame.push(1 + Math.floor(functions * random() ** 3));
            at = parent.length - 1;
        }
        ends.push(at);
    }
    // one idle stack: below the first node
    parent.push(parent.length);
    frame.push(functions + 1);
    return { parent, frame, ends: [parent.length - 1, ...ends] };
}

function make(page, out, { cores, seconds, rate, stacks, functions, idle }) {
    const hz = 1e9, period = Math.round(hz / rate), tree = makeTree(stacks, functions);
    const per = seconds * 1000 <= 5e6 ? 1000 : 50, slots = seconds * per + 1;
    const samples = Math.floor(seconds * rate);
    const moments = [], entries = [];
    for (let core = 0; core < cores; core++) {
        const m = { slot: new Uint32Array(samples), entry: new Uint32Array(samples),
                    late: new Uint8Array(samples) };
        const e = tree.ends.map(() => ({ samples: 0, late: 0 }));
        let time = 0, burst = 0;
        for (let i = 0; i < samples; i++) {
            time = Math.min(time + (.5 + random()) / rate, seconds);
            if (burst-- <= 0)
                burst = 40 * random();
            // every stack once, then few often, and idle in bursts
            const entry = samples > 4 * stacks / cores && i < stacks / cores
                ? 1 + core * Math.floor(stacks / cores) + i
                : random() < idle ? 0 : 1 + Math.floor(stacks * random() ** 6);
            m.slot[i] = Math.floor(time * per);
            m.entry[i] = entry;
            m.late[i] = random() < .02 ? 10 * random() : random() < .02 ? 1 : 0;
            e[entry].samples++;
            m.late[i] = 2 * m.late[i] + (m.late[i] > 0 ? 1 : 0);
            e[entry].late += m.late[i] & 1 ? period : 0;
        }
        moments.push(m);
        entries.push(e);
    }

    const w = new Writer();
    w.text(JSON.stringify({
        format: 1, title: "made.elf", guest: "", elf: "/boot/made.elf", source: "make.mjs",
        agent: "0.1.0", wall_start: 1.8e9, duration_s: seconds, rate_hz: rate, tsc_hz: hz,
        tsc_measured: false, period_tsc: period, slots_per_s: per, slots, timed_slots: slots,
        shown: { rows: 0, mode: "busy", sort: "self", inverted: false, function: "" },
        idle_unknown: false, cost_share: .002, late_ticks: 65536, late_least: .2, steal: -1,
        moved: [], images: ["made.elf"], remarks: [],
        cores: moments.map((m, core) => ({
            core, exact: true, lost: [[5, rate, 20]],
            account: { samples, lost: 20, ring_full: 0, reentered: 0, missed: 0 },
        })),
    }));
    const names = [...MARKS, ...Array.from({ length: functions },
                                           (_, i) => `subsystem_${i % 40}_function_${i}`)];
    const files = Array.from({ length: 40 }, (_, i) => `kernel/subsystem_${i}.c`);
    w.text(["", ...names, ...files].join("\0"));
    w.column(names.length, (i) => i + 1);
    w.column(names.length, () => 0);
    const frames = functions + 2; // the last is [idle]
    w.column(frames, (i) => i === frames - 1 ? 1 : MARKS.length + i % functions);
    w.column(frames, () => 0);
    w.column(frames, (i) => i === frames - 1 ? 0 : names.length + 1 + i % functions % 40);
    w.column(frames, (i) => i);
    w.column(frames, () => 0);
    w.column(tree.parent.length, (i) => tree.parent[i]);
    w.column(tree.frame.length, (i) => tree.frame[i]);
    for (const e of entries) {
        w.column(e.length, (i) => tree.ends[i] + 1);
        w.column(e.length, (i) => e[i].samples);
        w.column(e.length, (i) => e[i].samples);
        w.doubles(e.map((x) => x.samples * period));
        w.doubles(e.map((x) => x.samples * period * period));
        w.doubles(e.map((x) => x.late));
    }
    const text = readFileSync(page, "utf8");
    const file = createWriteStream(out);
    file.write(text.slice(0, text.indexOf('<script type="text/plain"')));
    file.write(w.block("guest"));
    moments.forEach((m, core) => {
        const b = new Writer();
        b.number(core);
        b.column(samples, (i) => 2 * (m.slot[i] - (i ? m.slot[i - 1] : 0)));
        b.column(samples, (i) => m.entry[i]);
        b.column(samples, () => 1);
        b.column(samples, (i) => m.late[i]);
        b.number(1);
        b.number(0);
        b.number(period);
        file.write(b.block("moments"));
    });
    file.end();
}

const sizes = {
    million: { cores: 4, seconds: 250, rate: 1000, stacks: 100000, functions: 5000, idle: .3 },
    day: { cores: 4, seconds: 86400, rate: 97, stacks: 2000, functions: 800, idle: .6 },
};
const [page, size, out] = process.argv.slice(2);
make(page, out, sizes[size]);
