/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as text, and elements. Text enters the page as text only. */

function el(tag, className, ...content) {
    const element = document.createElement(tag);
    if (className)
        element.className = className;
    element.append(...content);
    return element;
}

const byId = (id) => document.getElementById(id);

function countText(n) {
    return Math.round(n).toLocaleString("en-US");
}

function percentText(p) {
    return (100 * p).toFixed(1);
}

/* The error of a share, in percent: "\u00b1" and the larger distance to an end of
 * the 95 % interval, or "<1.9" if the distance is larger than the share; as in the
 * collector's diagnose/share.h. */
function errorText(s) {
    const margin = Math.max(s.high - s.p, s.p - s.low);
    return Math.round(1000 * margin) <= Math.round(1000 * s.p)
        ? `\u00b1${percentText(margin)}` : `<${percentText(s.high)}`;
}

function rangeText(s) {
    return `${percentText(s.low)}\u2013${percentText(s.high)}`;
}

/* "12.3 % (11.5–13.1)" */
function shareText(s) {
    return `${percentText(s.p)} % (${rangeText(s)})`;
}

/* Text of the guest, with control characters as "\x1b". */
function plainText(text) {
    return text.replace(/[\p{Cc}\p{Cf}]/gu, (c) => `\\x${c.codePointAt(0).toString(16).padStart(2, "0")}`);
}

function durationText(s) {
    if (s < 120)
        return `${s.toFixed(s < 10 ? 2 : 1)} s`;
    const two = (n) => String(Math.floor(n)).padStart(2, "0");
    return s < 3600 ? `${Math.floor(s / 60)} min ${two(s % 60)} s`
        : `${Math.floor(s / 3600)} h ${two(s / 60 % 60)} min`;
}

/* A time of the run, as on a clock where the run is long: "1:02:03.5". (step):
 * how far its neighbours are. */
function clockText(s, step) {
    const digits = Math.max(0, Math.min(3, Math.ceil(-Math.log10(step) - 1e-9)));
    if (s < 60)
        return s.toFixed(digits);
    const width = digits ? 3 + digits : 2;
    const rest = (s % 60).toFixed(digits).padStart(width, "0");
    const minutes = Math.floor(s / 60);
    if (s < 3600)
        return `${minutes}:${rest}`;
    return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/* As the option --time takes it: slots are decimal fractions of seconds. */
function secondsText(s) {
    return String(+s.toFixed(3));
}

function ticksText(profile, ticks) {
    if (!(profile.hz > 0))
        return `${countText(ticks)} TSC ticks`;
    const s = ticks / profile.hz;
    if (s < 1e-3)
        return `${(s * 1e6).toPrecision(3)} \u00b5s`;
    return s < 1 ? `${(s * 1e3).toPrecision(3)} ms` : durationText(s);
}

function baseName(path) {
    return path.slice(path.lastIndexOf("/") + 1);
}

/* A steady number from a text, 0 to 1. */
function hashOf(text) {
    let h = 2166136261;
    for (let i = 0; i < text.length; i++)
        h = Math.imul(h ^ text.charCodeAt(i), 16777619);
    h ^= h >>> 15;
    h = Math.imul(h, 0x2c1b3c6d);
    return ((h ^ h >>> 12) >>> 0) / 2 ** 32;
}

/* A regular expression of what a user typed; as plain text if it is none. */
function patternOf(text) {
    if (!text)
        return null;
    const flags = /[A-Z]/.test(text) ? "" : "i";
    try {
        return new RegExp(text, flags);
    } catch {
        return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), flags);
    }
}

/* (lines) beside the pointer; null: none. */
function placeTip(lines, e) {
    const tip = byId("tip");
    tip.hidden = lines === null;
    if (lines === null)
        return;
    tip.replaceChildren(...lines.map((line) => el("div", "", line)));
    const x = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const y = e.clientY + 18 + tip.offsetHeight > innerHeight
        ? e.clientY - tip.offsetHeight - 10 : e.clientY + 18;
    tip.style.left = `${Math.max(4, x)}px`;
    tip.style.top = `${Math.max(4, y)}px`;
}

function toggleHelp() {
    const help = byId("help");
    if (help.open)
        help.close();
    else
        help.showModal();
}
