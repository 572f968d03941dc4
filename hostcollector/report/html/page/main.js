/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the guests of the page, then shows the first; or a difference. */

/* Blocks stand in this order: a guest, the code of its functions, and its cores'
 * moments. */
async function readProfiles(app) {
    for (const block of [...document.querySelectorAll("script[data-part]")]) {
        const reader = await readBlock(block);
        if (block.dataset.part === "guest")
            app.profiles.push(new Profile(reader));
        else if (block.dataset.part === "code")
            app.profiles[app.profiles.length - 1].code
                .set(reader.number(), JSON.parse(reader.text()));
        else if (block.dataset.part === "moments") {
            const profile = app.profiles[app.profiles.length - 1];
            profile.readMoments(reader.number(), reader);
        } else
            app.overall = JSON.parse(reader.text());
        if (app.profiles.length === 1 && block.dataset.part === "guest")
            firstLook(app);
    }
}

/* The first guest can be seen while the rest is read. */
function firstLook(app) {
    const words = linkWords();
    if (!words.has("time") && !words.has("guest"))
        followLink(app, words);
}

/* A page of `collector diff` has one block. */
async function showDifference(block) {
    const reader = await readBlock(block);
    window.tprof = new DiffApp(JSON.parse(reader.text())); /* for the console */
}

async function showGuests() {
    const app = new App();
    window.tprof = app; /* for the console */
    await readProfiles(app);
    if (app.profiles.length === 0)
        throw new Error("it has no guest");
    const names = app.profiles.map((p) => p.head.guest || p.head.title);
    const select = byId("guest");
    select.replaceChildren(...names.map((n) => el("option", "", n)));
    [...select.options].forEach((o, i) => o.value = String(i));
    byId("guest-label").hidden = names.length < 2;
    if (!app.profile)
        followLink(app, linkWords());
    else {
        if (app.overall)
            showTrust(byId("trust-box"), app.profile, app.overall);
        byId("guest").value = String(app.profiles.indexOf(app.profile));
        app.redraw();
    }
}

async function main() {
    const difference = document.querySelector('script[data-part="diff"]');
    try {
        await (difference === null ? showGuests() : showDifference(difference));
        byId("loading").hidden = true;
        document.documentElement.dataset.ready = "yes";
    } catch (error) {
        byId("loading").textContent = `This page cannot be shown: ${error.message}`;
        document.documentElement.dataset.ready = "no";
        throw error;
    }
}

/* the data stands behind this script */
addEventListener("DOMContentLoaded", main);
