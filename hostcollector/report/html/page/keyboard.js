/* SPDX-License-Identifier: BSD-2-Clause */
/* What keys do: the key, a text, a function, and the tab without which the key
 * does nothing. The help is made of the same list, and of the words that stand
 * over numbers. */

const WORDS = {
    self: ["Self", "Time in the function itself."],
    total: ["Total", "Time in the function and in all functions that it calls."],
    latency: ["Latency", "Each busy sample counts 1/n while n cores are busy, so a function with more latency than self keeps the other cores waiting."],
    range: ["\u00b1", "The true share of this run is within this distance of the share, or below the number after <, in 95 of 100 cases."],
    late: ["Late", "Samples that were taken after their deadline, because interrupts were off or the host did not run the core: the cause lies before the code that they name."],
    lost: ["Lost", "Deadlines that have no sample, because a buffer was full or the host was away."],
    moved: ["Moved", "Under QEMU's TCG, samples at a function's first instruction count at the call before it, where their time was spent."],
    idle: ["Idle", "Time in which a core waited for an interrupt."],
    ready: ["Ready", "Time in which a thread could run, and no core ran it.", "threads"],
    blocked: ["Blocked", "Time in which a thread waited for something other than a core.", "threads"],
    caller: ["[caller?]", "A caller may be missing here, because the function below has no frame of its own yet."],
};

function keyList(app) {
    const tab = (name) => () => app.showTab(name);
    const other = (name) => () => app.threads.has(name) && app.showTab(name);
    return [
        ["/", "search", () => byId("search").focus()],
        ["f", "show only stacks with what is searched for, or all", () => app.toggleFilter()],
        ["b", "busy time", () => app.setMode("busy")],
        ["w", "waits: idle time", () => app.setMode("idle")],
        ["a", "all time", () => app.setMode("all")],
        ["1", "flame graph", tab("flame")],
        ["2", "functions", tab("functions")],
        ["3", "callers and callees of a function", tab("sandwich")],
        ["4", "stacks under which cores go idle", tab("waits")],
        ["5", "how far this can be trusted", tab("trust")],
        ["6", "threads, and the scheduling of cores", other("threads"), "threads"],
        ["7", "off CPU: the stacks at which threads wait", other("offcpu"), "threads"],
        ["r", "requests: their times, and why the slowest are slow", other("requests"), "requests"],
        ["k", "locks: who waits, and who holds them", other("locks"), "locks"],
        ["8", "the start of the guest, if it samples from boot", other("boot"), "boot"],
        ["l", "source lines and code of the function that was picked", () => app.openLines()],
        ["i", "invert: innermost functions first", () => app.toggle("inverted")],
        ["u", "root at the bottom (flame) or at the top (icicle)", () => app.toggle("upward")],
        ["[", "core before", () => app.nextCore(-1)],
        ["]", "next core", () => app.nextCore(1)],
        ["0", "all cores", () => app.setCores(null)],
        [",", "thread before", () => app.threads.next(-1), "threads"],
        [".", "next thread", () => app.threads.next(1), "threads"],
        ["z", "zoom the time line to the selected time", () => app.zoomTime()],
        ["Z", "the whole time line", () => app.viewTime(null)],
        ["t", "light or dark", () => app.theme()],
        ["Escape", "undo: help, search, zoom, selected time", () => app.escape()],
        ["?", "this help", () => app.help()],
    ];
}

const GRAPH_KEYS = [
    ["arrows", "in the graph: to the frame there; on the time line: move the selected time"],
    ["Enter", "in the graph: zoom to the frame"],
    ["Backspace", "in the graph: zoom out"],
    ["c", "in the graph: callers and callees of the frame"],
    ["l", "in the graph: source lines and code of the frame"],
    ["Ctrl + wheel", "zoom the graph, or the time line"],
    ["drag", "on time line or heatmap: select a time; on a zoomed graph: move it"],
    ["right click", "in the graph: callers and callees"],
];

const DIFF_GRAPH_KEYS = GRAPH_KEYS.filter(([key]) => /^(arrows|Enter|Backspace)$/.test(key));

function listenKeys(app, keys = keyList(app), graphKeys = GRAPH_KEYS) {
    /* rows that only some guests need have the name of their tab as a class */
    const row = ([key, what, , tab]) => el("tr", tab ? `for-${tab}` : "", el("td", "", el("kbd", "", key)), el("td", "", what));
    byId("words").replaceChildren(...Object.values(WORDS).map(([word, what, tab]) =>
        el("tr", tab ? `for-${tab}` : "", el("th", "left", word), el("td", "", what))));
    byId("keys").replaceChildren(...keys.map(row), ...graphKeys.map(row));
    addEventListener("keydown", (e) => {
        const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
        if (e.ctrlKey || e.metaKey || e.altKey || (typing && e.key !== "Escape") ||
            (!byId("keys-on").checked && e.key !== "Escape"))
            return;
        const found = keys.find(([key]) => key === e.key);
        if (found === undefined)
            return;
        e.preventDefault();
        if (typing)
            e.target.blur();
        found[2]();
    });
}
