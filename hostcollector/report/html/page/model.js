/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile of a guest, and what a selection of it sums up to. Times are TSC
 * ticks of a core's time, as in the collector's model/view.h. */

/* As enum view_mark: functions below MARKS say what is missing in a stack. */
const MARK_CALLER = 0, MARK_IDLE = 1, MARK_OTHERS = 4, MARK_LENT = 5, MARK_REST = 6;
const MARKS = 7;

const Z = 1.959963984540054; /* 97.5th percentile of a normal */

/* Samples, time, ... of something; disjoint ones add up. */
class Amount {
    constructor() {
        this.samples = 0;
        this.time = 0;
        this.timeSq = 0; /* sum of the squares */
        this.late = 0;
    }

    add(samples, time, timeSq, late) {
        this.samples += samples;
        this.time += time;
        this.timeSq += timeSq;
        this.late += late;
    }

    join(a) {
        this.add(a.samples, a.time, a.timeSq, a.late);
    }
}

function joined(a, b) {
    const sum = new Amount();
    sum.join(a);
    sum.join(b);
    return sum;
}

/* How many samples of equal weight (amount) is worth. */
function effective(amount) {
    return amount.timeSq > 0 ? amount.time * amount.time / amount.timeSq : 0;
}

/* The same for the share (p) of a part, whose times' squares sum up to (timeSq);
 * 0: not known. */
function worth(timeSq, whole, p) {
    const n = effective(whole), rest = Math.max(whole.timeSq - timeSq, 0);
    const spread = (1 - p) * (1 - p) * timeSq + p * p * rest;
    if (!(timeSq > 0) || !(spread > 0) || p === 1)
        return n;
    return Math.min(n, p * (1 - p) * whole.time * whole.time / spread);
}

/* The share of (time) in (whole) with Wilson's 95 % interval, as in the
 * collector's diagnose/share.c. */
function share(time, timeSq, whole) {
    if (effective(whole) <= 0)
        return { p: 0, low: 0, high: 1 };
    const clamp = (x, low, high) => x < low ? low : x > high ? high : x;
    const p = clamp(time / whole.time, 0, 1), n = worth(timeSq, whole, p);
    const scale = 1 + Z * Z / n;
    const center = (p + Z * Z / (2 * n)) / scale;
    const half = Z / scale * Math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n));
    return {
        p,
        low: clamp(center - half, 0, p),
        high: clamp(center + half, p, 1),
    };
}

/* The share of one Amount in another. */
function shareOf(part, whole) {
    return share(part.time, part.timeSq, whole);
}

/* Calls: the tree of frames as a tree of functions. A call stands behind its
 * parent; call 0 is the root. */
class Calls {
    constructor(frames, nodes) {
        const count = nodes.frame.length;
        let size = 1024;
        while (size < 2 * count)
            size *= 2;
        const slots = new Int32Array(size);
        const parent = new Int32Array(count + 1);
        const kind = new Int32Array(count + 1); /* function * 2 + inlined */
        const image = new Uint32Array(count + 1);
        this.ofNode = new Int32Array(count);
        let calls = 1;
        for (let i = 0; i < count; i++) {
            const frame = nodes.frame[i];
            const up = nodes.parent[i] ? this.ofNode[i - nodes.parent[i]] : 0;
            const what = frames.function[frame] * 2 + frames.inlined[frame];
            let at = (Math.imul(up, 0x9e3779b1) ^ Math.imul(what, 0x85ebca6b));
            at = (at ^ at >>> 15) & (size - 1);
            for (let n; (n = slots[at]) !== 0; at = (at + 1) & (size - 1)) {
                if (parent[n] === up && kind[n] === what)
                    break;
            }
            if (slots[at] === 0) {
                parent[calls] = up;
                kind[calls] = what;
                image[calls] = frames.image[frame];
                slots[at] = calls++;
            }
            this.ofNode[i] = slots[at];
        }
        this.count = calls;
        this.parent = parent.subarray(0, calls);
        this.function = new Int32Array(calls);
        this.inlined = new Uint8Array(calls);
        for (let c = 0; c < calls; c++) {
            this.function[c] = kind[c] >> 1;
            this.inlined[c] = kind[c] & 1;
        }
        this.image = image.subarray(0, calls);
        this.function[0] = -1;
        this.listChildren();
        this.findRows();
    }

    /* children[first[c]] up to children[first[c + 1] - 1] are those of c. */
    listChildren() {
        const first = new Int32Array(this.count + 2);
        for (let c = 1; c < this.count; c++)
            first[this.parent[c] + 2]++;
        for (let c = 2; c < first.length; c++)
            first[c] += first[c - 1];
        this.children = new Int32Array(this.count);
        for (let c = 1; c < this.count; c++)
            this.children[first[this.parent[c] + 1]++] = c;
        this.first = first;
    }

    /* May the direct caller of c be missing? A call that was inlined has that of
     * the function that it is in. */
    isUnsure(c) {
        while (this.inlined[c])
            c = this.parent[c];
        return this.function[this.parent[c]] === MARK_CALLER;
    }

    /* leaf[c]: the call whose row gets the time of paths that end in c, the
     * innermost that is no mark. outer[c]: no call above has its function.
     * Below a wait by the timer there is a hint only, without rows. */
    findRows() {
        this.leaf = new Int32Array(this.count);
        this.outer = new Uint8Array(this.count);
        for (let c = 1; c < this.count; c++) {
            const f = this.function[c], up = this.parent[c];
            const wait = this.function[this.leaf[up]];
            if (wait === MARK_LENT || wait === MARK_REST)
                this.leaf[c] = this.leaf[up];
            else if (f === MARK_LENT || f === MARK_REST)
                this.leaf[c] = up === 0 ? c : this.leaf[up];
            else
                this.leaf[c] = f >= MARKS || f === MARK_OTHERS ? c : this.leaf[up];
        }
        /* depth first: how often each function is on the path */
        const on = [], stack = new Int32Array(2 * (this.depth() + 1));
        for (let top = 0; top >= 0;) {
            const c = stack[2 * top], at = this.first[c] + stack[2 * top + 1]++;
            if (at === this.first[c + 1]) {
                on[this.function[c]]--;
                top--;
                continue;
            }
            const child = this.children[at], f = this.function[child];
            on[f] = (on[f] || 0) + 1;
            this.outer[child] = on[f] === 1 ? 1 : 0;
            top++;
            stack[2 * top] = child;
            stack[2 * top + 1] = 0;
        }
    }

    /* The length of the longest path. */
    depth() {
        const depth = new Int32Array(this.count);
        let most = 0;
        for (let c = 1; c < this.count; c++) {
            depth[c] = depth[this.parent[c]] + 1;
            most = Math.max(most, depth[c]);
        }
        return most;
    }

    /* Has call c a row of its own function? */
    hasRow(c) {
        return this.leaf[c] === c;
    }
}

/* A guest, or several that run one image, as read. */
class Profile {
    constructor(reader) {
        this.head = JSON.parse(reader.text());
        this.code = new Map(); /* by function, where there is an annotation */
        this.strings = reader.text().split("\0");
        const names = reader.column(), nameless = reader.column();
        this.functions = Array.from(names, (n, i) => ({
            name: this.strings[n],
            nameless: nameless[i] === 1,
        }));
        this.frames = {
            function: reader.column(),
            image: reader.column(),
            file: reader.column(), /* of strings; 0: unknown */
            line: reader.column(),
            inlined: reader.column(),
        };
        /* (parent) is how far back the parent lies; 0: the root */
        this.nodes = { parent: reader.column(), frame: reader.column() };
        this.calls = new Calls(this.frames, this.nodes);
        this.all = this.head.cores.map((core) => this.readCore(reader, core));
        this.cores = this.all.filter((core) => core.samples.some((n) => n > 0));
        if (this.cores.length === 0)
            this.cores = this.all;
        this.images = this.head.images;
        this.period = this.head.period_tsc;
        this.hz = this.head.tsc_hz;
        this.fileOf = this.findFiles();
        this.late = this.lateness();
    }

    text(number) {
        return this.strings[number] || "";
    }

    readCore(reader, head) {
        const core = {
            head,
            number: head.core,
            /* each entry's innermost node + 1; 0: nothing is known */
            node: reader.column(),
            samples: reader.column(),
            weight: reader.column(),
            thread: this.head.threads ? reader.column() : null,
            time: reader.doubles(),
            timeSq: reader.doubles(),
            late: reader.doubles(),
            moments: null,
        };
        const { ofNode, function: functions } = this.calls;
        core.call = new Int32Array(core.node.length);
        core.idle = new Uint8Array(core.node.length);
        for (let i = 0; i < core.node.length; i++) {
            const n = core.node[i], c = n === 0 ? 0 : ofNode[n - 1];
            core.call[i] = c;
            core.idle[i] = functions[c] === MARK_IDLE ? 1 : 0;
        }
        return Object.assign(core, listCalls(core));
    }

    /* The file where most frames of a function lie. */
    findFiles() {
        const files = new Map(), f = this.frames;
        for (let i = 0; i < f.function.length; i++) {
            if (f.file[i] !== 0 && !files.has(f.function[i]))
                files.set(f.function[i], this.text(f.file[i]));
        }
        return files;
    }

    /* How much of the busy time of the run came late; counts samples, too. */
    lateness() {
        let late = 0, time = 0;
        this.samples = 0;
        for (const core of this.cores) {
            for (let i = 0; i < core.time.length; i++) {
                this.samples += core.samples[i];
                late += core.idle[i] ? 0 : core.late[i];
                time += core.idle[i] ? 0 : core.time[i];
            }
        }
        return latePart(late, time);
    }

    /* Is (share) of a function's time late so much that it stands out? */
    isLate(share) {
        return share >= this.head.late_least;
    }

    get timed() {
        return this.head.slots > 0;
    }

    seconds(slot) {
        return slot / this.head.slots_per_s;
    }

    /* Read the moments of core (index): each sample in order of time. */
    readMoments(index, reader) {
        const { sums, sorted } = reader.sums();
        const m = {
            slot: sums,
            entry: reader.column(),
            weight: reader.column(),
            /* twice the delay in 64ths of the period; + 1: it came late */
            late: reader.column(),
            periods: [],
        };
        for (let n = reader.number(); n > 0; n--)
            m.periods.push({ at: reader.number(), period: reader.number() });
        this.all[index].moments = sorted ? m : sortMoments(m);
    }
}

/* The calls that entries of (core) end in, each once and rising, and by entry the
 * place of its call among them: sums over these few are found in the processor's
 * cache, and so is what they are added to. */
function listCalls(core) {
    const met = core.call.filter((_, i) => core.samples[i] > 0).sort();
    const calls = met.filter((c, k) => k === 0 || c !== met[k - 1]);
    return { calls, place: Uint32Array.from(core.call, (c) => lowerBound(calls, c)) };
}

/* A guest that was set back to an earlier state sends some moments twice. */
function sortMoments(m) {
    const order = m.slot.map((_, i) => i).sort((a, b) => m.slot[a] - m.slot[b] || a - b);
    const pick = (column) => Uint32Array.from(order, (i) => column[i]);
    const periods = [];
    order.forEach((from, at) => {
        let run = 0;
        while (run + 1 < m.periods.length && m.periods[run + 1].at <= from)
            run++;
        const { period } = m.periods[run];
        if (!periods.length || periods[periods.length - 1].period !== period)
            periods.push({ at, period });
    });
    return { slot: pick(m.slot), entry: pick(m.entry), weight: pick(m.weight),
             late: pick(m.late), periods };
}

/* The part that (late) has of (time), as in diagnose/lateness.c. */
function latePart(late, time) {
    return time > 0 ? Math.min(1, late / time) : 0;
}

/* The first index of the rising (column) whose value is not below (value). */
function lowerBound(column, value) {
    let low = 0, high = column.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (column[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
