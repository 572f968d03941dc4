/* SPDX-License-Identifier: BSD-2-Clause */
/* What happened when: sums over moments for the timeline and the heatmap. A
 * sample stands for the time before it, as in the collector's view/time/timeline.h. */

/* The moments of (core) in (count) equal parts of [from, to), in slots:
 * {busy, idle, late, found}, each as shares of a part's time. (late): of busy,
 * samples that came late; (found): of entries that (hit) has marked;
 * (longest): the longest lateness of a sample, in slots. */
function fillParts(profile, core, from, to, count, hit) {
    const parts = {
        busy: new Float32Array(count), idle: new Float32Array(count),
        late: new Float32Array(count), found: new Float32Array(count),
        longest: new Float32Array(count),
    };
    const m = core.moments;
    if (m === null || !(to > from))
        return parts;
    const slotTicks = profile.hz / profile.head.slots_per_s;
    const scale = count / (to - from);
    /* a sample behind the end may stand for time before it */
    const begin = lowerBound(m.slot, Math.floor(from)), end = m.slot.length;
    const { slot, entry, weight, late, periods } = m;
    let run = 0;
    for (let i = begin; i < end; i++) {
        while (run + 1 < periods.length && periods[run + 1].at <= i)
            run++;
        const period = periods[run].period / slotTicks;
        const time = weight[i] * period;
        const x1 = (slot[i] + 1 - from) * scale;
        const x0 = x1 - time * scale;
        if (x0 >= count) {
            if (slot[i] > to + 1000 * period + 1)
                break;
            continue;
        }
        const kind = entry[i];
        const delay = Math.min(time, (late[i] >>> 1) * period / 64);
        const idle = core.idle[kind] === 1, own = idle ? parts.idle : parts.busy;
        const at = Math.min(count - 1, Math.floor(x1));
        if (x1 < count) {
            if (delay > parts.longest[at])
                parts.longest[at] = delay;
        }
        if (x1 < count && Math.floor(x0) === at && x0 >= 0) {
            own[at] += x1 - x0;
            if (!idle && late[i] & 1)
                parts.late[at] += x1 - x0;
            if (hit !== null && hit[kind])
                parts.found[at] += x1 - x0;
            continue;
        }
        spread(own, x0, x1);
        if (!idle && late[i] & 1)
            spread(parts.late, x0, x1);
        if (hit !== null && hit[kind])
            spread(parts.found, x0, x1);
    }
    return parts;
}

/* Add 1 for each unit of [x0, x1) to the parts that it covers. */
function spread(parts, x0, x1) {
    x0 = Math.max(0, x0);
    x1 = Math.min(parts.length, x1);
    for (let i = Math.floor(x0); i < x1; i++)
        parts[i] += Math.min(x1, i + 1) - Math.max(x0, i);
}

/* Steps of seconds that are easy to read. */
const STEPS = [.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 30,
    60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

function stepFor(seconds) {
    return STEPS.find((s) => s >= seconds) || Math.ceil(seconds / 86400) * 86400;
}

/* A canvas of (height) that fills (box), ready to draw in CSS pixels. */
function sizedCanvas(canvas, width, height) {
    const dpr = devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(width * dpr));
    canvas.height = Math.max(1, Math.round(height * dpr));
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const g = canvas.getContext("2d");
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, width, height);
    return g;
}

/* What was drawn once, until it would look otherwise: while a time is dragged
 * only the selection changes. */
class Picture {
    /* Draw what (paint) draws into (width) x (height) of (g). (key) changes with
     * what that depends on, the theme and the screen apart. */
    put(g, key, width, height, paint) {
        const full = [key, width, height, devicePixelRatio,
                      document.documentElement.dataset.theme].join();
        if (full !== this.key) {
            this.canvas = this.canvas || document.createElement("canvas");
            paint(sizedCanvas(this.canvas, width, height));
            this.key = full;
        }
        g.drawImage(this.canvas, 0, 0, width, height);
    }
}
