/* SPDX-License-Identifier: BSD-2-Clause */
/* A page on paper is one sheet, light: the head, the time line, the graph, and
 * as many functions as the rest of the sheet has room for. Views of threads and of
 * the start are printed instead of graph and functions. */

const SHEET_PX = 960; /* the height of A4 and of Letter, without margins of 10 mm */
const SHEET_ROWS = [40, 5]; /* most and least functions */

/* Show as many rows of (table) as the sheet has room for. */
function fitSheet(table) {
    for (let [rows, least] = SHEET_ROWS; rows >= least; rows--) {
        table.limit = rows;
        table.draw();
        if (document.body.offsetHeight <= SHEET_PX)
            return;
    }
}

/* On paper nobody opens the further warnings. */
function openWarnings(open) {
    for (const more of document.querySelectorAll("#warnings details"))
        more.open = open;
}

/* (page) has redraw() and paperTable, the table of the view that is printed. */
function watchPaper(page) {
    let table = null, limit = 0;
    addEventListener("beforeprint", () => {
        if (document.documentElement.dataset.ready !== "yes")
            return;
        table = page.paperTable;
        ({ limit } = table);
        applyTheme("light");
        document.body.classList.add("print");
        openWarnings(true);
        page.redraw();
        fitSheet(table);
    });
    addEventListener("afterprint", () => {
        applyTheme(themeChosen());
        document.body.classList.remove("print");
        openWarnings(false);
        if (table !== null)
            table.limit = limit;
        page.redraw();
    });
}
