/* SPDX-License-Identifier: BSD-2-Clause */
/* The address of the page has the view and its choices behind the #, as words of
 * a query. So a view can be passed on. */

const SAVE_MS = 400; /* browsers refuse an address that changes more often */
const LINK_MAX = 2000; /* characters that every mail program leaves in one piece */

/* The words behind the # of the address. */
function linkWords() {
    return new URLSearchParams(location.hash.slice(1));
}

class Link {
    /* (words) returns pairs of a name and a text. The text is null for a choice
     * that the page opens with. (follow) shows the view of such words. */
    constructor(words, follow) {
        this.words = words;
        addEventListener("hashchange", () => follow(linkWords()));
    }

    /* Change the address now, or soon. */
    save() {
        if (this.timer !== undefined) {
            this.late = true;
            return;
        }
        this.write();
        this.timer = setTimeout(() => {
            this.timer = undefined;
            if (this.late)
                this.save();
        }, SAVE_MS);
    }

    write() {
        const words = new URLSearchParams();
        this.late = false;
        for (const [name, text] of this.words()) {
            if (text === null)
                continue;
            words.set(name, text);
            if (String(words).length > LINK_MAX)
                words.delete(name);
        }
        try {
            history.replaceState(null, "", words.size ? `#${words}` : location.pathname +
                location.search);
        } catch { /* the browser refuses: the address stays */ }
    }

    /* The address of the view that is shown now. */
    get text() {
        this.write();
        return location.href;
    }
}

const UNKNOWN_STACK = -2; /* in the place of a function: the stack is not known */

/* Function (f) in an address: by its name, or by its number if an earlier
 * function has the same name, or if the name looks like a number or a path. */
function linkName(functions, f) {
    if (f < 0)
        return `#${f}`;
    const { name } = functions[f];
    return /^#|;/.test(name) || functions.findIndex((g) => g.name === name) !== f
        ? `#${f}` : name;
}

/* The function of such a name in an address; -1: there is none. */
function linkFunction(functions, text) {
    if (!text.startsWith("#"))
        return functions.findIndex((f) => f.name === text);
    const f = Number(text.slice(1));
    return Number.isInteger(f) && f >= UNKNOWN_STACK && f < functions.length ? f : -1;
}

/* Functions from the root to the frame that fills the graph. */
function linkPath(functions, path) {
    return path.length === 0 ? null : path.map((f) => linkName(functions, f)).join(";");
}

function linkFrames(functions, text) {
    return text ? text.split(";").map((name) => linkFunction(functions, name)) : [];
}
