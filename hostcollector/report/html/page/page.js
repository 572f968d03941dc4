/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame of both pages, that of a report and that of a difference. A page has
 * (state), redraw(), text(), which is its table for a mail, and back(), which
 * undoes what was chosen last. */

const TOLD_MS = 4000; /* the note that text was copied disappears after this */

class Page {
    bindFrame() {
        const on = (id, act) => byId(id).addEventListener("click", act);
        this.tabs = new Tabs((name) => this.showTab(name));
        byId("search").addEventListener("input", (e) => this.search(e.target.value));
        on("skip", () => this.skip());
        on("link", () => this.copy(this.link.text, "address"));
        on("theme", () => this.theme());
        on("help-button", () => this.help());
        on("help-close", () => byId("help").close());
        on("copy-text", () => this.copy(this.text()));
        watchTheme(() => this.redraw());
        watchPaper(this);
        matchMedia("(min-width: 1500px)").addEventListener("change", () => this.redraw());
    }

    /* On a wide screen the functions stand beside the other views. */
    get wide() {
        return innerWidth >= 1500;
    }

    get printed() {
        return document.body.classList.contains("print");
    }

    get paperTable() {
        return this.table;
    }

    /* The tab whose view is shown. */
    showView() {
        const { tab } = this.state;
        document.body.dataset.tab = this.wide && tab === "functions" ? "flame" : tab;
        this.tabs.set(document.body.dataset.tab);
        return document.body.dataset.tab;
    }

    showTab(name) {
        this.state.tab = name;
        this.redraw();
    }

    /* Move the focus from the head of the page to the view of the tab. */
    skip() {
        const within = "button, select, input, canvas, [tabindex]";
        const view = document.querySelector(`#${document.body.dataset.tab}`);
        const first = [...view.querySelectorAll(within)].find((e) => e.offsetParent !== null);
        (first || this.tabs.list().find((tab) => tab.tabIndex === 0)).focus();
    }

    /* Show one warning, and the others after a click. */
    showWarnings(texts) {
        const list = texts.map((text) => el("p", "warning", text)), box = byId("warnings");
        box.hidden = list.length === 0;
        box.replaceChildren(...list.slice(0, 1));
        if (list.length > 1)
            box.append(el("details", "warning", el("summary", "",
                `${list.length - 1} more warning${list.length > 2 ? "s" : ""}`), ...list.slice(1)));
    }

    /* Copy (text), and write a note that screen readers read aloud. (what) is
     * "address"; without (what) the note has the number of lines. */
    async copy(text, what) {
        let said = what ? `copied the ${what}`
            : `copied ${countText(text.split("\n").length - 1)} lines`;
        try {
            await navigator.clipboard.writeText(text);
        } catch {
            said = "the browser does not let this page copy";
        }
        byId("copied").textContent = said;
        clearTimeout(this.told);
        this.told = setTimeout(() => byId("copied").textContent = "", TOLD_MS);
    }

    theme() {
        switchTheme();
        this.redraw();
    }

    help() {
        toggleHelp();
    }

    escape() {
        if (byId("help").open)
            byId("help").close();
        else if (byId("search").value) {
            byId("search").value = "";
            this.search("");
        } else
            this.back();
    }
}
