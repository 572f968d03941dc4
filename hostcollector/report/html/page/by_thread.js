/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums by thread. A thread has a number: its place in head.threads, plus 1. Number
 * 0 stands for samples without a thread. */

function threadName(profile, number) {
    return number === 0 ? "no thread" : profile.head.threads[number - 1].name;
}

/* Is the thread (number) one that runs when no other thread does? */
function isIdleThread(profile, number) {
    return number > 0 && profile.head.threads[number - 1].idle;
}

/* The threads of a selection by falling time: {number, whole, of}. (whole) is an
 * Amount of the time that percentages are of, (of) a Map from functions to what
 * the thread spent in each. */
function sumsByThread(sums) {
    if (sums.threads)
        return sums.threads;
    const { calls } = sums.profile, { mode } = sums.selection, threads = new Map();
    const amountIn = (map, key) => {
        if (!map.has(key))
            map.set(key, new Amount());
        return map.get(key);
    };
    for (const { core, kinds, has } of sums.cores) {
        const { times, squares } = timesOfEntries(core, sums.selection);
        for (let i = 0; i < times.length; i++) {
            const kind = kinds[core.place[i]], c = core.call[i], number = core.thread[i];
            if (!(times[i] > 0) || (has !== null && has[i] === 0) ||
                (mode !== "all" && (mode === "idle") !== ((kind & IDLE) !== 0)))
                continue;
            if (!threads.has(number))
                threads.set(number, { number, whole: new Amount(), of: new Map() });
            const thread = threads.get(number);
            thread.whole.add(0, times[i], squares[i], 0);
            if (kind & WANTED && calls.leaf[c] !== 0)
                amountIn(thread.of, calls.function[calls.leaf[c]]).add(0, times[i], squares[i], 0);
        }
    }
    sums.threads = [...threads.values()].sort((a, b) => b.whole.time - a.whole.time || a.number - b.number);
    return sums.threads;
}

/* The busy time of each thread in the whole run, by number, and that of all. */
function busyByThread(profile) {
    if (profile.busyThreads)
        return profile.busyThreads;
    const all = new Amount(), of = profile.head.threads.map(() => new Amount());
    of.unshift(new Amount());
    for (const core of profile.cores) {
        for (let i = 0; i < core.node.length; i++) {
            if (core.samples[i] === 0 || core.idle[i] === 1)
                continue;
            all.add(core.samples[i], core.time[i], core.timeSq[i], 0);
            of[core.thread[i]].add(core.samples[i], core.time[i], core.timeSq[i], 0);
        }
    }
    return profile.busyThreads = { all, of };
}

/* All threads, idle ones last: by the time for which they ran as the guest reports
 * it, else by their samples. */
function threadsInOrder(profile) {
    if (profile.threadOrder)
        return profile.threadOrder;
    const { of } = busyByThread(profile), { threads } = profile.head;
    const run = (n) => n === 0 ? 0 : threads[n - 1].running;
    const numbers = of.map((_, n) => n).filter((n) => of[n].samples > 0 ||
        (n > 0 && (threads[n - 1].wall > 0 || threads[n - 1].idle)));
    const last = (n) => isIdleThread(profile, n) ? 1 : 0;
    return profile.threadOrder = numbers.sort((a, b) => last(a) - last(b) || run(b) - run(a) ||
        of[b].time - of[a].time || a - b);
}

/* By number of (lanes): the share of each of (count) equal parts of [from, to), in
 * slots, in which some selected core ran this thread. */
function fillThreads(profile, cores, lanes, from, to, count) {
    const laneOf = new Int32Array(profile.head.threads.length + 1).fill(-1);
    const parts = lanes.map(() => new Float32Array(count));
    lanes.forEach((number, i) => laneOf[number] = i);
    const slotTicks = profile.hz / profile.head.slots_per_s, scale = count / (to - from);
    for (const { moments, thread } of cores.filter((core) => core.moments !== null)) {
        const { slot, entry, weight, periods } = moments;
        periods.forEach(({ at, period }, run) => {
            const end = run + 1 < periods.length ? periods[run + 1].at : slot.length;
            for (let i = Math.max(at, lowerBound(slot, Math.floor(from))); i < end; i++) {
                const lane = laneOf[thread[entry[i]]], x1 = (slot[i] + 1 - from) * scale;
                if (slot[i] > to + 1000 * period / slotTicks + 1)
                    break;
                if (lane >= 0)
                    spread(parts[lane], x1 - weight[i] * period / slotTicks * scale, x1);
            }
        });
    }
    return parts;
}
