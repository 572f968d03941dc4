/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a difference: of functions, and of what they take of a unit. */

/* Columns: title, what a row is sorted by, its cell. Those that are (narrow), and (range), are
 * left out where there is little room. */
const DIFF_COLUMNS = [
    { title: "Before %", hint: "of all busy time", value: (f) => f.all.before,
      cell: (f) => barCell(f.all.before, percentText(f.all.before)) },
    { title: "After %", hint: "of all busy time", value: (f) => f.all.after,
      cell: (f) => barCell(f.all.after, percentText(f.all.after)) },
    { title: "Rest: before", hint: "of what did not change, and itself", narrow: true,
      value: (f) => f.rest.before, cell: (f) => el("td", "number rest", percentText(f.rest.before)) },
    { title: "after", hint: "of what did not change, and itself", narrow: true,
      value: (f) => f.rest.after, cell: (f) => el("td", "number rest", percentText(f.rest.after)) },
    { title: "Change", hint: "of the share of the rest, in points",
      value: (f) => f.rest.change, cell: (f) => el("td", "number", signedText(f.rest.change)) },
    { title: "95 of 100 cases", hint: "in which the true change lies here", range: true,
      value: (f) => f.rest.high - f.rest.low,
      cell: (f) => el("td", "number quiet range",
                      `${signedText(f.rest.low)} to ${signedText(f.rest.high)}`) },
    { title: "Seen", hint: "a growth that would have been found in 80 of 100 cases",
      narrow: true, value: (f) => f.detectable || 0,
      cell: (f) => el("td", "number quiet rest", f.verdict === "rare" ? "few"
          : f.detectable === undefined ? "" : percentText(f.detectable)) },
];

function timeText(s) {
    for (const unit of ["s", "ms", "\u00b5s", "ns"]) {
        if (s >= 1 || s === 0 || unit === "ns")
            return `${+s.toPrecision(3)} ${unit}`;
        s *= 1000;
    }
    return "";
}

const UNIT_COLUMNS = [
    { title: "Before", value: (f) => f.before,
      cell: (f) => el("td", "number", timeText(f.before)) },
    { title: "After", value: (f) => f.after,
      cell: (f) => el("td", "number", timeText(f.after)) },
    { title: "Change %", value: (f) => f.change === undefined ? (f.after > 0 ? Infinity : -1) : f.change,
      cell: (f) => el("td", "number", f.change === undefined ? (f.after > 0 ? "new" : "gone")
          : signedText(f.change)) },
    { title: "95 of 100 cases", range: true, value: (f) => f.high - f.low,
      cell: (f) => el("td", "number quiet range", f.change === undefined ? ""
          : `${signedText(f.low)} to ${signedText(f.high)}`) },
];

class DiffTable {
    /* (actions): pick(name), colour(row), isChanged(row). */
    constructor(box, columns, actions) {
        this.box = box;
        this.columns = [...columns, { title: "Function", left: true, value: (f) => f.name,
                                      cell: (f) => this.nameCell(f) }];
        this.actions = actions;
        this.sort = -1; /* as the collector has them: what changed first */
        this.limit = ROWS_STEP;
    }

    set(rows, search, picked) {
        Object.assign(this, { rows, search, picked });
        this.draw();
    }

    sorted() {
        const rows = this.rows.filter((f) => this.search === null || this.search.test(f.name));
        const { isChanged } = this.actions, column = this.columns[this.sort];
        if (column === undefined) {
            const weight = (f) => isChanged(f) ? 2 + Math.abs(this.actions.change(f))
                : Math.max(this.columns[0].value(f), this.columns[1].value(f));
            return rows.sort((a, b) => isChanged(b) - isChanged(a) || weight(b) - weight(a));
        }
        const sign = this.falling ? -1 : 1;
        return rows.sort((a, b) => {
            const x = column.value(a), y = column.value(b);
            return x < y ? -sign : x > y ? sign : 0;
        });
    }

    draw() {
        const rows = this.sorted();
        const head = el("tr", "", ...this.columns.map((column, i) => this.headCell(column, i)));
        const body = rows.slice(0, this.limit).map((f) => this.rowElement(f));
        this.box.replaceChildren(el("table", "functions", el("thead", "", head),
                                    el("tbody", "", ...body)));
        if (rows.length > this.limit)
            this.box.append(moreButton(this, rows.length));
        if (rows.length === 0)
            this.box.append(el("p", "quiet", "No function is called so."));
    }

    /* All rows as text, for a mail. */
    text() {
        const plain = (column, f) => column.cell(f).textContent;
        const rows = [this.columns.map((column) => column.title), ...this.sorted().map((f) =>
            this.columns.map((column) => column.left ? f.name : plain(column, f)))];
        const widths = this.columns.map((column, i) => column.left ? 0
            : Math.max(...rows.map((row) => row[i].length)));
        return rows.map((row) => row.map((text, i) => text.padStart(widths[i])).join("  ") + "\n").join("");
    }

    headCell(column, index) {
        const button = el("button", "", column.title);
        const cell = el("th", column.left ? "left" : column.narrow ? "rest"
            : column.range ? "range" : "", button);
        cell.scope = "col";
        cell.title = column.hint || "";
        if (index === this.sort)
            cell.setAttribute("aria-sort", this.falling ? "descending" : "ascending");
        button.addEventListener("click", () => {
            this.falling = index === this.sort ? !this.falling : !column.left;
            this.sort = index;
            this.draw();
        });
        return cell;
    }

    rowElement(f) {
        const tr = el("tr", this.actions.isChanged(f) ? "" : "quiet",
                      ...this.columns.map((column) => column.cell(f)));
        tr.addEventListener("click", () => this.actions.pick(f.name));
        if (f.name === this.picked)
            tr.classList.add("picked");
        return tr;
    }

    nameCell(f) {
        const swatch = el("span", "swatch"), name = el("button", "name", f.name);
        swatch.style.background = this.actions.colour(f);
        name.title = f.file ? `${f.name}, ${f.file}` : f.name;
        return el("td", "left", swatch, name);
    }
}
