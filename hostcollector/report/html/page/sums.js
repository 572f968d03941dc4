/* SPDX-License-Identifier: BSD-2-Clause */
/* What a selection sums up to: for each call, each function, each core. The
 * selection is {cores, from, to, mode, image, filter, thread}: a Set of indices,
 * slots or null for the whole run, "busy", "idle" or "all", an image or -1, a
 * regular expression or null, the number of a thread or null. */

const IDLE = 1, WANTED = 2;

class Sums {
    constructor(profile, selection) {
        this.profile = profile;
        this.selection = selection;
        Object.assign(this, clearedSums(profile, selection.mode));
        this.all = new Amount();
        this.busy = new Amount();
        this.idle = new Amount();
        this.shown = new Amount();
        this.elsewhere = new Amount(); /* busy time of other threads */
        this.cores = []; /* of each selected core: {core, all, busy, idle, ...} */
        this.kept = this.findKept();
        for (const index of selection.cores)
            this.addCore(profile.cores[index], index);
        /* what percentages are of; (shown): what the filters leave of it */
        this.whole = this[selection.mode];
        this.accumulate();
    }

    /* Sums over each call and all that it calls. */
    accumulate() {
        const { parent, count } = this.profile.calls;
        const { total, totalSquare, totalSamples, totalCount, totalLate } = this;
        total.set(this.self);
        totalSquare.set(this.square);
        totalSamples.set(this.samples);
        totalCount.set(this.count);
        totalLate.set(this.late);
        for (let c = count - 1; c > 0; c--) {
            if (totalSamples[c] === 0)
                continue;
            const up = parent[c];
            total[up] += total[c];
            totalSquare[up] += totalSquare[c];
            totalSamples[up] += totalSamples[c];
            totalCount[up] += totalCount[c];
            totalLate[up] += totalLate[c];
        }
    }

    /* Which calls' own samples the filters keep; null: all. */
    findKept() {
        const { image, filter } = this.selection;
        const { calls, functions } = this.profile;
        if (image < 0 && filter === null)
            return null;
        const match = filter === null
            ? null : functions.map((f) => filter.test(f.name));
        const kept = new Uint8Array(calls.count), found = new Uint8Array(calls.count);
        for (let c = 1; c < calls.count; c++) {
            found[c] = match === null || found[calls.parent[c]] ||
                match[calls.function[c]] ? 1 : 0;
            kept[c] = found[c] &&
                (image < 0 || calls.image[calls.leaf[c] || c] === image) ? 1 : 0;
        }
        return kept;
    }

    /* What each of the (calls) of (core) is: IDLE, WANTED, both or none. */
    kindsOf({ calls }) {
        const { mode } = this.selection, { function: functions } = this.profile.calls;
        const kinds = new Uint8Array(calls.length), { kept } = this;
        for (let k = 0; k < calls.length; k++) {
            const idle = functions[calls[k]] === MARK_IDLE;
            if (idle)
                kinds[k] = IDLE;
            if ((mode === "all" || (mode === "idle") === idle) &&
                (kept === null || kept[calls[k]] === 1))
                kinds[k] |= WANTED;
        }
        return kinds;
    }

    addCore(core, index) {
        const { mode, from, to } = this.selection, { calls } = core;
        const sum = {
            core, index, kinds: this.kindsOf(core), ...clearedCore(core, mode),
            all: new Amount(), busy: new Amount(), idle: new Amount(), shown: new Amount(),
            elsewhere: new Amount(), has: threadFilter(core, this.selection),
        };
        if (from === null)
            addEntries(sum);
        else
            addMoments(sum, from, to);
        for (let k = 0; k < calls.length; k++) {
            const samples = sum.samples[k], time = sum.time[k], square = sum.square[k];
            const late = sum.late[k], c = calls[k];
            if (samples === 0)
                continue;
            (sum.kinds[k] & IDLE ? sum.idle : sum.busy).add(samples, time, square, late);
            if (!(sum.kinds[k] & WANTED))
                continue;
            sum.shown.add(samples, time, square, late);
            this.self[c] += time;
            this.square[c] += square;
            this.samples[c] += samples;
            this.late[c] += late;
            this.count[c] += this.countOf(time, samples);
        }
        sum.all.join(sum.busy);
        sum.all.join(sum.idle);
        for (const kind of ["all", "busy", "idle", "shown", "elsewhere"])
            this[kind].join(sum[kind]);
        this.cores.push(sum);
    }

    /* Mean sampling intervals, rounded as in render/folded.c. */
    countOf(time, samples) {
        if (!(this.profile.period > 0))
            return samples;
        /* C rounds halves away from zero; so does this, of what is positive */
        return Math.min(Math.max(1, Math.floor(time / this.profile.period + .5)), 2 ** 53);
    }

    /* The lines of a .folded file, for comparison with one. */
    folded() {
        const { calls, functions } = this.profile;
        const guest = this.profile.head.guest;
        const lines = [];
        for (const sum of this.cores) {
            eachCall(sum, (c, time, samples) => {
                const path = [];
                for (let at = c; at !== 0; at = calls.parent[at])
                    path.unshift(functions[calls.function[at]].name.replaceAll(";", ":"));
                path.unshift("core" + sum.core.number);
                if (guest)
                    path.unshift(guest);
                lines.push(path.join(";") + " " + this.countOf(time, samples));
            });
        }
        return lines.sort();
    }

    /* A row for each function. */
    rows() {
        if (this.table)
            return this.table;
        const { calls, functions } = this.profile;
        const rows = new Map();
        const rowOf = (f) => {
            let row = rows.get(f);
            if (row === undefined)
                rows.set(f, row = {
                    function: f, name: functions[f].name, self: 0, total: 0,
                    selfSq: 0, totalSq: 0, late: 0, unsure: 0, samples: 0, count: 0,
                });
            return row;
        };
        for (let c = 1; c < calls.count; c++) {
            if (!(this.total[c] > 0))
                continue;
            if (this.self[c] > 0 && calls.leaf[c] !== 0) {
                const row = rowOf(calls.function[calls.leaf[c]]);
                row.self += this.self[c];
                row.selfSq += this.square[c];
                row.late += this.late[c];
                row.unsure += calls.isUnsure(calls.leaf[c]) ? this.self[c] : 0;
                row.samples += this.samples[c];
                row.count += this.count[c];
            }
            if (calls.outer[c] && calls.hasRow(c)) {
                const row = rowOf(calls.function[c]);
                row.total += this.total[c];
                row.totalSq += this.totalSquare[c];
            }
        }
        this.table = [...rows.values()];
        return this.table;
    }

    canLatency() {
        return this.selection.mode === "busy" && this.cores.length > 1 &&
            this.profile.timed && this.cores.some(({ core }) => core.moments !== null);
    }

    /* What function (f) has of latencies, which (latencies.whole) sums up. */
    latency(f) {
        this.latencies = this.latencies || latencyOf(this);
        return this.latencies.of.get(f) || new Amount();
    }

    /* Time of the paths that end in a call, on each selected core. */
    byCall() {
        this.perCall = this.perCall || this.cores.map((sum) => {
            const times = new Map();
            eachCall(sum, (c, time) => times.set(c, time));
            return times;
        });
        return this.perCall;
    }

    /* What function (f) has of its own on selected core (index). */
    onCore(f, index) {
        const { calls } = this.profile;
        this.perCore = this.perCore || this.cores.map((sum) => {
            const amounts = new Map();
            eachCall(sum, (c, time, samples, timeSq) => {
                const own = calls.function[calls.leaf[c]];
                if (calls.leaf[c] === 0)
                    return;
                if (!amounts.has(own))
                    amounts.set(own, new Amount());
                amounts.get(own).add(samples, time, timeSq, 0);
            });
            return amounts;
        });
        return this.perCore[index].get(f) || new Amount();
    }

    /* Time of each node of its own, and with what it calls; and the sums of
     * the samples' squares. */
    byNode() {
        if (this.nodeTimes)
            return this.nodeTimes;
        const { nodes, frames } = this.profile, count = nodes.frame.length;
        const self = new Float64Array(count), selfSq = new Float64Array(count);
        for (const { core, kinds, has } of this.cores) {
            const { times, squares } = timesOfEntries(core, this.selection);
            for (let i = 0; i < core.node.length; i++) {
                const n = core.node[i];
                if (n === 0 || !(times[i] > 0) || !(kinds[core.place[i]] & WANTED) ||
                    (has !== null && has[i] === 0))
                    continue;
                self[n - 1] += times[i];
                selfSq[n - 1] += squares[i];
            }
        }
        const total = self.slice(), totalSq = selfSq.slice();
        for (let n = count - 1; n >= 0; n--) {
            const up = nodes.parent[n], f = frames.function[nodes.frame[n]];
            if (up === 0)
                continue;
            total[n - up] += total[n];
            totalSq[n - up] += totalSq[n];
            if (f < MARKS && f !== MARK_OTHERS) { /* what it marks had the time */
                self[n - up] += self[n];
                selfSq[n - up] += selfSq[n];
            }
        }
        return this.nodeTimes = { self, total, selfSq, totalSq };
    }

    /* Where function (f) spends time, by line: of its own, and with what it
     * calls. Falling. */
    lines(f) {
        const { profile } = this, { nodes, frames, calls } = profile;
        const { self, total, selfSq, totalSq } = this.byNode(), lines = new Map();
        for (let n = 0; n < total.length; n++) {
            const frame = nodes.frame[n];
            if (frames.function[frame] !== f || !(total[n] > 0))
                continue;
            const key = `${frames.file[frame]}:${frames.line[frame]}`;
            let line = lines.get(key);
            if (line === undefined)
                lines.set(key, line = {
                    file: profile.text(frames.file[frame]),
                    line: frames.line[frame], self: 0, total: 0, selfSq: 0, totalSq: 0,
                });
            line.self += self[n];
            line.selfSq += selfSq[n];
            if (!calls.outer[calls.ofNode[n]])
                continue;
            line.total += total[n];
            line.totalSq += totalSq[n];
        }
        return [...lines.values()].sort((a, b) => b.self - a.self || b.total - a.total);
    }

    /* By function: the frame of the line where most time was spent, or else in
     * its calls. */
    hottest() {
        if (this.hot)
            return this.hot;
        const { nodes, frames } = this.profile;
        const { self, total } = this.byNode(), count = frames.function.length;
        const selves = new Float64Array(count), totals = new Float64Array(count);
        for (let n = 0; n < total.length; n++) {
            selves[nodes.frame[n]] += self[n];
            totals[nodes.frame[n]] += total[n];
        }
        this.hot = new Map();
        for (let i = 0; i < count; i++) {
            const f = frames.function[i], best = this.hot.get(f);
            if (frames.file[i] !== 0 && (best === undefined || selves[i] > selves[best] ||
                (selves[i] === selves[best] && totals[i] > totals[best])))
                this.hot.set(f, i);
        }
        return this.hot;
    }
}

/* By place in core.calls, all zero; valid until other sums of (mode) are made.
 * Clearing is faster than new memory for each step of a drag. */
function clearedCore(core, mode) {
    core.sums = core.sums || {};
    const column = () => new Float64Array(core.calls.length);
    const own = core.sums[mode] = core.sums[mode] ||
        { time: column(), square: column(), samples: column(), late: column() };
    for (const cleared of Object.values(own))
        cleared.fill(0);
    return own;
}

/* Call (act) with each wanted call of a core's (sum), its time, samples, and
 * squares of times. */
function eachCall(sum, act) {
    for (let k = 0; k < sum.kinds.length; k++) {
        if (sum.kinds[k] & WANTED && sum.samples[k] > 0)
            act(sum.core.calls[k], sum.time[k], sum.samples[k], sum.square[k]);
    }
}

/* Arrays by call, all zero; valid until other sums of (mode) are made. */
function clearedSums(profile, mode) {
    profile.sums = profile.sums || {};
    const old = profile.sums[mode];
    if (old !== undefined) {
        for (const column of [old.self, old.square, old.samples, old.late, old.count])
            column.fill(0);
        return old;
    }
    const column = () => new Float64Array(profile.calls.count);
    return profile.sums[mode] = {
        self: column(),    /* time */
        square: column(),  /* of self: sum of the squares */
        samples: column(), /* of self */
        late: column(),    /* of self: time of samples that came late */
        count: column(),   /* as in .folded */
        /* the same with what is called */
        total: column(), totalSquare: column(), totalSamples: column(),
        totalLate: column(), totalCount: column(),
    };
}

/* Which entries of (core) are of the selected thread; null: all are. */
function threadFilter(core, { thread }) {
    return thread === null || core.thread === null
        ? null : Uint8Array.from(core.thread, (number) => number === thread ? 1 : 0);
}

/* Add (time) in samples of other threads to (sum). (k): the place of their call. */
function addElsewhere(sum, k, samples, time, square) {
    if (!(sum.kinds[k] & IDLE))
        sum.elsewhere.add(samples, time, square, 0);
}

/* Add all entries to the (sum) of their core. */
function addEntries(sum) {
    const { core, has } = sum;
    for (let i = 0; i < core.place.length; i++) {
        if (core.samples[i] === 0)
            continue;
        const k = core.place[i];
        if (has !== null && has[i] === 0) {
            addElsewhere(sum, k, core.samples[i], core.time[i], core.timeSq[i]);
            continue;
        }
        sum.samples[k] += core.samples[i];
        sum.time[k] += core.time[i];
        sum.late[k] += core.late[i];
        sum.square[k] += core.timeSq[i];
    }
}

/* Call (act) with first and last + 1 moment, and the period, of each run of
 * moments of one period in slots (from) to before (to). */
function eachPeriod({ slot, periods }, from, to, act) {
    const begin = lowerBound(slot, from), end = lowerBound(slot, to);
    periods.forEach(({ at, period }, run) => {
        const next = run + 1 < periods.length ? periods[run + 1].at : end;
        const first = run === 0 ? begin : Math.max(begin, at), last = Math.min(end, next);
        if (first < last)
            act(first, last, period);
    });
}

/* Likewise, the moments of slots (from) to before (to). */
function addMoments(sum, from, to) {
    const { core, has, samples, time, square, late } = sum;
    if (core.moments === null)
        return;
    const { place } = core, m = core.moments, { entry, weight, late: lates } = m;
    eachPeriod(m, from, to, (first, last, period) => {
        for (let i = first; i < last; i++) {
            const k = place[entry[i]], t = weight[i] * period;
            if (has !== null && has[entry[i]] === 0) {
                addElsewhere(sum, k, 1, t, t * t);
                continue;
            }
            samples[k]++;
            time[k] += t;
            late[k] += lates[i] & 1 ? t : 0;
            square[k] += t * t;
        }
    });
}

/* Time of each entry of (core), and the sum of its samples' squares. */
function timesOfEntries(core, { from, to }) {
    if (from === null)
        return { times: core.time, squares: core.timeSq };
    const times = new Float64Array(core.node.length);
    const squares = new Float64Array(core.node.length);
    if (core.moments === null)
        return { times, squares };
    const { entry, weight } = core.moments;
    eachPeriod(core.moments, from, to, (first, last, period) => {
        for (let i = first; i < last; i++) {
            const t = weight[i] * period;
            times[entry[i]] += t;
            squares[entry[i]] += t * t;
        }
    });
    return { times, squares };
}
