/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks under which cores go idle. */

const WAITS_STEP = 50;

/* The functions (list), the innermost first, each a button for (pick). */
function chainCell({ functions }, list, pick) {
    const names = el("td", "left chain");
    for (const f of list) {
        if (names.childNodes.length)
            names.append(el("span", "quiet", " \u2190 "));
        const name = el("button", "name", functions[f].name);
        if (f >= MARKS)
            name.addEventListener("click", () => pick(f));
        names.append(name);
    }
    if (!names.childNodes.length)
        names.append("stack unknown");
    return names;
}

class Waits {
    constructor(box, actions) {
        this.box = box;
        this.actions = actions;
        this.limit = WAITS_STEP;
    }

    /* (sums) are of idle time. */
    set(sums, state) {
        const { profile } = sums;
        if (profile.head.idle_unknown) {
            this.box.replaceChildren(el("p", "", "Busy or idle is not known: the kernel's " +
                "code, which tells where cores sleep, was not given (--elf)."));
            return;
        }
        const waits = this.find(sums);
        const cores = sums.cores.length <= CORES_MAX ? sums.cores : [];
        const head = [["Of idle %", 2], ["Of all %", 2],
                      ...cores.length > 1 ? cores.map((c) => [String(c.core.number), 1]) : [],
                      ["Waits in (innermost first)", 1]];
        this.box.replaceChildren(
            el("p", "", `Idle ${shareText(shareOf(sums.idle, sums.all))} of the time of ` +
               `the selected cores.`),
            el("table", "waits", el("thead", "", el("tr", "", ...head.map(([text, span], i) => {
                const cell = el("th", i === head.length - 1 ? "left" : "", text);
                cell.colSpan = span;
                return cell;
            }))), el("tbody", "", ...waits.slice(0, this.limit)
                .map((wait) => this.row(wait, sums, cores)))));
        if (waits.length > this.limit) {
            const more = el("button", "more", `${waits.length - this.limit} further stacks`);
            more.addEventListener("click", () => {
                this.limit *= 4;
                this.set(sums, state);
            });
            this.box.append(more);
        }
    }

    find(sums) {
        const { calls } = sums.profile, waits = [];
        for (let c = 1; c < calls.count; c++) {
            if (sums.self[c] > 0)
                waits.push({ call: c, time: sums.self[c], timeSq: sums.square[c] });
        }
        return waits.sort((a, b) => b.time - a.time || a.call - b.call);
    }

    row(wait, sums, cores) {
        const { calls } = sums.profile, list = [];
        for (let c = wait.call; c !== 0; c = calls.parent[c]) {
            if (calls.function[c] !== MARK_IDLE)
                list.push(calls.function[c]);
        }
        const names = chainCell(sums.profile, list, (f) => this.actions.pick(f));
        const per = cores.length > 1 ? cores.map((core, i) => {
            const own = sums.byCall()[i].get(wait.call) || 0, p = own > 0 ? own / core.idle.time : 0;
            const cell = el("td", "number core", own > 0 ? (100 * p).toFixed(0) : "\u00b7");
            cell.style.setProperty("--heat", p.toFixed(3));
            return cell;
        }) : [];
        return el("tr", "", ...shareCells(wait.time, wait.timeSq, sums.idle),
                  ...shareCells(wait.time, wait.timeSq, sums.all), ...per, names);
    }
}
