/* SPDX-License-Identifier: BSD-2-Clause */
/* The tabs over the views. The Tab key stops at the chosen tab, and arrows lead
 * to the others. */

class Tabs {
    /* (show) is called with the name of the tab that the user chooses. */
    constructor(show) {
        this.box = byId("tabs");
        for (const tab of this.list()) {
            tab.setAttribute("aria-controls", tab.dataset.tab);
            tab.addEventListener("click", () => show(tab.dataset.tab));
        }
        this.box.addEventListener("keydown", (e) => this.key(e));
    }

    list() {
        return [...this.box.querySelectorAll(".tab")];
    }

    set(name) {
        for (const tab of this.list()) {
            const chosen = tab.dataset.tab === name;
            tab.setAttribute("aria-selected", String(chosen));
            tab.tabIndex = chosen ? 0 : -1;
        }
    }

    key(e) {
        const seen = this.list().filter((tab) => tab.offsetParent !== null);
        const at = seen.indexOf(e.target), last = seen.length - 1;
        const to = { ArrowLeft: at > 0 ? at - 1 : last, ArrowRight: at < last ? at + 1 : 0,
                     Home: 0, End: last }[e.key];
        if (to === undefined || at < 0)
            return;
        e.preventDefault();
        seen[to].focus();
        seen[to].click();
    }
}
