/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks: how long threads waited for them, where, and who held them, as in the
 * collector's report/text/lock_rows.c. They are of the whole run. */

const LOCKS_STEP = 30, LOCK_STACKS = 6;
/* From this part of the holds on, holders that did not run deserve a sentence. */
const IDLE_HOLDER_MIN = .05;

/* The indices of the locks: first those with most waits, then the busiest. */
function locksInOrder({ head: { locks } }) {
    return [...locks.keys()].sort((a, b) => locks[b].waits.time - locks[a].waits.time ||
        locks[b].acquires - locks[a].acquires || a - b);
}

/* "queue: of 300 ms held, holders were ready for 90 ms, blocked for 90 ms" */
function idleHolderText(profile, { name, holds }) {
    const { time, ready, blocked } = holds, text = (ticks) => ticksText(profile, ticks);
    return time === 0 || (ready + blocked) / time < IDLE_HOLDER_MIN ? ""
        : `${name}: of ${text(time)} held, holders were ready for ${text(ready)}, blocked for ${text(blocked)}.`;
}

class LockTable {
    /* (actions): thread(number), pick(function). */
    constructor(box, actions) {
        this.box = box;
        this.actions = actions;
        this.limit = LOCKS_STEP;
    }

    set(profile) {
        this.profile = profile;
        this.draw();
    }

    draw() {
        const { profile, limit } = this, { locks } = profile.head, order = locksInOrder(profile);
        const shown = order.slice(0, limit), untimed = locks.reduce((sum, lock) => sum + lock.untimed, 0);
        const stacks = shown.flatMap((number) => this.stacks(number));
        this.box.replaceChildren(el("h2", "", "Locks"), el("table", "locks", headRow([["Lock", 1, true], ["Waited", 1],
            ["Contended %", 1, false, "part of the acquires for which a thread waited"], ["Longest wait", 1],
            ["Spinning %", 1, false, "part of the waiting time in which the waiting threads ran"], ["Acquires", 1],
            ["Most waiting", 1, false, "most threads that waited at one time"], ["Held %", 1], ["Longest hold", 1]]),
            el("tbody", "", ...shown.map((number) => this.row(locks[number])))));
        if (order.length > limit)
            this.box.append(moreButton(this, order.length, "locks"));
        for (const number of shown)
            for (const text of [idleHolderText(profile, locks[number]), this.endText(locks[number])])
                if (text !== "")
                    this.box.append(el("p", "", text));
        if (untimed > 0)
            this.box.append(el("p", "", `The time of ${countText(untimed)} wait${untimed === 1 ? "" : "s"} for locks is ` +
                "not known, because too many threads waited: give tprof_locks() more waits."));
        if (stacks.length > 0)
            this.box.append(el("h2", "", "Who waited, and who held the lock meanwhile"), el("table", "waits lock-stacks",
                headRow([["Lock", 1, true], ["Stack of", 1, true], ["Of the time %", 1], ["Count", 1], ["Longest", 1],
                    ["Thread", 1, true], ["In (innermost first)", 1, true]]), el("tbody", "", ...stacks)));
        this.box.append(el("p", "quiet", "All numbers are of the whole run. Holders: holds at whose end threads waited."));
    }

    row({ name, wall, acquires, waits, holds, most_waiting: most }) {
        const { profile } = this, time = (ticks) => ticks > 0 ? ticksText(profile, ticks) : "\u00b7";
        const contended = acquires > 0 ? Math.min(1, waits.count / acquires) : 0;
        const spun = waits.time > 0 ? 1 - (waits.ready + waits.blocked) / waits.time : 0;
        return el("tr", "", el("td", "left", name), el("td", "number", time(waits.time)),
            barCell(contended, percentText(contended)), el("td", "number", time(waits.longest)),
            el("td", "number", most > 0 && waits.time > 0 ? percentText(spun) : "\u00b7"),
            el("td", "number", rateText(profile, acquires, wall)),
            el("td", "number", most > 0 ? countText(most) : "\u00b7"),
            holds.count > 0 ? barCell(holds.time / wall, partText(holds.time, wall)) : el("td", "number", "\u00b7"),
            el("td", "number", time(holds.longest)));
    }

    /* Threads that waited, and a holder that held the lock, when the run ended. */
    endText({ name, waiting, holding }) {
        const parts = [];
        if (waiting > 0)
            parts.push(`${countText(waiting)} thread${waiting === 1 ? "" : "s"} waited`);
        if (holding > 0)
            parts.push(`a thread had held the lock for ${ticksText(this.profile, holding)}`);
        return parts.length === 0 ? "" : `${name}, at the end of the run: ${parts.join(", ")}.`;
    }

    /* Rows of the stacks that waited for lock (number), then of those that held it. */
    stacks(number) {
        const rows = [];
        for (const holds of [false, true]) {
            const list = this.profile.head.lock_waits.filter((wait) => wait.lock === number && wait.holds === holds &&
                wait.times.count > 0).sort((a, b) => b.times.time - a.times.time);
            const all = list.reduce((sum, { times }) => sum + times.time, 0);
            rows.push(...list.slice(0, LOCK_STACKS).map((wait) => this.stackRow(wait, all)));
        }
        return rows;
    }

    stackRow({ lock, holds, thread, times, stack }, all) {
        const { profile } = this, part = all > 0 ? times.time / all : 0;
        return el("tr", "", el("td", "left", profile.head.locks[lock].name), el("td", "left", holds ? "holders" : "waiters"),
            barCell(part, percentText(part)), el("td", "number", countText(times.count)),
            el("td", "number", ticksText(profile, times.longest)), threadCell(profile, thread, this.actions),
            chainCell(profile, [...stack || []].reverse(), (f) => this.actions.pick(f)));
    }
}
