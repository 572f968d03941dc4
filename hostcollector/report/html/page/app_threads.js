/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of a thread, and the views that only some guests have: threads, their
 * waits, requests, locks, and the start. Part of App. */

const THREADS_OFFERED = 200;
const SOME_TABS = ["threads", "offcpu", "requests", "locks", "boot"];

class ThreadChoice {
    constructor(app) {
        this.app = app;
        this.table = new ThreadTable(byId("threads-box"), { thread: (number) => this.choose(number, "flame") });
        this.off = new OffCpu(byId("offcpu-box"), {
            thread: (number) => this.choose(number), pick: (f) => app.pick(f), open: (f) => app.openLines(f),
            changed: () => app.redraw(),
        });
        const chosen = { thread: (number) => this.choose(number, "flame"), pick: (f) => app.pick(f) };
        this.requests = new RequestTable(byId("requests-box"), {
            ...chosen, range: (from, to) => this.showRequest(from, to),
        });
        this.locks = new LockTable(byId("locks-box"), chosen);
        this.boot = new Boot(byId("boot-box"), {
            range: (from, to) => this.showPhase(from, to), pick: (f) => app.pick(f),
        });
        byId("thread").addEventListener("change", (e) => this.choose(e.target.value === "" ? null : +e.target.value));
        byId("by").addEventListener("change", (e) => {
            app.state.by = e.target.value;
            app.redraw();
        });
    }

    /* Show only what (number) did; null: all threads. */
    choose(number, tab = this.app.state.tab) {
        this.app.state.thread = number;
        this.app.state.tab = tab;
        this.app.update();
    }

    /* The thread behind the chosen one, or before it: (by) is 1 or -1. */
    next(by) {
        const { profile, state } = this.app;
        if (!profile.head.threads)
            return;
        const list = [null, ...threadsInOrder(profile)];
        this.choose(list[(list.indexOf(state.thread) + by + list.length) % list.length]);
    }

    /* Has the guest what tab (name) shows? */
    has(name) {
        return !document.querySelector(`.tab[data-tab="${name}"]`).hidden;
    }

    /* Offer the threads and views that (profile) has. */
    offer(profile) {
        const { threads } = profile.head, of = { ...profile.head, offcpu: threads };
        for (const tab of SOME_TABS) {
            const has = of[tab];
            document.querySelector(`.tab[data-tab="${tab}"]`).hidden = !has;
            document.body.classList.toggle(`has-${tab}`, Boolean(has));
        }
        byId("thread-label").hidden = byId("by-label").hidden = !threads;
        this.offered = null;
        /* the guest before may have had more */
        const { state } = this.app;
        state.by = threads ? state.by : "core";
        state.tab = SOME_TABS.includes(state.tab) && !this.has(state.tab) ? "flame" : state.tab;
    }

    /* The list of threads, with the chosen one in any case. */
    showList() {
        const { profile, state } = this.app, all = threadsInOrder(profile);
        const list = all.slice(0, THREADS_OFFERED);
        if (state.thread !== null && !list.includes(state.thread))
            list.push(state.thread);
        if (list.join() !== this.offered) {
            this.offered = list.join();
            const option = (text, value) => {
                const one = el("option", "", text);
                one.value = value;
                return one;
            };
            byId("thread").replaceChildren(option("all threads", ""),
                ...list.map((number) => option(threadName(profile, number), String(number))));
        }
        byId("thread").value = state.thread === null ? "" : String(state.thread);
        byId("by").value = state.by;
    }

    redraw(tab) {
        const { profile, state } = this.app;
        if (profile.head.threads)
            this.showList();
        if (tab === "threads")
            this.table.set(profile, state);
        if (tab === "offcpu")
            this.off.set(profile, state);
        if (tab === "requests")
            this.requests.set(profile);
        if (tab === "locks")
            this.locks.set(profile);
        if (tab === "boot")
            this.boot.set(profile);
    }

    /* The graph of the slots from (from) to (to), in ticks. */
    showRequest(from, to) {
        const { app } = this, { head, hz } = app.profile, slot = (ticks) => ticks / hz * head.slots_per_s;
        app.state.tab = "flame";
        app.setRange(Math.floor(slot(from)), Math.max(Math.floor(slot(from)) + 1, Math.ceil(slot(to))));
    }

    /* The graph of the start's phase from (from) to (to), in seconds of the guest's
     * clock. */
    showPhase(from, to) {
        const { app } = this, { boot, slots_per_s: rate } = app.profile.head;
        app.state.tab = "flame";
        app.setRange(Math.floor((from - boot.dark_seconds) * rate), Math.ceil((to - boot.dark_seconds) * rate));
    }

    /* The choices in the address: see link.js. */
    words() {
        const { state, profile } = this.app;
        const by = profile.head.threads ? profile.head.shown.by : "core";
        return [["thread", state.thread === null ? null : String(state.thread)],
                ["by", state.by === by ? null : state.by],
                ["running", state.running ? "yes" : null]];
    }

    follow(words) {
        const { state, profile } = this.app, { threads, shown } = profile.head;
        const number = Number(words.get("thread"));
        state.thread = threads && words.get("thread") && Number.isInteger(number) && number >= 0 &&
            number <= threads.length ? number : null;
        state.by = threads && ["core", "thread"].includes(words.get("by")) ? words.get("by") : threads ? shown.by : "core";
        state.running = words.get("running") === "yes";
    }
}
