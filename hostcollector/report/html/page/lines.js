/* SPDX-License-Identifier: BSD-2-Clause */
/* One function: its source lines and basic blocks with the samples that hit
 * them, as collector annotate has them: of all samples of the page. */

const LINES_AROUND = 2; /* shown before and behind one that has samples */

/* The text of line (number) of (body); undefined: there is none. */
function sourceOf(body, number) {
    return body.text && body.text.lines[number - body.text.first];
}

/* Numbers of the lines of (body) to show: those with samples and some around
 * them, or all; with 0 where some are left out. */
function linesShown(body, all) {
    const own = body.lines.filter((line) => all || line.self.samples).map((line) => line.line);
    if (!body.text)
        return own;
    const shown = new Set(own);
    for (let n = 0; n < body.text.lines.length; n++) {
        const number = body.text.first + n;
        if (all || own.some((line) => Math.abs(line - number) <= LINES_AROUND))
            shown.add(number);
    }
    const sorted = [...shown].sort((a, b) => a - b);
    return sorted.flatMap((number, i) => i && number > sorted[i - 1] + 1 ? [0, number] : [number]);
}

class FunctionLines {
    /* (actions): pick(function), open(function). */
    constructor(box, actions) {
        this.actions = actions;
        this.select = el("select");
        this.select.setAttribute("aria-label", "function");
        this.select.addEventListener("change", () => actions.open(+this.select.value));
        this.callers = el("button", "", "Callers and callees");
        this.callers.type = "button";
        this.callers.addEventListener("click", () => actions.pick(this.shown));
        this.more = el("button", "", "All lines and blocks");
        this.more.type = "button";
        this.more.addEventListener("click", () => {
            this.all = !this.all;
            this.draw();
        });
        this.tools = el("div", "tools", this.select, this.callers, this.more);
        this.body = el("div", "function-code");
        box.replaceChildren(this.tools, this.body);
        this.all = false;
    }

    set(profile, f) {
        if (profile === this.profile && f === this.shown && profile.code.size === this.known)
            return;
        this.profile = profile;
        this.known = profile.code.size;
        this.shown = profile.code.has(f) || f >= 0 ? f : [...profile.code.keys()][0];
        this.list();
        this.draw();
    }

    list() {
        const { code, functions } = this.profile;
        const known = [...code.keys()];
        const options = known.includes(this.shown) || this.shown === undefined ? known
            : [...known, this.shown];
        this.select.replaceChildren(...options.map((f) => {
            const option = el("option", "", functions[f].name);
            option.value = String(f);
            return option;
        }));
        this.select.value = String(this.shown);
        this.tools.hidden = this.shown === undefined;
    }

    draw() {
        const { profile, shown } = this, a = profile.code.get(shown);
        this.more.setAttribute("aria-pressed", String(this.all));
        this.more.hidden = a === undefined;
        if (a === undefined) {
            this.body.replaceChildren(...this.missing());
            return;
        }
        this.hidden = 0;
        const bodies = a.bodies.filter((body) => body.self.samples)
            .sort((x, y) => x.inlined - y.inlined || y.self.share - x.self.share);
        const parts = [el("h2", "mono", a.function), el("p", "quiet", this.headText(a))];
        for (const body of bodies)
            parts.push(this.bodyElement(a, body));
        if (a.inlined_into.length)
            parts.push(el("h3", "", "Inlined into, where its code is"), this.hosts(a));
        for (const code of a.code)
            parts.push(...this.codeElements(a, code));
        if (this.hidden)
            parts.push(el("p", "quiet", `${this.hidden} more block${this.hidden === 1 ? "" : "s"} ` +
                "without samples"));
        parts.push(el("p", "quiet", "* samples hit this instruction (L: most of them late). An " +
            "interrupt comes late, so that the cause lies before it: in its block, or at the " +
            "end of one that leads there. Trust lines and blocks, not instructions."));
        this.body.replaceChildren(...parts);
    }

    missing() {
        const { profile, shown } = this, known = profile.code.size;
        const withheld = document.querySelector('meta[name="tprof-code"]');
        const words = withheld
            ? "No lines and blocks are in this page: any user of the machine may ask 'collector " +
                "serve' for it. Start 'collector serve' with --page-code to show them to all, or " +
                "with --token-file FILE to show the page only to clients with a token."
            : known
            ? `Lines and blocks are in this page of ${known} function${known === 1 ? "" : "s"}, ` +
                "those with most time of their own whose image was at hand."
            : "No lines and blocks are in this page: the guest's image was not at hand when it " +
                "was made, or --annotate 0 left them out.";
        const name = shown === undefined ? "" : profile.functions[shown].name;
        return [...name ? [el("h2", "mono", name)] : [],
                el("p", "", `${words} 'collector annotate' shows those of any function.`)];
    }

    headText(a) {
        const inlined = a.bodies.some((body) => body.inlined && body.self.samples);
        return `${shareText({ p: a.self.share, ...a.self })} of ${a.of} time in its code` +
            `${inlined ? " with functions inlined there" : ""}, ` +
            `${countText(a.self.samples)} samples; Self is in % of that. Of all samples ` +
            "of this page, whatever is selected elsewhere." + this.originText(a);
    }

    originText(a) {
        const code = a.code_recorded && a.code.some((run) => !run.unread);
        const parts = [...code ? ["code"] : [],
                       ...a.source_recorded ? ["source lines"] : []];
        return parts.length ? ` From the recording, without files: ${parts.join(" and ")}.` : "";
    }

    /* Two cells: the share of (x), and how far it may be off; the greater way. */
    cells(x) {
        const { samples, share, low, high } = x.self;
        if (!samples)
            return [el("td", "number bar"), el("td", "number error")];
        return [barCell(share, percentText(share),
                        `95 % interval: ${rangeText({ low, high })} %, ${countText(samples)} samples`),
                el("td", "number quiet error", errorText({ p: share, low, high }))];
    }

    lateText(x) {
        return x.late ? `  late ${(100 * x.late).toFixed(0)} %` : "";
    }

    bodyElement(a, body) {
        const index = a.bodies.indexOf(body), lines = new Map(body.lines.map((l) => [l.line, l]));
        const none = { self: { samples: 0 } };
        const rows = linesShown(body, this.all).map((number) => {
            if (number === 0 && !lines.has(0))
                return el("tr", "gap", el("td"), el("td"), el("td"), el("td", "left", "\u22ee"));
            const line = lines.get(number) || none;
            const row = el("tr", line.self.samples ? "hit" : "", ...this.cells(line),
                           this.lineCell(number),
                           el("td", "left source", sourceOf(body, number) || ""));
            if (line.late)
                row.lastChild.append(el("span", "late", this.lateText(line)));
            return this.linked(row, `${index}:${number}`);
        });
        const file = body.file === null ? "file unknown" : baseName(body.file);
        const title = body.inlined ? `${body.function} of ${file}, inlined` : file;
        const head = el("h3", "", title);
        head.title = body.file || "";
        return el("section", "source-part", head, this.table("lines", ["Line", "Source"], rows),
                  ...body.text ? [] : [el("p", "quiet", "Its source was not found: --source DIR " +
                      "tells where it is.")]);
    }

    /* The number of a line, as the button for what a click on its row does. */
    lineCell(number) {
        const button = el("button", "name quiet", number ? String(number) : "?");
        button.type = "button";
        button.title = "show the instructions of this line";
        return el("td", "number", button);
    }

    /* Rows of one line light up together: its source, and its instructions. */
    linked(row, key) {
        row.dataset.line = key;
        row.addEventListener("click", () => {
            const picked = row.classList.contains("picked");
            for (const other of this.body.querySelectorAll("tr.picked"))
                other.classList.remove("picked");
            for (const other of picked ? [] : this.body.querySelectorAll("tr[data-line]"))
                if (other.dataset.line === key)
                    other.classList.add("picked");
        });
        return row;
    }

    table(className, titles, rows) {
        const head = el("tr", "", ...[["Self %", 2], ...titles.map((t) => [t, 1])]
            .map(([text, span], i) => {
                const cell = el("th", i > 1 || text === "Code" ? "left" : "", text);
                cell.colSpan = span;
                return cell;
            }));
        const box = el("div", "code-box", el("table", className, el("thead", "", head),
                                             el("tbody", "", ...rows)));
        box.tabIndex = 0; /* arrow keys scroll a long line into sight */
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", titles.join(" and ").toLowerCase());
        return box;
    }

    hosts(a) {
        return this.table("hosts", ["Function"], a.inlined_into.map((host) =>
            el("tr", "", ...this.cells(host), el("td", "left mono", host.function))));
    }

    codeElements(a, code) {
        const head = el("h3", "", `Code at ${code.address}, ${countText(code.bytes)} bytes`);
        if (code.unread)
            return [head, el("p", "quiet", "Not taken apart, since --memory had no room for it, " +
                "or since the image does not hold it. A recording has only the code of its " +
                "busiest functions: --elf gives the rest.")];
        const rows = code.blocks.flatMap((block, i) => {
            if (!this.all && !block.self.samples) {
                this.hidden++;
                return [];
            }
            return this.blockRows(a, block, i);
        });
        const away = code.indirect_jumps;
        return [head, this.table("blocks", ["Code"], rows),
                ...away ? [el("p", "quiet", `${away} jump${away === 1 ? " leads" : "s lead"} where ` +
                    "a register or a table says: what nothing else leads to may be a part of " +
                    "the block before it.")] : []];
    }

    blockRows(a, block, i) {
        const title = el("td", "left block", `block ${i + 1}`);
        title.append(el("span", "late", this.lateText(block)));
        return [el("tr", "block-head", ...this.cells(block), title),
                ...block.instructions.map((insn, n) =>
                    this.insnRow(a, insn, block.instructions[n - 1]))];
    }

    insnRow(a, insn, before) {
        const mark = !insn.samples ? "" : insn.late > 0 ? "L" : "*";
        const markCell = el("td", "number mark", mark);
        if (insn.samples)
            markCell.title = `${countText(insn.samples)} samples hit it; their cause lies before`;
        const target = insn.target === undefined ? "" : ` (block ${insn.target + 1})`;
        const text = el("td", "left source", `${insn.address.slice(2).padStart(8)}  ` +
            `${insn.text}${target}`);
        const known = insn.body !== undefined && insn.line;
        if (known && (!before || before.body !== insn.body || before.line !== insn.line)) {
            const body = a.bodies[insn.body];
            text.append(el("span", "quiet", `  ; ${insn.line}${body.inlined ? ` ${body.function}` : ""}`));
        }
        const row = el("tr", "", markCell, el("td"), text);
        return known ? this.linked(row, `${insn.body}:${insn.line}`) : row;
    }
}
