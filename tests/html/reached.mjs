// SPDX-License-Identifier: BSD-2-Clause
// The page is usable by everybody: axe finds nothing, every control is reached by keys alone, and
// text can be read, also that of pictures, which axe does not see.
import { assert, collector, open, readFileSync, run, scene, settle } from "./browser.mjs";

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
for (const name of ["usual", "oversubscribed", "threads", "requests", "locks", "from_boot"])
    collector("report", scene(name), "--elf", "kernel.elf", "-o", `${name}.tprof`, "-o", `${name}.html`);
collector("report", scene("two_images"), "--elf", "kernel.elf", "--elf", "app.elf", "-o", "two.html");
collector("diff", "usual.tprof", "oversubscribed.tprof", "-o", "diff.html");

const VIEWS = ["flame", "functions", "sandwich", "lines", "waits", "trust"];
const THREAD_VIEWS = ["flame", "functions", "threads", "offcpu"];
const DIFF_VIEWS = ["flame", "sides", "functions", "trust"];
const LOOKS = [[480, "light"], [480, "dark"], [1440, "light"], [1440, "dark"], [1600, "light"]];
const cases = {};

async function axe_finds(page) {
    const found = await page.evaluate(async () => (await window.axe.run()).violations.flatMap((v) =>
        v.nodes.map((node) => `${v.id}: ${node.html.slice(0, 120)}: ${node.failureSummary}`)));
    return found.join("\n");
}

// catches: a role, a name, an order or a contrast that keeps somebody out
for (const [file, views] of [["usual.html", VIEWS], ["two.html", ["flame"]], ["diff.html", DIFF_VIEWS],
                            ["threads.html", THREAD_VIEWS], ["requests.html", ["requests"]],
                            ["locks.html", ["locks"]], ["from_boot.html", ["boot"]]])
    cases[`axe_finds_nothing_in_${file}`] = async () => {
        const page = await open(file);
        await page.evaluate(AXE);
        for (const [width, colorScheme] of LOOKS) {
            await page.setViewportSize({ width, height: 900 });
            await page.emulateMedia({ colorScheme });
            for (const view of views) {
                await page.evaluate((name) => window.tprof.showTab(name), view);
                await settle(page);
                assert.equal(await axe_finds(page), "", `${view} at ${width}, ${colorScheme}`);
            }
        }
        await page.fill("#search", "walk");
        await page.keyboard.press("Escape");
        await page.evaluate(() => window.tprof.help());
        assert.equal(await axe_finds(page), "", "help");
        await page.fine();
    };

// The controls that a pointer can use, in the order of the page.
const controls = (page) => page.evaluate(() => [...document.querySelectorAll(
    "button, select, input, canvas:not([role=img]), summary, [tabindex='0']")].filter((e) =>
    e.offsetParent !== null && e.closest("#skip") === null && (e.getAttribute("role") !== "tab" || e.tabIndex === 0))
    .map((e) => e.dataset.number = document.querySelectorAll("[data-number]").length));

// catches: a control that only a pointer reaches, a trap, or a focus that nobody sees
for (const [file, views] of [["usual.html", VIEWS], ["diff.html", DIFF_VIEWS], ["threads.html", THREAD_VIEWS],
                            ["requests.html", ["requests"]], ["locks.html", ["locks"]], ["from_boot.html", ["boot"]]])
    cases[`tab_key_reaches_every_control_of_${file}`] = async () => {
        for (const view of views) {
            const page = await open(file, `#view=${view}`);
            const count = (await controls(page)).length, met = [];
            assert.ok(count > 4);
            await page.keyboard.press("Tab");
            assert.equal(await page.evaluate(() => document.activeElement.id), "skip");
            for (let i = 0; i < count; i++) {
                await page.keyboard.press("Tab");
                const [number, outline, seen] = await page.evaluate(() => {
                    const e = document.activeElement, { outlineStyle, outlineWidth } = getComputedStyle(e);
                    const { top, bottom, left, right } = e.getBoundingClientRect();
                    return [Number(e.dataset.number), `${outlineStyle} ${outlineWidth}`,
                            bottom > 0 && top < innerHeight && right > 0 && left < innerWidth];
                });
                met.push(number);
                assert.equal(outline, "solid 2px", `${view}: control ${number}`);
                assert.ok(seen, `${view}: control ${number} is out of sight`);
            }
            assert.deepEqual(met, [...Array(count).keys()], view);
            await page.fine();
        }
    };

// catches: views that a keyboard does not choose, or a way through the whole head to each
cases.arrows_choose_the_view = async () => {
    const page = await open("usual.html");
    const chosen = () => page.evaluate(() => [document.body.dataset.tab, document.activeElement.dataset.tab,
        document.querySelectorAll("[aria-selected=true]").length,
        document.activeElement.getAttribute("aria-controls") === document.body.dataset.tab]);
    await page.focus(".tab[aria-selected=true]");
    for (const [key, view] of [["ArrowRight", "functions"], ["ArrowRight", "sandwich"], ["ArrowLeft", "functions"],
                               ["End", "trust"], ["ArrowRight", "flame"], ["ArrowLeft", "trust"], ["Home", "flame"]]) {
        await page.keyboard.press(key);
        assert.deepEqual(await chosen(), [view, view, 1, true], key);
    }
    for (const [view, first] of [["functions", "copy-text"], ["flame", "upward"]]) {
        await page.evaluate((name) => window.tprof.showTab(name), view);
        await page.focus("#skip");
        await page.keyboard.press("Enter");
        assert.equal(await page.evaluate(() => document.activeElement.id), first);
    }
    await page.fine();
};

// catches: work that needs a pointer, or that a screen reader says nothing of
cases.work_is_done_and_said_without_a_pointer = async () => {
    const page = await open("usual.html");
    const said = (id) => page.locator(id).evaluate((e) => e.closest("[aria-live]").textContent);
    await page.focus("#timeline canvas");
    for (const key of ["ArrowRight", "ArrowRight", "Shift+ArrowRight"])
        await page.keyboard.press(key);
    await settle(page);
    assert.match(await said("#selection"), /0\.023 to 0\.069 s/); // steps of a 50th of 1.14 s
    await page.keyboard.press("Escape");
    await settle(page);
    await page.focus("#flame-box canvas");
    await page.keyboard.press("ArrowDown");
    assert.match(await said("#detail"), /^_start \u00b7 total 99\.1 %/);
    await page.keyboard.press("c"); // callers and callees
    await page.focus("#sandwich .flame-box canvas");
    assert.match(await said("#sandwich .detail"), /^_start \u00b7 total/);
    await page.keyboard.press("2");
    await page.locator("table.functions .name").first().focus();
    await page.keyboard.press("Enter");
    assert.match(await page.textContent(".function-head h2"), /mix/);
    await page.locator("table.functions th button").first().evaluate((e) => e.focus());
    await page.keyboard.press("l");
    await page.locator("table.lines .name").first().focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator("tr.picked").count() > 1);
    await page.fine();
};

// catches: letters that do something while a voice or a reader types them
cases.letters_can_be_switched_off = async () => {
    const page = await open("usual.html");
    await page.keyboard.press("?");
    await page.uncheck("#keys-on");
    await page.keyboard.press("Escape");
    for (const key of ["2", "w", "?"])
        await page.keyboard.press(key);
    assert.deepEqual(await page.evaluate(() => [document.body.dataset.tab, window.tprof.state.mode,
                                               document.getElementById("help").open]), ["flame", "busy", false]);
    await page.click("#help-button");
    await page.check("#keys-on");
    await page.keyboard.press("Escape");
    await page.keyboard.press("2");
    assert.equal(await page.evaluate(() => document.body.dataset.tab), "functions");
    await page.fine();
};

// Relative luminance and contrast as WCAG 2.2 defines both.
function luminance(rgb) {
    const [r, g, b] = rgb.map((v) => v / 255 <= .04045 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
}

function contrast(a, b) {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + .05) / (low + .05);
}

// catches: names in a graph that weak eyes cannot read
for (const file of ["usual.html", "oversubscribed.html", "two.html", "diff.html", "threads.html"])
    cases[`names_in_graphs_of_${file}_can_be_read`] = async () => {
        const page = await open(file, file === "threads.html" ? "#view=offcpu&running=yes" : "");
        for (const colorScheme of ["light", "dark"]) {
            await page.emulateMedia({ colorScheme });
            await settle(page);
            for (const by of { "diff.html": ["change"], "threads.html": ["state"] }[file] || ["file", "image", "function", "late"]) {
                // each frame's fill and the colour of its name, as they reach the canvas
                const pairs = await page.evaluate((way) => {
                    const flame = way === "state" ? window.tprof.threads.off.flame : window.tprof.flame;
                    const list = [], g = flame.canvas.getContext("2d");
                    const rgb = (colour) => {
                        const one = document.createElement("canvas").getContext("2d");
                        one.fillStyle = colour;
                        one.fillRect(0, 0, 1, 1);
                        return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3);
                    };
                    let fill = "";
                    g.fillRect = function (x, y, w, h) {
                        fill = h > 2 ? this.fillStyle : fill; // not the stripe of what is late
                        CanvasRenderingContext2D.prototype.fillRect.call(this, x, y, w, h);
                    };
                    g.fillText = function (text) {
                        list.push([text, rgb(fill), rgb(this.fillStyle)]);
                    };
                    flame.colours.by = way;
                    window.tprof.redraw();
                    return list;
                }, by);
                assert.ok(pairs.length > 5);
                for (const [text, fill, ink] of pairs)
                    assert.ok(contrast(fill, ink) >= 4.5, `${text} by ${by}, ${colorScheme}: ${contrast(fill, ink).toFixed(2)}`);
            }
        }
        await page.fine();
    };

await run(cases);
