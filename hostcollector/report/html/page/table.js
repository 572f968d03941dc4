/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions as a table, and what tables have in common. */

const ROWS_STEP = 100, CORES_MAX = 8;
const THREADS_LEAST = 2; /* columns where names need the room */
const UNSURE_MIN = .005; /* as in the collector's report/text/matrix.c */

/* A bar behind a number: how much of the whole it is. */
function barCell(p, text, title) {
    const cell = el("td", "number bar", text);
    cell.style.setProperty("--part", `${Math.min(100, 100 * p).toFixed(2)}%`);
    if (title)
        cell.title = title;
    return cell;
}

/* Below a table that shows (table.limit) of its (count) rows, which are (what). */
function moreButton(table, count, what = "functions") {
    const more = el("button", "more", `${countText(count - table.limit)} further ${what}`);
    more.addEventListener("click", () => {
        table.limit *= 4;
        table.draw();
    });
    return more;
}

function shareCells(time, timeSq, whole) {
    const s = share(time, timeSq, whole);
    return [barCell(s.p, percentText(s.p), `95 % interval: ${rangeText(s)} %`),
            el("td", "number quiet error", errorText(s))];
}

/* A function's (own) part of the time (whole) of a core or thread. */
function partCell(own, whole) {
    const s = shareOf(own, whole);
    const cell = el("td", "number core", own.time > 0 ? (100 * s.p).toFixed(0) : "\u00b7");
    cell.style.setProperty("--heat", s.p.toFixed(3));
    cell.title = own.time > 0 ? shareText(s) : "no sample";
    return cell;
}

class FunctionTable {
    /* (actions): pick(function), open(function). */
    constructor(box, actions) {
        this.box = box;
        this.actions = actions;
        this.sort = "self";
        this.falling = true;
        this.limit = ROWS_STEP;
    }

    set(sums, state) {
        Object.assign(this, { sums, state });
        this.draw();
    }

    columns() {
        const { sums } = this;
        const list = [
            { id: "self", title: "Self %", span: 2, hint: WORDS.self[1] },
            { id: "total", title: "Total %", span: 2, hint: WORDS.total[1] },
            { id: "late", title: "Late", hint: WORDS.late[1] },
        ];
        if (this.isLatency())
            list.unshift({ id: "latency", title: "Latency %", span: 2, hint: WORDS.latency[1] });
        if (this.state.by === "thread")
            list.push(...this.threadColumns());
        else if (sums.cores.length > 1 && sums.cores.length <= CORES_MAX)
            sums.cores.forEach((core, i) => list.push({
                id: `core${i}`, title: String(core.core.number), core: i,
                hint: `self, % of core ${core.core.number}'s ${this.state.mode} time`,
            }));
        list.push({ id: "name", title: "Function", left: true });
        list.push({ id: "line", title: "Hottest line", left: true });
        return list;
    }

    /* Columns of the threads with most time. */
    threadColumns() {
        const { sums, state } = this;
        return sumsByThread(sums).slice(0, CORES_MAX).map((thread, i) => ({
            id: `thread${i}`, title: threadName(sums.profile, thread.number), amounts: thread,
            classes: i < THREADS_LEAST ? ["thread"] : ["thread", "rest"],
            hint: `self, % of ${threadName(sums.profile, thread.number)}'s ${state.mode} time`,
        }));
    }

    /* Is latency shown? Latency needs cores, times and busy samples. */
    isLatency() {
        return this.state.latency && this.sums.canLatency();
    }

    /* The column by which rows are sorted. */
    order() {
        return this.sort === "latency" && !this.isLatency() ? "self" : this.sort;
    }

    value(row, id) {
        if (id === "latency")
            return this.sums.latency(row.function).time;
        if (id === "late")
            return latePart(row.late, row.self);
        if (id.startsWith("thread"))
            return (sumsByThread(this.sums)[+id.slice(6)]?.of.get(row.function) || new Amount()).time;
        if (id.startsWith("core"))
            return this.sums.onCore(row.function, +id.slice(4)).time;
        return id === "line" ? this.line(row) : row[id];
    }

    line(row) {
        const frame = this.sums.hottest().get(row.function);
        if (frame === undefined)
            return "";
        const { profile } = this.sums;
        return `${baseName(profile.text(profile.frames.file[frame]))}:` +
            profile.frames.line[frame];
    }

    rows() {
        const { search } = this.state, sign = this.falling ? -1 : 1;
        const rows = this.sums.rows()
            .filter((row) => search === null || search.test(row.name));
        const key = new Map(rows.map((row) => [row, this.value(row, this.order())]));
        return rows.sort((a, b) => {
            const x = key.get(a), y = key.get(b);
            return x < y ? -sign : x > y ? sign
                : b.self - a.self || b.total - a.total || (a.name < b.name ? -1 : 1);
        });
    }

    draw() {
        const columns = this.columns(), rows = this.rows();
        const body = el("tbody", "", ...rows.slice(0, this.limit)
            .map((row) => this.rowElement(row, columns)));
        const table = el("table", "functions", this.header(columns), body);
        this.box.replaceChildren(table);
        if (rows.length > this.limit)
            this.box.append(moreButton(this, rows.length));
        if (rows.some((row) => this.unsure(row)))
            this.box.append(el("p", "quiet", "? its direct caller is unsure: [caller?] stands " +
                "in the caller's place where stacks are shown"));
        if (rows.some((row) => this.moved(row)))
            this.box.append(el("p", "quiet", `moved: ${WORDS.moved[1]} (--raw: as they came)`));
        if (rows.length === 0)
            this.box.append(el("p", "quiet", "No function in this selection."));
    }

    /* All rows as text, for a mail. */
    text() {
        const { whole } = this.sums;
        const cell = (time) => percentText(whole.time > 0 ? time / whole.time : 0).padStart(7);
        return ["SELF %  TOTAL %  FUNCTION\n", ...this.rows().map((row) =>
            `${cell(row.self).slice(1)}  ${cell(row.total)}  ${row.name}${this.moved(row)}  ${this.line(row)}`.trimEnd() + "\n")].join("");
    }

    header(columns) {
        const row = el("tr");
        for (const column of columns) {
            const button = el("button", "", column.title);
            const cell = el("th", column.id === "line" ? "left line" : column.left ? "left" : "", button);
            cell.scope = "col";
            cell.colSpan = column.span || 1;
            cell.title = column.hint || "";
            cell.classList.add(...column.classes || []);
            if (column.id === this.order())
                cell.setAttribute("aria-sort", this.falling ? "descending" : "ascending");
            button.addEventListener("click", () => {
                this.falling = column.id === this.order() ? !this.falling : !column.left;
                this.sort = column.id;
                this.draw();
            });
            row.append(cell);
        }
        return el("thead", "", row);
    }

    rowElement(row, columns) {
        const tr = el("tr");
        const { whole } = this.sums;
        tr.dataset.function = row.function;
        for (const column of columns) {
            if (column.id === "latency") {
                const own = this.sums.latency(row.function);
                tr.append(...shareCells(own.time, own.timeSq, this.sums.latencies.whole));
            } else if (column.id === "self" || column.id === "total")
                tr.append(...shareCells(row[column.id], row[`${column.id}Sq`], whole));
            else if (column.id === "late")
                tr.append(this.lateCell(row));
            else if (column.core !== undefined)
                tr.append(partCell(this.sums.onCore(row.function, column.core),
                                   this.sums.cores[column.core][this.state.mode]));
            else if (column.amounts !== undefined) {
                tr.append(partCell(column.amounts.of.get(row.function) || new Amount(), column.amounts.whole));
                tr.lastChild.classList.add(...column.classes);
            } else if (column.id === "name")
                tr.append(this.nameCell(row));
            else
                tr.append(el("td", "left quiet line", this.line(row)));
        }
        tr.addEventListener("click", () => this.actions.pick(row.function));
        if (row.function === this.state.function)
            tr.classList.add("picked");
        return tr;
    }

    lateCell(row) {
        const late = latePart(row.late, row.self);
        return el("td", this.sums.profile.isLate(late) ? "number late" : "number quiet",
                  late > .005 ? `${(100 * late).toFixed(0)} %` : "");
    }

    /* Of how much of its own time is the caller missing, if that deserves a mark? */
    unsure(row) {
        const part = row.self > 0 ? row.unsure / row.self : 0;
        return part < UNSURE_MIN ? 0 : part;
    }

    /* The mark ", moved" behind a name. A function has the mark if much of its own
     * time in the whole run is from samples at other addresses. */
    moved(row) {
        return this.sums.profile.head.moved.includes(row.function) ? ", moved" : "";
    }

    unsureMark(row) {
        const mark = el("span", "quiet", " ?");
        mark.title = `in ${percentText(this.unsure(row))} % of its own time`;
        return mark;
    }

    codeButton(row) {
        const button = el("button", "code-chip");
        button.type = "button";
        button.title = "source lines and code";
        button.setAttribute("aria-label", `source lines and code of ${row.name}`);
        button.addEventListener("click", (e) => {
            e.stopPropagation();
            this.actions.open(row.function);
        });
        return button;
    }

    nameCell(row) {
        const name = el("button", "name", row.name);
        const swatch = el("span", "swatch");
        swatch.style.background = this.state.colours.of(
            row.function, latePart(row.late, row.self));
        name.title = row.name;
        return el("td", "left", swatch, name, ...this.unsure(row) ? [this.unsureMark(row)] : [],
                  ...this.moved(row) ? [el("span", "quiet", ", moved")] : [],
                  ...this.sums.profile.code.has(row.function) ? [this.codeButton(row)] : []);
    }
}
