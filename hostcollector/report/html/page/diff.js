/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of a difference: both sides in one graph, both side by side, and the
 * functions. It has the place and the looks of the page of a report. */

function segments(label, choices, act) {
    const box = el("span", "segments", ...choices.map(([value, text, hint]) => {
        const button = el("button", "", text);
        button.type = "button";
        button.value = value;
        button.title = hint || "";
        button.addEventListener("click", () => act(value));
        return button;
    }));
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", label);
    return box;
}

function press(box, value) {
    for (const button of box.children)
        button.setAttribute("aria-pressed", String(button.value === value));
}

class DiffApp extends Page {
    constructor(said) {
        super();
        this.said = said;
        this.difference = new Difference(said);
        this.colours = new ChangeColours(this.difference);
        this.state = { side: "after", tab: "flame", search: null, upward: false, picked: null };
        document.body.classList.add("diff");
        this.build();
        const frame = (view) => ({
            hover: (node, e) => this.hover(node, e),
            focus: (node) => this.selected(view(), node),
            pick: (node) => node.function >= 0 && this.pick(node.call.name),
            zoomed: (node) => {
                this.zoomed(view(), node);
                this.link.save();
            },
            note: (node) => this.note(node),
        });
        this.flame = new FlameView(byId("flame-box"), frame(() => this.flame),
                                   "difference: call trees of both sides");
        this.sides = ["before", "after"].map((side) => new FlameView(
            byId(`${side}-box`), frame(() => this.sides[side === "after" ? 1 : 0]), side));
        this.table = new DiffTable(byId("diff-table"), DIFF_COLUMNS, {
            pick: (name) => this.pick(name), colour: (f) => this.colours.ofChange(f),
            isChanged: (f) => f.verdict === "changed", change: (f) => f.rest.change,
        });
        this.link = new Link(() => this.linkWords(), (words) => this.follow(words));
        this.bindFrame();
        this.turn.addEventListener("click", () => this.toggleUpward());
        this.listen();
        this.follow(linkWords());
    }

    build() {
        const tab = ([name, text]) => {
            const button = el("button", "tab", text);
            button.type = "button";
            button.dataset.tab = name;
            button.setAttribute("role", "tab");
            return button;
        };
        byId("tabs").replaceChildren(...[["flame", "Difference"], ["sides", "Side by side"],
                                         ["functions", "Functions"], ["trust", "Trust"]].map(tab));
        this.width = segments("widths of", [["before", "Before", "b"], ["after", "After", "a"]],
                              (side) => this.setSide(side));
        this.turn = el("button", "", "Flame");
        this.turn.title = "u: root at the bottom";
        const key = (name, text) => el("span", `key ${name}`, text);
        byId("flame").querySelector(".tools").replaceChildren(
            el("span", "", "Widths "), this.width, this.turn,
            el("span", "legend", key("grew", "grew"), key("shrank", "shrank"),
               key("noise", "no change beyond chance")), byId("detail"));
        const side = (name) => el("div", "side", el("h2", "", name), this.boxOf(name));
        const sides = el("section", "panel", el("p", "quiet", ""), el("div", "sides",
                                                                     side("before"), side("after")));
        sides.id = "sides";
        sides.setAttribute("role", "tabpanel");
        sides.setAttribute("aria-label", "side by side");
        byId("flame").after(sides);
        byId("table-box").id = "diff-table";
        this.showHead();
        this.showUnits();
        this.showTrust();
    }

    boxOf(name) {
        const box = el("div", "flame-box");
        box.id = `${name}-box`;
        return box;
    }

    listen() {
        const tab = (name) => () => this.showTab(name);
        listenKeys(this, [
            ["/", "search", () => byId("search").focus()],
            ["b", "widths of before", () => this.setSide("before")],
            ["a", "widths of after", () => this.setSide("after")],
            ["1", "difference", tab("flame")],
            ["2", "side by side", tab("sides")],
            ["3", "functions", tab("functions")],
            ["4", "how far this can be trusted", tab("trust")],
            ["u", "root at the bottom (flame) or at the top (icicle)", () => this.toggleUpward()],
            ["t", "light or dark", () => this.theme()],
            ["Escape", "undo: help, search, zoom", () => this.escape()],
            ["?", "this help", () => this.help()],
        ], DIFF_GRAPH_KEYS);
    }

    onlyText() {
        return this.said.selected === undefined ? [] : [`only ${this.said.selected}`];
    }

    sideText(side) {
        const s = this.said[side], parts = [`${countText(s.samples)} samples`];
        if (s.seconds > 0)
            parts.push(durationText(s.seconds));
        if (s.busy !== undefined)
            parts.push(`busy ${percentText(s.busy)} %`);
        return `${side}: ${s.recordings.length > 1 ? `${s.recordings.length} runs, ` : ""}` +
            parts.join(", ");
    }

    showHead() {
        const { before, after, warnings } = this.said;
        const name = (side) => baseName(side.recordings[0]) +
            (side.recordings.length > 1 ? ` and ${side.recordings.length - 1} more` : "");
        const title = `${name(before)} \u2192 ${name(after)}`;
        document.title = `${title} \u2013 tprof`;
        byId("title").textContent = title;
        byId("subtitle").textContent = [this.sideText("before"), this.sideText("after"),
                                        ...this.onlyText()].join(" \u00b7 ");
        this.showWarnings(warnings);
        const { judged, changed } = this.said;
        byId("truth").textContent = `${countText(changed)} of ${countText(judged)} functions changed ` +
            "beyond chance; percentages are of busy time";
    }

    /* What a unit of the guest's work takes, below the table of functions. */
    showUnits() {
        this.units = this.said.work.map((unit) => {
            const box = el("div", "function-lines");
            byId("functions").append(
                el("h2", "", `Each of the ${unit.name}`),
                el("p", "", `took ${timeText(unit.before)} of busy core time, and takes ` +
                   `${timeText(unit.after)}: ${changeText(unit)} %`), box);
            return { unit, table: new DiffTable(box, UNIT_COLUMNS, {
                pick: (name) => this.pick(name), isChanged: (f) => f.changed,
                change: (f) => f.after - f.before, colour: (f) => this.colours.ofChange({
                    verdict: f.changed ? "changed" : "same",
                    rest: { change: Math.sign(f.after - f.before) },
                }) }) };
        });
    }

    showTrust() {
        const { before, after } = this.said, list = el("dl");
        const add = (what, text) => list.append(el("dt", "", what), el("dd", "", text));
        for (const side of ["before", "after"])
            add(side, this.said[side].recordings.join(", "));
        add("the rest", `all functions that did not change: ${percentText(before.rest)} % of before ` +
            `and ${percentText(after.rest)} % of after. Changes are of a function's share of the rest ` +
            "and itself, so that it does not grow only because another function shrank.");
        add("changed", "of the functions that are marked as changed, at most 5 % did not change. If " +
            "nothing changed, a function is marked in at most 5 of 100 comparisons.");
        add("call trees", "a call is judged with all that it calls. What changed further in is taken " +
            "out first, so that its callers are not blamed.");
        add("no name", `${percentText(before.without_function)} % of before and ` +
            `${percentText(after.without_function)} % of after belong to no known function`);
        if (this.said.calls_without_room)
            add("folded", `${countText(this.said.calls_without_room)} samples of calls had no room ` +
                "(--memory): they are their callers'");
        if (before.recordings.length + after.recordings.length === 2)
            add("runs", "one run a side: two runs of one build may differ as much");
        byId("trust-box").replaceChildren(list);
    }

    redraw() {
        const { state, difference, colours } = this, whole = { time: 1 };
        this.showView();
        press(this.width, state.side);
        this.turn.setAttribute("aria-pressed", String(state.upward));
        const hit = state.search === null ? null
            : Uint8Array.from(difference.functions, (f) => state.search.test(f.name) ? 1 : 0);
        for (const view of [this.flame, ...this.sides])
            view.hit = hit;
        this.flame.set(difference.tree(state.side), colours, whole, state.upward);
        this.sides.forEach((view, i) =>
            view.set(difference.tree(i === 0 ? "before" : "after"), colours, whole, state.upward));
        if (this.selection)
            this.mark(null);
        if (state.tab === "functions" || this.wide || this.printed)
            this.showTables();
        this.link.save();
    }

    showTables() {
        const { search, picked } = this.state;
        this.table.set(this.said.functions, search, picked);
        for (const { unit, table } of this.units)
            table.set(unit.functions, search, picked);
    }

    /* What (view) has selected is selected in the other views as well. */
    selected(view, node) {
        this.selection = node.path().map((n) => n.kind);
        this.mark(view);
        this.tell(node);
    }

    mark(view) {
        for (const other of [this.flame, ...this.sides])
            if (other !== view)
                other.mark(this.selection);
    }

    zoomed(view, node) {
        const path = node.path().map((n) => n.kind);
        for (const other of [this.flame, ...this.sides])
            if (other !== view)
                other.follow(path);
    }

    note(node) {
        const percent = percentText(node.time);
        if (node.function < 0)
            return percent;
        const part = changedPart(node.call);
        if (part.verdict !== "changed")
            return percent;
        return `${percent} (${part !== node.call ? "itself " : ""}${signedText(part.rest.change)})`;
    }

    nodeLines(node) {
        const { call } = node;
        if (call.number === 0)
            return ["all busy time", this.sideText("before"), this.sideText("after")];
        const lines = [call.name, ...changeLines(call, true)];
        if (call.own)
            lines.push(`itself: ${changeLines(call.own, true).slice(0, 2).join(", ")}`);
        return lines;
    }

    tell(node) {
        byId("detail").textContent = this.nodeLines(node).join(" \u00b7 ");
        byId("sides").firstElementChild.textContent = byId("detail").textContent;
    }

    hover(node, e) {
        placeTip(node === null ? null : this.nodeLines(node), e);
    }

    pick(name) {
        this.state.picked = name;
        this.showTab("functions");
    }

    /* The functions for a mail. */
    text() {
        return this.table.text();
    }

    /* The words of link.js. */
    linkWords() {
        const { state, difference: { functions } } = this;
        return [
            ["search", byId("search").value || null],
            ["view", state.tab === "flame" ? null : state.tab],
            ["function", state.picked],
            ["widths", state.side === "after" ? null : state.side],
            ["root", state.upward ? "bottom" : null],
            ["zoom", linkPath(functions, this.flame.zoomPath)],
        ];
    }

    follow(words) {
        const view = words.get("view"), { functions } = this.difference;
        byId("search").value = words.get("search") || "";
        Object.assign(this.state, {
            search: patternOf(byId("search").value),
            tab: this.tabs.list().some((tab) => tab.dataset.tab === view) ? view : "flame",
            picked: words.get("function"),
            side: words.get("widths") === "before" ? "before" : "after",
            upward: words.get("root") === "bottom",
        });
        for (const graph of [this.flame, ...this.sides])
            graph.zoomPath = linkFrames(functions, words.get("zoom"));
        this.redraw();
        this.tell(this.flame.top);
    }

    setSide(side) {
        this.state.side = side;
        this.redraw();
    }

    toggleUpward() {
        this.state.upward = !this.state.upward;
        this.redraw();
    }

    search(text) {
        this.state.search = patternOf(text);
        this.redraw();
    }

    back() {
        this.flame.zoom(this.flame.root);
    }
}
