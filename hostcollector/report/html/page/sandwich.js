/* SPDX-License-Identifier: BSD-2-Clause */
/* One function: who calls it, its lines, what it calls. */

const LINES_MAX = 12, CHOICES_MAX = 100;

class Sandwich {
    constructor(box, actions) {
        this.actions = actions;
        this.select = el("select");
        this.select.setAttribute("aria-label", "function");
        this.select.addEventListener("change", () => actions.choose(+this.select.value));
        this.head = el("div", "function-head");
        this.lines = el("div", "function-lines");
        this.detail = el("p", "quiet detail");
        this.detail.setAttribute("aria-live", "polite");
        const callers = el("div", "flame-box half"), callees = el("div", "flame-box half");
        this.none = el("p", "quiet", "No function in this selection.");
        this.body = el("div", "sandwich", this.head, this.detail, el("h3", "", "Called by"), callers,
                       el("h3", "", "Calls"), callees, this.lines);
        this.tools = el("div", "tools", this.select,
                        el("span", "quiet", "or click one in the table, or right-click or " +
                           "Shift-click it in a graph"));
        box.replaceChildren(this.tools, this.none, this.body);
        const tell = (node) => {
            this.detail.textContent = actions.lines(node).join(" \u00b7 ");
        };
        const frame = { ...actions, focus: tell, zoomed: tell };
        this.callers = new FlameView(callers, frame, "callers of the function");
        this.callees = new FlameView(callees, frame, "what the function calls");
    }

    /* Show the function of (state), or that with most time of its own. */
    set(sums, state) {
        const rows = [...sums.rows()].sort((a, b) => b.self - a.self || b.total - a.total);
        const f = state.function >= 0 || rows.length === 0 ? state.function : rows[0].function;
        this.none.hidden = f >= 0;
        this.tools.hidden = this.body.hidden = f < 0;
        if (f < 0)
            return;
        this.offer(sums.profile, rows.slice(0, CHOICES_MAX).map((row) => row.function), f);
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

    /* The functions (list), and (f), to choose from. */
    offer({ functions }, list, f) {
        const offered = list.includes(f) ? list : [...list, f];
        if (offered.join() !== this.offered) {
            this.offered = offered.join();
            this.select.replaceChildren(...offered.map((g) => {
                const option = el("option", "", functions[g].name);
                option.value = String(g);
                return option;
            }));
        }
        this.select.value = String(f);
    }

    tell(sums, f) {
        const row = sums.rows().find((r) => r.function === f) ||
            { self: 0, total: 0, selfSq: 0, totalSq: 0, late: 0, samples: 0 };
        const late = latePart(row.late, row.self);
        const code = el("button", "", "Lines and code");
        code.type = "button";
        code.addEventListener("click", () => this.actions.open({ function: f }));
        this.detail.textContent = "";
        this.head.replaceChildren(
            el("h2", "mono", sums.profile.functions[f].name),
            ...sums.profile.code.has(f) ? [code] : [],
            el("p", "", `self ${shareText(share(row.self, row.selfSq, sums.whole))}, total ` +
               `${shareText(share(row.total, row.totalSq, sums.whole))} of ${sums.baseText}; ` +
               `${countText(row.samples)} samples of its own` +
               (sums.profile.isLate(late) ? `, ${percentText(late)} % of that time came late` : "")));
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
