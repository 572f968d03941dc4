// SPDX-License-Identifier: BSD-2-Clause
// The page in use: keys, themes, sizes, paper, addresses, several guests.
import { copyFileSync } from "node:fs";
import { assert, collector, folded, open, run, scene, settle } from "./browser.mjs";

for (const name of ["usual", "threads", "from_boot"])
    collector("report", scene(name), "--elf", "kernel.elf", "-o", `${name}.html`);

const cases = {};

// catches: a key of the help that does nothing, or a list that says nothing
cases.keys_do_what_the_help_says = async () => {
    const page = await open("usual.html");
    const seen = () => page.evaluate(() => document.body.dataset.tab);
    for (const [key, tab] of [["2", "functions"], ["3", "sandwich"], ["4", "waits"],
                              ["5", "trust"], ["1", "flame"]]) {
        await page.keyboard.press(key);
        assert.equal(await seen(), tab);
    }
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("#help"));
    assert.ok(await page.locator("#keys tr").count() > 20);
    const words = await page.locator("#words tr").evaluateAll((rows) => rows.filter((row) => row.offsetParent !== null).map((row) => [...row.cells].map((c) => c.textContent)));
    assert.deepEqual(words.map(([word]) => word), ["Self", "Total", "Latency", "\u00b1", "Late", "Lost", "Moved", "Idle", "[caller?]"]);
    for (const [, what] of words)
        assert.match(what, /^[A-Z][^.]+\.$/); // a sentence
    for (const [width, height] of [[480, 800], [1440, 900]]) {
        await page.setViewportSize({ width, height });
        const { left, right } = await page.locator("#help").evaluate((d) => d.getBoundingClientRect());
        assert.ok(left >= 0 && right <= width, `${left} to ${right} of ${width}`);
        await page.screenshot({ path: `help${width}.png` });
    }
    await page.keyboard.press("Escape");
    assert.ok(!await page.isVisible("#help"));
    await page.keyboard.press("2"); // the same sentences where the words stand
    assert.deepEqual(await page.locator(".functions th").evaluateAll((heads) => heads.slice(0, 3).map((th) => th.title)),
        ["Self", "Total", "Late"].map((word) => words.find(([w]) => w === word)[1]));
    await page.keyboard.press("1");
    await page.keyboard.press("/");
    await page.keyboard.type("walk2");
    assert.equal(await seen(), "flame"); // a digit in the search is no key
    await page.keyboard.press("Escape");
    for (const [key, mode] of [["w", "idle"], ["a", "all"], ["b", "busy"]]) {
        await page.keyboard.press(key);
        assert.equal(await page.evaluate(() => window.tprof.state.mode), mode);
    }
    for (const [key, cores] of [["]", [0]], ["]", [1]], ["]", [0, 1]], ["[", [1]], ["0", [0, 1]]]) {
        await page.keyboard.press(key);
        assert.deepEqual(await page.evaluate(() => [...window.tprof.state.cores]), cores);
    }
    await page.fine();
};

// catches: stacks of another selection, or in another order of frames
cases.what_is_copied_is_what_the_collector_writes = async () => {
    const page = await open("usual.html");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = async (button) => {
        await page.click(button);
        await page.waitForFunction(() => document.getElementById("copied").textContent.startsWith("copied "));
        const text = await page.evaluate(() => navigator.clipboard.readText());
        await page.evaluate(() => document.getElementById("copied").textContent = "");
        return text;
    };
    for (const core of [0, 1]) { // of one core each: their sums are not rounded twice
        await page.keyboard.press("]");
        const want = folded("usual.wire", "--elf", "kernel.elf", "--core", String(core)).filter((l) => !/\[idle\] \d+$/.test(l))
            .map((l) => l.replace(/^core\d+;/, "")).sort();
        assert.deepEqual((await copied("#copy-folded")).trimEnd().split("\n").sort(), want);
        assert.ok(want.length > 5);
    }
    await page.keyboard.press("0");
    await page.setViewportSize({ width: 480, height: 800 });
    await page.screenshot({ path: "flame480.png" });
    await page.keyboard.press("2");
    await page.screenshot({ path: "functions480.png" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.screenshot({ path: "functions1440.png" });
    const text = await copied("#copy-text");
    assert.match(text, /^SELF %  TOTAL %  FUNCTION\n +25\.6     25\.6  mix  kernel\.c:21\n/);
    await page.fine();
};

// catches: a colour that stays when the theme changes
cases.theme_follows_the_system_and_the_switch = async () => {
    const page = await open("usual.html");
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: "dark" });
    await settle(page);
    assert.equal(await theme(), "dark");
    const dark = await back();
    await page.click("#theme");
    assert.equal(await theme(), "light");
    assert.notEqual(await back(), dark);
    await page.evaluate(() => localStorage.clear());
    await page.fine();
};

// catches: what does not fit a telephone, or is lost on a wall
for (const [file, tabs] of [["usual.html", ["flame", "sandwich", "lines", "waits", "trust", "functions"]],
                            ["threads.html", ["flame", "threads", "offcpu", "functions"]], ["from_boot.html", ["boot"]]])
cases[`no_width_of_${file}_needs_scrolling_sideways`] = async () => {
    const page = await open(file, "#by=thread&running=yes");
    for (const width of [320, 400, 480, 720, 1280, 1600, 4000]) {
        await page.setViewportSize({ width, height: 900 });
        for (const tab of tabs) {
            await page.evaluate((name) => window.tprof.showTab(name), tab);
            await settle(page);
            const over = await page.evaluate(() =>
                document.documentElement.scrollWidth - innerWidth);
            assert.ok(over <= 0, `${tab} at ${width}: ${over} pixels too wide`);
            for (const { x, width: wide } of await page.$$eval(".tab", (list) => list.map((t) => t.getBoundingClientRect().toJSON())))
                assert.ok(x >= 0 && x + wide <= width, `a tab is out of sight at ${width}`);
        }
    }
    await page.fine();
};

// catches: paper that shows another view, or several sheets of threads
cases.views_of_threads_and_start_are_printed_as_one_sheet = async () => {
    for (const [file, view, what] of [["threads.html", "threads", "table.threads"], ["threads.html", "offcpu", "#offcpu canvas"],
                                      ["from_boot.html", "boot", "table.boot"]]) {
        const page = await open(file, `#view=${view}`);
        await page.evaluate(() => { // as many rows as a sheet has no room for
            const { profile, threads } = window.tprof, more = (list, n) => Array.from({ length: n }, (_, i) => list[i % list.length]);
            if (profile.head.threads) {
                profile.threadOrder = more(profile.threadOrder, 300);
                profile.head.waits = more(profile.head.waits, 300);
            } else
                profile.head.boot.phases = more(profile.head.boot.phases, 60);
            threads.off.key = "";
            window.tprof.timeline.cache.clear();
            window.tprof.redraw();
        });
        await settle(page);
        const before = await page.innerText("main");
        for (const format of ["A4", "Letter"]) {
            const pdf = (await page.pdf({ format, preferCSSPageSize: true })).toString("latin1");
            assert.equal(pdf.match(/\/Type\s*\/Page\b/g).length, 1, `${view}, ${format}`);
        }
        await settle(page);
        assert.equal(await page.innerText("main"), before);
        await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
        await page.emulateMedia({ media: "print" });
        assert.ok(await page.isVisible(what), what);
        for (const other of ["#flame", "#functions", "#tabs", "#thread", "#running"])
            assert.ok(!await page.isVisible(other), `${other} beside ${view}`);
        await page.fine();
    }
};

// catches: keys that choose no thread, or the wrong one
cases.keys_choose_threads_and_their_views = async () => {
    const page = await open("threads.html");
    const chosen = () => page.evaluate(() => window.tprof.state.thread);
    for (const [key, thread] of [[".", 1], [".", 2], [",", 1], [",", null], [",", 5], [".", null]]) {
        await page.keyboard.press(key);
        await settle(page);
        assert.equal(await chosen(), thread, key);
    }
    for (const [key, view] of [["6", "threads"], ["7", "offcpu"], ["8", "offcpu"]]) {
        await page.keyboard.press(key);
        assert.equal(await page.evaluate(() => document.body.dataset.tab), view);
    }
    await page.focus("#offcpu canvas");
    await page.keyboard.press("ArrowDown");
    const said = await page.locator(".off-detail").evaluate((e) => e.closest("[aria-live]").textContent);
    assert.match(said, /^_start \u00b7 waiting 530 ms, 60\.2 % \u00b7 waiting threads: Pong\\x1b\[2J 54\.7 %, Ping 45\.3 % \u00b7 Pong\\x1b\[2J was woken 94 % by thread/);
    await page.click("table.off .name >> text=Ping"); // only its waits
    await settle(page);
    assert.equal(await page.locator("table.off tbody tr").count(), 1);
    await page.keyboard.press("6");
    await page.click("table.threads .name >> text=Ping"); // its flame graph
    await settle(page);
    assert.deepEqual(await page.evaluate(() => [document.body.dataset.tab, window.tprof.state.thread]), ["flame", 1]);
    const lanes = () => page.$$eval(".lane-label, .key.found", (list) => list.map((one) => one.textContent));
    assert.deepEqual(await lanes(), ["core 0", "core 1", "selected"]);
    await page.keyboard.press(",");
    await settle(page);
    assert.deepEqual(await lanes(), ["core 064.7 %", "core 164.7 %", "found by the search"]);
    await page.fine();
};

// catches: a view that opens empty, or below the screen
cases.each_view_opens_with_its_content_in_sight = async () => {
    for (const [width, height] of [[480, 800], [1440, 900]]) {
        for (const view of ["flame", "functions", "sandwich", "lines", "waits", "trust", "threads", "offcpu", "boot"]) {
            const page = await open({ threads: "threads.html", offcpu: "threads.html", boot: "from_boot.html" }[view] || "usual.html");
            await page.setViewportSize({ width, height });
            await page.reload();
            await page.waitForSelector("html[data-ready]", { state: "attached" });
            await page.click(`.tab[data-tab="${view}"]`);
            await settle(page);
            const content = { flame: "canvas", sandwich: ".function-head h2", functions: "tbody tr", lines: "tbody tr",
                              waits: "tbody tr", trust: "tbody tr", threads: "tbody tr", offcpu: "canvas", boot: "tbody tr" }[view];
            const box = await page.locator(`#${view} ${content}`).first().boundingBox();
            assert.ok(box !== null && box.y + 20 < .65 * height, `${view} at ${width}: ${JSON.stringify(box)}`);
            await page.fine();
        }
    }
};

// catches: a time line or heatmap that is still the picture of what was chosen before
cases.pictures_follow_what_is_chosen = async () => {
    const page = await open("usual.html");
    const seen = async () => {
        await settle(page);
        return page.$$eval("#timeline canvas, #heatmap canvas", (list) => list.map((c) => c.toDataURL()));
    };
    const choices = { core: (app) => app.setCores(new Set([1])), all: (app) => app.setCores(null),
                      view: (app) => app.viewTime({ from: 0, to: 300 }), whole: (app) => app.viewTime(null),
                      dark: (app) => app.theme(), light: (app) => app.theme(),
                      range: (app) => app.setRange(100, 200), none: (app) => app.setRange(null, null) };
    await page.selectOption("#heat-what", "idle"); // in which the cores differ
    const first = await seen();
    let changed = false;
    for (const [what, choose] of Object.entries(choices)) {
        await page.evaluate(`(${choose})(window.tprof)`);
        changed = !changed;
        for (const [i, picture] of (await seen()).entries())
            assert.equal(picture !== first[i], changed, `${what}: picture ${i}`);
    }
    await page.fill("#search", "walk"); // stands out on the time line
    assert.notEqual((await seen())[0], first[0]);
    await page.evaluate(() => localStorage.clear());
    await page.fine();
};

// catches: a run in which all is late, as under an emulator, and is marked everywhere
cases.late_is_marked_where_it_is_more_than_usual = async () => {
    collector("report", scene("oversubscribed"), "--elf", "kernel.elf", "-o", "late.html");
    const page = await open("late.html");
    const marked = (least) => page.evaluate((limit) => {
        const app = window.tprof, { canvas } = app.timeline, seen = new Set();
        app.profile.head.late_least = limit;
        app.timeline.picture.key = "";
        app.redraw();
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        for (let i = 0; i < data.length; i += 4)
            seen.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
        return [seen.has("224 154 43"), /late/.test(document.getElementById("detail").textContent)];
    }, least);
    assert.deepEqual(await marked(.1), [true, true]);
    assert.deepEqual(await marked(2), [false, false]); // lateness_least() of a run that is late as a whole
    await page.close(); // the browser complains of pictures that a test reads
};

// catches: a long name of which the page shows three dots, and a button on a line of its own
cases.small_screen_shows_names_and_buttons = async () => {
    const page = await open("usual.html");
    await page.setViewportSize({ width: 400, height: 900 });
    await page.click('.tab[data-tab="functions"]');
    await settle(page);
    const cells = await page.$$eval("table.functions td:has(.name)", (list) => list.map((cell) =>
        [cell.scrollWidth - cell.clientWidth, cell.textContent]));
    for (const [over, name] of cells)
        assert.ok(over <= 0, `${name}: ${over} pixels too wide`);
    const top = async (id) => (await page.locator(id).boundingBox()).y;
    assert.equal(await top("#help-button"), await top("#theme"));
    await page.fine();
};

// catches: an empty sheet, a second one, or a page that looks like paper afterwards
cases.paper_is_one_sheet_with_graph_and_table = async () => {
    for (const name of ["usual", "oversubscribed"])
        collector("report", scene(name), "--elf", "kernel.elf", "-o", `${name}.tprof`, "--force");
    collector("diff", "usual.tprof", "oversubscribed.tprof", "-o", "diff.html", "--force");
    for (const [file, hash, width] of [["usual.html", "", 1280], ["usual.html", "#view=trust", 480],
                                       ["usual.html", "#view=lines", 1700], ["diff.html", "#view=sides", 1280]]) {
        const page = await open(file, hash);
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: "dark" });
        await page.evaluate((n) => { // as many functions, warnings and frames as a sheet has no room for
            const app = window.tprof;
            const more = (list) => Array.from({ length: n }, (_, i) => list[i % list.length]);
            const rows = more(app.said ? app.said.functions : app.state.sums.rows());
            app.showWarnings(["one", "two", "three"]);
            app.table.rows = app.said ? rows : () => rows;
            app.table.set = function set() {
                this.search = null;
                this.sums = app.state.sums;
                this.state = app.state;
                this.draw();
            };
            app.redraw();
        }, 300);
        await settle(page);
        const look = () => page.evaluate(() => [document.querySelector("main").innerText, document.documentElement.dataset.theme,
                                                document.querySelector("details").open]);
        const before = await look();
        for (const format of ["A4", "Letter"]) {
            const pdf = (await page.pdf({ format, preferCSSPageSize: true })).toString("latin1");
            assert.equal(pdf.match(/\/Type\s*\/Page\b/g).length, 1, `${file} ${hash} at ${width}, ${format}`);
        }
        await settle(page);
        assert.deepEqual(await look(), before);
        await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
        await page.emulateMedia({ media: "print" });
        for (const what of ["#flame canvas", "#functions table", "#truth", "#warnings .warning >> text=three"])
            assert.ok(await page.isVisible(what), what);
        assert.ok(await page.locator("table.functions").first().locator("tbody tr").count() > 8);
        for (const what of ["#search", "#tabs", "#sandwich", "#trust", "#link"])
            assert.ok(!await page.isVisible(what), what);
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
        await page.evaluate(() => dispatchEvent(new Event("afterprint")));
        await page.fine();
    }
};

// catches: an address that shows something else when it is passed on
cases.address_keeps_the_selection = async () => {
    const page = await open("usual.html", "#core=1&time=0.05..0.15&of=all&search=walk");
    const state = () => page.evaluate(() => [location.hash, window.tprof.state.from,
                                             [...window.tprof.state.cores]]);
    const [hash, from, cores] = await state();
    assert.equal(hash, "#core=1&time=0.05..0.15&of=all&search=walk");
    assert.equal(from, 50);
    assert.deepEqual(cores, [1]);
    await page.fine();
};

// catches: trees of the other direction with other sums
cases.inverted_graph_has_the_same_sum = async () => {
    const page = await open("usual.html");
    const sum = () => page.evaluate(() => window.tprof.flame.root.kids(0)
        .reduce((all, node) => all + node.count, 0));
    const upright = await sum();
    await page.keyboard.press("i");
    assert.equal(await sum(), upright);
    await page.keyboard.press("u");
    assert.ok(await page.evaluate(() => window.tprof.flame.upward));
    await page.fine();
};

// catches: an option of the command that the page does not follow, or that cannot be undone
cases.page_opens_as_the_options_ask = async () => {
    const asked = async (...args) => {
        collector("report", "usual.wire", "--elf", "kernel.elf", ...args, "-o", "asked.html");
        return await open("asked.html");
    };
    const pressed = (page, what) => page.getAttribute(what, "aria-pressed");
    let page = await asked("--of", "all", "--inverted", "--sort", "total", "--top", "3");
    assert.equal(await pressed(page, '[data-mode="all"]'), "true");
    assert.equal(await pressed(page, "#invert"), "true");
    await page.keyboard.press("b");
    await page.waitForFunction(() => location.hash === "#of=busy");
    await page.reload(); // the address has the change
    await page.waitForSelector("html[data-ready]", { state: "attached" });
    await settle(page);
    assert.equal(await pressed(page, '[data-mode="busy"]'), "true");
    await page.click('[data-tab="functions"]');
    assert.equal(await page.locator("table.functions tbody tr").count(), 3);
    assert.equal(await page.textContent("th[aria-sort=descending]"), "Total %");
    await page.fine();

    collector("report", "threads.wire", "--elf", "kernel.elf", "--by", "thread", "-o", "by.html");
    page = await open("by.html");
    assert.equal(await page.inputValue("#by"), "thread");
    assert.equal(await page.locator(".lane-label >> text=Ping").count(), 1);
    assert.equal(await page.evaluate(() => location.hash), "");
    await page.fine();

    page = await asked("--idle", "--sort", "name");
    assert.equal(await pressed(page, '[data-mode="idle"]'), "true");
    await page.click('[data-tab="functions"]');
    assert.equal(await page.textContent("th[aria-sort=ascending]"), "Function");
    await page.fine();

    for (const option of ["--callers-of", "--function"]) {
        page = await asked(option, "pus");
        assert.ok(await page.isVisible("#sandwich"));
        assert.match(await page.textContent(".function-head"), /ring::push/);
        await page.fine();
    }
    page = await asked("--function", "nowhere");
    assert.ok(await page.isVisible("#flame"));
    await page.fine();
};

// catches: guests that hide each other
cases.several_guests_can_be_chosen = async () => {
    copyFileSync("usual.wire", "a.wire");
    copyFileSync(scene("lost_samples"), "b.wire");
    collector("--serial", "a.wire", "--elf", "kernel.elf", "--name", "a",
              "--serial", "b.wire", "--elf", "kernel.elf", "--name", "b", "-o", "guests.html");
    const page = await open("guests.html");
    const names = await page.$$eval("#guest option", (list) => list.map((o) => o.textContent));
    assert.deepEqual(names, ["a", "b", "kernel.elf on 2 guests"]);
    const seen = new Set();
    for (const i of names.keys()) {
        await page.selectOption("#guest", String(i));
        await settle(page);
        seen.add(await page.textContent("#truth"));
    }
    assert.equal(seen.size, names.length);
    await page.click('[data-tab="trust"]');
    assert.match(await page.textContent("#trust-box"), /All guests.*a/);
    await page.fine();
};

// catches: a guest that is shown with the choices of another
cases.guest_without_threads_follows_one_that_has_some = async () => {
    copyFileSync(scene("threads"), "t.wire");
    collector("--serial", "t.wire", "--elf", "kernel.elf", "--name", "t",
              "--serial", "usual.wire", "--elf", "kernel.elf", "--name", "u", "-o", "threads_too.html");
    for (const view of ["threads", "offcpu", "functions"]) {
        const page = await open("threads_too.html", `#view=${view}&by=thread&thread=1&running=yes`);
        for (const guest of ["1", "2", "0"]) {
            await page.selectOption("#guest", guest);
            await settle(page);
            assert.equal(await page.isVisible("#thread"), guest === "0");
            assert.equal(await page.evaluate(() => document.body.dataset.tab), view === "functions" ? view : "flame");
            assert.match(await page.textContent("#selection"), /^busy /); // of all threads
        }
        await page.fine();
    }
};

// catches: a tip or a heatmap that fails under the pointer
cases.pointer_tells_what_is_there = async () => {
    const page = await open("usual.html");
    for (const what of ["#timeline canvas", "#heatmap canvas", "#flame-box canvas"]) {
        const box = await page.locator(what).boundingBox();
        await page.mouse.move(box.x + 30, box.y + 10);
        assert.ok(await page.isVisible("#tip"), what);
    }
    const heat = await page.locator("#heatmap canvas").boundingBox();
    await page.mouse.click(heat.x + 40, heat.y + 20);
    await settle(page);
    assert.match(await page.textContent("#selection"), /--time/);
    await page.fine();
};

await run(cases);
