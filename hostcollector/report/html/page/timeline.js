/* SPDX-License-Identifier: BSD-2-Clause */
/* A lane for each core: busy, idle, late, lost; or for each thread: running.
 * Dragging selects a time. */

const AXIS = 20; /* pixels */
const LANES_MAX = 16; /* of threads */

class Timeline {
    /* (actions): range(from, to) in slots, or nulls; view(from, to); core(i,
     * add); thread(number); hover(text, event). */
    constructor(box, actions) {
        this.box = box;
        this.actions = actions;
        this.labels = el("div", "lane-labels");
        this.canvas = el("canvas", "lanes");
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "application");
        this.canvas.setAttribute("aria-label", "time line of each core or thread; drag or press arrow keys to select a time");
        box.replaceChildren(this.labels, el("div", "lane-box", this.canvas));
        this.canvasBox = this.canvas.parentElement;
        this.cache = new Map();
        this.picture = new Picture();
        this.version = 0; /* of what (cache) is of */
        this.listen();
        new ResizeObserver(() => this.draw()).observe(this.canvasBox);
    }

    set(profile, state, hits) {
        if (profile !== this.profile || hits !== this.hits) {
            this.cache.clear();
            this.version++;
        }
        Object.assign(this, { profile, state, hits });
        this.box.parentElement.classList.toggle("by-thread", this.isByThread());
        this.lanes = this.isByThread() ? this.threadLanes() : profile.cores.map((core, i) => this.coreLane(core, i));
        this.lane = Math.max(7, Math.min(26, Math.floor(240 / this.lanes.length)));
        this.draw();
    }

    isByThread() {
        const { by, tab } = this.state;
        return this.profile.head.threads !== undefined && (by === "thread" || tab === "threads");
    }

    /* A lane: its name and share as text, whether it is selected, a hint, and what
     * follows when the user chooses it. */
    coreLane(core, index) {
        const sum = this.state.sums && this.state.sums.cores.find((s) => s.index === index);
        return {
            name: `core ${core.number}`, core, index, chosen: this.state.cores.has(index),
            /* the samples of one thread do not tell how busy a core was */
            share: sum && sum.all.time > 0 && this.state.thread === null && !this.profile.head.idle_unknown
                ? `${percentText(sum.busy.time / sum.all.time)} %` : "",
            hint: "only this core; with Shift: this core, too",
            choose: (e) => this.actions.core(index, e.shiftKey || e.ctrlKey || e.metaKey),
        };
    }

    /* The threads with most samples; idle ones have no lane. */
    threadLanes() {
        const { profile, state } = this, { all, of } = busyByThread(profile);
        return threadsInOrder(profile).filter((n) => of[n].samples > 0 && !isIdleThread(profile, n))
            .slice(0, LANES_MAX).map((number, index) => ({
                name: threadName(profile, number), number, index,
                chosen: state.thread === null || state.thread === number,
                share: `${percentText(of[number].time / all.time)} %`,
                hint: "only this thread", choose: () => this.actions.thread(number),
            }));
    }

    /* What lane (index) shows in (width) parts. */
    laneParts(index, width) {
        return this.isByThread() ? this.threadParts(width)[index] : this.parts(index, width);
    }

    threadParts(width) {
        const { from, to } = this.state.view, cores = [...this.state.cores];
        const key = `threads ${from} ${to} ${width} ${cores}`;
        if (!this.cache.has(key)) {
            const none = new Float32Array(width);
            this.cache.set(key, fillThreads(this.profile, cores.map((i) => this.profile.cores[i]),
                                            this.lanes.map((lane) => lane.number), from, to, width)
                .map((busy) => ({ busy, idle: none, late: none, found: none })));
        }
        return this.cache.get(key);
    }

    /* The share of each of (width) parts' time, of core (index): of each pixel of
     * what is in view, or of other slots. */
    parts(index, width, { from, to } = this.state.view) {
        const key = `${index} ${from} ${to} ${width}`;
        if (!this.cache.has(key)) {
            if (this.cache.size > 4 * this.profile.cores.length)
                this.cache.clear();
            this.cache.set(key, fillParts(this.profile, this.profile.cores[index],
                                          from, to, width, this.hits[index]));
        }
        return this.cache.get(key);
    }

    draw() {
        const width = Math.floor(this.canvasBox.clientWidth);
        if (!this.profile || !this.profile.timed || this.state.sums === null || width < 10)
            return;
        const gap = this.lane > 12 ? 3 : 1;
        const height = this.lanes.length * (this.lane + gap) + AXIS;
        const g = sizedCanvas(this.canvas, width, height), { view, cores: chosen, thread } = this.state;
        this.drawLabels(gap);
        this.picture.put(g, [this.version, view.from, view.to, ...chosen, this.isByThread(), thread], width, height,
                         (paper) => this.drawLanes(paper, gap, width, height));
        this.drawSelection(g, width, height - AXIS);
    }

    drawLanes(g, gap, width, height) {
        this.lanes.forEach((lane, i) => {
            g.globalAlpha = lane.chosen ? 1 : .3;
            this.drawLane(g, lane, i * (this.lane + gap), width);
        });
        g.globalAlpha = 1;
        this.drawAxis(g, width, height);
    }

    drawLane(g, { core, index }, y, width) {
        const p = this.laneParts(index, width), h = this.lane;
        const bars = (colour, low, high) => {
            g.fillStyle = cssColour(colour);
            for (let x = 0; x < width; x++) {
                const a = Math.min(1, low(x)), b = Math.min(1, high(x));
                if (b - a > .004)
                    g.fillRect(x, y + h * (1 - b), 1, h * (b - a));
            }
        };
        const found = core !== undefined && this.hits[index] !== null;
        bars("--idle", (x) => p.busy[x], (x) => p.busy[x] + p.idle[x]);
        bars(found ? "--busy-faint" : "--busy", () => 0, (x) => p.busy[x]);
        if (found)
            bars("--found", () => 0, (x) => p.found[x]);
        this.drawUnknown(g, y, h, width);
        if (core === undefined)
            return;
        this.drawLate(g, p, y + h, width);
        this.drawLost(g, core, y, width);
    }

    /* A strip at the bottom, where more was late than is usual in this run: the
     * stronger, the more of the busy time. */
    drawLate(g, p, bottom, width) {
        const h = this.lane > 12 ? 4 : 2;
        g.fillStyle = cssColour("--late");
        const alpha = g.globalAlpha;
        for (let x = 0; x < width; x++) {
            const part = Math.min(1, p.late[x] / Math.max(p.busy[x], .02));
            if (p.late[x] < .02 || !this.profile.isLate(part))
                continue;
            g.globalAlpha = alpha * part;
            g.fillRect(x, bottom - h, 1, h);
        }
        g.globalAlpha = alpha;
    }

    /* Behind what there was memory for, nothing is known by time. */
    drawUnknown(g, y, h, width) {
        const until = this.profile.head.timed_slots;
        if (until >= this.state.view.to)
            return;
        const x = Math.max(0, this.x(until, width));
        g.fillStyle = cssColour("--page");
        g.fillRect(x, y, width - x, h);
    }

    drawLost(g, core, y, width) {
        const { slots_per_s: rate } = this.profile.head;
        g.fillStyle = cssColour("--lost");
        for (const [second, samples, lost] of core.head.lost) {
            const x0 = this.x(second * rate, width), x1 = this.x((second + 1) * rate, width);
            if (x1 < 0 || x0 > width)
                continue;
            const h = Math.max(2, this.lane * lost / Math.max(1, samples + lost));
            g.fillRect(x0, y, Math.max(1.5, x1 - x0), h);
        }
    }

    drawAxis(g, width, height) {
        const { from, to } = this.state.view, rate = this.profile.head.slots_per_s;
        const seconds = (to - from) / rate;
        const step = stepFor(seconds / Math.max(2, width / 90));
        g.font = "11px system-ui, sans-serif";
        g.textBaseline = "bottom";
        for (let k = Math.ceil(from / rate / step); k * step <= to / rate; k++) {
            const x = this.x(k * step * rate, width);
            g.fillStyle = cssColour("--line");
            g.fillRect(x, 0, 1, height - AXIS + 4);
            g.fillStyle = cssColour("--quiet");
            const text = clockText(k * step, step) + (k * step < 60 ? " s" : "");
            const room = g.measureText(text).width;
            g.fillText(text, Math.min(Math.max(0, x - (k ? room / 2 : 0)), width - room),
                       height - 1);
        }
    }

    drawSelection(g, width, height) {
        const { from, to } = this.state;
        if (from === null)
            return;
        const x0 = this.x(from, width), x1 = Math.max(this.x(to, width), x0 + 1);
        g.fillStyle = cssColour("--shade");
        g.fillRect(0, 0, Math.max(0, x0), height);
        g.fillRect(x1, 0, Math.max(0, width - x1), height);
        g.fillStyle = cssColour("--accent");
        g.fillRect(x0 - 1, 0, 1.5, height);
        g.fillRect(x1, 0, 1.5, height);
    }

    drawLabels(gap) {
        this.labels.replaceChildren(...this.lanes.map((lane) => {
            const label = el("button", "lane-label", el("span", "", lane.name), el("span", "quiet", lane.share));
            label.type = "button";
            label.style.height = `${this.lane}px`;
            label.style.marginBottom = `${gap}px`;
            label.setAttribute("aria-pressed", String(lane.chosen));
            label.title = lane.hint;
            label.addEventListener("click", (e) => lane.choose(e));
            return label;
        }));
    }

    x(slot, width) {
        const { from, to } = this.state.view;
        return (slot - from) / (to - from) * width;
    }

    slotAt(event) {
        const box = this.canvas.getBoundingClientRect();
        const x = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
        const { from, to } = this.state.view;
        return Math.round(from + x * (to - from));
    }

    listen() {
        const c = this.canvas;
        let begin = null, moved = false;
        c.addEventListener("pointerdown", (e) => {
            if (e.button !== 0)
                return;
            c.setPointerCapture(e.pointerId);
            begin = { slot: this.slotAt(e), x: e.clientX };
            moved = false;
        });
        c.addEventListener("pointermove", (e) => {
            if (begin === null) {
                this.actions.hover(this.tell(e), e);
                return;
            }
            moved = moved || Math.abs(e.clientX - begin.x) > 3;
            const slot = this.slotAt(e);
            if (moved && slot !== begin.slot)
                this.actions.range(Math.min(slot, begin.slot), Math.max(slot, begin.slot));
        });
        c.addEventListener("pointerup", () => {
            if (begin !== null && !moved)
                this.actions.range(null, null);
            begin = null;
        });
        c.addEventListener("pointerleave", (e) => this.actions.hover(null, e));
        c.addEventListener("dblclick", () => this.actions.range(null, null));
        c.addEventListener("wheel", (e) => {
            if (!e.ctrlKey && !e.metaKey)
                return;
            e.preventDefault();
            this.actions.zoom(Math.exp(e.deltaY * .004), this.slotAt(e));
        }, { passive: false });
        c.addEventListener("keydown", (e) => this.key(e));
    }

    /* Arrows move the selection, with Shift its end. */
    key(e) {
        const { view, from, to } = this.state;
        const way = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
        if (way === undefined || e.ctrlKey || e.metaKey || e.altKey)
            return;
        e.preventDefault();
        const step = way * Math.max(1, Math.round((view.to - view.from) / 50));
        const a = from === null ? view.from : from + (e.shiftKey ? 0 : step);
        const b = from === null ? view.from + Math.abs(step) : to + step;
        if (a >= 0 && b > a && a < this.profile.head.slots)
            this.actions.range(a, Math.min(b, this.profile.head.slots));
    }

    tell(e) {
        const box = this.canvas.getBoundingClientRect(), width = Math.floor(box.width);
        const gap = this.lane > 12 ? 3 : 1;
        const index = Math.floor((e.clientY - box.top) / (this.lane + gap));
        const x = Math.floor(e.clientX - box.left);
        if (!this.profile || !this.profile.timed || index >= this.lanes.length ||
            index < 0 || x < 0 || x >= width)
            return null;
        const p = this.laneParts(index, width), { slots_per_s: rate } = this.profile.head;
        const span = (this.state.view.to - this.state.view.from) / width / rate;
        const at = `${this.lanes[index].name} at ` + clockText(this.slotAt(e) / rate, Math.max(span, 1 / rate)) + " s";
        const percent = (part) => percentText(Math.min(1, part));
        return this.isByThread() ? [at, `running ${percent(p.busy[x])} %`]
            : [at, `busy ${percent(p.busy[x])} % (${percent(p.late[x])} % came late), idle ${percent(p.idle[x])} %`];
    }
}
