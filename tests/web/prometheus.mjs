// SPDX-License-Identifier: BSD-2-Clause
// Prometheus' text format, version 0.0.4, by the words of its description ("Exposition formats"), and
// what `promtool check metrics` asks for beyond that.
import assert from "node:assert/strict";

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/, LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/;

/** {name, labels, value} of a line, which may be nothing else. */
function sample(line) {
    const name = NAME.exec(line)?.[0], labels = {};
    assert(name, line);
    let rest = line.slice(name.length);
    if (rest.startsWith("{")) {
        rest = rest.slice(1);
        while (!rest.startsWith("}")) {
            const label = LABEL.exec(rest);
            assert(label, line);
            assert(!(label[1] in labels), line);
            labels[label[1]] = label[2].replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c));
            rest = rest.slice(label[0].length).replace(/^,/, "");
        }
        rest = rest.slice(1);
    }
    assert.match(rest, /^ [0-9]+(\.[0-9]+)?$/, line);
    return { name, labels, value: rest.slice(1) };
}

/** Families by name: {type, help, samples}. */
export function parse(text) {
    const families = new Map();
    let family;
    assert(text.endsWith("\n"));
    for (const line of text.slice(0, -1).split("\n")) {
        const [, word, name, rest] = /^# (HELP|TYPE) ([^ ]+) (.+)$/.exec(line) ?? [];
        if (word === "HELP") {
            assert(!families.has(name), `${name} comes twice`);
            families.set(name, family = { name, help: rest, samples: [] });
        } else if (word === "TYPE") {
            assert.equal(name, family.name);
            assert(family.type === undefined && family.samples.length === 0, line);
            assert.match(rest, /^(counter|gauge)$/);
            family.type = rest;
            assert.equal(name.endsWith("_total"), rest === "counter", name);
        } else {
            const s = sample(line);
            assert.equal(s.name, family.name); // a family is in one piece
            assert(family.type, line);
            family.samples.push(s);
        }
    }
    for (const { name, samples } of families.values()) {
        const keys = samples.map((s) => JSON.stringify(s.labels));
        assert.equal(new Set(keys).size, keys.length, `${name} has the same labels twice`);
    }
    return families;
}
