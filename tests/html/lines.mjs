// SPDX-License-Identifier: BSD-2-Clause
// Lines and code of functions on the page are those of `collector annotate`.
import { appendFileSync, mkdirSync } from "node:fs";
import { assert, collector, open, readFileSync, run, scene, settle, writeFileSync } from "./browser.mjs";

// a source whose text would like to be markup, where the image says that it was compiled
const HOSTILE = ["</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>",
                 "\u001b[2J\u202e<!--", "&lt;b&gt; ]]> ${window.hacked=1}"];
mkdirSync("source/kernel", { recursive: true });
writeFileSync("source/kernel/kernel.c", Array.from({ length: 150 }, (_, i) =>
    `line ${i + 1} ${HOSTILE[i % HOSTILE.length]}\n`).join(""));

const args = [scene("usual"), "--elf", "kernel.elf", "--source", "source"];
collector("report", ...args, "-o", "usual.html");
collector("report", scene("oversubscribed"), ...args.slice(1), "-o", "late.html");

const annotation = (name, file = "usual.wire") =>
    JSON.parse(collector("annotate", name, file, ...args.slice(1), "--format", "json")).annotation;

// "70.6 ±7.2" as the page has it
function shown({ share, low, high }) {
    return `${(100 * share).toFixed(1)} \u00b1${(100 * Math.max(high - share, share - low)).toFixed(1)}`;
}

const texts = (page, selector) => page.$$eval(selector, (rows) => rows.map((row) =>
    [...row.cells].map((cell) => cell.textContent)));

const cases = {};

// catches: another sum than that of the command, a line or block that is left out
for (const file of ["usual", "late"])
    cases[`${file}_is_what_annotate_says`] = async () => {
        const page = await open(`${file}.html`), wire = file === "usual" ? "usual.wire" : "oversubscribed.wire";
        const names = await page.evaluate(() => [...window.tprof.profile.code.values()].map((a) => a.function));
        assert.ok(names.length >= (file === "usual" ? 5 : 1));
        for (const name of names) {
            const a = annotation(name, wire);
            await page.evaluate((n) => window.tprof.openLines(
                [...window.tprof.profile.code].find(([, c]) => c.function === n)[0]), name);
            await settle(page);
            assert.equal(await page.textContent(".function-code h2"), name);
            const lines = a.bodies.filter((b) => b.self.samples)
                .flatMap((b) => b.lines.filter((l) => l.self.samples).map((l) =>
                    [shown(l.self), l.line ? `${l.line}` : "?", ((b.text?.lines[l.line - b.text.first] || "") +
                        (l.late ? `  late ${(100 * l.late).toFixed(0)} %` : ""))]));
            const rows = (await texts(page, "table.lines tr.hit")).map(([share, off, ...rest]) =>
                [`${share} ${off}`, ...rest]);
            assert.deepEqual(rows.sort(), lines.sort(), name);
            const blocks = a.code.flatMap((code) => code.blocks.map((b, i) => [b, i + 1]))
                .filter(([b]) => b.self.samples);
            assert.deepEqual((await texts(page, "tr.block-head")).map(([share, off, title]) => [`${share} ${off}`, title]),
                             blocks.map(([b, i]) => [shown(b.self), `block ${i}` +
                                 (b.late ? `  late ${(100 * b.late).toFixed(0)} %` : "")]), name);
            const insns = (await texts(page, "table.blocks tbody tr:not(.block-head)")).map(([mark, , text]) =>
                [mark !== "", text.split("  ; ")[0].trim()]);
            assert.deepEqual(insns, blocks.flatMap(([b]) => b.instructions.map((i) =>
                [i.samples > 0, `${i.address.slice(2)}  ${i.text}` +
                    (i.target === undefined ? "" : ` (block ${i.target + 1})`)])), name);
        }
        await page.fine();
    };

// catches: a way to a function's code that leads nowhere, or to another function
cases.graph_table_and_keys_lead_to_it = async () => {
    const page = await open("usual.html");
    const at = async () => {
        await settle(page);
        assert.equal(await page.evaluate(() => document.body.dataset.tab), "lines");
        return page.textContent(".function-code h2");
    };
    await page.focus("#flame-box canvas");
    for (let depth = 0; depth < 4; depth++)
        await page.keyboard.press("ArrowDown");
    const name = (await page.textContent("#detail")).split(" \u00b7 ")[0];
    await page.keyboard.press("l");
    assert.equal(await at(), name);
    await page.click('[data-tab="functions"]');
    await page.click('table.functions tr:has(.name:text-is("walk")) .code-chip');
    assert.equal(await at(), "walk");
    await page.click('[data-tab="functions"]');
    await page.click('table.functions .name >> text="checksum"');
    await page.click(".function-head button");
    assert.equal(await at(), "checksum");
    await page.keyboard.press("3");
    await page.keyboard.press("l");
    assert.equal(await at(), "checksum");
    await page.selectOption("#lines select", { label: "mix" });
    assert.equal(await at(), "mix");
    assert.ok((await page.textContent("table.hosts")).includes("checksum"));
    // what has no code is told as that
    await page.evaluate(() => window.tprof.pickNamed("_start"));
    await page.keyboard.press("l");
    assert.equal(await at(), "_start");
    assert.match(await page.textContent(".function-code"), /collector annotate/);
    await page.fine();
};

// catches: lines that are not those of an instruction; blocks that stay hidden
cases.a_click_shows_what_belongs_together = async () => {
    const page = await open("usual.html");
    await page.evaluate(() => window.tprof.pickNamed("checksum"));
    await page.keyboard.press("l");
    await page.click('table.lines .name:text-is("30")');
    const picked = await page.$$eval("table.blocks tr.picked", (rows) => rows.map((r) => r.textContent));
    assert.deepEqual(picked.length, annotation("checksum").code[0].blocks.flatMap((b) => b.self.samples
        ? b.instructions.filter((i) => i.body === 0 && i.line === 30) : []).length);
    assert.ok(picked.length > 0);
    await page.click('text="All lines and blocks"');
    assert.equal(await page.locator("tr.block-head").count(), annotation("checksum").code[0].blocks.length);
    await page.fine();
};

// catches: source text that becomes markup, in the page or in its file
cases.hostile_source_is_text = async () => {
    const page = await open("usual.html");
    await page.evaluate(() => window.tprof.pickNamed("walk"));
    await page.keyboard.press("l");
    const source = (await page.$$eval("td.source", (list) => list.map((c) => c.textContent))).join("\n");
    assert.ok(source.includes("</script><script>window.hacked=1") || source.includes("<img src=x onerror"));
    assert.ok(!/[\u0000-\u0008\u001b\u202e]/.test(source));
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("script:not([data-part])").count(), 1);
    assert.equal(await page.locator("img, svg, iframe").count(), 0);
    assert.ok(!readFileSync("usual.html", "utf8").includes("hacked"));
    await page.fine();
};

// catches: a page that scrolls sideways as a whole
cases.wide_lines_scroll_in_their_own_box = async () => {
    const page = await open("usual.html");
    await page.evaluate(() => window.tprof.pickNamed("walk"));
    await page.keyboard.press("l");
    for (const width of [400, 720, 1280, 1600]) {
        await page.setViewportSize({ width, height: 900 });
        await settle(page);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}`);
    }
    await page.fine();
};

// catches: an option that the page does not follow
cases.options_say_what_is_kept = async () => {
    const kept = async (...more) => {
        collector("report", ...args, ...more, "--force", "-o", "kept.html");
        const page = await open("kept.html");
        const n = await page.evaluate(() => window.tprof.profile.code.size);
        await page.evaluate(() => window.tprof.showTab("lines"));
        const text = await page.textContent("#lines");
        await page.fine();
        return [n, text];
    };
    assert.equal((await kept("--annotate", "2"))[0], 2);
    const [none, text] = await kept("--annotate", "0");
    assert.equal(none, 0);
    assert.match(text, /No lines and blocks are in this page: the guest's image/);
    // as collector serve marks a page that everybody may ask for
    appendFileSync("kept.html", '<meta name="tprof-code" content="withheld">\n');
    const page = await open("kept.html");
    await page.evaluate(() => window.tprof.showTab("lines"));
    assert.match(await page.textContent("#lines"), /any user of the machine .* with --page-code/);
    await page.fine();
};

// catches: a page of one function that opens with something else
cases.annotate_writes_a_page_of_its_function = async () => {
    collector("annotate", "walk", ...args, "-o", "walk.html");
    const page = await open("walk.html");
    assert.equal(await page.evaluate(() => document.body.dataset.tab), "lines");
    assert.equal(await page.textContent(".function-code h2"), "walk");
    assert.deepEqual(await page.evaluate(() => [...window.tprof.profile.code.values()]), [annotation("walk")]);
    await page.fine();
};

await run(cases);
