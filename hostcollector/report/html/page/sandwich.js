/* SPDX-License-Identifier: BSD-2-Clause */
/* One function: who calls it, its lines, what it calls. */

const LINES_MAX = 12;

class Sandwich {
    constructor(box, actions) {
        this.actions = actions;
        this.head = el("div", "function-head");
        this.lines = el("div", "function-lines");
        const callers = el("div", "flame-box half"), callees = el("div", "flame-box half");
        this.none = el("p", "quiet", "Pick a function: click it in the table, or right-click " +
                       "or Shift-click it in a graph.");
        this.body = el("div", "sandwich", this.head, el("h3", "", "Called by"), callers,
                       el("h3", "", "Calls"), callees, this.lines);
        box.replaceChildren(this.none, this.body);
        this.callers = new FlameView(callers, actions, "callers of the function");
        this.callees = new FlameView(callees, actions, "what the function calls");
    }

    set(sums, state) {
        const f = state.function, picked = f >= 0;
        this.none.hidden = picked;
        this.body.hidden = !picked;
        if (!picked)
            return;
        const trees = sandwichTrees(sums, f);
        if (f !== this.shown)
            this.callers.tallest = this.callees.tallest = 0;
        this.shown = f;
        this.callers.hit = this.callees.hit = state.hitFunctions;
        this.callers.set(trees.callers, state.colours, sums.whole, true);
        this.callees.set(trees.callees, state.colours, sums.whole, false);
        this.tell(sums, f);
        this.list(sums, f);
    }

    tell(sums, f) {
        const row = sums.rows().find((r) => r.function === f) ||
            { self: 0, total: 0, selfSq: 0, totalSq: 0, late: 0, samples: 0 };
        const late = latePart(row.late, row.self);
        const code = el("button", "", "Lines and code");
        code.type = "button";
        code.addEventListener("click", () => this.actions.open({ function: f }));
        this.head.replaceChildren(
            el("h2", "mono", sums.profile.functions[f].name),
            ...sums.profile.code.has(f) ? [code] : [],
            el("p", "", `self ${shareText(share(row.self, row.selfSq, sums.whole))}, total ` +
               `${shareText(share(row.total, row.totalSq, sums.whole))} of ${sums.baseText}; ` +
               `${countText(row.samples)} samples of its own` +
               (late > .01 ? `, ${percentText(late)} % of that time came late` : "")));
    }

    list(sums, f) {
        const lines = sums.lines(f), rows = lines.slice(0, LINES_MAX).map((line) =>
            el("tr", "", ...shareCells(line.self, line.selfSq, sums.whole),
               ...shareCells(line.total, line.totalSq, sums.whole),
               el("td", "left mono", line.file
                   ? `${baseName(line.file)}:${line.line}` : "line unknown")));
        this.lines.replaceChildren(
            el("h3", "", "Lines"),
            el("table", "", el("thead", "", el("tr", "",
                ...[["Self %", 2], ["Total %", 2], ["Line", 1]].map(([text, span]) => {
                    const cell = el("th", span === 1 ? "left" : "", text);
                    cell.colSpan = span;
                    return cell;
                }))), el("tbody", "", ...rows)));
        if (lines.length > LINES_MAX)
            this.lines.append(el("p", "quiet", `${lines.length - LINES_MAX} further lines`));
    }
}
