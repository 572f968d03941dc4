// SPDX-License-Identifier: BSD-2-Clause
// Reads each format by what its tool says of it, into one shape: a map from "core 0 a;b;c" to
// {ns, samples}. What has no stacks is read into other shapes, which say so.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const MOST = 1 << 28; // bytes of a tool's output
const text = (path) => readFileSync(path, "utf8");

/** As folded stacks write a name. */
export const plain = (name) => name.replaceAll(";", ":");

/** A map that adds up. */
export class Sums extends Map {
    add(core, frames, ns, samples) {
        const key = `${core} ${frames.map(plain).join(";")}`;
        const sum = this.get(key) ?? { ns: 0, samples: 0 };
        this.set(key, { ns: sum.ns + ns, samples: sum.samples + samples });
    }
}

const coreName = (guest, core) => (guest.name === null ? "" : `${guest.name} `) + `core ${core.core}`;

export function json(path) {
    const sums = new Sums();
    for (const guest of JSON.parse(text(path)).guests)
        for (const core of guest.cores)
            for (const tree of [core.tree, core.idle_tree]) {
                const paths = [];
                for (const node of tree) {
                    const above = node.parent === undefined ? [] : paths[node.parent];
                    paths.push([...above, guest.functions[node.function].name]);
                    if (node.self.samples)
                        sums.add(coreName(guest, core), paths.at(-1), node.self.seconds * 1e9, node.self.samples);
                }
            }
    return sums;
}

/** Counts periods, not nanoseconds. */
export function folded(path, several) {
    const sums = new Sums();
    for (const line of text(path).trimEnd().split("\n")) {
        const [, stack, count] = line.match(/^(.*) (\d+)$/);
        const frames = stack.split(";");
        const guest = several ? `${frames.shift()} ` : "";
        const core = frames.shift().replace("core", "core ");
        sums.add(guest + core, frames, Number(count), 0);
    }
    return sums;
}

export function speedscope(path) {
    const sums = new Sums();
    const file = JSON.parse(text(path));
    for (const profile of file.profiles)
        profile.samples.forEach((stack, i) =>
            sums.add(profile.name, stack.map((f) => file.shared.frames[f].name), profile.weights[i], NaN));
    return sums;
}

/** By `go tool pprof -raw`. */
export function pprof(path, several) {
    const raw = execFileSync("go", ["tool", "pprof", "-raw", path], { env: { ...process.env, PPROF_TMPDIR: "." }, maxBuffer: MOST });
    const [, samples, locations] = raw.toString().match(/\nSamples:\n(.*)\nLocations\n(.*)\nMappings/s);
    const names = [];
    for (const line of locations.split("\n")) {
        const [, id, name] = line.match(/^ +(?:(\d+): 0x[0-9a-f]+ (?:M=\d+ )?)?(.*) \S*:\d+ s=/);
        if (id) names[id] = [];
        names.at(-1).push(name);
    }
    const sums = new Sums();
    for (const sample of samples.split("\n").slice(1).join("\n").split(/\n(?= +\d+ +\d+:)/)) {
        const [, count, ns, ids] = sample.match(/^ +(\d+) +(\d+): ([\d ]+)\n/);
        const guest = several ? `${sample.match(/guest:\[(.*)\]/)[1]} ` : "";
        const core = sample.match(/core:\[(\d+) core\]/)[1];
        sums.add(`${guest}core ${core}`, ids.trim().split(" ").flatMap((id) => names[id]).reverse(),
            Number(ns), Number(count));
    }
    return sums;
}

export function firefox(path) {
    const sums = new Sums();
    for (const t of JSON.parse(text(path)).threads)
        t.samples.stack.forEach((stack, i) => {
            const frames = [];
            for (let s = stack; s !== null; s = t.stackTable.prefix[s])
                frames.unshift(t.stringArray[t.funcTable.name[t.frameTable.func[t.stackTable.frame[s]]]]);
            sums.add(t.name, frames, t.samples.weight[i] * 1e6, 1);
        });
    return sums;
}

/** Paragraphs of perf script, with frames as [name, image], outermost first. */
function paragraphs(all) {
    return all.trimEnd().split("\n\n").map((paragraph) => {
        const [head, ...lines] = paragraph.split("\n");
        const [, core, cpu, ns] = head.match(/^(.*?) +\d+\/\d+ +\[(\d+)\] +[\d.]+: +(\d+) cpu-clock/);
        const frames = lines.map((l) => l.match(/^\t *[0-9a-f]+ (.*) \((.*)\)$/).slice(1)).reverse();
        return { core, cpu: Number(cpu), ns: Number(ns), frames };
    });
}

export function perfscript(path) {
    const sums = new Sums();
    for (const { core, ns, frames } of paragraphs(text(path)))
        sums.add(core, frames.map(([name]) => name.replace(/\+0x0$/, "")), ns, 1);
    return sums;
}

/** The images of frames that are not inlined, instead of functions. */
function images(all) {
    const sums = new Sums();
    for (const { core, ns, frames } of all) {
        const names = frames.map(([, image]) => image.replace(/.*\//, "").replace(/\.elf$/, ""));
        sums.add(core, names.filter((n) => n !== "inlined" && (n !== "[caller?]" || names.length === 1)), ns, 1);
    }
    return sums;
}

export const perfscriptImages = (path) => images(paragraphs(text(path)));

/** By `perf script`; a thread has the name of its guest. */
export function perfdataImages(path, several) {
    const args = ["script", "--no-inline", "--ns", "-F", "comm,pid,tid,cpu,time,period,event,ip,sym,dso", "-i", path];
    const all = paragraphs(execFileSync("perf", args, { stdio: ["ignore", "pipe", "ignore"], maxBuffer: MOST }).toString());
    return images(all.map((p) => ({ ...p, core: `${several ? `${p.core} ` : ""}core ${p.cpu}` })));
}

/** The fields of a message in the wire format of Protocol Buffers: {number: [values]}. */
function message(bytes) {
    const fields = {};
    let at = 0;
    const varint = () => {
        let value = 0n, shift = 0n, byte;
        do {
            byte = bytes[at++];
            value |= BigInt(byte & 127) << shift;
            shift += 7n;
        } while (byte & 128);
        return value;
    };
    while (at < bytes.length) {
        const tag = Number(varint());
        let value = varint();
        if (tag % 8 === 2) {
            value = bytes.subarray(at, at + Number(value));
            at += value.length;
        } else if (tag % 8 !== 0)
            throw new Error(`field of type ${tag % 8}`);
        (fields[tag >> 3] ??= []).push(value);
    }
    return fields;
}

/** By the numbers in Perfetto's stack_sample.proto, trace_packet.proto, profile_common.proto and
 * generic_task.proto. */
export function perfetto(path) {
    const sums = new Sums(), threads = new Map(), states = new Map();
    let names, frames, stacks, times; // of a guest
    const only = (m, field) => m[field]?.[0];
    const define = (table, list, value) =>
        (list ?? []).map(message).forEach((m) => table.set(only(m, 1), value(m)));
    for (const packet of message(readFileSync(path))[1].map(message)) {
        if (only(packet, 13) === 1n)
            [names, frames, stacks, times] = [new Map(), new Map(), new Map(), new Map()];
        if (packet[2])
            for (const t of (message(only(packet, 2))[2] ?? []).map(message))
                threads.set(only(t, 1), only(t, 2).toString());
        if (packet[12]) {
            const numbers = message(only(packet, 12));
            define(names, numbers[5], (m) => only(m, 2).toString());
            define(frames, numbers[6], (m) => names.get(only(m, 2)));
            define(stacks, numbers[7], (m) => (m[2] ?? []).map((id) => frames.get(id)));
        }
        if (packet[117]) {
            const state = message(only(packet, 117));
            states.set(only(state, 3), only(state, 4));
        }
        if (packet[135]) {
            const sample = message(only(packet, 135)), stack = stacks.get(only(sample, 6));
            const thread = only(message(only(sample, 1)), 3);
            const cpu = only(message(only(sample, 3)), 2);
            if (/core \d+$/.test(threads.get(thread)) && !threads.get(thread).endsWith(`core ${cpu}`))
                throw new Error(`${threads.get(thread)} on CPU ${cpu}`);
            if ((stack.at(-1) === "[idle]") !== (states.get(thread) === 4n) && states.has(thread))
                throw new Error(`${stack.at(-1)} in state ${states.get(thread)}`);
            sums.add(threads.get(thread), stack, Number(only(sample, 11) ?? 0n), 1);
            if (only(packet, 8) < (times.get(cpu) ?? 0n))
                throw new Error(`${threads.get(thread)}: time goes back`);
            times.set(cpu, only(packet, 8));
        }
    }
    return sums;
}

/** Slices of tracks: "process/track: slice" with begin and end in ns. By the numbers in
 * track_event.proto and track_descriptor.proto. */
export function perfettoSlices(path) {
    const tracks = new Map(), slices = [];
    const only = (m, field) => m[field]?.[0];
    for (const packet of message(readFileSync(path))[1].map(message)) {
        if (packet[60]) {
            const track = message(only(packet, 60)), parent = only(track, 5);
            tracks.set(only(track, 1), track[3] ? only(message(only(track, 3)), 1)
                : `${tracks.get(parent)}/${only(track, 2)}`);
        }
        if (packet[11]) {
            const event = message(only(packet, 11)), track = only(event, 11);
            if (only(event, 9) === 1n)
                slices.push({ name: `${tracks.get(track)}: ${only(event, 23)}`, track, begin: only(packet, 8) });
            else
                slices.find((s) => s.track === track && s.end === undefined).end = only(packet, 8);
        }
    }
    return slices;
}

/** Self time by core and function, of busy time. */
export function csv(path, several) {
    const sums = new Sums();
    const rows = text(path).trimEnd().split("\r\n").map((line) =>
        [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) =>
            m[1] === undefined ? m[2] : m[1].replaceAll('""', '"').replace(/^'/, "")));
    const at = Object.fromEntries(rows[0].map((name, i) => [name, i]));
    for (const row of rows.slice(1))
        if (row[at.core] !== "all" && row[at.base] === "busy" && Number(row[at.self_samples]))
            sums.add(`${several ? `${row[at.guest]} ` : ""}core ${row[at.core]}`, [row[at.function]],
                row[at.self_seconds] * 1e9, Number(row[at.self_samples]));
    return sums;
}

/** {self, inclusive, total}: nanoseconds by function, cores among them. */
export function callgrind(path) {
    const result = { self: {}, inclusive: {}, total: 0 };
    let name, callee, calls = false;
    for (const line of text(path).split("\n")) {
        const cost = line.match(/^\d+ (\d+) \d+$/);
        if (line.startsWith("fn=")) name = line.slice(3);
        else if (line.startsWith("cfn=")) callee = line.slice(4);
        else if (line.startsWith("calls=")) calls = true;
        else if (line.startsWith("totals: ")) result.total = Number(line.split(" ")[1]);
        else if (cost) {
            const [sums, key] = calls ? [result.inclusive, callee] : [result.self, name];
            sums[key] = (sums[key] ?? 0) + Number(cost[1]);
            calls = false;
        }
    }
    return result;
}
