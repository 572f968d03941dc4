/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency: the functions that keep the other cores waiting. Each busy sample
 * counts its time divided by the number of cores that are busy at that moment,
 * as in the collector's view/time/latency.h. The time of a sample is known to a
 * slot. */

const INTERVAL_MOST = 1.5; /* the longest interval, in mean intervals */

/* The moments of the selected core of (sum), one after the other. */
class LatencyLane {
    constructor(sum, calls, slotTicks, { from, to }) {
        const { slot, periods } = sum.core.moments;
        this.sum = sum;
        this.calls = calls;
        this.slotTicks = slotTicks;
        this.next = from === null ? 0 : lowerBound(slot, from);
        this.end = from === null ? slot.length : lowerBound(slot, to);
        this.run = 0;
        this.last = -Infinity;
        this.lastBusy = false;
        while (this.run + 1 < periods.length && periods[this.run + 1].at <= this.next)
            this.run++;
        this.find();
    }

    /* The function of the next moment. */
    function() {
        const { core } = this.sum, c = core.call[core.moments.entry[this.next]];
        return this.calls.function[this.calls.leaf[c] || c];
    }

    kind() {
        const { core, kinds } = this.sum;
        return kinds[core.place[core.moments.entry[this.next]]];
    }

    /* Was the core seen at work? */
    isWork() {
        const f = this.function();
        return !(this.kind() & IDLE) && f !== MARK_LENT && f !== MARK_REST;
    }

    /* Find the next moment, and the slot from which on the moment stands for its
     * core. */
    find() {
        const { slot, weight, periods } = this.sum.core.moments;
        this.slot = this.next < this.end ? slot[this.next] : Infinity;
        if (this.next >= this.end)
            return;
        this.time = weight[this.next] * periods[this.run].period;
        const gap = (this.slot - this.last) * this.slotTicks > this.time * INTERVAL_MOST;
        this.from = gap ? this.slot - this.time / this.slotTicks : this.last;
    }

    step() {
        const { periods } = this.sum.core.moments;
        this.last = this.slot;
        this.lastBusy = this.isWork();
        this.next++;
        if (this.run + 1 < periods.length && periods[this.run + 1].at <= this.next)
            this.run++;
        this.find();
    }

    isBusy(slot) {
        if (this.last === slot)
            return this.lastBusy;
        return this.slot < Infinity && this.from < slot && this.isWork();
    }
}

/* Latency of the selected cores, time and functions: {whole, of: a Map from
 * functions to Amounts}. */
function latencyOf({ profile, selection, cores }) {
    const slotTicks = profile.hz / profile.head.slots_per_s;
    const lanes = cores.filter((sum) => sum.core.moments !== null)
        .map((sum) => new LatencyLane(sum, profile.calls, slotTicks, selection));
    const whole = new Amount(), of = new Map();
    for (;;) {
        const first = lanes.reduce((a, b) => b.slot < a.slot ? b : a, { slot: Infinity });
        if (first.slot === Infinity)
            return { whole, of };
        if (first.isWork() && first.kind() & WANTED) {
            let busy = 1;
            for (const lane of lanes)
                busy += lane !== first && lane.isBusy(first.slot) ? 1 : 0;
            const f = first.function(), time = first.time / busy;
            if (!of.has(f))
                of.set(f, new Amount());
            of.get(f).add(1, time, time * time, 0);
            whole.add(1, time, time * time, 0);
        }
        first.step();
    }
}
