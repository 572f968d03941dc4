/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours that mean something: a hue for each source file, or for each image
 * where there are several; grey where a core sleeps or a stack is not known. */

const dark = () => document.documentElement.dataset.theme === "dark";

class Colours {
    constructor(profile) {
        this.profile = profile;
        this.by = profile.images.length > 1 ? "image" : "file";
        this.known = new Map();
        this.theme = null;
        this.imageOf = new Map();
        const { function: functions, image } = profile.frames;
        for (let i = 0; i < functions.length; i++) {
            if (!this.imageOf.has(functions[i]))
                this.imageOf.set(functions[i], image[i]);
        }
        this.hues = hueOrder(profile);
    }

    /* What the colour of function (f) stands for. */
    groupOf(f) {
        if (f < MARKS)
            return "";
        if (this.by === "image")
            return this.profile.images[this.imageOf.get(f)] || "kernel";
        return this.by === "file" ? this.profile.fileOf.get(f) || "" :
            this.profile.functions[f].name;
    }

    /* The background of function (f), of whose time (late) came late. */
    of(f, late) {
        if (f < 0)
            return cssColour("--root");
        if (f < MARKS)
            return cssColour("--mark");
        if (this.by === "late")
            return this.ofLate(late);
        const theme = this.by + dark();
        if (theme !== this.theme) {
            this.theme = theme;
            this.known.clear();
        }
        let colour = this.known.get(f);
        if (colour === undefined)
            this.known.set(f, colour = this.make(f));
        return colour;
    }

    ofLate(late) {
        return dark() ? `hsl(34 ${Math.round(12 + 60 * late)}% ${Math.round(26 + 6 * late)}%)`
            : `hsl(34 ${Math.round(12 + 78 * late)}% ${Math.round(92 - 26 * late)}%)`;
    }

    make(f) {
        const group = this.groupOf(f);
        const tone = hashOf(this.profile.functions[f].name);
        if (group === "")
            return dark() ? `hsl(215 9% ${31 + 6 * tone}%)` : `hsl(215 14% ${83 + 5 * tone}%)`;
        const order = this.hues.get(group);
        const hue = order === undefined ? 360 * hashOf(group) : hueOf(order);
        return dark() ? `hsl(${hue + 10 * tone - 5} ${30 + 10 * tone}% ${26 + 7 * tone}%)`
            : `hsl(${hue + 10 * tone - 5} ${48 + 16 * tone}% ${79 + 7 * tone}%)`;
    }
}

/* Hues that are far from each other, for as many groups as matter. */
function hueOf(order) {
    const hues = [212, 152, 268, 24, 330, 186, 48, 100, 240, 0];
    return hues[order % hues.length] + 14 * Math.floor(order / hues.length);
}

/* Images in their order, files by how much time was spent in them. */
function hueOrder(profile) {
    const time = new Map(), { calls } = profile;
    for (const core of profile.cores) {
        for (let i = 0; i < core.call.length; i++) {
            const leaf = calls.leaf[core.call[i]];
            const file = profile.fileOf.get(calls.function[leaf]);
            if (file && !core.idle[i])
                time.set(file, (time.get(file) || 0) + core.time[i]);
        }
    }
    const order = new Map(profile.images.map((name, i) => [name || "kernel", i]));
    [...time].sort((a, b) => b[1] - a[1])
        .forEach(([file], i) => order.set(file, i));
    return order;
}

const cssCache = new Map();

function cssColour(name) {
    const key = name + document.documentElement.dataset.theme;
    if (!cssCache.has(key))
        cssCache.set(key, getComputedStyle(document.documentElement)
            .getPropertyValue(name).trim());
    return cssCache.get(key);
}
