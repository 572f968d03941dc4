// SPDX-License-Identifier: BSD-2-Clause
// The address of a view shows that view to whoever gets it; an address that names nothing does
// no harm.
import { assert, collector, open, run, scene, settle } from "./browser.mjs";

collector("report", scene("usual"), "--elf", "kernel.elf", "-o", "usual.html");
const both = ["--elf", "kernel.elf", "--elf", "app.elf"];
collector("report", scene("two_images"), ...both, "-o", "two.html");
for (const name of ["threads", "requests", "locks", "from_boot"])
    collector("report", scene(name), "--elf", "kernel.elf", "-o", `${name}.html`);

// What a reader sees: texts, what is pressed, chosen or checked, and the pictures.
const seen = (page) => page.evaluate(() => {
    const visible = (what) => [...document.querySelectorAll(what)].filter((e) => e.offsetParent !== null);
    return [document.querySelector("main").innerText,
            visible("[aria-pressed=true], [aria-selected=true]").map((e) => e.textContent),
            visible("select, input").map((e) => e.type === "checkbox" ? e.checked : e.value),
            visible("canvas").map((c) => c.toDataURL())];
});

const address = (page) => page.evaluate(() => window.tprof.link.text);
const hashOf = (url) => new URL(url).hash;

// (choose) something in a page of (file): its address shows the same in a new page.
async function passed_on(file, choose, differs = true) {
    const page = await open(file), first = await seen(page);
    await choose(page);
    await settle(page);
    const told = await seen(page), url = await address(page);
    assert.equal(JSON.stringify(told) !== JSON.stringify(first), differs, "it shows in the page");
    const other = await open(file, hashOf(url));
    assert.deepEqual(await seen(other), told, url);
    await other.fine();
    // in the page that is open already, too; and back
    await page.evaluate(() => location.hash = "");
    await settle(page);
    assert.deepEqual(await seen(page), first, "the empty address is the page as it opens");
    await page.evaluate((hash) => location.hash = hash, hashOf(url));
    await settle(page);
    assert.deepEqual(await seen(page), told, "by a change of the address");
    await page.fine();
    return hashOf(url);
}

const tab = (name) => (page) => page.click(`.tab[data-tab="${name}"]`);
const cases = {};

for (const name of ["functions", "sandwich", "lines", "waits", "trust"])
    cases[`view_${name}_has_an_address`] = async () => // catches: a view that a link does not open
        assert.equal(await passed_on("usual.html", tab(name)), `#view=${name}`);

for (const name of ["requests", "locks"])
    cases[`view_${name}_has_an_address`] = async () => // catches: a view of some guests that a link does not open
        assert.equal(await passed_on(`${name}.html`, tab(name)), `#view=${name}`);

// catches: a choice among threads that a link loses
for (const [what, choose, hash] of [
    ["threads", tab("threads"), "#view=threads"], ["waits", tab("offcpu"), "#view=offcpu"],
    ["a_thread", (page) => page.selectOption("#thread", "2"), "#thread=2"],
    ["no_thread", (page) => page.selectOption("#thread", "0"), "#thread=0"],
    ["lanes", (page) => page.selectOption("#by", "thread"), "#by=thread"],
    ["running_time", async (page) => {
        await tab("offcpu")(page);
        await page.check("#running");
    }, "#running=yes&view=offcpu"],
    ["the_graph_of_waits", async (page) => {
        await tab("offcpu")(page);
        await page.focus("#offcpu canvas");
        for (const key of ["ArrowDown", "ArrowDown", "Enter"])
            await page.keyboard.press(key);
    }, "#view=offcpu&zoom=_start%3Bthread"],
    ["waits_at_no_stack", async (page) => {
        await tab("offcpu")(page);
        await page.focus("#offcpu canvas");
        for (const key of ["ArrowDown", "ArrowRight", "Enter"])
            await page.keyboard.press(key);
    }, "#view=offcpu&zoom=%23-2"]])
    cases[`choice_of_${what}_has_an_address`] = async () => assert.equal(await passed_on("threads.html", choose), hash);

// catches: a start that hides what a link names
cases.views_beside_the_start_have_an_address = async () => {
    assert.equal(await passed_on("from_boot.html", tab("flame")), "#view=flame");
    assert.equal(await passed_on("from_boot.html", tab("functions")), "#view=functions");
};

// catches: a link that opens the view of another function
for (const name of ["functions", "lines"])
    cases[`function_picked_from_${name}_is_in_the_address`] = async () => {
        const hash = await passed_on("usual.html", async (page) => {
            await tab("functions")(page);
            await page.click('table.functions .name >> text="walk"');
            if (name === "lines")
                await tab("lines")(page);
        });
        assert.match(hash, /^#view=(sandwich|lines)&function=walk$/);
    };

// catches: a range, a core or a mode that is lost on the way
cases.time_cores_and_mode_are_in_the_address = async () => {
    const hash = await passed_on("usual.html", async (page) => {
        const box = await page.locator("#timeline canvas").boundingBox();
        await page.mouse.move(box.x + 100, box.y + 10);
        await page.mouse.down();
        await page.mouse.move(box.x + 400, box.y + 12);
        await page.mouse.up();
        await page.click("#zoom-time");
        await page.click('#cores >> text="1"');
        await page.click('[data-mode="all"]');
        await page.selectOption("#heat-what", "idle");
    });
    assert.match(hash, /^#core=1&time=[\d.]+\.\.[\d.]+&of=all&heat=idle&span=[\d.]+\.\.[\d.]+$/);
};

// catches: a graph that opens at its root, or the other way round
cases.zoomed_graph_is_in_the_address = async () => {
    const hash = await passed_on("usual.html", async (page) => {
        await page.click("#upward");
        await page.focus("#flame-box canvas");
        for (let i = 0; i < 3; i++)
            await page.keyboard.press("ArrowUp");
        await page.keyboard.press("Enter");
        await settle(page);
        await page.evaluate(() => document.activeElement.blur());
        await page.evaluate(() => window.tprof.redraw()); // no frame is selected
    });
    assert.match(decodeURIComponent(hash), /^#root=bottom&zoom=_start;thread;/);
    await passed_on("usual.html", (page) => page.click("#invert"));
};

// catches: a search or an image that is lost on the way
cases.filters_are_in_the_address = async () => {
    await passed_on("two.html", async (page) => {
        await page.fill("#search", "a&b=c|walk#");
        await page.check("#only");
    });
    assert.equal(await passed_on("two.html", (page) => page.selectOption("#image", "1")), "#image=1");
};

// catches: two functions of one name that are taken for each other
cases.functions_of_one_name_have_two_addresses = async () => {
    const page = await open("usual.html");
    const f = await page.evaluate(() => {
        const { profile } = window.tprof, walk = profile.functions.findIndex((g) => g.name === "walk");
        const mix = profile.functions.findIndex((g) => g.name === "mix");
        profile.functions[Math.max(walk, mix)].name = profile.functions[Math.min(walk, mix)].name;
        window.tprof.pick(Math.max(walk, mix));
        return Math.max(walk, mix);
    });
    assert.equal(hashOf(await address(page)), `#view=sandwich&function=%23${f}`);
    await page.fine();
};

// catches: an address that ends the page, or becomes a part of it
cases.any_address_opens_the_page = async () => {
    const hostile = ["#view=__proto__", "#function=constructor", "#function=%23-1", "#function=%23999999",
                     "#function=%231.5", "#time=..", "#time=9..1", "#time=0..1e99", "#time=.......", "#core=x",
                     "#core=999999999999", "#guest=-1", "#guest=length", "#of=constructor", "#heat=toString",
                     "#image=length", "#image=-1", "#image=99", "#zoom=;;;;%2399;walk", "#span=5..1",
                     "#zoom=" + "walk;".repeat(3000), "#%", "#view=lines&function=<img src=x onerror=window.hacked=1>",
                     "#search=(", "#root=x&inverted=x&only=x"];
    const page = await open("usual.html");
    for (const hash of hostile) {
        await page.evaluate((h) => location.hash = h, hash);
        await settle(page);
        assert.ok(await page.evaluate(() => window.tprof.state.sums.whole.samples > 0), hash);
        const { length } = hashOf(await address(page));
        assert.ok(length <= 2001, `${hash} leaves ${length} characters`);
    }
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    await page.fine();
};

// catches: a browser that counts changes of the address, and ends the page
cases.dragging_changes_the_address_seldom = async () => {
    const page = await open("usual.html");
    const written = await page.evaluate(async () => {
        const replace = history.replaceState.bind(history);
        let count = 0;
        history.replaceState = (...args) => {
            count++;
            replace(...args);
        };
        for (let i = 0; i < 60; i++) {
            window.tprof.setRange(i, i + 100);
            await new Promise((done) => requestAnimationFrame(done));
        }
        return count;
    });
    assert.ok(written <= 10, `${written} changes`);
    await page.waitForFunction(() => location.hash.startsWith("#time=0.059..0.159")); // the last one
    await page.fine();
};

// catches: a button that copies something else
cases.button_copies_the_address = async () => {
    const page = await open("usual.html");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await tab("waits")(page);
    await page.click("#link");
    await page.waitForFunction(() => document.getElementById("copied").textContent === "copied the address");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, page.url());
    assert.equal(hashOf(copied), "#view=waits");
    await page.fine();
};

// catches: a difference that only its sender sees
cases.difference_has_addresses = async () => {
    for (const name of ["usual", "oversubscribed"])
        collector("report", scene(name), "--elf", "kernel.elf", "-o", `${name}.tprof`, "--force");
    collector("diff", "usual.tprof", "oversubscribed.tprof", "-o", "diff.html");
    assert.equal(await passed_on("diff.html", tab("sides")), "#view=sides");
    const hash = await passed_on("diff.html", async (page) => {
        await page.keyboard.press("b");
        await tab("functions")(page);
        await page.click('#diff-table .name >> text="walk"');
        await page.fill("#search", "wa");
    });
    assert.equal(hash, "#search=wa&view=functions&function=walk&widths=before");
};

await run(cases);
