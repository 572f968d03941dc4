/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the moment in a day: columns of time from left to right, as on the
 * timeline above, each cut into cells from top to bottom. Cells are 20 ms or a
 * multiple: then a cell shows what stands out in it. */

const HEAT_ROW = 3, HEAT_ROWS_MAX = 60;

class Heatmap {
    constructor(box, actions) {
        this.box = box;
        this.actions = actions;
        this.canvas = el("canvas", "heat");
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", "heatmap of the selected cores");
        box.replaceChildren(this.canvas);
        this.key = "";
        this.picture = new Picture();
        this.version = 0; /* of the values */
        this.listen();
        new ResizeObserver(() => this.draw()).observe(box);
    }

    set(profile, state, hits) {
        Object.assign(this, { profile, state, hits });
        this.draw();
    }

    /* Columns of how many seconds, of how many cells. */
    grid(width) {
        const { from, to } = this.state.view, rate = this.profile.head.slots_per_s;
        const seconds = (to - from) / rate, slot = 1 / rate;
        /* two samples of each core, or nothing can be told apart */
        const sampled = 2 * this.profile.head.duration_s * this.profile.cores.length /
            Math.max(1, this.profile.samples);
        const fine = Math.max(slot, seconds < 30 ? seconds / 6000 : .02, Math.min(sampled, .02));
        const column = Math.max(stepFor(seconds / (width / 4)), stepFor(10 * fine));
        const cell = Math.max(stepFor(fine - 1e-9), column / HEAT_ROWS_MAX);
        const rows = Math.max(1, Math.round(column / cell));
        const first = Math.floor(from / rate / column);
        const columns = Math.ceil(to / rate / column - 1e-9) - first;
        return { column, rows, first, columns, cell: column / rows,
                 parts: Math.max(1, Math.floor(column / rows / .02 + 1e-6)) };
    }

    /* A value from 0 to 1 for each cell, column by column. */
    cells(grid) {
        const { profile, state } = this, rate = profile.head.slots_per_s;
        const count = grid.columns * grid.rows;
        const values = new Float32Array(count);
        /* found: of 20 ms each; else of whole cells */
        const parts = state.heat === "found" ? Math.min(grid.parts, 3000) : 1;
        const from = grid.first * grid.column * rate;
        const to = from + grid.columns * grid.column * rate;
        for (const i of state.cores) {
            const p = fillParts(profile, profile.cores[i], from, to, count * parts,
                                this.hits[i]);
            for (let c = 0; c < count; c++)
                values[c] = this.join(values[c], p, c, parts, state.cores.size);
        }
        if (state.heat === "late") {
            const most = values.reduce((a, b) => Math.max(a, b), 0);
            this.longest = most / rate;
            return values.map((v) => most > 0 ? v / most : 0);
        }
        return values;
    }

    join(value, p, cell, parts, cores) {
        const { heat } = this.state;
        if (heat === "late")
            return Math.max(value, p.longest[cell]);
        if (heat === "idle")
            return value + p.idle[cell] / cores;
        if (heat === "busy")
            return value + p.busy[cell] / cores;
        for (let i = cell * parts; i < (cell + 1) * parts; i++)
            value = Math.max(value, p.found[i]);
        return Math.min(1, value);
    }

    draw() {
        const width = Math.floor(this.box.clientWidth);
        const { profile, state } = this;
        if (!profile || !profile.timed || width < 10)
            return;
        const grid = this.grid(width);
        const key = [state.view.from, state.view.to, width, state.heat, [...state.cores]].join();
        if (key !== this.key || this.drawnHits !== this.hits) {
            this.values = this.cells(grid);
            this.key = key;
            this.drawnHits = this.hits;
            this.version++;
        }
        this.drawn = grid;
        const row = Math.max(HEAT_ROW, Math.min(8, Math.floor(120 / grid.rows)));
        this.height = grid.rows * row;
        const g = sizedCanvas(this.canvas, width, this.height);
        const w = Math.max(1, this.x(grid.column, width) - this.x(0, width));
        this.picture.put(g, this.version, width, this.height,
                         (paper) => this.drawCells(paper, grid, row, w, width));
        this.drawSelection(g, grid, row, w, width);
        this.actions.told(this.legend(grid));
    }

    drawCells(g, grid, row, w, width) {
        const shades = this.shades();
        for (let c = 0; c < grid.columns; c++) {
            const x = this.x((grid.first + c) * grid.column, width);
            for (let r = 0; r < grid.rows; r++) {
                const v = Math.min(1, this.values[c * grid.rows + r]);
                g.fillStyle = shades[Math.round(v * (shades.length - 1))];
                g.fillRect(x, r * row, w - (w > 5 ? 1 : 0) + .5, row - (row > 4 ? 1 : 0));
            }
        }
    }

    shades() {
        const parse = (name) => cssColour(name).match(/[\d.]+/g).map(Number);
        const low = parse("--heat-0"), middle = parse("--heat-1"), high = parse("--heat-2");
        return Array.from({ length: 33 }, (_, i) => {
            const t = i / 32, [a, b, u] = t < .5 ? [low, middle, 2 * t] : [middle, high, 2 * t - 1];
            return `rgb(${a.map((v, k) => Math.round(v + (b[k] - v) * u)).join(" ")})`;
        });
    }

    legend(grid) {
        const cell = grid.cell < 1 ? `${+(grid.cell * 1000).toFixed(1)} ms`
            : durationText(grid.cell);
        const { profile, state } = this;
        const samples = profile.samples * state.cores.size / profile.cores.length /
            Math.max(1e-9, profile.head.duration_s) * grid.cell;
        const what = {
            busy: "how busy the selected cores were, on average",
            idle: "how idle the selected cores were, on average",
            late: "the longest that a sample came late in it; darkest: " +
                ticksText(profile, (this.longest || 0) * profile.hz),
            found: "the largest share of 20 ms that the functions of the search took",
        }[state.heat];
        return `A column is ${durationText(grid.column)}, a cell ${cell}: ${what}. ` +
            `About ${samples < 10 ? samples.toFixed(1) : countText(samples)} samples a cell.`;
    }

    drawSelection(g, grid, row, w, width) {
        const { from, to } = this.state, rate = this.profile.head.slots_per_s;
        if (from === null)
            return;
        g.fillStyle = cssColour("--accent");
        for (const [slot, side] of [[from, 0], [to, 1]]) {
            const column = Math.floor(slot / rate / grid.column + 1e-9);
            const x = this.x(column * grid.column, width);
            const y = (slot / rate - column * grid.column) / grid.cell * row;
            g.fillRect(x - 1, side ? 0 : y, 1.5, side ? y : this.height - y);
            g.fillRect(x + w, side ? y : 0, 1.5, side ? this.height - y : y);
            g.fillRect(x - 1, y - .5, w + 2, 1.5);
        }
    }

    x(seconds, width) {
        const { from, to } = this.state.view, rate = this.profile.head.slots_per_s;
        return (seconds * rate - from) / (to - from) * width;
    }

    /* The cell under the pointer: its begin and end in slots. */
    cellAt(event) {
        const box = this.canvas.getBoundingClientRect(), grid = this.drawn;
        const rate = this.profile.head.slots_per_s, { view } = this.state;
        const x = (event.clientX - box.left) / box.width;
        const column = Math.floor((view.from + x * (view.to - view.from)) / rate / grid.column);
        const row = Math.floor((event.clientY - box.top) / box.height * grid.rows);
        const at = column * grid.column +
            Math.min(grid.rows - 1, Math.max(0, row)) * grid.cell;
        return {
            from: Math.max(0, Math.round(at * rate)),
            to: Math.max(1, Math.round((at + grid.cell) * rate)),
            value: this.values[(column - grid.first) * grid.rows + row],
        };
    }

    listen() {
        const c = this.canvas;
        let begin = null;
        c.addEventListener("pointerdown", (e) => {
            c.setPointerCapture(e.pointerId);
            begin = this.cellAt(e);
            this.actions.range(begin.from, begin.to);
        });
        c.addEventListener("pointermove", (e) => {
            const cell = this.cellAt(e), rate = this.profile.head.slots_per_s;
            if (begin !== null) {
                this.actions.range(Math.min(begin.from, cell.from), Math.max(begin.to, cell.to));
                return;
            }
            const value = cell.value === undefined ? "" : this.state.heat === "late"
                ? ticksText(this.profile, cell.value * (this.longest || 0) * this.profile.hz) + " late"
                : `${percentText(Math.min(1, cell.value))} % ${this.state.heat}`;
            this.actions.hover([`${clockText(cell.from / rate, 1 / rate)} to ` +
                `${clockText(cell.to / rate, 1 / rate)} s`, value], e);
        });
        c.addEventListener("pointerup", () => begin = null);
        c.addEventListener("pointerleave", (e) => this.actions.hover(null, e));
    }
}
