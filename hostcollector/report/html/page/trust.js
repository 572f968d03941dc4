/* SPDX-License-Identifier: BSD-2-Clause */
/* How far all this can be trusted: accounting, lateness, cost, remarks. */

function tableOf(heads, rows) {
    return el("table", "accounts",
              el("thead", "", el("tr", "", ...heads.map((h, i) =>
                  el("th", i === 0 ? "left" : "", h)))),
              el("tbody", "", ...rows.map((row) => el("tr", "", ...row.map((cell, i) =>
                  el("td", i === 0 ? "left" : "number", cell))))));
}

function ticksOf(a) {
    return a.samples + a.lost + a.ring_full + a.reentered;
}

function accountRows(cores) {
    const names = ["missed", "samples", "lost", "ring_full", "reentered"];
    const sum = { missed: 0, samples: 0, lost: 0, ring_full: 0, reentered: 0 };
    const cells = (name, a) => [name, ticksOf(a) + a.missed, a.missed, ticksOf(a),
                                a.samples, a.lost, a.ring_full, a.reentered]
        .map((v, i) => i === 0 ? v : countText(v));
    const rows = [];
    for (const { account, core } of cores) {
        if (ticksOf(account) + account.missed === 0)
            continue;
        names.forEach((n) => sum[n] += account[n]);
        rows.push(cells(String(core), account));
    }
    if (rows.length > 1)
        rows.push(cells("all", sum));
    return rows;
}

/* What the accounting is of. */
function accountText(head) {
    const parts = ["deadlines = missed + ticks; ticks = samples + lost + full + reentered."];
    if (head.part)
        parts.push("Of the cores and seconds that this page was made of, whatever is selected " +
                   "elsewhere. Lost has all ticks that left no sample, for whatever reason, in each " +
                   "second that was selected or touched.");
    else
        parts.push("Of the whole run and all cores that this page was made of, whatever is " +
                   "selected elsewhere.");
    if (head.without)
        parts.push("Samples and missed are of what was not left out. What was lost may be of " +
                   "any function.");
    return parts.join(" ");
}

/* A line for each of several guests, also of those that failed. */
function guestsTable(overall) {
    const rows = overall.map((g) => [
        g.name, g.elf ? baseName(g.elf) : "unknown", countText(g.samples),
        percentText(g.lost / Math.max(1, g.samples + g.lost)),
        g.busy >= 0 ? percentText(g.busy) : "\u2013", g.trouble || "",
    ]);
    return [el("h2", "", "All guests"),
            tableOf(["Guest", "Image", "Samples", "Lost %", "Busy %", "Trouble"], rows)];
}

function showTrust(box, profile, overall) {
    const { head } = profile;
    const list = el("ul", "remarks");
    for (const remark of head.remarks) {
        const item = el("li", remark.warning ? "warning" : "", remark.text);
        list.append(item);
    }
    const facts = [
        ["Guest's image", head.elf || "unknown"],
        ["Samples from", head.source || "unknown"],
        ["Agent", head.agent || "unknown"],
        ["Asked of each core", `${countText(head.rate_hz)} samples/s`],
        ["Clock", head.tsc_hz > 0 ? `${(head.tsc_hz / 1e6).toFixed(1)} MHz` +
            (head.tsc_measured ? ", measured by the host" : "") : "rate unknown"],
        [head.stood_still ? "Stood still, for samples from outside" : "Cost of the profiler", head.cost_share < 0 ? "unknown"
            : `${(100 * head.cost_share).toFixed(2)} % of the cores' time`],
        ["Late", `${percentText(profile.late)} % of the busy time, by ` +
            `${ticksText(profile, head.late_ticks)} or more. A late sample lands where ` +
            "interrupts came on again, or where the host resumed the core"],
    ];
    if (head.steal >= 0)
        facts.push(["Taken away by the host", `${percentText(head.steal)} % of the cores' time`]);
    box.replaceChildren(
        ...overall ? guestsTable(overall) : [],
        el("h2", "", "Accounting"),
        el("p", "quiet", accountText(head)),
        tableOf(["Core", "Deadlines", "Missed", "Ticks", "Samples", "Lost", "Full", "Reentered"],
                accountRows(head.cores)),
        el("h2", "", "About this run"),
        el("dl", "", ...facts.flatMap(([name, value]) => [el("dt", "", name), el("dd", "", value)])),
        el("h2", "", "Remarks"), list,
        el("p", "quiet", "Ranges: the true share of this run is within its range in 95 of 100 " +
           "cases. A range covers the sampling error of this run only, not how another run " +
           "would differ."));
    if (head.remarks.length === 0)
        list.append(el("li", "", "None."));
}

/* Ticks that left no sample, of the selected cores and seconds: [lost, ticks]. */
function lostIn(profile, selection) {
    let lost = 0, ticks = 0;
    const rate = profile.head.slots_per_s;
    for (const i of selection.cores) {
        const { head } = profile.cores[i];
        if (selection.from === null) {
            lost += ticksOf(head.account) - head.account.samples;
            ticks += ticksOf(head.account);
            continue;
        }
        for (const [second, , n] of head.lost) {
            if ((second + 1) * rate > selection.from && second * rate < selection.to)
                lost += n;
        }
    }
    return [lost, ticks];
}

/* One line under each view: how many samples, their error, what is missing. */
function truthText(sums) {
    const { profile, selection, whole, shown } = sums;
    const [lost, ticks] = lostIn(profile, selection), n = effective(whole);
    const parts = [`${countText(shown.samples)} samples`];
    if (n > 0) {
        const half = share(whole.time / 2, 0, whole);
        parts.push(`error of a share of 50 %: ${errorText(half)}`);
    } else
        parts.push("no samples, so nothing is known");
    if (ticks === 0)
        parts.push(`lost: ${countText(lost)} ticks in these seconds`);
    else if (profile.head.without)
        parts.push(`lost: ${countText(lost)} ticks, of any function`);
    else
        parts.push(`lost: ${countText(lost)} of ${countText(ticks)} ticks`);
    if (sums.busy.time > 0)
        parts.push(`late: ${percentText(latePart(sums.busy.late, sums.busy.time))} % of the busy time`);
    if (profile.timed && profile.head.timed_slots < profile.head.slots)
        parts.push(`by time only until ${durationText(profile.seconds(profile.head.timed_slots))}: ` +
            "there was no memory for more");
    return parts.join("; ");
}
