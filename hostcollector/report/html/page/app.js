/* SPDX-License-Identifier: BSD-2-Clause */
/* The page's state, and what follows when it changes. */

class App extends Page {
    constructor() {
        super();
        /* a small window has no room for a heatmap beside its views */
        this.usualHeat = matchMedia("(max-width: 720px), (max-height: 720px)").matches
            ? "none" : "busy";
        this.profiles = [];
        this.state = {
            cores: new Set(), from: null, to: null, view: { from: 0, to: 1 },
            mode: "busy", image: -1, search: null, filter: false, function: -1,
            heat: this.usualHeat, tab: "flame", inverted: false, upward: false,
            thread: null, by: "core", running: false, latency: false, sums: null, colours: null, hitFunctions: null,
        };
        const frame = {
            hover: (node, e) => this.hoverNode(node, e),
            focus: (node) => this.tellNode(node),
            pick: (node) => node.function >= 0 && this.pick(node.function),
            open: (node) => this.openLines(node.function),
            zoomed: (node) => {
                this.tellNode(node);
                this.link.save();
            },
        };
        const time = {
            range: (from, to) => this.setRange(from, to),
            zoom: (by, slot) => this.zoomView(by, slot),
            core: (i, add) => this.clickCore(i, add),
            thread: (number) => this.threads.choose(this.state.thread === number ? null : number),
            hover: (lines, e) => this.tip(lines, e),
            told: (text) => byId("heat-note").textContent = text,
        };
        const pick = { pick: (f) => this.pick(f), open: (f) => this.openLines(f) };
        this.flame = new FlameView(byId("flame-box"), frame, "flame graph");
        this.timeline = new Timeline(byId("timeline"), time);
        this.heatmap = new Heatmap(byId("heatmap"), time);
        this.table = new FunctionTable(byId("table-box"), pick);
        this.sandwich = new Sandwich(byId("sandwich-box"), {
            ...frame, choose: (f) => this.pick(f), lines: (node) => this.nodeLines(node),
        });
        this.lines = new FunctionLines(byId("lines-box"), pick);
        this.waits = new Waits(byId("waits-box"), pick);
        this.threads = new ThreadChoice(this);
        this.link = new Link(() => linkOf(this), (words) => followLink(this, words));
        this.bindFrame();
        this.bind();
        listenKeys(this);
    }

    bind() {
        byId("only").addEventListener("change", () => this.toggleFilter());
        byId("image").addEventListener("change", (e) => {
            this.state.image = +e.target.value;
            this.update();
        });
        byId("colour").addEventListener("change", (e) => {
            this.state.colours.by = e.target.value;
            this.redraw();
        });
        byId("latency").addEventListener("change", () => this.showLatency(!this.state.latency));
        byId("heat-what").addEventListener("change", (e) => {
            this.state.heat = e.target.value;
            this.redraw();
        });
        byId("guest").addEventListener("change", (e) => this.open(+e.target.value));
        byId("invert").addEventListener("click", () => this.toggle("inverted"));
        byId("upward").addEventListener("click", () => this.toggle("upward"));
        byId("copy-folded").addEventListener("click", () => this.copy(
            foldedText(wholeTree(this.state.sums, false), this.profile.period)));
        byId("zoom-time").addEventListener("click", () => this.zoomTime());
        byId("whole-time").addEventListener("click", () => this.viewTime(null));
        byId("clear-time").addEventListener("click", () => this.setRange(null, null));
        for (const button of document.querySelectorAll("[data-mode]"))
            button.addEventListener("click", () => this.setMode(button.dataset.mode));
        byId("core-list").addEventListener("change", (e) => this.typeCores(e.target.value));
    }

    text() {
        return this.table.text();
    }

    get paperTable() {
        const { table, off, requests, locks, boot } = this.threads;
        return { threads: table, offcpu: off, requests, locks, boot }[document.body.dataset.tab] || this.table;
    }

    /* Show guest (index). */
    open(index) {
        const { state } = this, profile = this.profiles[index];
        this.profile = profile;
        state.cores = new Set(profile.cores.keys());
        state.from = state.to = null;
        state.image = state.function = -1;
        state.view = { from: 0, to: Math.max(1, profile.head.slots) };
        state.colours = new Colours(profile);
        byId("colour").value = state.colours.by;
        this.flame.zoomPath = [];
        this.threads.off.flame.zoomPath = [];
        state.thread = null;
        this.threads.offer(profile);
        byId("guest").value = String(index);
        this.showHead();
        showTrust(byId("trust-box"), profile, this.overall);
        this.search(byId("search").value);
    }

    /* As the options of the command ask, see render/asked.h. */
    show(asked) {
        const { state, table } = this;
        state.mode = asked.mode;
        state.inverted = asked.inverted;
        state.latency = asked.latency;
        table.sort = asked.latency && asked.sort === "self" ? "latency" : asked.sort;
        table.falling = asked.sort !== "name";
        table.limit = asked.rows || table.limit;
        if (this.profile.head.boot)
            state.tab = "boot";
        if (asked.function)
            this.pickNamed(asked.function);
        if (asked.lines !== undefined)
            this.openLines(asked.lines);
    }

    /* The function called (name), or that with most time which has it in its name. */
    pickNamed(name) {
        const rows = new Sums(this.profile, this.selection("all")).rows()
            .filter((row) => row.name.includes(name)).sort((a, b) => b.total - a.total);
        const best = rows.find((row) => row.name === name) || rows[0];
        if (best !== undefined)
            this.pick(best.function);
    }

    showHead() {
        const { profile } = this, { head } = profile;
        const name = head.title;
        document.title = `${name} \u2013 tprof`;
        byId("title").textContent = name;
        const active = profile.cores.length;
        const parts = [`${countText(profile.samples)} samples`,
                       `${active} core${active === 1 ? "" : "s"}`];
        if (head.duration_s > 0)
            parts.push(durationText(head.duration_s));
        if (head.wall_start > 0 && head.wall_start < 8e12)
            parts.push(new Date(1000 * head.wall_start).toISOString()
                .replace(/T(.*)[.].*/, " $1 UTC"));
        if (head.without)
            parts.push(`without ${head.without}`);
        byId("subtitle").textContent = parts.join(" \u00b7 ");
        this.showWarnings(head.remarks.filter((r) => r.warning).map((r) => r.text));
        byId("time").hidden = !profile.timed;
        const images = byId("image");
        images.replaceChildren(el("option", "", "all images"),
                               ...profile.images.map((n) => el("option", "", n)));
        [...images.options].forEach((o, i) => o.value = String(i - 1));
        byId("image-label").hidden = profile.images.length < 2;
        this.showCores();
    }

    showCores() {
        const { cores } = this.profile, few = cores.length <= 16;
        byId("cores-label").hidden = cores.length < 2;
        byId("core-list").hidden = few;
        const chip = (text, pressed, act) => {
            const button = el("button", "chip", text);
            button.type = "button";
            button.setAttribute("aria-pressed", String(pressed));
            button.addEventListener("click", act);
            return button;
        };
        const all = this.state.cores.size === cores.length;
        byId("cores").replaceChildren(
            chip("all", all, () => this.setCores(null)),
            ...few ? cores.map((core, i) => chip(
                String(core.number), !all && this.state.cores.has(i),
                (e) => this.clickCore(i, e.shiftKey || e.ctrlKey || e.metaKey))) : []);
        if (!few)
            byId("core-list").value = all ? "" : [...this.state.cores]
                .map((i) => cores[i].number).join(",");
    }

    setCores(set) {
        this.state.cores = set && set.size ? set : new Set(this.profile.cores.keys());
        this.update();
    }

    clickCore(i, add) {
        const { cores } = this.state, one = cores.size === 1 && cores.has(i);
        if (!add)
            return this.setCores(one ? null : new Set([i]));
        const set = new Set(cores.size === this.profile.cores.length ? [] : cores);
        if (!set.delete(i))
            set.add(i);
        this.setCores(new Set([...set].sort((a, b) => a - b)));
    }

    typeCores(text) {
        const set = new Set();
        for (const [, low, high] of text.matchAll(/(\d+)(?:\s*-\s*(\d+))?/g))
            this.profile.cores.forEach((core, i) => {
                if (core.number >= +low && core.number <= +(high || low))
                    set.add(i);
            });
        this.setCores(set);
    }

    nextCore(by) {
        const { cores } = this.state, count = this.profile.cores.length;
        const at = cores.size === count ? (by > 0 ? -1 : count) : [...cores][0];
        const next = at + by;
        this.setCores(next < 0 || next >= count ? null : new Set([next]));
    }

    setMode(mode) {
        this.state.mode = mode;
        this.update();
    }

    setRange(from, to) {
        if (from !== null && !(to > from))
            return;
        const { slots } = this.profile.head;
        Object.assign(this.state, from === null ? { from, to }
            : { from: Math.max(0, from), to: Math.min(to, slots) });
        this.update();
    }

    zoomTime() {
        const { from, to } = this.state;
        if (from !== null)
            this.viewTime({ from, to });
    }

    viewTime(view) {
        const { slots } = this.profile.head;
        const width = view === null ? slots : Math.max(20, view.to - view.from);
        const from = view === null ? 0
            : Math.max(0, Math.min(slots - width, Math.round(view.from)));
        this.state.view = { from, to: Math.max(1, Math.min(slots, Math.round(from + width))) };
        if (this.state.sums === null)
            return;
        this.showTime();
        this.showSelection();
        this.link.save();
    }

    zoomView(by, slot) {
        const { from, to } = this.state.view;
        this.viewTime({ from: slot - (slot - from) * by, to: slot + (to - slot) * by });
    }

    search(text) {
        this.state.search = patternOf(text);
        this.update();
    }

    toggleFilter() {
        this.state.filter = !this.state.filter;
        byId("only").checked = this.state.filter;
        this.update();
    }

    toggle(what) {
        this.state[what] = !this.state[what];
        this.flame.zoomPath = what === "inverted" ? [] : this.flame.zoomPath;
        this.redraw();
    }

    showLatency(shown) {
        this.state.latency = shown;
        this.table.sort = shown ? "latency" : "self";
        this.table.falling = true;
        this.redraw();
    }

    pick(f) {
        this.state.function = f;
        this.showTab("sandwich");
    }

    /* Show lines and code of function (f), or of the picked function. */
    openLines(f = this.state.function) {
        this.state.function = f;
        this.showTab("lines");
    }

    back() {
        if (this.flame.left > 0 || this.flame.right < 1)
            this.flame.zoom(this.flame.root);
        else
            this.setRange(null, null);
    }

    /* Sum up anew, once before the next picture. */
    update() {
        if (this.waiting)
            return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            this.sum();
            this.redraw();
        });
    }

    selection(mode) {
        const { cores, from, to, image, search, filter, thread } = this.state;
        return { cores, from, to, image, mode, thread, filter: filter ? search : null };
    }

    sum() {
        const { state, profile } = this;
        state.sums = new Sums(profile, this.selection(state.mode));
        state.sums.baseText = { busy: "busy time", idle: "idle time", all: "all time" }[state.mode];
        this.idleSums = null;
        this.findHits();
    }

    /* Which functions are searched for, and which entries have them. */
    findHits() {
        const { profile, state } = this, { search, image, thread } = state;
        const key = `${search} ${image} ${thread}`;
        if (this.hitKey === key && this.hitProfile === profile)
            return;
        this.hitKey = key;
        this.hitProfile = profile;
        state.hitFunctions = search === null ? null
            : Uint8Array.from(profile.functions, (f) => search.test(f.name) ? 1 : 0);
        const { calls } = profile, found = new Uint8Array(calls.count);
        for (let c = 1; c < calls.count; c++)
            found[c] = search === null || found[calls.parent[c]] ||
                state.hitFunctions[calls.function[c]] ? 1 : 0;
        for (let c = 1; c < calls.count && image >= 0; c++)
            found[c] &= calls.image[calls.leaf[c] || c] === image ? 1 : 0;
        this.hits = profile.cores.map((core) => search === null && image < 0 && thread === null
            ? null : pickAll(found, core.call, threadFilter(core, state)));
    }

    /* Share of the base in stacks with a function of the search, each sample once. */
    foundShare() {
        const { sums, hitFunctions } = this.state, { calls } = this.profile;
        const found = new Uint8Array(calls.count);
        let time = 0, timeSq = 0;
        for (let c = 1; c < calls.count; c++) {
            found[c] = found[calls.parent[c]] || hitFunctions[calls.function[c]] ? 1 : 0;
            if (found[c]) {
                time += sums.self[c];
                timeSq += sums.square[c];
            }
        }
        return share(time, timeSq, sums.whole);
    }

    redraw() {
        const { state, profile } = this;
        if (!profile || state.sums === null)
            return;
        const tab = this.showView(), { printed } = this;
        for (const button of document.querySelectorAll("[data-mode]"))
            button.setAttribute("aria-pressed", String(button.dataset.mode === state.mode));
        byId("invert").setAttribute("aria-pressed", String(state.inverted));
        byId("upward").setAttribute("aria-pressed", String(state.upward));
        this.showCores();
        this.showSelection();
        this.showTime();
        if (tab === "flame" || printed)
            this.showFlame();
        if (tab === "functions" || this.wide || printed)
            this.table.set(state.sums, state);
        if (tab === "sandwich")
            this.sandwich.set(state.sums, state);
        if (tab === "waits")
            this.showWaits();
        if (tab === "lines")
            this.lines.set(profile, state.function);
        this.threads.redraw(tab);
        byId("only-label").hidden = state.search === null;
        byId("latency-label").hidden = !state.sums.canLatency();
        byId("latency").checked = state.latency;
        byId("truth").textContent = truthText(state.sums);
        byId("search-note").textContent = state.search === null ? ""
            : `${shareText(this.foundShare())} of ${state.sums.baseText}`;
        this.link.save();
    }

    showFlame() {
        const { state } = this;
        this.flame.hit = state.filter ? null : state.hitFunctions;
        this.flame.set(wholeTree(state.sums, state.inverted), state.colours,
                       state.sums.whole, state.upward);
        this.tellNode(this.flame.top);
    }

    showWaits() {
        this.idleSums = this.idleSums || new Sums(this.profile, this.selection("idle"));
        this.waits.set(this.idleSums, this.state);
    }

    showTime() {
        const { profile, state } = this;
        if (!profile.timed || !profile.cores.some((core) => core.moments))
            return;
        this.timeline.set(profile, state, this.hits);
        if (state.heat === "found" && this.hits[0] === null)
            state.heat = "busy";
        document.querySelector(".key.found").textContent = byId("heat-what").options[3].textContent =
            state.search === null && this.hits[0] !== null ? "selected" : "found by the search";
        byId("heat-what").value = state.heat;
        byId("heat-what").options[3].disabled = this.hits[0] === null;
        byId("heatmap").hidden = byId("heat-note").hidden = state.heat === "none";
        if (state.heat !== "none")
            this.heatmap.set(profile, state, this.hits);
    }

    /* What the numbers are of, in words. */
    showSelection() {
        const { state, profile } = this, { sums } = state, rate = profile.head.slots_per_s;
        const parts = [];
        const one = state.thread === null ? "" : threadName(profile, state.thread);
        if (one !== "")
            parts.push(`${one} has ${shareText(shareOf(sums.busy, joined(sums.busy, sums.elsewhere)))} of the busy time`);
        else if (!profile.head.idle_unknown)
            parts.push(`busy ${shareText(shareOf(sums.busy, sums.all))}`);
        if (sums.kept !== null)
            parts.push(`shown ${shareText(shareOf(sums.shown, sums.whole))} of ${sums.baseText}`);
        if (state.from !== null) {
            const from = secondsText(state.from / rate), to = secondsText(state.to / rate);
            parts.push(`${from} to ${to} s (--time ${from}..${to})`);
        }
        parts.push(`percentages are of the ${sums.baseText} of ${one && `${one} on `}` + coresText(profile, state.cores));
        byId("selection").textContent = parts.join(" \u00b7 ");
        byId("clear-time").hidden = byId("zoom-time").hidden = state.from === null;
        byId("whole-time").hidden = state.view.to - state.view.from >= profile.head.slots;
    }

    hoverNode(node, e) {
        if (node === null)
            return this.tip(null, e);
        this.tip(this.nodeLines(node), e);
    }

    nodeLines(node) {
        const { sums } = node, { profile } = sums;
        const name = node.function < 0 ? "all" : profile.functions[node.function].name;
        const lines = [name + (node.inlined ? " (inlined)" : ""),
                       `total ${shareText(share(node.time, node.timeSq, sums.whole))}`,
                       `self ${shareText(share(node.self, node.selfSq, sums.whole))} of ${sums.baseText}`,
                       `${countText(node.samples)} samples, ${countText(node.count)} intervals`];
        const file = profile.fileOf.get(node.function);
        const late = latePart(node.late, node.time);
        if (profile.isLate(late))
            lines.push(`${percentText(late)} % of it came late`);
        if (file)
            lines.push(file);
        return lines;
    }

    tellNode(node) {
        byId("detail").textContent = this.nodeLines(node).join(" \u00b7 ");
    }

    tip(lines, e) {
        placeTip(lines, e);
    }
}

/* values[i] for each of (indices), of those that (kept) has; null: of all. */
function pickAll(values, indices, kept) {
    const picked = new Uint8Array(indices.length);
    for (let i = 0; i < indices.length; i++)
        picked[i] = kept === null || kept[i] ? values[indices[i]] : 0;
    return picked;
}

function coresText(profile, cores) {
    if (cores.size === profile.cores.length)
        return profile.cores.length === 1 ? "the core" : "all cores";
    const numbers = [...cores].map((i) => profile.cores[i].number);
    return `core${numbers.length === 1 ? "" : "s"} ${numbers.join(", ")}`;
}
