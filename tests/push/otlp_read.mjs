// SPDX-License-Identifier: BSD-2-Clause
// Reads a message of otlp.proto into what the same message is in OpenTelemetry's JSON.
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
