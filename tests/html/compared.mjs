// SPDX-License-Identifier: BSD-2-Clause
// What the page shows is what the .json file says of the same samples, to the last digit: the
// table of functions, cores, waits and time lines; of everything, and of what is selected.
import { assert, collector, open, readFileSync, run, scene, settle } from "./browser.mjs";

const kernel = ["--elf", "kernel.elf"], both = [...kernel, "--elf", "app.elf"];

// The report on the only guest.
function report(name, ...args) {
    collector("report", `${name}.wire`, ...args, "-o", "compared.json");
    return JSON.parse(readFileSync("compared.json", "utf8")).guests[0];
}

async function page_of(name, args, hash) {
    collector("report", scene(name), ...args, "-o", `${name}.html`);
    return await open(`${name}.html`, hash);
}

const percent = (p) => (100 * p).toFixed(1);
const error = (a) => {
    const margin = Math.max(a.high - a.share, a.share - a.low);
    return Math.round(1000 * margin) > Math.round(1000 * a.share)
        ? `<${percent(a.high)}` : `\u00b1${percent(margin)}`;
};
const range = (a) => `${percent(a.low)}\u2013${percent(a.high)}`;
const whole = (p) => (100 * p).toFixed(0);

// A cell for each core: the row of (list) that (is) finds has its share there.
function cells(guest, list, is, share = (row) => row.self.share) {
    const cores = guest.cores.filter((core) => core.all.samples > 0);
    return cores.length < 2 ? [] : cores.map((core) => {
        const row = core[list].find((r) => is(r, core));
        return row && row.self.samples > 0 ? whole(share(row)) : "\u00b7";
    });
}

const late_said = (row) => row.late.share > .005 ? `${whole(row.late.share)} %` : "";

function functions_said(guest) {
    return guest.total.table.map((row) => [
        row.name + (row.uncertain.share >= .005 ? " ?" : ""),
        percent(row.self.share), error(row.self), `95 % interval: ${range(row.self)} %`,
        percent(row.total.share), error(row.total), late_said(row),
        ...cells(guest, "table", (r) => r.function === row.function),
    ].join(" | ")).sort();
}

function functions_shown(page) {
    return page.$$eval("table.functions tbody tr", (rows) => rows.map((row) => {
        const cells = [...row.cells].map((cell) => cell.textContent);
        return [row.querySelector("td:has(.name)").textContent, ...cells.slice(0, 2),
                row.cells[0].title, ...cells.slice(2, -2)].join(" | ");
    }).sort());
}

const wait_names = (guest, wait) => [...wait.stack].reverse().map((f) => guest.functions[f].name)
    .join(" \u2190 ") || "stack unknown";

function waits_said(guest) {
    return guest.total.waits.map((wait) => {
        const all = guest.total.idle_tree[wait.node].self;
        const is = (w) => String(w.stack) === String(wait.stack);
        return [percent(wait.self.share), error(wait.self), percent(all.share), error(all),
                ...cells(guest, "waits", is), wait_names(guest, wait)].join(" | ");
    }).sort();
}

function waits_shown(page) {
    return page.$$eval("table.waits tbody tr", (rows) => rows.map((row) =>
        [...row.cells].map((cell) => cell.textContent).join(" | ")).sort());
}

// The page knows of a sample in which slot it ends, and a slot is a millisecond here: so much may
// be missing, or too much, at the beginning and the end of what is summed up.
async function compare_timelines(page, guest) {
    const { from_seconds: from, slice_seconds: slice, slices } = guest.timeline;
    const rate = await page.evaluate(() => window.tprof.profile.head.slots_per_s);
    for (const line of guest.timeline.cores) {
        const parts = await page.evaluate(([number, view, count]) => {
            const { profile, timeline } = window.tprof;
            const index = profile.cores.findIndex((core) => core.number === number);
            const p = index >= 0 && timeline.parts(index, count, view);
            return p ? { busy: [...p.busy], idle: [...p.idle], late: [...p.late] } : null;
        }, [line.core, { from: from * rate, to: (from + slice * slices) * rate }, slices]);
        if (parts === null) // a core without samples
            continue;
        for (const kind of ["busy", "idle", "late"]) {
            let shown = 0, said = 0;
            for (let i = 0; i < slices; i++) {
                shown += parts[kind][i] * slice;
                said += line[kind][i] + (kind === "busy" ? line.unseen[i] : 0);
                assert.ok(Math.abs(shown - said) <= 2.5 / rate,
                          `core ${line.core}, ${kind} up to slice ${i}: ${shown} s, not ${said} s`);
            }
        }
    }
}

// Everything that (page) shows, with (guest) of the report; (timed): the time line, too, which
// the page shows of the whole run.
async function compare(page, guest, timed = true) {
    await page.click('.tab[data-tab="functions"]');
    await settle(page);
    assert.deepEqual(await functions_shown(page), functions_said(guest));
    const known = !guest.unknown.idle;
    if (known)
        assert.ok((await page.textContent("#selection")).startsWith(
            `busy ${percent(guest.total.busy.share)} % (${range(guest.total.busy)})`));
    assert.match(await page.textContent("#truth"),
                 new RegExp(`^${guest.total.busy.samples.toLocaleString("en-US")} samples`));
    if (guest.total.busy.samples > 0 && known)
        assert.match(await page.textContent("#truth"),
                     new RegExp(`late: ${percent(guest.total.late.share)} % of the busy time`));
    assert.deepEqual(guest.total.late.share, guest.late.share);
    const labels = await page.$$eval(".lane-label", (list) => list.map((label) =>
        [...label.children].map((part) => part.textContent)));
    for (const [name, busy] of labels) {
        const said = guest.cores.find((core) => name === `core ${core.core}`);
        if (busy !== "")
            assert.equal(busy, `${percent(said.busy.share)} %`, name);
    }
    await page.click('.tab[data-tab="waits"]');
    await settle(page);
    assert.deepEqual(await waits_shown(page), known ? waits_said(guest) : []);
    if (timed && guest.timeline)
        await compare_timelines(page, guest);
    await page.click('.tab[data-tab="flame"]');
}

// What became of each core's deadlines: of the page, the .json file and the report's text.
async function compare_accounts(page, guest, text) {
    const names = ["core", "deadlines", "missed", "ticks", "samples", "lost", "ring_full", "reentered"];
    const said = guest.accounting.filter((core) => core.deadlines > 0)
        .map((core) => names.map((name) => core[name]));
    if (said.length > 1)
        said.push(["all", ...names.slice(1).map((_, i) => said.reduce((sum, row) => sum + row[i + 1], 0))]);
    const plain = (cells) => cells.map((cell) => /^[\d,]+$/.test(cell) ? Number(cell.replaceAll(",", "")) : cell);
    await page.click('.tab[data-tab="trust"]');
    assert.deepEqual((await page.$$eval("#trust-box table.accounts:last-of-type tbody tr", (rows) =>
        rows.map((row) => [...row.cells].map((cell) => cell.textContent)))).map(plain), said);
    const rows = text.slice(text.indexOf("\nAccounting:")).split("\n")
        .filter((line) => /^ *(\d+|all)( +[\d,]+){7}$/.test(line));
    assert.deepEqual(rows.map((row) => plain(row.trim().split(/ +/))), said);
    await page.click('.tab[data-tab="flame"]');
}

async function drag(page, from, to) {
    const box = await page.locator("#timeline canvas").boundingBox();
    await page.mouse.move(box.x + from * box.width, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + .5 * (from + to) * box.width, box.y + 11);
    await page.mouse.move(box.x + to * box.width, box.y + 12);
    await page.mouse.up();
    await settle(page);
    return (await page.textContent("#selection")).match(/--time (\S+)\)/)[1];
}

const cases = {};

// catches: a number of the page that is not the report's
for (const [name, args] of [["usual", kernel], ["lost_samples", kernel], ["two_images", both],
                            ["apps_in_turn", both], ["waits_by_a_lent_timer", kernel],
                            ["idle", kernel], ["oversubscribed", kernel], ["code_without_frames", kernel],
                            ["clock_jump_and_device_errors", kernel], ["no_clock", kernel],
                            ["hostile_images", kernel], ["usual_without_elf", []]])
    cases[`${name}_is_shown_as_the_json_file_says`] = async () => {
        const real = name.replace("_without_elf", "");
        const page = await page_of(real, args);
        await compare(page, report(real, ...args));
        await page.fine();
    };

// catches: accounts of the whole stream beside numbers of a part
for (const [what, name, ...filter] of [
    ["nothing", "usual"], ["losses", "lost_samples"],
    ["functions_left_out", "usual", "--exclude", "push"],
    ["losses_and_functions_left_out", "lost_samples", "--exclude", "walk"],
    ["a_core", "usual", "--core", "1"], ["a_time", "lost_samples", "--time", "0.1..0.6"],
    ["all_of_them", "lost_samples", "--time", "0.1..0.6", "--core", "0", "--exclude", "walk"]])
    cases[`accounts_of_what_is_left_by_${what}_agree`] = async () => {
        const args = [...kernel, ...filter], page = await page_of(name, args);
        const guest = report(name, ...args);
        await compare(page, guest, false);
        await compare_accounts(page, guest, collector("report", `${name}.wire`, ...args, "--details", "-o", "txt:-"));
        if (filter.includes("--exclude"))
            assert.ok(guest.without.samples > 0);
        await page.fine();
    };

// catches: lines whose samples are taken for equally heavy
cases.lines_are_shown_as_the_json_file_says = async () => {
    const page = await page_of("usual", kernel), guest = report("usual", ...kernel);
    const lined = guest.total.table.filter((row) => row.self.samples > 0 && guest.functions[row.function].lines);
    assert.ok(lined.length > 2);
    for (const { name, function: f } of lined) {
        await page.click('.tab[data-tab="functions"]');
        await page.locator(`table.functions tr[data-function="${f}"]`).click();
        await settle(page);
        const shown = await page.$$eval(".function-lines tbody tr", (rows) => rows.map((row) =>
            [...row.cells].map((cell) => cell.textContent)));
        const said = guest.functions[f].lines.map(({ self, file, line }) =>
            [percent(self.share), error(self), file ? `${file.replace(/.*\//, "")}:${line}` : "line unknown"]);
        assert.deepEqual(shown.map((cells) => [cells[0], cells[1], cells[4]])
            .filter((cells) => cells[0] !== "0.0"), said.filter((cells) => cells[0] !== "0.0"), name);
    }
    await page.fine();
};

// catches: numbers that change where nothing else is selected
cases.zoom_changes_no_number = async () => {
    const page = await page_of("usual", kernel), guest = report("usual", ...kernel);
    await page.focus("#flame-box canvas");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Enter"])
        await page.keyboard.press(key);
    await settle(page);
    await compare(page, guest);
    await page.evaluate(() => window.tprof.viewTime({ from: 100, to: 300 }));
    await settle(page);
    await compare(page, guest);
    await page.fine();
};

// catches: a part of the page that does not follow what is dragged
cases.dragged_time_is_shown_as_the_json_file_says = async () => {
    const page = await page_of("usual", kernel);
    for (const [from, to] of [[.02, .1], [.15, .03], [.05, .9]]) {
        const time = await drag(page, from, to);
        await compare(page, report("usual", ...kernel, "--time", time), false);
    }
    await page.click("#clear-time");
    await settle(page);
    await compare(page, report("usual", ...kernel));
    await page.fine();
};

// catches: a core's numbers that are shares of other cores
cases.core_is_shown_as_the_json_file_says = async () => {
    const page = await page_of("usual", kernel);
    for (const core of ["0", "1"]) {
        await page.click(`#cores >> text="${core}"`);
        await settle(page);
        await compare(page, report("usual", ...kernel, "--core", core));
    }
    const time = await drag(page, .01, .12);
    await compare(page, report("usual", ...kernel, "--core", "1", "--time", time), false);
    await page.fine();
};

// A moment of the page is known to its slot, so a sample may meet a busy core a slot earlier or later.
// catches: shares of time in the place of latency, or latency of what is not selected
cases.latency_is_near_that_of_the_json_file = async () => {
    const page = await page_of("lost_samples", kernel);
    const same = async () => {
        const { latency } = report("lost_samples", ...kernel);
        const shown = await page.evaluate(() => {
            const { sums } = window.tprof.state;
            return sums.rows().map((row) => [row.name, sums.latency(row.function).time / sums.latencies.whole.time]);
        });
        for (const [name, share] of shown) {
            const want = latency.find((l) => l.name === name)?.self.share ?? 0;
            assert.ok(Math.abs(share - want) < .01, `${name}: ${share}, not ${want}`);
        }
        assert.ok(Math.abs(shown.reduce((sum, [, share]) => sum + share, 0) - 1) < 1e-9);
    };
    await page.click('.tab[data-tab="functions"]');
    await page.check("#latency");
    await settle(page);
    assert.equal(await page.textContent("table.functions th >> nth=0"), "Latency %");
    assert.equal(await page.getAttribute("table.functions th >> nth=0", "aria-sort"), "descending");
    await same();
    await page.click('#cores >> text="1"'); // one core waits for none
    await settle(page);
    assert.ok(await page.isHidden("#latency-label"));
    assert.equal(await page.textContent("table.functions th >> nth=0"), "Self %");
    await page.fine();
    const asked = await page_of("lost_samples", [...kernel, "--latency"], "#view=functions");
    assert.equal(await asked.getAttribute("table.functions th >> nth=0", "aria-sort"), "descending");
    await asked.fine();
};

// catches: shares of a filtered page that are of something else than before
cases.filter_shows_what_the_tree_of_the_json_file_has = async () => {
    const page = await page_of("usual", kernel), guest = report("usual", ...kernel);
    const search = /^walk$|mix/, names = guest.functions.map((f) => f.name);
    await page.click('.tab[data-tab="functions"]');
    await page.fill("#search", search.source);
    await page.check("#only");
    await settle(page);

    const said = functions_said({ ...guest, total: {
        ...guest.total, table: guest.total.table.filter((row) => search.test(row.name)) } });
    assert.deepEqual(await functions_shown(page), said);

    const { tree } = guest.total, found = [];
    let seconds = 0;
    tree.forEach((node, i) => {
        found[i] = search.test(names[node.function]) || Boolean(found[node.parent]);
        seconds += found[i] ? node.self.seconds : 0;
    });
    assert.ok((await page.textContent("#selection")).includes(
        `shown ${percent(seconds / guest.total.busy.seconds)} % (`));
    await page.uncheck("#only");
    await page.fill("#search", "");
    await settle(page);
    await compare(page, guest);
    await page.fine();
};

// The threads of (guest) as the page calls them.
const thread_names = ({ threads }) => threads.map(({ name, id }) => name === "" ? `thread 0x${id.toString(16)}`
    : name.replaceAll("\x1b", "\\x1b") + (threads.filter((t) => t.name === name).length > 1 ? ` 0x${id.toString(16)}` : ""));

const cells_of = (page, rows) => page.$$eval(rows, (list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
const per_second = (n) => n > 0 && n < 10 ? `${n.toFixed(1)}/s` : `${Math.floor(n)}/s`;
const ms = (text) => parseFloat(text) * { "\u00b5s": .001, us: .001, ms: 1, s: 1000 }[text.replace(/.* /, "")];

async function show(page, name) {
    await page.click(`.tab[data-tab="${name}"]`);
    await settle(page);
}

// catches: times of threads and cores that are not the report's
cases.threads_are_shown_as_the_report_says = async () => {
    const page = await page_of("threads", kernel), guest = report("threads", ...kernel), names = thread_names(guest);
    await show(page, "threads");
    const text = collector("report", "threads.wire", ...kernel, "--all").split("\n");
    const longest = (name) => text.find((line) => line.includes(`/s `) && line.endsWith(name)).match(/\/s +(.*?) {2}/)[1];
    const shown = await cells_of(page, "table.threads tbody tr");
    const said = guest.threads.map((t, i) => {
        const part = (seconds) => t.seconds ? percent(seconds / t.seconds) : "\u00b7";
        const state = (seconds) => t.idle ? "\u00b7" : part(seconds);
        const name = names[i] + (t.idle ? " (idle)" : "") + (t.ended ? " (ended)" : "");
        return [name, percent(t.busy.share), error(t.busy), part(t.running_seconds), state(t.ready_seconds),
                state(t.blocked_seconds), t.seconds ? per_second(t.switches / t.seconds) : "\u00b7"];
    });
    const none = shown.findIndex(([name]) => name === "no thread");
    assert.equal(shown.splice(none, 1)[0][1], "3.0"); // 10 of 330 samples
    assert.deepEqual(shown.map((row) => row.slice(0, 7)).sort(), said.sort());
    for (const [name, , , , , , , wait] of shown.filter((row) => row[6] !== "\u00b7"))
        assert.ok(wait === "\u00b7" ? longest(name) === "." : Math.abs(ms(wait) / ms(longest(name)) - 1) < .01, name);
    const cores = guest.scheduling.map((s) => [String(s.core), per_second(s.switches / s.seconds),
        ...[s.running_seconds, s.idle_seconds, s.other_seconds].map((n) => percent(n / s.seconds)), percent(s.moved / s.switches)]);
    const table = await cells_of(page, "table.scheduling tbody tr");
    assert.deepEqual(table.map((row) => [...row.slice(0, 5), row[8]]), cores);
    for (const [i, { ready_to_running: times }] of guest.scheduling.entries()) {
        const all = times.reduce((sum, t) => sum + t.count, 0);
        [.5, .99, 1].forEach((part, k) => {
            let sum = 0;
            const within = times.find((t) => (sum += t.count) >= part * all).below_seconds;
            assert.ok(Math.abs(ms(table[i][5 + k]) / (1000 * within) - 1) < .01, `${table[i][5 + k]}, not ${within} s`);
        });
    }
    const sentences = await page.textContent("#threads-box");
    for (const sentence of ["3 threads had no room in the guest", "Core 1 was idle for 41.0 ms (8.2 %) while a thread was ready",
                            "worker 0x1003 was ready for the longest time"])
        assert.ok(sentences.includes(sentence), sentence);
    await page.fine();
};

// catches: a thread's functions that are another thread's, or shares of all threads
cases.thread_is_shown_as_the_json_file_says = async () => {
    const page = await page_of("threads", kernel), guest = report("threads", ...kernel);
    const alone = (rows) => rows.map((row) => row.split(" | ").slice(0, 7)); // cores that a thread never had are not left out
    await show(page, "functions");
    for (const [i, thread] of guest.threads.entries()) {
        if (thread.idle)
            continue;
        await page.selectOption("#thread", String(i + 1));
        await settle(page);
        const own = report("threads", ...kernel, "--thread", String(thread.id));
        assert.deepEqual(alone(await functions_shown(page)), alone(functions_said(own)), thread.name);
        assert.ok((await page.textContent("#selection")).includes(`has ${percent(thread.busy.share)} % (${range(thread.busy)}) of the busy time`));
        const time = await drag(page, .1, .8);
        assert.deepEqual(alone(await functions_shown(page)),
                         alone(functions_said(report("threads", ...kernel, "--thread", String(thread.id), "--time", time))));
        await page.click("#clear-time");
    }
    await page.selectOption("#thread", "");
    await page.selectOption("#by", "thread");
    await settle(page);
    const names = thread_names(guest), table = await page.$$eval("table.functions tr", (rows) => rows.map((row) =>
        [row.querySelector("button.name")?.textContent, ...[...row.querySelectorAll("th.thread, td.core")].map((cell) => cell.textContent)]));
    const columns = table.shift().slice(1);
    assert.deepEqual(columns.slice(0, 2), ["Ping", "Pong\\x1b[2J"]);
    for (const [name, ...row] of table)
        columns.forEach((thread, k) => {
            const functions = thread === "no thread" ? null : guest.threads[names.indexOf(thread)].functions;
            const own = functions?.find((f) => f.name === name);
            if (functions)
                assert.equal(row[k], own && own.self.samples > 0 ? whole(own.self.share) : "\u00b7", `${name} of ${thread}`);
        });
    await page.fine();
};

// catches: a lane that shows when another thread ran, or that lacks a core
cases.lanes_of_threads_have_the_time_of_the_json_file = async () => {
    const page = await page_of("threads", kernel, "#by=thread"), guest = report("threads", ...kernel);
    const names = thread_names(guest), lanes = await page.evaluate(() => {
        const { timeline, profile, state } = window.tprof, span = (state.view.to - state.view.from) / profile.head.slots_per_s;
        return timeline.lanes.map(({ name, index }) => [name, timeline.laneParts(index, 500).busy.reduce((a, b) => a + b, 0) * span / 500]);
    });
    assert.deepEqual(lanes.map(([name]) => name).sort(), [...names.filter((_, i) => !guest.threads[i].idle), "no thread"].sort());
    for (const [name, seconds] of lanes.filter(([name]) => name !== "no thread"))
        assert.ok(Math.abs(seconds - guest.threads[names.indexOf(name)].sampled_seconds) < .003, `${name}: ${seconds} s`);
    await page.fine();
};

// catches: waits of another thread, of idle threads, or without those that go on
cases.waits_of_threads_are_shown_as_the_json_file_says = async () => {
    const page = await page_of("threads", kernel), guest = report("threads", ...kernel), names = thread_names(guest);
    await show(page, "offcpu");
    const time = (w) => w.seconds + (w.open_seconds || 0);
    const waits = guest.thread_waits.filter((w) => w.kind === "at" && !guest.threads[w.thread - 1].idle);
    const sum = (list, of) => list.reduce((all, one) => all + of(one), 0), all = sum(waits, time);
    const chain = (w, less = 0) => [...w.stack].reverse().slice(less).join(" \u2190 ") || "stack unknown";
    assert.equal(await page.textContent("#offcpu p.chain"), "all in ring::push(unsigned long) \u2190 kernel::bus::receive");
    assert.deepEqual((await cells_of(page, "table.off tbody tr")).map((row) => [...row.slice(0, 2), row[3], row[4].replace(/;.*/, "")]).sort(),
                     waits.map((w) => [percent(time(w) / all), String((w.count + (w.open_seconds ? 1 : 0)).toLocaleString("en-US")),
                                       names[w.thread - 1], chain(w, 1)]).sort());
    const wakers = guest.thread_waits.filter((w) => w.kind === "ended by");
    assert.deepEqual((await cells_of(page, "table.wakers tbody tr")).sort(), wakers.map((w) => [
        percent(w.count / sum(wakers.filter((o) => o.thread === w.thread), (o) => o.count)), w.count.toLocaleString("en-US"),
        names[w.thread - 1], chain(w)]).sort());
    // the graph, stack by stack, in seconds
    const graph = () => page.evaluate(() => {
        const { profile, threads } = window.tprof, lines = {};
        const walk = (node, path) => {
            const kids = node.kids(0), own = node.off - kids.reduce((all, kid) => all + kid.off, 0);
            if (own > 1)
                lines[path] = own / profile.hz;
            kids.forEach((kid) => walk(kid, [...path, kid.name || profile.functions[kid.function].name]));
        };
        walk(threads.off.flame.root, []);
        return { lines, on: threads.off.flame.root.on / profile.hz };
    });
    const folded = (list) => list.reduce((lines, w) => {
        const key = w.stack.length ? w.stack.join() : "unknown stack";
        return { ...lines, [key]: (lines[key] || 0) + time(w) };
    }, {});
    const same = (a, b) => {
        assert.deepEqual(Object.keys(a).sort(), Object.keys(b).sort());
        for (const key of Object.keys(a))
            assert.ok(Math.abs(a[key] - b[key]) < 1e-6, `${key}: ${a[key]} s, not ${b[key]} s`);
    };
    same((await graph()).lines, folded(waits));
    assert.equal((await graph()).on, 0);
    await page.check("#running");
    await settle(page);
    const both = await graph(), named = guest.threads.filter((t) => !t.idle);
    same(both.lines, folded(waits));
    assert.ok(Math.abs(both.on - sum(named, (t) => t.busy.seconds)) < 1e-6);
    await page.selectOption("#thread", "2");
    await settle(page);
    same((await graph()).lines, folded(waits.filter((w) => w.thread === 2)));
    assert.ok(Math.abs((await graph()).on - guest.threads[1].busy.seconds) < 1e-6);
    await page.fine();
};

// Is the time in (cell) that of (seconds), to three digits?
const same_time = (cell, seconds, what) =>
    assert.ok(seconds > 0 ? Math.abs(ms(cell) / (1000 * seconds) - 1) < .01 : cell === "\u00b7", `${what}: ${cell}, not ${seconds} s`);
const chain_of = (stack) => [...stack].reverse().join(" \u2190 ") || "stack unknown";

// catches: times of requests that are not the report's, a slow request without its story or with that of another
cases.requests_are_shown_as_the_json_file_says = async () => {
    const page = await page_of("requests", kernel), guest = report("requests", ...kernel), threads = thread_names(guest);
    await show(page, "requests");
    const parts = (r) => [r.running_seconds, r.ready_seconds, r.blocked_seconds, r.request_seconds - r.running_seconds -
        r.ready_seconds - r.blocked_seconds].map((n) => percent(n / r.request_seconds));
    const name_of = (kind) => guest.requests.find((r) => r.kind === kind).name || `kind ${kind}`;
    const kinds = await cells_of(page, "table.requests tbody tr");
    assert.deepEqual(kinds.map((row) => [row[0], row[1], ...row.slice(7)]), guest.requests.map((r) =>
        [name_of(r.kind), `${(r.count / r.seconds).toLocaleString("en-US")}/s`, ...parts(r)]));
    kinds.forEach((row, i) => [["p50_seconds", 2], ["p90_seconds", 3], ["p99_seconds", 4], ["p999_seconds", 5], ["longest_seconds", 6]]
        .forEach(([key, cell]) => same_time(row[cell], guest.requests[i][key], key)));
    const slow = guest.slow_requests.sort((a, b) => b.request_seconds - a.request_seconds);
    const stack = (r) => r.wait === undefined ? null : chain_of(guest.thread_waits[r.wait].stack);
    const shown = await cells_of(page, "table.slowest tbody tr");
    assert.deepEqual(shown.map((row) => [row[1], row[2], row[3], ...row.slice(4, 8), row[9]]), slow.map((r) =>
        [`${name_of(r.kind)} ${r.number}`, `${r.began_seconds.toFixed(3)} s`, r.thread ? threads[r.thread - 1] : "", ...parts(r), stack(r) || ""]));
    shown.forEach((row, i) => {
        same_time(row[0], slow[i].request_seconds, "time");
        same_time(row[8], slow[i].longest_wait_seconds, "longest wait");
    });
    const places = await cells_of(page, "table.places tbody tr");
    assert.deepEqual(places.map(([share, , where]) => [share, where.replace(/^no wait.*/, "none")]).sort(),
        [...new Set(slow.map(stack))].map((s) => [percent(slow.filter((r) => stack(r) === s).length / slow.length), s || "none"]).sort());
    assert.match(await page.textContent("#requests-box"), /2 requests had no room in the guest and are missing/);
    await page.click(`table.slowest .name >> text="${slow[0].began_seconds.toFixed(3)} s"`);
    await settle(page);
    const [from, to] = (await page.textContent("#selection")).match(/--time (\S+)\)/)[1].split("..").map(Number);
    assert.ok(from <= slow[0].began_seconds && from > slow[0].began_seconds - .002 && to >= from + slow[0].request_seconds, `${from} to ${to}`);
    await page.keyboard.press("r");
    assert.equal(await page.evaluate(() => document.body.dataset.tab), "requests");
    await page.click('table.slowest .name >> text="Ping"');
    await settle(page);
    assert.equal(await page.inputValue("#thread"), "1");
    await page.fine();
};

// catches: waits of another lock, holders among the waiters, or times that are not the report's
cases.locks_are_shown_as_the_json_file_says = async () => {
    const page = await page_of("locks", kernel), guest = report("locks", ...kernel), threads = thread_names(guest);
    await show(page, "locks");
    const shown = await cells_of(page, "table.locks tbody tr");
    const locks = guest.locks.sort((a, b) => b.waits.seconds - a.waits.seconds);
    assert.deepEqual(shown.map(([name, , contended, , spinning, rate, most, held]) => [name, contended, spinning, rate, most, held]),
        locks.map((l) => [l.name, percent(l.waits.count / l.acquires), l.most_waiting && l.waits.seconds
            ? percent(1 - (l.waits.ready_seconds + l.waits.blocked_seconds) / l.waits.seconds) : "\u00b7",
                          l.acquires / l.seconds < 10 ? `${(l.acquires / l.seconds).toFixed(1)}/s` : `${(l.acquires / l.seconds).toLocaleString("en-US")}/s`,
                          l.most_waiting ? String(l.most_waiting) : "\u00b7", l.holds.count ? percent(l.holds.seconds / l.seconds) : "\u00b7"]));
    shown.forEach((row, i) => [[1, locks[i].waits.seconds], [3, locks[i].waits.longest_seconds], [8, locks[i].holds.longest_seconds]]
        .forEach(([cell, seconds]) => same_time(row[cell], seconds, `${row[0]} ${cell}`)));
    const of = (w) => w.waits || w.holds;
    const whole = (w) => guest.lock_waits.filter((o) => o.lock === w.lock && o.kind === w.kind).reduce((all, o) => all + of(o).seconds, 0);
    const stacks = await cells_of(page, "table.lock-stacks tbody tr");
    assert.deepEqual(stacks.map((row) => [...row.slice(0, 4), ...row.slice(5)]).sort(), guest.lock_waits.map((w) => [
        guest.locks.find((l) => l.number === w.lock).name, w.kind === "at" ? "waiters" : "holders", percent(of(w).seconds / whole(w)),
        of(w).count.toLocaleString("en-US"), w.thread ? threads[w.thread - 1] : "", chain_of(w.stack)]).sort());
    const text = await page.textContent("#locks-box");
    for (const sentence of ["queue\\x1b[2J: of 300 ms held, holders were ready for 90.0 ms, blocked for 90.0 ms.",
                            "lock 0x7f8040, at the end of the run: 2 threads waited, a thread had held the lock for 3.00 ms.",
                            "The time of 12 waits for locks is not known"])
        assert.ok(text.includes(sentence), sentence);
    await page.fine();
};

// catches: phases, functions or a dark part that are not the report's, or a page that hides the start
cases.start_is_shown_first_and_as_the_json_file_says = async () => {
    const page = await page_of("from_boot", kernel), { boot } = report("from_boot", ...kernel);
    assert.equal(await page.evaluate(() => document.body.dataset.tab), "boot");
    const time = (seconds) => `${(1000 * seconds).toFixed(1)} ms`;
    const rows = boot.phases.flatMap(({ until, from_seconds: from, to_seconds: to, cores }) => cores.map((core, i) => [
        ...i === 0 ? [until.replaceAll("\x1b", "\\x1b"), time(to - from)] : ["", ""], String(core.core),
        percent(core.seen_seconds / (to - from)), core.functions.map((f) => `${f.name} ${whole(f.seconds / (to - from))}`).join(", ")]));
    const shown = await cells_of(page, "table.boot tbody tr");
    assert.deepEqual(shown.shift(), ["the first sample", time(boot.dark_seconds), "\u00b7", "\u00b7", ""]);
    assert.deepEqual(shown, rows);
    assert.match(await page.textContent("#boot h2"), /^Start: 240\.0 ms .*re\\x1b\[31mady/);
    await page.click('table.boot .name >> text="memory"');
    await settle(page);
    const [from, to] = (await page.textContent("#selection")).match(/--time (\S+)\)/)[1].split("..").map(Number);
    const [memory] = boot.phases; // of whole slots
    assert.ok(Math.abs(from - (memory.from_seconds - boot.dark_seconds)) < .002 && Math.abs(to - (memory.to_seconds - boot.dark_seconds)) < .002);
    assert.equal(await page.evaluate(() => document.body.dataset.tab), "flame");
    await page.fine();
};

// catches: a guest without threads and marks that has something of them to read
cases.guest_without_threads_has_nothing_of_them = async () => {
    const page = await page_of("usual", kernel, "#view=threads&thread=1&by=thread");
    for (const what of ["[data-tab=threads].tab", "[data-tab=offcpu].tab", "[data-tab=requests].tab", "[data-tab=locks].tab", "[data-tab=boot].tab", "#thread", "#by"])
        assert.ok(await page.isHidden(what), what);
    assert.equal(await page.evaluate(() => document.body.dataset.tab), "flame");
    for (const key of ["6", "7", "8", "r", "k", ",", "."])
        await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => document.body.dataset.tab), "flame");
    await page.keyboard.press("?");
    assert.doesNotMatch(await page.innerText("#help"), /thread|boot|requests|locks/i);
    await page.fine();
};

await run(cases);
