/* SPDX-License-Identifier: BSD-2-Clause */
/* Light and dark: as the system has it, or as chosen here. */

function applyTheme(choice) {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    document.documentElement.dataset.theme = choice || system;
}

function themeChosen() {
    try {
        return localStorage.getItem("tprof-theme");
    } catch { /* a file may have no storage */
        return null;
    }
}

function watchTheme(redraw) {
    const system = matchMedia("(prefers-color-scheme: dark)");
    applyTheme(themeChosen());
    system.addEventListener("change", () => {
        applyTheme(themeChosen());
        redraw();
    });
}

function switchTheme() {
    const next = dark() ? "light" : "dark";
    try {
        localStorage.setItem("tprof-theme", next);
    } catch { /* then it lasts as long as the page */ }
    applyTheme(next);
}
