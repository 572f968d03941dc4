/* SPDX-License-Identifier: BSD-2-Clause */
/* The times of requests, and the slowest requests with their story, as in the
 * collector's report/text/request_rows.c. They are of the whole run. */

const SLOW_STEP = 30, SLOW_PLACES = 8;

/* Does the kernel report switches? Without them each request is running. */
function knowsStates({ head }) {
    return (head.scheduling || []).length > 0;
}

function kindName({ name, kind }) {
    return name === "" ? `kind ${kind}` : plainText(name);
}

/* The stack of the longest wait of (request), outermost first; undefined: unknown. */
function slowStack({ head }, request) {
    return request.wait > 0 && head.waits ? head.waits[request.wait - 1].stack : undefined;
}

/* Where slow requests waited longest: {stack, count, ticks}, by falling count.
 * Waits of several threads at one stack are one place. */
function slowPlaces(profile) {
    const places = new Map();
    for (const request of profile.head.slow) {
        const stack = slowStack(profile, request), key = request.wait > 0 ? String(stack) : "none";
        if (!places.has(key))
            places.set(key, { stack, waited: request.wait > 0, count: 0, ticks: 0 });
        places.get(key).count++;
        places.get(key).ticks += request.longest;
    }
    return [...places.values()].sort((a, b) => b.count - a.count);
}

class RequestTable {
    /* (actions): thread(number), pick(function), range(from, to) in ticks. */
    constructor(box, actions) {
        this.box = box;
        this.actions = actions;
        this.limit = SLOW_STEP;
    }

    set(profile) {
        this.profile = profile;
        this.draw();
    }

    draw() {
        const { profile } = this, { requests, slow } = profile.head;
        const refused = requests.reduce((sum, kind) => sum + kind.refused, 0);
        this.box.replaceChildren(el("h2", "", "Requests"), this.kinds(requests), el("p", "quiet",
            "50 % to 99.9 %: so many of the requests took no longer. Running, ready and blocked are parts of the " +
            "requests' time; in the rest no thread worked on them. All numbers are of the whole run."));
        if (refused > 0)
            this.box.append(el("p", "", `${countText(refused)} request${refused === 1 ? "" : "s"} had no room in ` +
                `the guest and ${refused === 1 ? "is" : "are"} missing: give tprof_requests() memory for more open requests.`));
        if (slow.length > 1 && knowsStates(profile))
            this.box.append(el("h2", "", "Where slow requests waited longest"), this.places());
        if (slow.length > 0)
            this.box.append(el("h2", "", "Slowest requests"), this.slowest(slow));
        if (slow.length > this.limit)
            this.box.append(moreButton(this, slow.length, "requests"));
    }

    /* Cells of the parts of (times). */
    parts({ time, running, ready, blocked }) {
        const known = knowsStates(this.profile) && time > 0;
        return [running, ready, blocked, Math.max(0, time - running - ready - blocked)].map((part) =>
            known ? barCell(part / time, partText(part, time)) : el("td", "number", "\u00b7"));
    }

    partHeads() {
        return [["Running %", 1], ["Ready %", 1, false, WORDS.ready[1]], ["Blocked %", 1, false, WORDS.blocked[1]],
                ["No thread %", 1, false, "Time in which no known thread worked on the request."]];
    }

    kinds(requests) {
        const { profile } = this;
        const row = (kind) => el("tr", "", el("td", "left", kindName(kind)),
            el("td", "number", rateText(profile, kind.count, kind.wall)),
            ...[0, 1, 2, 3].map((i) => el("td", "number", i < kind.within.length
                ? ticksText(profile, kind.within[i]) : "\u00b7")),
            el("td", "number", ticksText(profile, kind.longest)), ...this.parts(kind));
        return el("table", "requests", headRow([["Request", 1, true], ["Rate", 1], ["50 %", 1], ["90 %", 1], ["99 %", 1],
            ["99.9 %", 1], ["Longest", 1], ...this.partHeads()]), el("tbody", "", ...requests.map(row)));
    }

    chain(stack) {
        return chainCell(this.profile, [...stack || []].reverse(), (f) => this.actions.pick(f));
    }

    places() {
        const { profile } = this, all = profile.head.slow.length;
        const row = ({ stack, waited, count, ticks }) => el("tr", "", barCell(count / all, percentText(count / all)),
            el("td", "number", ticks > 0 ? ticksText(profile, ticks / count) : "\u00b7"),
            waited ? this.chain(stack) : el("td", "left chain", "no wait: they ran, or no thread worked on them"));
        return el("table", "waits places", headRow([["Of slow requests %", 1], ["Mean wait", 1],
            ["Waited in (innermost first)", 1, true]]), el("tbody", "", ...slowPlaces(profile).slice(0, SLOW_PLACES).map(row)));
    }

    slowest(slow) {
        const list = [...slow].sort((a, b) => b.time - a.time).slice(0, this.limit);
        return el("table", "waits slowest", headRow([["Time", 1], ["Request", 1, true], ["At", 1], ["Thread", 1, true],
            ...this.partHeads(), ["Longest wait", 1], ["Waited in (innermost first)", 1, true]]),
            el("tbody", "", ...list.map((request) => this.story(request))));
    }

    story(request) {
        const { profile } = this;
        const kind = profile.head.requests.find((one) => one.kind === request.kind) || { name: "", kind: request.kind };
        return el("tr", "", el("td", "number", ticksText(profile, request.time)),
            el("td", "left", `${kindName(kind)} ${request.number}`), this.at(request), threadCell(profile, request.thread, this.actions),
            ...this.parts(request), el("td", "number", request.longest > 0 ? ticksText(profile, request.longest) : "\u00b7"),
            request.wait > 0 ? this.chain(slowStack(profile, request)) : el("td", "left", ""));
    }

    /* The time at which (request) began, which shows what the cores did meanwhile. */
    at({ began, time }) {
        const { profile } = this;
        if (!(profile.hz > 0))
            return el("td", "number", "\u00b7");
        const text = `${(began / profile.hz).toFixed(3)} s`;
        if (!profile.timed)
            return el("td", "number", text);
        const button = el("button", "name", text);
        button.title = "the graph of this time";
        button.addEventListener("click", () => this.actions.range(began, began + time));
        return el("td", "number", button);
    }
}
