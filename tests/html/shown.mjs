// SPDX-License-Identifier: BSD-2-Clause
// What the page shows is what the collector says: totals, cores, times, filters.
import { assert, collector, folded, open, pageFolded, run, scene, settle, sums } from "./browser.mjs";

const kernel = ["--elf", "kernel.elf"], both = [...kernel, "--elf", "app.elf"];

function write(name, args) {
    collector("report", scene(name), ...args, "-o", `${name}.html`);
    return `${name}.html`;
}

// Both name the same stacks with the same counts.
function same(lines, truth) {
    assert.deepEqual([...sums(lines)].sort(), [...sums(truth)].sort());
}

// "1,234 intervals" of the frame that the page tells about.
async function intervals(page) {
    const text = await page.textContent("#detail");
    return Number(text.match(/([\d,]+) intervals/)[1].replaceAll(",", ""));
}

function total(lines, with_idle) {
    return lines.filter((l) => with_idle || !/\[idle\] \d+$/.test(l))
        .reduce((sum, l) => sum + Number(l.slice(l.lastIndexOf(" ") + 1)), 0);
}

const cases = {};

// catches: a sample that is lost, counted twice, or in a wrong stack
for (const [name, args] of [["usual", kernel], ["lost_samples", kernel], ["two_images", both],
                            ["apps_in_turn", both], ["hostile_images", kernel],
                            ["waits_by_a_lent_timer", kernel], ["idle", kernel],
                            ["clock_jump_and_device_errors", kernel], ["no_clock", kernel],
                            ["usual_without_elf", []]])
    cases[`${name}_has_the_stacks_of_the_folded_file`] = async () => {
        const real = name.replace("_without_elf", "");
        const page = await open(write(real, args), "#of=all");
        same(await pageFolded(page), folded(`${real}.wire`, ...args));
        assert.equal(await intervals(page), total(folded(`${real}.wire`, ...args), true));
        await page.fine();
    };

// catches: core buttons that select something else
cases.core_is_that_of_the_option = async () => {
    const page = await open(write("usual", kernel), "#of=all");
    for (const core of ["0", "1"]) {
        await page.click(`#cores >> text="${core}"`);
        await settle(page);
        same(await pageFolded(page), folded("usual.wire", ...kernel, "--core", core));
    }
    await page.click('#cores >> text="all"');
    await settle(page);
    same(await pageFolded(page), folded("usual.wire", ...kernel));
    await page.fine();
};

// catches: a dragged time whose samples are not those of --time
cases.dragged_time_is_that_of_the_option = async () => {
    const page = await open(write("usual", kernel), "#of=all");
    const box = await page.locator("#timeline canvas").boundingBox();
    for (const [from, to] of [[.02, .1], [.15, .03], [.05, .9]]) {
        await page.mouse.move(box.x + from * box.width, box.y + 10);
        await page.mouse.down();
        await page.mouse.move(box.x + .5 * (from + to) * box.width, box.y + 12);
        await page.mouse.move(box.x + to * box.width, box.y + 14);
        await page.mouse.up();
        await settle(page);
        const [, time] = (await page.textContent("#selection")).match(/--time (\S+)\)/);
        same(await pageFolded(page), folded("usual.wire", ...kernel, "--time", time));
        assert.equal(await intervals(page), total(folded("usual.wire", ...kernel, "--time", time), true));
    }
    await page.mouse.click(box.x + .5 * box.width, box.y + 10);
    await settle(page);
    same(await pageFolded(page), folded("usual.wire", ...kernel));
    await page.fine();
};

// catches: slots whose bounds differ from those of --time by a tick
cases.every_time_is_that_of_the_option = async () => {
    const page = await open(write("usual", kernel), "#of=all");
    for (const time of ["0..0.001", "0.001..0.002", "0.007..0.013", "0.1..0.2", "0.123..0.456",
                        "0.2..1"]) {
        const [from, to] = time.split("..");
        await page.evaluate(([a, b]) => window.tprof.setRange(a, b),
                            [Math.round(1000 * from), Math.round(1000 * to)]);
        await settle(page);
        same(await pageFolded(page), folded("usual.wire", ...kernel, "--time", time));
    }
    await page.fine();
};

// catches: a zoomed graph that tells other numbers
cases.zoomed_frames_have_the_sums_of_their_stacks = async () => {
    const page = await open(write("usual", kernel));
    const truth = folded("usual.wire", ...kernel).filter((l) => !/\[idle\] \d+$/.test(l));
    const of = (path) => truth.map((l) => l.replace(/^core\d+;/, "")).filter((l) =>
        l.startsWith(`${path};`) || l.startsWith(`${path} `));
    await page.focus("#flame-box canvas");
    const path = [];
    for (let depth = 0; depth < 5; depth++) {
        await page.keyboard.press("ArrowDown");
        path.push((await page.textContent("#detail")).split(" \u00b7 ")[0].replace(" (inlined)", ""));
        assert.equal(await intervals(page), total(of(path.join(";")), true), path.join(";"));
        await page.keyboard.press("Enter");
        assert.equal(await intervals(page), total(of(path.join(";")), true));
    }
    assert.ok(await page.evaluate(() => window.tprof.flame.right - window.tprof.flame.left) < 1);
    await page.fine();
};

// catches: a table with shares of something else
cases.table_has_the_shares_of_the_report = async () => {
    const page = await open(write("usual", kernel));
    await page.click('[data-tab="functions"]');
    const busy = folded("usual.wire", ...kernel).filter((l) => !/\[idle\] \d+$/.test(l));
    const whole = total(busy, true), self = new Map();
    for (const line of busy) {
        const names = line.slice(0, line.lastIndexOf(" ")).split(";");
        const name = names.reverse().find((n) => !/^\[(caller\?|deeper|lost)\]$/.test(n));
        self.set(name, (self.get(name) || 0) + total([line], true));
    }
    const rows = await page.$$eval("table.functions tbody tr", (list) => list.map((row) =>
        [row.querySelector(".name").textContent, Number(row.cells[0].textContent)]));
    assert.ok(rows.length > 3);
    for (const [name, percent] of rows)
        assert.ok(Math.abs(percent - 100 * (self.get(name) || 0) / whole) < .051,
                  `${name}: ${percent}, and not ${100 * (self.get(name) || 0) / whole}`);
    await page.fine();
};

// catches: samples of TCG that count elsewhere without a word, or another row that says so
cases.moved_rows_are_those_of_the_report = async () => {
    const page = await open(write("interrupts_between_blocks", kernel));
    const marked = (list) => list.map((line) => (line.match(/(\S+), moved/) || [])[1]).filter((name) => name).sort();
    const text = collector("report", "interrupts_between_blocks.wire", ...kernel, "-o", "-", "--format", "txt");
    await page.click('.tab[data-tab="functions"]');
    const shown = await page.$$eval("table.functions tbody tr", (rows) => rows.map((row) => row.cells[row.cells.length - 2].textContent));
    assert.deepEqual(marked(shown), ["checksum", "walk"]);
    assert.deepEqual(marked(shown), marked(text.split("\n")));
    assert.match(await page.textContent("#table-box > p >> nth=-1"), /^moved: Under QEMU's TCG/);
    await page.fine();
    const without = await open(write("usual", kernel), "#view=functions");
    assert.ok(!(await without.textContent("#table-box")).includes("moved"));
    await without.fine();
};

// catches: an interval that is not the report's
cases.intervals_are_those_of_the_report = async () => {
    const page = await open(write("usual", kernel));
    const text = collector("report", "usual.wire", ...kernel, "-o", "-", "--format", "txt");
    const [, low, high] = text.match(/busy [\d.]+ % \(([\d.]+)-([\d.]+)\)/) || [];
    if (low !== undefined)
        assert.ok((await page.textContent("#selection")).includes(`(${low}\u2013${high})`));
    await page.fine();
};

// catches: a filter that keeps stacks without what is searched for, or drops others
cases.filter_keeps_the_stacks_that_match = async () => {
    const page = await open(write("usual", kernel), "#of=all");
    await page.fill("#search", "^walk$|mix");
    await page.check("#only");
    await settle(page);
    const match = (l) => l.replace(/ \d+$/, "").split(";").slice(1)
        .some((n) => /^walk$|mix/i.test(n));
    same(await pageFolded(page), folded("usual.wire", ...kernel).filter(match));
    await page.fine();
};

// catches: images that are taken for each other
cases.images_part_the_samples = async () => {
    const page = await open(write("two_images", both), "#of=busy");
    const names = await page.$$eval("#image option", (list) => list.map((o) => o.textContent));
    assert.ok(names.length > 2);
    let sum = 0;
    const all = await intervals(page);
    for (let image = 0; image < names.length - 1; image++) {
        await page.selectOption("#image", String(image));
        await settle(page);
        const part = total(await pageFolded(page), true);
        assert.ok(part < all);
        sum += part;
    }
    assert.equal(sum, all);
    await page.fine();
};

// catches: callers and callees that count a sample twice, or miss one
cases.sandwich_has_all_samples_with_the_function = async () => {
    const page = await open(write("usual", kernel));
    await page.click('[data-tab="functions"]');
    await page.click('table.functions .name >> text="walk"');
    const head = await page.textContent(".function-head p");
    const busy = folded("usual.wire", ...kernel).filter((l) => !/\[idle\] \d+$/.test(l));
    const with_it = busy.filter((l) => l.replace(/ \d+$/, "").split(";").includes("walk"));
    const share = (100 * total(with_it, true) / total(busy, true)).toFixed(1);
    assert.ok(head.includes(`total ${share} %`), `${head} has no ${share}`);
    for (const tree of ["callers", "callees"])
        assert.equal(await page.evaluate((t) => window.tprof.sandwich[t].root.count, tree),
                     total(with_it, true));
    await page.fine();
};

// catches: waits that are not the idle stacks
cases.waits_are_the_idle_stacks = async () => {
    const page = await open(write("idle", kernel));
    await page.click('[data-tab="waits"]');
    const idle = sums(folded("idle.wire", ...kernel).filter((l) => /\[idle\] \d+$/.test(l))
        .map((l) => l.replace(/^core\d+;/, "")));
    assert.equal(await page.locator("table.waits tbody tr").count(), idle.size);
    await page.fine();
};

// catches: losses that are not told
cases.losses_are_told = async () => {
    const page = await open(write("lost_samples", kernel));
    assert.match(await page.textContent("#truth"), /lost: [1-9][\d,]* of [\d,]+ ticks/);
    await page.click('[data-tab="trust"]');
    assert.ok(await page.locator("#trust-box table.accounts tbody tr").count() >= 1);
    await page.fine();
};

for (const name of ["never_started", "no_ticks", "no_core_joined", "never_drained"])
    cases[`${name}_says_that_there_are_no_samples`] = async () => {
        const page = await open(write(name, kernel));
        assert.match(await page.textContent("#truth"), /no samples/);
        await page.fine();
    };

await run(cases);
