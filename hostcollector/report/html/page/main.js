/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the guests of the page, then shows the first; or a difference. */

/* The selection is kept behind the page's address, so that it can be passed on. */
function saveState(app) {
    const { state, profile } = app, words = new URLSearchParams();
    const guest = app.profiles.indexOf(profile);
    if (guest > 0)
        words.set("guest", guest);
    if (state.cores.size !== profile.cores.length)
        words.set("core", [...state.cores].map((i) => profile.cores[i].number).join(","));
    if (state.from !== null)
        words.set("time", `${secondsText(state.from / profile.head.slots_per_s)}..` +
            secondsText(state.to / profile.head.slots_per_s));
    if (state.mode !== profile.head.shown.mode)
        words.set("of", state.mode);
    if (byId("search").value)
        words.set("search", byId("search").value);
    try {
        history.replaceState(null, "", words.size ? `#${words}` : location.pathname +
            location.search);
    } catch { /* not allowed: then the address stays */ }
}

function loadState(app, words) {
    const { state } = app, index = +words.get("guest");
    byId("search").value = words.get("search") || "";
    app.open(app.profiles[index] ? index : 0);
    const { head } = app.profile;
    app.show(head.shown);
    if (["busy", "idle", "all"].includes(words.get("of")))
        state.mode = words.get("of");
    if (words.get("core"))
        app.typeCores(words.get("core"));
    const time = (words.get("time") || "").match(/^([\d.]+)\.\.([\d.]+)$/);
    if (time && head.slots > 0)
        app.setRange(Math.round(time[1] * head.slots_per_s),
                     Math.round(time[2] * head.slots_per_s));
}

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
    const words = new URLSearchParams(location.hash.slice(1));
    if (!words.has("time") && !words.has("guest"))
        loadState(app, words);
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
    const names = app.profiles.map((p) => p.head.guest || p.head.title);
    const select = byId("guest");
    select.replaceChildren(...names.map((n) => el("option", "", n)));
    [...select.options].forEach((o, i) => o.value = String(i));
    byId("guest-label").hidden = names.length < 2;
    if (!app.profile)
        loadState(app, new URLSearchParams(location.hash.slice(1)));
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
