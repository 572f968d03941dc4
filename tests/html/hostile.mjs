// SPDX-License-Identifier: BSD-2-Clause
// Whatever a guest calls its functions, files and itself, the page shows it as text.
import { execFileSync } from "node:child_process";
import { assert, collector, open, readFileSync, run, scene, settle, writeFileSync } from "./browser.mjs";

const NAMES = ["</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>",
               "\"><svg onload=window.hacked=1>", "<!--", "-->", "<style>*{display:none}</style>",
               "]]>", "${window.hacked=1}", "javascript:window.hacked=1", "__proto__",
               "constructor", "\u202egnp.exe", "a;b;c"];

// usual.html of a kernel whose functions are called so.
function hostilePage() {
    const old = ["walk", "thread", "_start", "checksum", "thread_entry", "copy_next", "mix"];
    const symbols = execFileSync("objdump", ["-t", "kernel.elf"], { encoding: "utf8" });
    const found = old.filter((n) => new RegExp(`\\s${n}$`, "m").test(symbols));
    assert.ok(found.length > 2);
    const args = found.flatMap((name, i) => ["--redefine-sym", `${name}=${NAMES[i]}`]);
    // without lines, so that names are those of the symbols
    execFileSync(process.env.OBJCOPY, ["--strip-debug", ...args, "kernel.elf", "hostile.elf"]);
    collector("report", scene("usual"), "--elf", "hostile.elf", "-o", "hostile.html");
    return NAMES.slice(0, found.length);
}

async function unharmed(page) {
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("script:not([data-part])").count(), 1);
    assert.equal(await page.locator("img, svg, iframe, object, embed").count(), 0);
}

const cases = {};

// catches: a name that becomes markup
cases.names_of_functions_are_text = async () => {
    const names = hostilePage(), page = await open("hostile.html", "#of=all");
    const shown = await page.evaluate(() => window.tprof.profile.functions.map((f) => f.name));
    for (const name of names)
        assert.ok(shown.includes(name), name);
    for (const tab of ["functions", "waits", "trust", "flame"]) {
        await page.click(`[data-tab="${tab}"]`);
        await settle(page);
    }
    await page.click('[data-tab="functions"]');
    const cells = await page.$$eval("table.functions .name", (list) => list.map((n) => n.textContent));
    assert.ok(cells.some((name) => name.includes("</script>")));
    await page.click("table.functions tbody tr");
    await settle(page);
    await page.fill("#search", "<img");
    await settle(page);
    await unharmed(page);
    await page.fine();
};

// catches: a name of a thread or phase that becomes markup
cases.names_of_threads_and_phases_are_text = async () => {
    for (const [name, tabs] of [["threads", ["threads", "offcpu", "functions", "flame"]], ["from_boot", ["boot"]]]) {
        collector("report", scene(name), "--elf", "kernel.elf", "-o", `${name}.html`);
        const page = await open(`${name}.html`, "#by=thread");
        for (const text of NAMES) {
            await page.evaluate((told) => {
                const { threads, boot } = window.tprof.profile.head;
                if (threads)
                    threads[0].name = threads[1].name = told;
                else
                    boot.phases[0].until = boot.phases[1].until = told;
                window.tprof.threads.offered = null;
            }, text);
            for (const tab of tabs) {
                await page.click(`.tab[data-tab="${tab}"]`);
                await settle(page);
                const shown = name === "from_boot" ? text.replace("\u202e", "\\x202e") : text;
                assert.ok((await page.textContent("main")).includes(shown), `${text} in ${tab}`);
            }
            await unharmed(page);
        }
        await page.fine();
    }
};

// catches: a name of a request or lock that becomes markup
cases.names_of_requests_and_locks_are_text = async () => {
    for (const name of ["requests", "locks"]) {
        collector("report", scene(name), "--elf", "kernel.elf", "-o", `${name}.html`);
        const page = await open(`${name}.html`);
        for (const text of NAMES) {
            await page.evaluate((told) => (window.tprof.profile.head.requests || window.tprof.profile.head.locks)[0].name = told, text);
            await page.click(`.tab[data-tab="${name}"]`);
            await settle(page);
            assert.ok((await page.textContent("main")).includes(text.replace("\u202e", name === "requests" ? "\\x202e" : "\u202e")), text);
            await unharmed(page);
        }
        await page.fine();
    }
};

// catches: text of the guest in the file as it came
cases.file_has_no_markup_of_the_guest = () => {
    const text = readFileSync("hostile.html", "utf8");
    assert.ok(!text.includes("hacked"));
    assert.equal(text.match(/<script>/g).length, 1);
};

// catches: what a guest says of itself, by a terminal's escapes or otherwise
cases.guest_and_its_agent_are_text = async () => {
    for (const name of ["terminal_escapes", "hostile_images"]) {
        collector("report", scene(name), "--elf", "kernel.elf", "-o", `${name}.html`);
        const page = await open(`${name}.html`);
        await page.click('[data-tab="trust"]');
        assert.ok(!/[\u0000-\u0008\u001b]/.test(await page.textContent("body")));
        await unharmed(page);
        await page.fine();
    }
};

// catches: a path of the image that becomes markup
cases.path_of_the_image_is_text = async () => {
    const path = "<b onclick=window.hacked=1>&amp;'\".elf";
    writeFileSync(path, readFileSync("kernel.elf"));
    collector("report", scene("usual"), "--elf", path, "-o", "path.html");
    const page = await open("path.html");
    assert.equal(await page.textContent("#title"), path);
    await page.click('[data-tab="trust"]');
    await unharmed(page);
    await page.fine();
};

// catches: a policy that lets foreign script run, or text become markup
cases.policy_forbids_script_and_markup = async () => {
    const page = await open("path.html");
    const refused = await page.evaluate(() => {
        const tries = {
            markup: () => document.body.innerHTML = "<b>x</b>",
            script: () => document.createElement("script").textContent = "window.hacked = 1",
            timer: () => setTimeout("window.hacked = 1", 0),
        };
        return Object.entries(tries).filter(([, attempt]) => {
            try {
                attempt();
            } catch {
                return true;
            }
            return false;
        }).map(([name]) => name);
    });
    assert.deepEqual(refused, ["markup", "script", "timer"]);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    await page.close();
};

// catches: a regular expression of the user that ends the page
cases.any_search_is_taken = async () => {
    const page = await open("path.html");
    for (const text of ["(", "[", "a**", "\\", "(?<", "walk|", "$^"]) {
        await page.fill("#search", text);
        await settle(page);
    }
    await page.fine();
};

// catches: damaged data that leave an empty page without a word
cases.damaged_data_are_told = async () => {
    const text = readFileSync("path.html", "utf8"), at = text.indexOf('data-part="guest">') + 60;
    writeFileSync("damaged.html", text.slice(0, at) + "AAAA" + text.slice(at + 4));
    const page = await open("damaged.html");
    assert.match(await page.textContent("#loading"), /cannot be shown/);
    await page.close();
};

await run(cases);
