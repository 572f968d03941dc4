/* SPDX-License-Identifier: BSD-2-Clause */
/* What a selection sums up to: for each call, each function, each core. The
 * selection is {cores, from, to, mode, image, filter}: a Set of indices, slots
 * or null for the whole run, "busy", "idle" or "all", an image or -1, a regular
 * expression or null. */

class Sums {
    constructor(profile, selection) {
        const calls = profile.calls;
        this.profile = profile;
        this.selection = selection;
        this.self = new Float64Array(calls.count);    /* time */
        this.samples = new Float64Array(calls.count); /* of self */
        this.late = new Float64Array(calls.count);    /* likewise */
        this.count = new Float64Array(calls.count);   /* as in .folded */
        this.all = new Amount();
        this.busy = new Amount();
        this.idle = new Amount();
        this.shown = new Amount();
        this.cores = []; /* of each selected core: {core, all, busy, idle, ...} */
        this.kept = this.findKept();
        for (const index of selection.cores)
            this.addCore(profile.cores[index], index);
        /* what percentages are of; (shown): what the filters leave of it */
        this.whole = this[selection.mode];
        this.total = accumulate(calls, this.self);
        this.totalSamples = accumulate(calls, this.samples);
        this.totalCount = accumulate(calls, this.count);
        this.totalLate = accumulate(calls, this.late);
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

    /* Sums of each entry of (core) in the selected time. They are valid until
     * other sums are made. */
    entries(core) {
        const { from, to } = this.selection, n = core.node.length;
        if (from === null)
            return core;
        core.scratch = core.scratch || {
            samples: new Float64Array(n), weight: new Float64Array(n),
            time: new Float64Array(n), timeSq: new Float64Array(n),
            late: new Float64Array(n),
        };
        for (const column of Object.values(core.scratch))
            column.fill(0);
        addMoments(core.scratch, core.moments, from, to);
        return core.scratch;
    }

    addCore(core, index) {
        const { mode } = this.selection, { call, idle } = core;
        const e = this.entries(core);
        const sum = {
            core, index, entries: e,
            all: new Amount(), busy: new Amount(), idle: new Amount(), shown: new Amount(),
            ...clearedCalls(core, mode, this.self.length),
        };
        for (let i = 0; i < call.length; i++) {
            const samples = e.samples[i];
            if (samples === 0)
                continue;
            const isIdle = idle[i] === 1, c = call[i];
            addTo(isIdle ? sum.idle : sum.busy, e, i);
            if (mode !== "all" && (mode === "idle") !== isIdle)
                continue;
            if (this.kept !== null && this.kept[c] === 0)
                continue;
            addTo(sum.shown, e, i);
            if (sum.samples[c] === 0)
                sum.calls.push(c);
            sum.time[c] += e.time[i];
            sum.samples[c] += samples;
            this.late[c] += e.late[i];
        }
        for (const c of sum.calls) {
            this.self[c] += sum.time[c];
            this.samples[c] += sum.samples[c];
            this.count[c] += this.countOf(sum.time[c], sum.samples[c]);
        }
        sum.all.join(sum.busy);
        sum.all.join(sum.idle);
        for (const kind of ["all", "busy", "idle", "shown"])
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
            for (const c of sum.calls) {
                const path = [];
                for (let at = c; at !== 0; at = calls.parent[at])
                    path.unshift(functions[calls.function[at]].name.replaceAll(";", ":"));
                path.unshift("core" + sum.core.number);
                if (guest)
                    path.unshift(guest);
                lines.push(path.join(";") + " " + this.countOf(sum.time[c], sum.samples[c]));
            }
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
                    late: 0, unsure: 0, samples: 0, count: 0,
                });
            return row;
        };
        for (let c = 1; c < calls.count; c++) {
            if (!(this.total[c] > 0))
                continue;
            if (this.self[c] > 0 && calls.leaf[c] !== 0) {
                const row = rowOf(calls.function[calls.leaf[c]]);
                row.self += this.self[c];
                row.late += this.late[c];
                row.unsure += calls.isUnsure(calls.leaf[c]) ? this.self[c] : 0;
                row.samples += this.samples[c];
                row.count += this.count[c];
            }
            if (calls.outer[c] && calls.hasRow(c))
                rowOf(calls.function[c]).total += this.total[c];
        }
        this.table = [...rows.values()];
        return this.table;
    }

    /* Time of its own of each function on each selected core. */
    byCore() {
        if (this.perCore)
            return this.perCore;
        const { calls } = this.profile;
        this.perCore = this.cores.map((sum) => {
            const times = new Map();
            for (const c of sum.calls) {
                if (calls.leaf[c] === 0)
                    continue;
                const f = calls.function[calls.leaf[c]];
                times.set(f, (times.get(f) || 0) + sum.time[c]);
            }
            return times;
        });
        return this.perCore;
    }

    /* Time of each node of its own, and with what it calls. */
    byNode() {
        if (this.nodeTimes)
            return this.nodeTimes;
        const { nodes, frames } = this.profile, count = nodes.frame.length;
        const self = new Float64Array(count);
        for (const sum of this.cores) {
            for (let i = 0; i < sum.core.node.length; i++) {
                const n = sum.core.node[i];
                if (n !== 0 && this.wants(sum.core, i, sum.core.call[i]))
                    self[n - 1] += sum.entries.time[i];
            }
        }
        const total = self.slice();
        for (let n = count - 1; n >= 0; n--) {
            const up = nodes.parent[n], f = frames.function[nodes.frame[n]];
            if (up === 0)
                continue;
            total[n - up] += total[n];
            if (f < MARKS && f !== MARK_OTHERS) /* what it marks had the time */
                self[n - up] += self[n];
        }
        return this.nodeTimes = { self, total };
    }

    /* Where function (f) spends time, by line: of its own, and with what it
     * calls. Falling. */
    lines(f) {
        const { profile } = this, { nodes, frames, calls } = profile;
        const { self, total } = this.byNode(), lines = new Map();
        for (let n = 0; n < total.length; n++) {
            const frame = nodes.frame[n];
            if (frames.function[frame] !== f || !(total[n] > 0))
                continue;
            const key = `${frames.file[frame]}:${frames.line[frame]}`;
            let line = lines.get(key);
            if (line === undefined)
                lines.set(key, line = {
                    file: profile.text(frames.file[frame]),
                    line: frames.line[frame], self: 0, total: 0,
                });
            line.self += self[n];
            line.total += calls.outer[calls.ofNode[n]] ? total[n] : 0;
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

    wants(core, entry, c) {
        const { mode } = this.selection;
        return (mode === "all" || (mode === "idle") === (core.idle[entry] === 1)) &&
            (this.kept === null || this.kept[c] === 1);
    }
}

/* The calls with time of their own on (core), and by call how much; valid until
 * other sums of (mode) are made. Clearing what was used is faster than new
 * memory for each step of a drag. */
function clearedCalls(core, mode, size) {
    core.own = core.own || {};
    const own = core.own[mode] || { time: new Float64Array(size), samples: new Float64Array(size) };
    for (const c of own.calls || [])
        own.time[c] = own.samples[c] = 0;
    own.calls = [];
    return core.own[mode] = own;
}

function addTo(amount, e, i) {
    amount.add(e.samples[i], e.weight[i], e.time[i], e.timeSq[i], e.late[i]);
}

/* Add the (moments) of slots (from) to before (to) to what they are of. */
function addMoments(sums, moments, from, to) {
    if (moments === null)
        return;
    const { slot, entry, weight, late, periods } = moments;
    const begin = lowerBound(slot, from), end = lowerBound(slot, to);
    for (let i = begin, run = 0; i < end; i++) {
        while (run + 1 < periods.length && periods[run + 1].at <= i)
            run++;
        const { period } = periods[run], e = entry[i], time = weight[i] * period;
        sums.samples[e]++;
        sums.weight[e] += weight[i];
        sums.time[e] += time;
        sums.timeSq[e] += time * time;
        sums.late[e] += late[i] * period / 64;
    }
}

/* Sums over each call and all that it calls. */
function accumulate(calls, self) {
    const total = self.slice();
    for (let c = calls.count - 1; c > 0; c--)
        total[calls.parent[c]] += total[c];
    return total;
}
