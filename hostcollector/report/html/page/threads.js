/* SPDX-License-Identifier: BSD-2-Clause */
/* The times of threads, and the scheduling of cores, as in the collector's
 * report/text/thread_times.c. They are of the whole run. */

const THREADS_STEP = 50;
/* Idle time of a core while a thread was ready, in seconds and of the core's time,
 * that deserves a sentence. */
const READY_IDLE_MIN = [.001, .001];

function headRow(heads) {
    return el("thead", "", el("tr", "", ...heads.map(([text, span, left, hint]) => {
        const cell = el("th", left ? "left" : "", text);
        cell.scope = "col";
        cell.colSpan = span;
        cell.title = hint || "";
        return cell;
    })));
}

/* (count) in (ticks) as "1,204/s". */
function rateText(profile, count, ticks) {
    if (!(profile.hz > 0))
        return "?";
    const rate = count * profile.hz / Math.max(ticks, 1);
    return `${rate > 0 && rate < 10 ? rate.toFixed(1) : countText(Math.floor(rate))}/s`;
}

function partText(part, whole) {
    return percentText(whole > 0 ? part / whole : 0);
}

/* The upper bound, in ticks, of the shortest (share) of the times of (core) from
 * ready to running; 0: there are none. */
function readyWithin({ ready }, share) {
    const all = ready.reduce((sum, n) => sum + n, 0);
    let sum = 0;
    return all === 0 ? 0 : 2 ** ready.findIndex((n) => (sum += n) >= share * all);
}

/* The name of thread (number), which shows only its samples; empty for 0. */
function threadCell(profile, number, actions) {
    if (number === 0 || !profile.head.threads)
        return el("td", "left", "");
    const name = el("button", "name", threadName(profile, number));
    name.title = "only the samples of this thread";
    name.addEventListener("click", () => actions.thread(number));
    return el("td", "left", name);
}

class ThreadTable {
    /* (actions): thread(number). */
    constructor(box, actions) {
        this.box = box;
        this.actions = actions;
        this.limit = THREADS_STEP;
    }

    set(profile, state) {
        Object.assign(this, { profile, state });
        this.draw();
    }

    draw() {
        const { profile, limit } = this, order = threadsInOrder(profile);
        const { scheduling } = profile.head;
        this.box.replaceChildren(
            el("h2", "", "Threads"),
            el("table", "threads", headRow([["Thread", 1, true], ["Busy %", 2], ["Running %", 1],
                ["Ready %", 1, false, WORDS.ready[1]], ["Blocked %", 1, false, WORDS.blocked[1]],
                ["Switches", 1], ["Longest wait", 1]]),
               el("tbody", "", ...order.slice(0, limit).map((number) => this.row(number)))));
        if (order.length > limit)
            this.box.append(moreButton(this, order.length, "threads"));
        this.box.append(el("p", "quiet", "Busy: part of the busy time of all cores, from samples. The other " +
            "numbers are sums that the guest reports: parts of the thread's own time, and its longest wait. " +
            "All are of the whole run."));
        if (scheduling.length > 0)
            this.box.append(...this.scheduling(scheduling));
    }

    row(number) {
        const { profile } = this, { all, of } = busyByThread(profile);
        const t = number === 0 ? { wall: 0 } : profile.head.threads[number - 1];
        const part = (ticks) => t.wall > 0 ? barCell(ticks / t.wall, partText(ticks, t.wall)) : el("td", "number", "\u00b7");
        const state = t.idle ? () => el("td", "number", "\u00b7") : part;
        const name = el("button", "name", threadName(profile, number));
        name.title = "only the samples of this thread";
        name.addEventListener("click", () => this.actions.thread(number));
        const row = el("tr", "",
                       el("td", "left", name, el("span", "quiet", (t.idle ? " (idle)" : "") + (t.ended ? " (ended)" : ""))),
                       ...shareCells(of[number].time, of[number].timeSq, all), part(t.running), state(t.ready), state(t.blocked),
                       el("td", "number", t.wall > 0 ? rateText(profile, t.switches, t.wall) : "\u00b7"),
                       el("td", "number", t.longest > 0 ? ticksText(profile, t.longest) : "\u00b7"));
        if (number === this.state.thread)
            row.classList.add("picked");
        return row;
    }

    scheduling(cores) {
        const { profile } = this;
        const time = (core, share) => readyWithin(core, share) > 0
            ? ticksText(profile, readyWithin(core, share)) : "\u00b7";
        const rows = cores.map((core) => [
            String(core.core), rateText(profile, core.switches, core.wall),
            partText(core.running, core.wall), partText(core.idle, core.wall), partText(core.other, core.wall),
            time(core, .5), time(core, .99), time(core, 1), partText(core.moved, core.switches)]);
        const sentences = [refusedText(cores), readyIdleText(profile, cores)].filter((text) => text !== "");
        const table = tableOf(["Core", "Switches", "Running %", "Idle %", "Other %", "Median", "99 %", "Longest", "Moved %"], rows);
        table.className = "scheduling";
        return [
            el("h2", "", "Scheduling"),
            table,
            el("p", "quiet", "Parts of the core's time with threads, with idle threads, and with neither. " +
               "Median to longest: times from ready to running, as upper bounds. Moved: switches to threads " +
               "that ran on another core before."),
            ...sentences.map((text) => el("p", "", text))];
    }
}

function refusedText(cores) {
    const { refused } = cores[0];
    return refused === 0 ? "" : `${countText(refused)} thread${refused === 1 ? "" : "s"} had no room in the ` +
        "guest: give tprof_threads() memory for more.";
}

/* A sentence on the core that was idle for most time while a thread was ready; "":
 * there is none. */
function readyIdleText(profile, cores) {
    const worst = cores.reduce((a, b) => b.ready_idle > a.ready_idle ? b : a);
    const [seconds, part] = READY_IDLE_MIN;
    if (!(profile.hz > 0) || worst.ready_idle < seconds * profile.hz || worst.ready_idle < part * worst.wall)
        return "";
    const text = `Core ${worst.core} was idle for ${ticksText(profile, worst.ready_idle)} ` +
        `(${partText(worst.ready_idle, worst.wall)} %) while a thread was ready.`;
    const ready = profile.head.threads.filter((t) => !t.idle && t.ready > 0)
        .reduce((a, b) => a === null || b.ready > a.ready ? b : a, null);
    return ready === null ? text : `${text} Of all threads ${ready.name} was ready for the longest time, ` +
        `${ticksText(profile, ready.ready)}.`;
}
