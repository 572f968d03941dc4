/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a guest that samples from boot, phase by phase. */

function msText(seconds) {
    return `${(1000 * seconds).toFixed(1)} ms`;
}

class Boot {
    /* (actions): range(from, to) in seconds since the first sample, pick(function). */
    constructor(box, actions) {
        this.box = box;
        this.actions = actions;
        this.limit = Infinity; /* rows */
    }

    set(profile) {
        this.profile = profile;
        this.draw();
    }

    draw() {
        const { profile } = this, { dark_seconds: dark, phases: told } = profile.head.boot;
        const phases = told.map((phase) => ({ ...phase, until: plainText(phase.until) }));
        const end = phases[phases.length - 1];
        this.box.replaceChildren(
            el("h2", "", `Start: ${msText(end.to_seconds)} from the machine's start to \u201c${end.until}\u201d`),
            this.bar(dark, phases, end.to_seconds),
            el("p", "", `Nothing is known of the first ${msText(dark)} (${partText(dark, end.to_seconds)} %), ` +
               `before the first sample: firmware, loader, early kernel. ${this.seen(dark, phases, end)} ` +
               "The name of a phase opens its flame graph."),
            el("table", "boot", headRow([["Phase until", 1, true], ["Time", 1], ["Core", 1],
                ["Seen %", 1, false, "part of the phase for which samples of the core stand"],
                ["Most time in, % of the phase", 1, true]]),
               el("tbody", "", this.darkRow(dark), ...phases.flatMap((phase) => this.rows(phase)).slice(0, this.limit))));
    }

    /* How much of the time behind the dark part samples stand for, by core. */
    seen(dark, phases, { to_seconds: to }) {
        const seen = new Map();
        for (const { cores } of phases) {
            for (const core of cores)
                seen.set(core.core, (seen.get(core.core) || 0) + core.seen_seconds);
        }
        return `Of the ${msText(to - dark)} behind it, functions have ` + [...seen].sort((a, b) => a[0] - b[0])
            .map(([core, s]) => `${partText(s, to - dark)} % on core ${core}`).join(", ") + ".";
    }

    /* A strip of all phases in the order of time. */
    bar(dark, phases, whole) {
        const part = (className, name, seconds) => {
            const box = el("span", className, name);
            box.style.setProperty("--length", `${100 * seconds / whole}%`);
            box.title = `${name}: ${msText(seconds)}`;
            return box;
        };
        const bar = el("div", "boot-bar", part("dark", "not known", dark),
                       ...phases.map((phase) => part("phase", phase.until, phase.to_seconds - phase.from_seconds)));
        bar.setAttribute("aria-hidden", "true"); /* the table has the same */
        return bar;
    }

    darkRow(dark) {
        return el("tr", "quiet", el("td", "left", "the first sample"), el("td", "number", msText(dark)),
                  el("td", "number", "\u00b7"), el("td", "number", "\u00b7"), el("td", "left", ""));
    }

    /* A row for each core that has samples in the phase. */
    rows(phase) {
        const { from_seconds: from, to_seconds: to, cores } = phase;
        const name = el("button", "name", phase.until);
        name.title = "flame graph of this phase";
        name.addEventListener("click", () => this.actions.range(from, to));
        const list = cores.length > 0 ? cores : [{ core: "\u00b7", seen_seconds: 0, functions: [] }];
        return list.map((core, i) => el("tr", "",
            ...i === 0 ? [el("td", "left", name), el("td", "number", msText(to - from))] : [el("td"), el("td")],
            el("td", "number", String(core.core)),
            barCell(core.seen_seconds / (to - from), partText(core.seen_seconds, to - from)),
            this.functions(core, to - from)));
    }

    functions(core, length) {
        const cell = el("td", "left chain");
        core.functions.forEach(({ name, seconds }, i) => {
            const f = linkFunction(this.profile.functions, name), button = el("button", "name", name);
            button.addEventListener("click", () => f >= MARKS && this.actions.pick(f));
            cell.append(i === 0 ? "" : ", ", f >= MARKS ? button : name, ` ${(100 * seconds / length).toFixed(0)}`);
        });
        return cell;
    }
}
