/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency: the functions that keep the other cores waiting. Each busy sample
 * counts its time divided by the number of cores that are busy at that moment,
 * as in the collector's view/time/latency.h. The time of a sample is known to a
 * slot. */

const INTERVAL_MOST = 1.5; /* the longest interval, in mean intervals */

/* Call (act) with each selected moment of a core's (sum): its entry, time, slot,
 * and the slot behind which it stands for its core. */
function eachMoment({ core }, slotTicks, { from, to }, act) {
    const { slot: slots, weight, entry } = core.moments;
    let last = -Infinity;
    eachPeriod(core.moments, from === null ? 0 : from, from === null ? Infinity : to, (begin, end, period) => {
        for (let i = begin; i < end; i++) {
            const slot = slots[i], time = weight[i] * period;
            const gap = (slot - last) * slotTicks > time * INTERVAL_MOST;
            act(entry[i], time, slot, gap ? slot - time / slotTicks : last);
            last = slot;
        }
    });
}

/* Was the core of (sum) seen at work, by entry? */
function workOf({ core, kinds }, { function: functions, leaf }) {
    return Uint8Array.from(core.call, (c, entry) => {
        const f = functions[leaf[c] || c];
        return !(kinds[core.place[entry]] & IDLE) && f !== MARK_LENT && f !== MARK_REST ? 1 : 0;
    });
}

/* The number of busy cores in each slot. (works) has workOf() of each of (sums). */
function busyCores(sums, works, slotTicks, { profile, selection }) {
    const busy = new Int32Array(profile.head.slots + 2);
    sums.forEach((sum, i) => eachMoment(sum, slotTicks, selection, (entry, time, slot, since) => {
        const first = Math.max(0, Math.floor(since) + 1);
        if (works[i][entry] === 0 || first > slot)
            return;
        busy[first]++;
        busy[slot + 1]--;
    }));
    for (let slot = 1; slot < busy.length; slot++)
        busy[slot] += busy[slot - 1];
    return busy;
}

/* Latency of the selected cores, time and functions: {whole, of: a Map from
 * functions to Amounts}. */
function latencyOf({ profile, selection, cores }) {
    const { calls } = profile, slotTicks = profile.hz / profile.head.slots_per_s;
    const sums = cores.filter((sum) => sum.core.moments !== null);
    const works = sums.map((sum) => workOf(sum, calls));
    const busy = busyCores(sums, works, slotTicks, { profile, selection });
    const whole = new Amount(), of = new Map();
    sums.forEach(({ core, kinds, has }, i) => {
        let last = -1, counted = 0; /* is the core itself in busy[last]? */
        eachMoment({ core }, slotTicks, selection, (entry, time, slot) => {
            const c = core.call[entry], f = calls.function[calls.leaf[c] || c];
            counted = slot === last ? counted : works[i][entry];
            last = slot;
            if (works[i][entry] === 0 || !(kinds[core.place[entry]] & WANTED) || (has !== null && has[entry] === 0))
                return;
            const part = time / (busy[slot] + 1 - counted);
            if (!of.has(f))
                of.set(f, new Amount());
            of.get(f).add(1, part, part * part, 0);
            whole.add(1, part, part * part, 0);
        });
    });
    return { whole, of };
}
