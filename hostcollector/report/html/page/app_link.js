/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of link.js for the page of a report. */

/* Slots (from) to (to) as seconds, as the option --time takes them. */
function linkRange({ slots_per_s: rate }, from, to) {
    return `${secondsText(from / rate)}..${secondsText(to / rate)}`;
}

/* Call (act) with the slots that (text) names, if it names some. */
function linkSlots({ slots, slots_per_s: rate }, text, act) {
    const range = (text || "").match(/^([\d.]+)\.\.([\d.]+)$/);
    if (range && slots > 0)
        act(Math.round(range[1] * rate), Math.round(range[2] * rate));
}

/* The words for the view that (app) shows. A word is null if the page opens with
 * its choice. */
function linkOf(app) {
    const { state, profile, flame } = app, { head, functions, cores } = profile, { shown } = head;
    const guest = app.profiles.indexOf(profile), unless = (same, text) => same ? null : text;
    const opensElsewhere = shown.function !== "" || shown.lines !== undefined || head.boot;
    const graph = state.tab === "offcpu" ? app.threads.off.flame : flame;
    return [
        ...app.threads.words(),
        ["guest", unless(guest === 0, guest)],
        ["core", unless(state.cores.size === cores.length,
                        [...state.cores].map((i) => cores[i].number).join(","))],
        ["time", state.from === null ? null : linkRange(head, state.from, state.to)],
        ["of", unless(state.mode === shown.mode, state.mode)],
        ["search", byId("search").value || null],
        ["only", unless(!state.filter, "yes")],
        ["image", unless(state.image < 0, state.image)],
        ["view", unless(state.tab === "flame" && !opensElsewhere, state.tab)],
        ["function", state.function < 0 ? null : linkName(functions, state.function)],
        ["inverted", unless(state.inverted === shown.inverted, state.inverted ? "yes" : "no")],
        ["latency", unless(state.latency === shown.latency, state.latency ? "yes" : "no")],
        ["root", unless(!state.upward, "bottom")],
        ["zoom", linkPath(functions, graph.zoomPath)],
        ["heat", unless(state.heat === app.usualHeat, state.heat)],
        ["span", unless(state.view.to - state.view.from >= head.slots,
                        linkRange(head, state.view.from, state.view.to))],
    ];
}

/* Show the view of (words). Choices without a word are those that the page opens
 * with. Before a guest is read nothing is shown; the address is read again later. */
function followLink(app, words) {
    if (app.profiles.length === 0)
        return;
    const { state } = app, index = +words.get("guest");
    const choose = (name, choices, usual) =>
        choices.includes(words.get(name)) ? words.get(name) : usual;
    byId("search").value = words.get("search") || "";
    state.sums = null; /* nothing is drawn until all is chosen */
    state.tab = "flame";
    state.filter = byId("only").checked = words.get("only") === "yes";
    state.upward = words.get("root") === "bottom";
    state.heat = choose("heat", [...byId("heat-what").options].map((o) => o.value), app.usualHeat);
    app.open(app.profiles[index] ? index : 0);
    const { head, functions, images } = app.profile;
    app.show(head.shown);
    state.mode = choose("of", ["busy", "idle", "all"], state.mode);
    state.inverted = choose("inverted", ["yes", "no"], state.inverted ? "yes" : "no") === "yes";
    state.latency = choose("latency", ["yes", "no"], state.latency ? "yes" : "no") === "yes";
    state.tab = choose("view", app.tabs.list().filter((tab) => !tab.hidden)
        .map((tab) => tab.dataset.tab), state.tab);
    app.threads.follow(words);
    const f = linkFunction(functions, words.get("function") || "");
    state.function = f < 0 ? state.function : f;
    state.image = words.has("image") && images[words.get("image")] !== undefined
        ? +words.get("image") : -1;
    byId("image").value = String(state.image);
    const graph = state.tab === "offcpu" ? app.threads.off.flame : app.flame;
    graph.zoomPath = linkFrames(functions, words.get("zoom"));
    if (words.get("core"))
        app.typeCores(words.get("core"));
    linkSlots(head, words.get("time"), (from, to) => app.setRange(from, to));
    linkSlots(head, words.get("span"), (from, to) => app.viewTime({ from, to }));
}
