// SPDX-License-Identifier: BSD-2-Clause
// Reads a message of otlp.proto into what the same message is in OpenTelemetry's JSON, and checks
// what its readers ask of profiles.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const lower = (name) => name.replace(/_(.)/g, (_, c) => c.toUpperCase());

/** Messages by name: fields by number, as {name, type, repeated}. */
const schema = {};
for (const [, name, body] of readFileSync(`${import.meta.dirname}/otlp.proto`, "utf8").matchAll(/^message (\w+) \{\n(.*?)^\}/gms))
    schema[name] = Object.fromEntries([...body.matchAll(/(repeated )?(\w+) (\w+) = (\d+);/g)]
        .map(([, repeated, type, field, number]) => [number, { name: lower(field), type, repeated: !!repeated }]));

/** (bytes) as the message (type). */
export function decode(bytes, type = "Request") {
    let at = 0;
    const varint = () => {
        let n = 0n;
        for (let shift = 0n; ; shift += 7n) {
            n |= BigInt(bytes[at] & 127) << shift;
            if (bytes[at++] < 128) return n;
        }
    };
    const fixed = () => bytes.readBigUInt64LE((at += 8) - 8);
    const integer = (type, n) => (type === "int32" ? Number(n) : String(n));
    const message = {};
    while (at < bytes.length) {
        const tag = varint(), field = schema[type][tag >> 3n];
        assert.ok(field, `${type} has no field ${tag >> 3n}`);
        let values;
        if ((tag & 7n) !== 2n) values = [integer(field.type, (tag & 7n) === 1n ? fixed() : varint())];
        else {
            const size = Number(varint()), inner = bytes.subarray(at, at + size), end = at + size;
            assert.equal(inner.length, size);
            if (field.type === "string") {
                values = [new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(inner)];
            } else if (field.type === "bytes") values = [inner.toString("hex")];
            else if (schema[field.type]) values = [decode(inner, field.type)];
            else for (values = []; at < end; ) values.push(integer(field.type, field.type === "fixed64" ? fixed() : varint()));
            at = end;
        }
        if (field.repeated) (message[field.name] ??= []).push(...values);
        else {
            assert.equal(field.name in message, false, `${type}.${field.name} comes twice`);
            [message[field.name]] = values;
        }
    }
    return message;
}

/** protoc reads (bytes) by the schema, and writes the same bytes: nothing else is in them. */
export function protocAgrees(bytes) {
    const protoc = (how, input) => execFileSync("protoc", [`-I${import.meta.dirname}`, `--${how}=otlp.Request`, "otlp.proto"],
        { input, maxBuffer: 1 << 28 });
    const text = protoc("decode", bytes);
    assert.doesNotMatch(text.toString(), /^ *\d+[:{ ]/m); // a field without a name
    assert.deepEqual(decode(protoc("encode", text)), decode(bytes));
}

const TABLES = ["mapping", "location", "function", "link", "string", "attribute", "stack"];

/** The rules of OpenTelemetry's checker of profiles, and those of the schema's comments. */
export function conforms(request) {
    const dictionary = request.dictionary, used = {};
    for (const kind of TABLES) {
        const table = dictionary[`${kind}Table`];
        assert.ok(table?.length > 0, `${kind}: no table`);
        assert.deepEqual(table[0], kind === "string" ? "" : {}, `${kind}: entry 0 says something`);
        assert.equal(new Set(table.map((entry) => JSON.stringify(entry))).size, table.length, `${kind}: an entry comes twice`);
        used[kind] = new Set([0]);
    }
    /** Entry (index) of a table, which is referred to. */
    const at = (kind, index = 0) => {
        const table = dictionary[`${kind}Table`];
        assert.ok(Number.isInteger(index) && index >= 0 && index < table.length, `${kind}: no entry ${index}`);
        used[kind].add(index);
        return table[index];
    };
    const attributes = (indices = []) => {
        const keys = indices.map((i) => at("string", at("attribute", i).keyStrindex));
        assert.ok(!keys.includes(""));
        assert.equal(new Set(keys).size, keys.length, "an attribute comes twice");
    };
    assert.ok(request.resourceProfiles.length > 0);
    const ids = [];
    for (const { resource, scopeProfiles } of request.resourceProfiles) {
        const keys = resource.attributes.map(({ key }) => key);
        assert.equal(new Set(keys).size, keys.length);
        assert.ok(scopeProfiles.length > 0);
        for (const { profiles } of scopeProfiles) {
            assert.ok(profiles.length > 0);
            for (const p of profiles) {
                const begin = BigInt(p.timeUnixNano ?? 0), end = begin + BigInt(p.durationNano ?? 0);
                assert.match(p.profileId, /^(?!0{32})[0-9a-f]{32}$/);
                ids.push(p.profileId);
                for (const type of [p.sampleType, p.periodType])
                    assert.ok(at("string", type.typeStrindex) !== "" && at("string", type.unitStrindex) !== "");
                const shapes = new Set(), identities = new Set();
                for (const s of p.samples) {
                    const values = s.values ?? [], times = s.timestampsUnixNano ?? [];
                    assert.ok(values.length + times.length > 0);
                    assert.ok(!values.length || !times.length || values.length === times.length);
                    for (const t of times) assert.ok(BigInt(t) >= begin && BigInt(t) < end);
                    shapes.add(`${!!values.length} ${!!times.length}`);
                    at("stack", s.stackIndex), at("link", s.linkIndex), attributes(s.attributeIndices);
                    identities.add(JSON.stringify([s.stackIndex, [...(s.attributeIndices ?? [])].sort(), s.linkIndex]));
                }
                assert.equal(shapes.size, 1, "samples of several shapes");
                assert.equal(identities.size, p.samples.length, "samples that should be one");
            }
        }
    }
    assert.equal(new Set(ids).size, ids.length);
    for (const { locationIndices } of dictionary.stackTable) for (const i of locationIndices ?? []) assert.notDeepEqual(at("location", i), {});
    for (const l of dictionary.locationTable) {
        const m = at("mapping", l.mappingIndex);
        if (m.memoryLimit) assert.ok(BigInt(l.address) >= BigInt(m.memoryStart ?? 0) && BigInt(l.address) <= BigInt(m.memoryLimit));
        attributes(l.attributeIndices);
        for (const { functionIndex, line } of l.lines ?? []) {
            assert.notDeepEqual(at("function", functionIndex), {});
            assert.ok(BigInt(line ?? 0) >= 0n);
        }
    }
    for (const f of dictionary.functionTable.slice(1)) assert.ok(at("string", f.nameStrindex) + at("string", f.filenameStrindex) !== "");
    const mappings = dictionary.mappingTable.slice(1).map((m) => {
        const start = BigInt(m.memoryStart ?? 0), limit = BigInt(m.memoryLimit ?? 0);
        assert.ok(start < limit || (start === 0n && limit === 0n));
        attributes(m.attributeIndices);
        return { file: at("string", m.filenameStrindex), attributes: String(m.attributeIndices), start, limit };
    });
    for (const key of ["file", "attributes", "start", "limit"]) // any of these alone makes two the same to that checker
        assert.equal(new Set(mappings.map((m) => m[key])).size, mappings.length, `two mappings have one ${key}`);
    for (const l of dictionary.linkTable.slice(1)) assert.ok(l.traceId.length === 32 && l.spanId.length === 16);
    for (const a of dictionary.attributeTable) at("string", a.keyStrindex), at("string", a.unitStrindex);
    for (const kind of TABLES) assert.equal(used[kind].size, dictionary[`${kind}Table`].length, `${kind}: an entry that nothing refers to`);
}
