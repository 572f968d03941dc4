/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks at which threads waited, and the stacks that ended the waits. Times
 * are sums that the guest reports, of the whole run. */

const OFF_STEP = 30, OFF_THREADS = 4;

/* A function on the stacks of waits (off), and of samples (on). */
class OffNode extends TreeNode {
    constructor(sums, parent, f) {
        super(sums, parent, f * 2);
        this.function = f;
        this.children = new Map();
        this.threads = new Map(); /* waiting time by thread */
        this.on = this.off = 0;
    }

    child(f, name) {
        if (!this.children.has(f)) {
            const kid = new OffNode(this.sums, this, f);
            kid.name = name;
            this.children.set(f, kid);
        }
        return this.children.get(f);
    }

    add(on, off, thread) {
        this.on += on;
        this.off += off;
        this.time += on + off;
        if (off > 0)
            this.threads.set(thread, (this.threads.get(thread) || 0) + off);
    }

    find() {
        return [...this.children.values()];
    }
}

/* Waiting time, with that of a wait that still goes on. */
const waitTime = (wait) => wait.time + wait.open;

/* The waits of thread (thread), or of all threads for null, by falling time. Idle
 * threads do not wait. */
function waitsOf(profile, thread) {
    return profile.head.waits.filter((wait) => !wait.ends && waitTime(wait) > 0 &&
        !isIdleThread(profile, wait.thread) && (thread === null || wait.thread === thread))
        .sort((a, b) => waitTime(b) - waitTime(a));
}

/* The tree of (waits); and of the samples of the same threads, if (running). */
function offTree(profile, waits, thread, running) {
    const root = new OffNode({ profile }, null, -1);
    for (const wait of waits) {
        let node = root;
        root.add(0, waitTime(wait), wait.thread);
        if (wait.stack === undefined) {
            root.child(-2, "unknown stack").add(0, waitTime(wait), wait.thread);
            continue;
        }
        for (const f of wait.stack) {
            node = node.child(f);
            node.add(0, waitTime(wait), wait.thread);
        }
    }
    if (running)
        addRunning(profile, root, thread);
    return root;
}

/* Add the samples of threads to the tree: each call to the node of its function. */
function addRunning(profile, root, thread) {
    const { calls } = profile, time = new Float64Array(calls.count);
    for (const core of profile.cores) {
        for (let i = 0; i < core.call.length; i++) {
            const number = core.thread[i];
            if (core.samples[i] > 0 && core.idle[i] === 0 && number > 0 && !isIdleThread(profile, number) &&
                (thread === null || number === thread))
                time[core.call[i]] += core.time[i];
        }
    }
    for (let c = calls.count - 1; c > 0; c--)
        time[calls.parent[c]] += time[c];
    const nodes = [root];
    root.add(time[0], 0, 0);
    for (let c = 1; c < calls.count; c++) {
        const up = nodes[calls.parent[c]];
        if (!(time[c] > 0))
            continue;
        /* a caller that may be missing is no function of its own */
        nodes[c] = calls.function[c] === MARK_CALLER ? up : up.child(calls.function[c]);
        if (nodes[c] !== up)
            nodes[c].add(time[c], 0, 0);
    }
}

/* Waiting time in one colour, running time in another. */
class OffColours {
    constructor(profile) {
        this.profile = profile;
        this.by = "state";
    }

    of(f, late, node) {
        if (node.parent === null)
            return cssColour("--root");
        return this.tone(f, node.off > 0 && node.on === 0 ? 214 : 30);
    }

    /* The part of the frame, from its right end, that has the colour of waits. */
    part(node) {
        return node.parent !== null && node.on > 0 ? node.off / node.time : 0;
    }

    second(f) {
        return this.tone(f, 214);
    }

    tone(f, hue) {
        const tone = f < 0 ? .5 : hashOf(this.profile.functions[f].name);
        return dark() ? `hsl(${hue} ${34 + 12 * tone}% ${26 + 6 * tone}%)`
            : `hsl(${hue} ${66 + 14 * tone}% ${80 + 6 * tone}%)`;
    }
}

/* The stacks that ended waits, by thread and falling count; each with its part of
 * all that are known of the thread. */
function wakersOf(profile, number) {
    if (profile.wakers === undefined) {
        profile.wakers = new Map();
        for (const wait of profile.head.waits.filter((w) => w.ends && w.count > 0)) {
            if (!profile.wakers.has(wait.thread))
                profile.wakers.set(wait.thread, []);
            profile.wakers.get(wait.thread).push(wait);
        }
    }
    const wakers = (profile.wakers.get(number) || []).sort((a, b) => b.count - a.count);
    const all = wakers.reduce((sum, wait) => sum + wait.count, 0);
    return wakers.map((wait) => ({ wait, part: wait.count / all }));
}

/* The number of innermost functions that the stacks of all (waits) have in common,
 * without the outermost of them, which names the wait. */
function commonEnd(waits) {
    const stacks = waits.filter((wait) => wait.stack !== undefined).map((wait) => wait.stack);
    let n = 0;
    while (stacks.length > 1 && stacks.every((s) => n < s.length && s[s.length - 1 - n] === stacks[0][stacks[0].length - 1 - n]))
        n++;
    return Math.max(0, n - 1);
}

class OffCpu {
    /* (actions): as those of a FlameView, and thread(number), pick(function),
     * changed(). */
    constructor(box, actions) {
        this.actions = actions;
        this.limit = OFF_STEP;
        this.running = el("input");
        this.running.type = "checkbox";
        this.running.id = "running";
        this.running.addEventListener("change", () => {
            this.state.running = this.running.checked;
            actions.changed();
        });
        this.detail = el("span", "off-detail quiet");
        this.detail.setAttribute("aria-live", "polite");
        this.legend = el("span", "legend", el("span", "key blocked", "waiting"), el("span", "key running", "running"));
        const graph = el("div", "flame-box");
        this.lists = el("div", "off-lists");
        this.note = el("p", "quiet");
        box.replaceChildren(el("div", "tools", el("label", "", this.running, " running time, too"), this.legend,
                               this.detail), graph, this.note, this.lists);
        const tell = (node) => this.detail.textContent = this.lines(node).join(" \u00b7 ");
        this.flame = new FlameView(graph, {
            hover: (node, e) => placeTip(node === null ? null : this.lines(node), e), focus: tell,
            pick: (node) => node.function >= 0 && actions.pick(node.function),
            open: (node) => actions.open(node.function),
            zoomed: (node) => {
                tell(node);
                actions.changed();
            },
        }, "flame graph of waits");
    }

    set(profile, state) {
        const { running, thread } = state, waits = waitsOf(profile, thread);
        const key = `${running} ${thread}`;
        Object.assign(this, { profile, state, waits });
        if (profile !== this.treeProfile || key !== this.key)
            this.tree = offTree(profile, waits, thread, running);
        Object.assign(this, { treeProfile: profile, key });
        this.running.checked = running;
        this.legend.hidden = !running;
        this.flame.hit = state.hitFunctions;
        this.flame.set(this.tree, new OffColours(profile), { time: this.tree.time }, state.upward);
        this.detail.textContent = this.lines(this.flame.top).join(" \u00b7 ");
        this.note.textContent = "Waits of the whole run and of all cores" +
            (thread === null ? ". " : `, of ${threadName(profile, thread)}. `) +
            "A frame is as wide as the time for which threads waited below it" +
            (running ? ", and for which they were seen running there." : ".");
        this.draw();
    }

    draw() {
        const { waits, limit, state, profile } = this;
        const wakers = this.wakers();
        this.common = commonEnd(waits.slice(0, limit));
        const table = el("table", "waits off", headRow([["Of all waits %", 1], ["Count", 1], ["Longest", 1],
            ["Thread", 1, true], ["Waits in (innermost first)", 1, true]]),
            el("tbody", "", ...waits.slice(0, limit).map((wait) => this.row(wait))));
        this.lists.replaceChildren(waits.length > 0 ? table
            : el("p", "", state.thread === null ? "No thread has waited."
                : `${threadName(profile, state.thread)} has not waited.`));
        if (this.common > 0) {
            const { stack } = waits.find((wait) => wait.stack !== undefined);
            const all = stack.slice(-1 - this.common).reverse().map((f) => profile.functions[f].name);
            this.lists.append(el("p", "quiet chain", `all in ${all.join(" \u2190 ")}`));
        }
        if (waits.length > limit) {
            const more = el("button", "more", `${countText(waits.length - limit)} further stacks`);
            more.addEventListener("click", () => {
                this.limit *= 4;
                this.draw();
            });
            this.lists.append(more);
        }
        if (wakers.length > 0)
            this.lists.append(el("h2", "", "Who ended the waits"), el("table", "waits wakers",
                headRow([["Of its wakes %", 1], ["Count", 1], ["Thread", 1, true], ["Was woken by (innermost first)", 1, true]]),
                el("tbody", "", ...wakers)));
    }

    whole() {
        this.wholes = this.wholes || new Map();
        if (!this.wholes.has(this.profile))
            this.wholes.set(this.profile, waitsOf(this.profile, null).reduce((sum, wait) => sum + waitTime(wait), 0));
        return this.wholes.get(this.profile);
    }

    row(wait) {
        const { profile } = this, part = waitTime(wait) / this.whole();
        const chain = this.chain(wait.stack && wait.stack.slice(0, wait.stack.length - this.common));
        if (wait.open > 0)
            chain.append(el("span", "quiet", `; still waiting, for ${ticksText(profile, wait.open)}`));
        return el("tr", "", barCell(part, percentText(part)), el("td", "number", countText(wait.count + (wait.open > 0 ? 1 : 0))),
                  el("td", "number", ticksText(profile, Math.max(wait.longest, wait.open))),
                  this.threadCell(wait.thread), chain);
    }

    /* A row for each stack that ended waits of the shown threads. */
    wakers() {
        const { profile, waits, limit } = this, rows = [];
        for (const number of new Set(waits.map((wait) => wait.thread)).values()) {
            for (const { wait, part } of number === 0 ? [] : wakersOf(profile, number))
                rows.push(el("tr", "", barCell(part, percentText(part)), el("td", "number", countText(wait.count)),
                             this.threadCell(number), this.chain(wait.stack)));
            if (rows.length >= limit)
                break;
        }
        return rows.slice(0, limit);
    }

    threadCell(number) {
        if (number === 0)
            return el("td", "left quiet", "several threads");
        const name = el("button", "name", threadName(this.profile, number));
        name.title = "only this thread";
        name.addEventListener("click", () => this.actions.thread(number));
        return el("td", "left", name);
    }

    chain(stack) {
        return chainCell(this.profile, [...stack || []].reverse(), (f) => this.actions.pick(f));
    }

    lines(node) {
        const { profile } = this, part = (time) => `${ticksText(profile, time)}, ` +
            `${partText(time, this.tree.time)} %`;
        const lines = [node.name || (node.function < 0 ? "all" : profile.functions[node.function].name)];
        if (node.off > 0)
            lines.push(`waiting ${part(node.off)}`);
        if (node.on > 0)
            lines.push(`running ${part(node.on)}`);
        const threads = [...node.threads].sort((a, b) => b[1] - a[1]).slice(0, OFF_THREADS);
        const name = (number) => number === 0 ? "several threads" : threadName(profile, number);
        if (threads.length > 0)
            lines.push(`waiting threads: ${threads.map(([number, time]) =>
                `${name(number)} ${partText(time, node.off)} %`).join(", ")}`);
        return threads.length > 0 ? [...lines, ...this.wokenLines(threads[0][0])] : lines;
    }

    /* Who woke thread (number) most often. */
    wokenLines(number) {
        const [first] = number === 0 ? [] : wakersOf(this.profile, number);
        if (first === undefined)
            return [];
        const { functions } = this.profile;
        const stack = [...first.wait.stack || []].reverse().slice(0, 3).map((f) => functions[f].name).join(" \u2190 ");
        return [`${threadName(this.profile, number)} was woken ${(100 * first.part).toFixed(0)} % by ${stack || "an unknown stack"}`];
    }
}
