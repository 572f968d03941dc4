// SPDX-License-Identifier: BSD-2-Clause
// The page of `collector diff` says what its .json file says, before and after zoom and switch;
// what is selected in one graph is selected in the others.
import { assert, collector, open, readFileSync, run, scene, settle } from "./browser.mjs";

const kernel = ["--elf", "kernel.elf"], both = [...kernel, "--elf", "app.elf"];

function recording(name, args = kernel) {
    collector("report", scene(name), ...args, "-o", `${name}.tprof`, "--force");
    return `${name}.tprof`;
}

// The page and the .json file of BEFORE... -- AFTER...
async function difference(...sides) {
    collector("diff", ...sides, "-o", "said.json", "-o", "page.html");
    return { page: await open("page.html"), said: JSON.parse(readFileSync("said.json", "utf8")) };
}

const percent = (p) => (100 * p).toFixed(1);
const signed = (x) => `${x < 0 ? "\u2212" : "+"}${(100 * Math.abs(x)).toFixed(1)}`;
const range = (c) => `${signed(c.low)} to ${signed(c.high)}`;

// What is to be read of a call, or of the time of the call itself.
function words(call) {
    const verdicts = { rare: "too few samples to judge", changed: "changed beyond chance",
                       same: call.step ? "within chance, beside what calls it" : "within chance" };
    const share = (what, s) => `of ${what}: before ${percent(s.before)} %, after ` +
        `${percent(s.after)} %, ${signed(s.change)} (${range(s)}) points`;
    return [verdicts[call.verdict], share("all", call.all), share("the rest", call.rest)];
}

// Depth and name, width, and what is to be read, of all that is drawn of (side).
function said_of(said, side) {
    const depth = [0], list = [];
    said.calls.forEach((call, i) => {
        depth[i + 1] = depth[call.parent] + 1;
        if (call.own || !(call.all[side] > 0))
            return;
        const own = said.calls.find((c) => c.own && c.parent === i + 1);
        const text = [call.name, ...words(call),
                      ...own ? [`itself: ${words(own).slice(0, 2).join(", ")}`] : []];
        list.push(`${depth[i + 1]} ${call.all[side].toFixed(6)} ${text.join(" \u00b7 ")}`);
    });
    return list.sort();
}

// The same of the graph (view), each selected in turn.
async function shown_in(page, view) {
    return await page.evaluate((which) => {
        const app = window.tprof, graph = which < 0 ? app.flame : app.sides[which], list = [];
        const visit = (node) => {
            graph.focus(node);
            if (node.parent !== null)
                list.push(`${node.depth} ${node.time.toFixed(6)} ` +
                    document.getElementById("detail").textContent);
            for (const kid of graph.place(node, 0))
                visit(kid);
        };
        visit(graph.root);
        return list.sort();
    }, view);
}

// The part of the graph (view) that is in sight, as names from left to right.
const drawn = (page, view) => page.evaluate((which) => {
    const app = window.tprof, graph = which < 0 ? app.flame : app.sides[which];
    return graph.rows.map((row) => row.map((n) => n.call.name || "all"));
}, view);

function table_said(said) {
    return said.functions.map((f) => [
        percent(f.all.before), percent(f.all.after), percent(f.rest.before), percent(f.rest.after),
        signed(f.rest.change), range(f.rest),
        f.verdict === "rare" ? "few" : f.detectable === undefined ? "" : percent(f.detectable),
        f.name].join(" | ")).sort();
}

const table_shown = (page) => page.$$eval("#diff-table tbody tr", (rows) => rows.map((row) =>
    [...row.cells].map((cell) => cell.textContent).join(" | ")).sort());

async function compare(page, said) {
    for (const [key, side] of [["a", "after"], ["b", "before"], ["a", "after"]]) {
        await page.keyboard.press(key);
        await settle(page);
        assert.deepEqual(await shown_in(page, -1), said_of(said, side), side);
    }
    await page.click('.tab[data-tab="sides"]');
    await settle(page);
    assert.deepEqual(await shown_in(page, 0), said_of(said, "before"));
    assert.deepEqual(await shown_in(page, 1), said_of(said, "after"));
    await page.click('.tab[data-tab="functions"]');
    await settle(page);
    assert.deepEqual(await table_shown(page), table_said(said));
    await page.click('.tab[data-tab="flame"]');
    await settle(page);
}

const cases = {};

// catches: a number of the page that is not the .json file's, also after zoom and switch
for (const [name, args, other] of [["usual", kernel, "oversubscribed"],
                                   ["lost_samples", kernel, "usual"],
                                   ["two_images", both, "apps_in_turn"],
                                   ["hostile_images", kernel, "usual"],
                                   ["usual", [], "oversubscribed"]])
    cases[`${name}_${args.length}_against_${other}_is_shown_as_the_json_file_says`] = async () => {
        const sides = [recording(name, args), recording(other, args)];
        const { page, said } = await difference(...sides);
        await compare(page, said);
        await page.focus("#flame-box canvas");
        for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Enter"])
            await page.keyboard.press(key);
        await compare(page, said);
        await page.fine();
    };

// catches: a filter that the page does not tell
cases.what_is_selected_is_told = async () => {
    const sides = [recording("usual"), recording("oversubscribed")];
    const { page, said } = await difference(...sides, "--core", "0", "--exclude", "walk");
    assert.equal(said.selected, "core 0, without walk");
    assert.ok((await page.textContent("#subtitle")).endsWith(`only ${said.selected}`));
    await page.fine();
};

// catches: colours that do not follow the verdict
cases.what_is_noise_is_grey = async () => {
    const { page, said } = await difference(recording("oversubscribed"), recording("usual"));
    const colours = await page.evaluate(() => window.tprof.difference.calls.map((call) =>
        window.tprof.colours.ofChange(call)));
    const grey = await page.evaluate(() => getComputedStyle(document.documentElement)
        .getPropertyValue("--noise").trim());
    said.calls.forEach((call, i) => {
        const hue = call.verdict !== "changed" ? grey : call.rest.change > 0 ? "hsl(8 " : "hsl(214 ";
        assert.ok(colours[i].startsWith(hue), `${call.name}: ${colours[i]}`);
    });
    assert.ok(colours.some((c) => c.startsWith("hsl(8 ")));
    await page.fine();
};

// catches: graphs side by side that show different calls
cases.sides_have_one_selection = async () => {
    const { page } = await difference(recording("usual"), recording("oversubscribed"));
    await page.click('.tab[data-tab="sides"]');
    await settle(page);
    await page.focus("#before-box canvas");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"])
        await page.keyboard.press(key);
    await settle(page);
    const focused = () => page.evaluate(() => [window.tprof.flame, ...window.tprof.sides].map((v) =>
        v.focused && v.focused.path().map((n) => n.call.name).join(";")));
    const path = "_start;thread;kernel::bus::receive;ring::push(unsigned long);walk";
    assert.deepEqual(await focused(), [path, path, path]);
    await page.keyboard.press("Enter");
    await settle(page);
    const zoomed = [["all"], ...path.split(";").map((name) => [name])];
    assert.deepEqual((await drawn(page, 0)).slice(0, 6), zoomed);
    assert.deepEqual((await drawn(page, 1)).slice(0, 6), zoomed);
    await page.keyboard.press("Backspace");
    await settle(page);
    assert.deepEqual((await drawn(page, 1))[1], ["_start"]);
    await page.fine();
};

// catches: a unit of work of which the page says something else
cases.units_are_shown_as_the_json_file_says = async () => {
    const { page, said } = await difference(recording("counts_its_work"),
                                            recording("counts_more_work"));
    await page.click('.tab[data-tab="functions"]');
    await settle(page);
    const shown = await page.$$eval("#functions .function-lines", (boxes) => boxes.map((box) =>
        [...box.querySelectorAll("tbody tr")].map((row) =>
            [...row.cells].slice(2).map((cell) => cell.textContent).join(" | ")).sort()));
    assert.deepEqual(shown, said.work.map((unit) => unit.functions.map((f) =>
        [signed(f.change), range(f), f.name].join(" | ")).sort()));
    assert.deepEqual(await page.$$eval("#functions h2", (heads) => heads.map((h) => h.textContent)),
                     said.work.map((unit) => `Each of the ${unit.name}`));
    await page.fine();
};

// catches: a page that is wider than a telephone
cases.page_fits_400_px = async () => {
    const { page } = await difference(recording("usual"), recording("oversubscribed"));
    await page.setViewportSize({ width: 400, height: 800 });
    for (const tab of ["flame", "sides", "functions", "trust"]) {
        await page.click(`.tab[data-tab="${tab}"]`);
        await settle(page);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 400), tab);
    }
    await page.fine();
};

await run(cases);
