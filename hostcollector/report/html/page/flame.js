/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a tree of tree.js into a canvas: only what is wider than a pixel, and
 * only the rows in sight. Zooming changes the part [left, right) of the root's
 * width that is shown. */

const ROW = 19;
const FONT = "12px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const calm = matchMedia("(prefers-reduced-motion: reduce)");

class FlameView {
    /* (box) scrolls. (actions): hover(node, event), focus(node), pick(node), zoomed(node),
     * and note(node), what stands behind the name; without it the share. */
    constructor(box, actions, label) {
        this.box = box;
        this.actions = actions;
        this.canvas = el("canvas", "flame-canvas");
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "application");
        this.canvas.setAttribute("aria-label", `${label}; arrow keys lead from frame to frame`);
        this.space = el("div", "flame-space", this.canvas);
        box.replaceChildren(this.space);
        this.upward = false;
        this.root = null;
        this.zoomPath = []; /* functions from the root to the frame that fills the width */
        this.left = 0;
        this.right = 1;
        this.hit = null; /* search: a Uint8Array by function; null: none */
        this.focused = null;
        this.hovered = null;
        this.rows = [];
        box.addEventListener("scroll", () => this.draw());
        this.listen();
        new ResizeObserver(() => this.draw(true)).observe(box);
    }

    /* Show (root); zoomed to where the same path is, if it is there. */
    set(root, colours, whole, upward) {
        const zoomed = this.zoomPath;
        const flipped = upward !== this.upward;
        Object.assign(this, { root, colours, whole, upward });
        this.focused = this.hovered = null;
        root.x0 = 0;
        root.x1 = 1;
        let node = root;
        for (const kind of zoomed) {
            this.place(node, 0);
            const kid = node.kids(0).find((k) => k.function === kind);
            if (kid === undefined)
                break;
            node = kid;
        }
        this.zoomPath = node.path().map((n) => n.function);
        this.top = node; /* fills the width */
        this.left = node.x0;
        this.right = node.x1;
        this.draw(true);
        if (flipped || !this.scrolled) {
            this.box.scrollTop = upward ? this.box.scrollHeight : 0;
            this.scrolled = true;
        }
    }

    /* Give the children of (node), of (least) time or more, their places. */
    place(node, least) {
        const kids = node.kids(least), width = this.root.time;
        let at = node.x0 * width;
        for (const kid of kids) {
            kid.x0 = at / width;
            at += kid.time;
            kid.x1 = at / width;
        }
        return kids;
    }

    layout() {
        const width = this.box.clientWidth;
        const least = this.root.time * (this.right - this.left) / Math.max(width, 1);
        this.rows = [];
        const visit = (node, depth) => {
            (this.rows[depth] = this.rows[depth] || []).push(node);
            if (depth > 4096)
                return;
            for (const kid of this.place(node, least)) {
                if (kid.x0 >= this.right)
                    break;
                if (kid.x1 > this.left && kid.time >= least)
                    visit(kid, depth + 1);
            }
        };
        if (this.root.time > 0)
            visit(this.root, 0);
    }

    draw(again) {
        if (this.root === null || this.box.clientWidth === 0)
            return;
        if (again)
            this.layout();
        if (again) {
            const most = this.box.classList.contains("half") ? "34vh" : "72vh";
            this.tallest = Math.max(this.tallest || 0, this.rows.length * ROW + 4);
            this.box.style.height = `min(${this.tallest}px, ${most})`;
        }
        const { clientWidth: width, clientHeight: seen } = this.box;
        const height = Math.max(this.rows.length * ROW + 2, seen);
        this.height = height;
        this.space.style.height = `${height}px`;
        const dpr = devicePixelRatio || 1;
        if (this.canvas.width !== Math.round(width * dpr) ||
            this.canvas.height !== Math.round(seen * dpr)) {
            this.canvas.width = Math.round(width * dpr);
            this.canvas.height = Math.round(seen * dpr);
            this.canvas.style.width = `${width}px`;
            this.canvas.style.height = `${seen}px`;
        }
        const g = this.canvas.getContext("2d");
        g.setTransform(dpr, 0, 0, dpr, 0, 0);
        g.clearRect(0, 0, width, seen);
        g.font = FONT;
        g.textBaseline = "middle";
        this.charWidth = g.measureText("0123456789").width / 10;
        const top = this.box.scrollTop;
        for (let depth = 0; depth < this.rows.length; depth++) {
            const y = this.y(depth) - top;
            if (y < -ROW || y > seen)
                continue;
            for (const node of this.rows[depth])
                this.drawNode(g, node, y, width);
        }
    }

    y(depth) {
        return this.upward ? this.height - (depth + 1) * ROW : depth * ROW;
    }

    drawNode(g, node, y, width) {
        const scale = width / (this.right - this.left);
        const x0 = Math.max(0, (node.x0 - this.left) * scale);
        const x1 = Math.min(width, (node.x1 - this.left) * scale);
        const w = x1 - x0, f = node.function;
        const late = latePart(node.late, node.time);
        const missed = this.hit !== null && (f < 0 || !this.hit[f]);
        g.globalAlpha = missed ? .28 : 1;
        g.fillStyle = this.colours.of(f, late, node);
        g.fillRect(x0, y, Math.max(w - (w > 3 ? 1 : .4), .6), ROW - 1);
        const part = this.colours.part ? this.colours.part(node) : 0;
        if (part > 0) { /* of the frame has a colour of its own */
            g.fillStyle = this.colours.second(f);
            g.fillRect(x0 + (w - 1) * (1 - part), y, Math.max((w - 1) * part, .6), ROW - 1);
        }
        if (w > 2 && late > 0 && this.colours.by !== "late" &&
            this.root.sums.profile.isLate(late)) {
            g.fillStyle = cssColour("--late");
            g.fillRect(x0, y + ROW - 3, Math.max(w - 1, .6), 2);
        }
        if (node === this.focused || node === this.hovered) {
            g.strokeStyle = cssColour("--text");
            g.lineWidth = node === this.focused ? 1.6 : 1;
            g.strokeRect(x0 + .75, y + .75, Math.max(w - 2.5, 1), ROW - 2.5);
        }
        const room = Math.floor((w - 8) / this.charWidth);
        if (room >= 2) {
            g.fillStyle = f >= 0 && f < MARKS ? cssColour("--quiet") : cssColour("--text");
            g.fillText(this.label(node, room), x0 + 4, y + ROW / 2);
        }
        g.globalAlpha = 1;
    }

    label(node, room) {
        let name = this.nameOf(node);
        if (node.inlined && name.length + 3 <= room)
            name += " \u2937";
        const percent = this.actions.note ? this.actions.note(node)
            : percentText(this.whole.time > 0 ? node.time / this.whole.time : 0);
        if (name.length + percent.length + 2 <= room)
            return `${name}  ${percent}`;
        return name.length <= room ? name : name.slice(0, Math.max(1, room - 1)) + "\u2026";
    }

    nameOf(node) {
        return node.name ? node.name : node.function < 0 ? "all" :
            this.root.sums.profile.functions[node.function].name;
    }

    at(event) {
        const box = this.canvas.getBoundingClientRect();
        const x = (event.clientX - box.left) / box.width;
        const y = event.clientY - box.top + this.box.scrollTop;
        const depth = this.upward ? Math.floor((this.height - y) / ROW) : Math.floor(y / ROW);
        const at = this.left + x * (this.right - this.left);
        return (this.rows[depth] || []).find((n) => n.x0 <= at && at < n.x1) || null;
    }

    listen() {
        const c = this.canvas;
        let pressed = null;
        c.addEventListener("pointermove", (e) => {
            if (pressed !== null && Math.abs(e.clientX - pressed.x) > 4 && e.buttons) {
                this.pan((pressed.x - e.clientX) / this.box.clientWidth, pressed);
                return;
            }
            this.hover(this.at(e), e);
        });
        c.addEventListener("pointerleave", (e) => this.hover(null, e));
        c.addEventListener("pointerdown", (e) => {
            pressed = { x: e.clientX, left: this.left, right: this.right, moved: false };
        });
        c.addEventListener("pointerup", (e) => {
            const click = pressed !== null && !pressed.moved;
            const node = this.at(e);
            pressed = null;
            if (!click || node === null)
                return;
            this.focus(node);
            if (e.shiftKey)
                this.actions.pick(node);
            else
                this.zoom(node);
        });
        c.addEventListener("dblclick", (e) => {
            const node = this.at(e);
            if (node !== null && node.function >= 0 && this.wasZoomed === node)
                this.actions.pick(node);
        });
        c.addEventListener("contextmenu", (e) => {
            const node = this.at(e);
            if (node === null || node.function < 0)
                return;
            e.preventDefault();
            this.actions.pick(node);
        });
        c.addEventListener("wheel", (e) => {
            if (!e.ctrlKey && !e.metaKey)
                return;
            e.preventDefault();
            const x = (e.clientX - c.getBoundingClientRect().left) / this.box.clientWidth;
            this.scale(Math.exp(e.deltaY * .004), x);
        }, { passive: false });
        c.addEventListener("focus", () => {
            if (this.focused === null && this.rows.length)
                this.focus(this.rows[0][0]);
        });
        c.addEventListener("keydown", (e) => this.key(e));
    }

    hover(node, event) {
        if (node !== this.hovered) {
            this.hovered = node;
            this.draw();
        }
        this.canvas.style.cursor = node === null ? "default" : "pointer";
        this.actions.hover(node, event);
    }

    focus(node) {
        this.focused = node;
        this.actions.focus(node);
        this.draw();
    }

    pan(by, from) {
        if (from.right - from.left >= 1 && !from.moved)
            return;
        from.moved = true;
        this.show(from.left + by * (from.right - from.left),
                  from.right + by * (from.right - from.left));
    }

    scale(by, x) {
        const at = this.left + x * (this.right - this.left);
        const width = Math.min(1, (this.right - this.left) * by);
        this.show(at - x * width, at + (1 - x) * width);
    }

    show(left, right) {
        const width = Math.min(1, Math.max(right - left, 1e-9));
        this.left = Math.min(Math.max(0, left), 1 - width);
        this.right = this.left + width;
        this.draw(true);
    }

    /* The node at (path), which is of kinds, or the last one there that is in this
     * tree. */
    find(path) {
        let node = this.root;
        for (const kind of path) {
            this.place(node, 0);
            const kid = node.kids(0).find((k) => k.kind === kind);
            if (kid === undefined)
                break;
            node = kid;
        }
        return node;
    }

    /* Focus on the node at (path), or on none if it is not in this tree. */
    mark(path) {
        const node = this.find(path);
        this.focused = node.depth === path.length ? node : null;
        this.draw();
    }

    /* Zoom as another view of the same calls did. */
    follow(path) {
        const node = this.find(path);
        this.zoomPath = node.path().map((n) => n.function);
        this.show(node.x0, node.x1);
    }

    /* Let (node) fill the width. */
    zoom(node) {
        this.wasZoomed = node;
        this.zoomPath = node.path().map((n) => n.function);
        this.actions.zoomed(node);
        const from = [this.left, this.right], begin = performance.now();
        const turn = ++this.turn || (this.turn = 1);
        if (calm.matches) {
            this.show(node.x0, node.x1);
            return;
        }
        const step = (now) => {
            if (turn !== this.turn)
                return;
            const t = Math.min(1, Math.max(0, (now - begin) / 140));
            const ease = 1 - (1 - t) ** 3;
            this.show(from[0] + (node.x0 - from[0]) * ease,
                      from[1] + (node.x1 - from[1]) * ease);
            if (t < 1)
                requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    }

    zoomOut() {
        const path = this.zoomPath;
        let node = this.root;
        for (const f of path.slice(0, -1))
            node = node.kids(0).find((k) => k.function === f) || node;
        this.zoom(node);
    }

    /* A node besides (node) in its row: (by) is 1 or -1. */
    beside(node, by) {
        const row = this.rows[node.depth] || [];
        return row[row.indexOf(node) + by] || null;
    }

    key(e) {
        if (this.focused === null || e.ctrlKey || e.metaKey || e.altKey)
            return;
        const inward = this.upward ? "ArrowUp" : "ArrowDown";
        const outward = this.upward ? "ArrowDown" : "ArrowUp";
        const node = this.focused;
        let next = null;
        if (e.key === inward)
            next = (this.rows[node.depth + 1] || []).find((n) => n.parent === node);
        else if (e.key === outward)
            next = node.parent;
        else if (e.key === "ArrowRight" || e.key === "ArrowLeft")
            next = this.beside(node, e.key === "ArrowRight" ? 1 : -1);
        else if (e.key === "Enter")
            this.zoom(node);
        else if (e.key === "Backspace")
            this.zoomOut();
        else if (e.key === "c" && node.function >= 0)
            this.actions.pick(node);
        else if (e.key === "l" && node.function >= 0 && this.actions.open)
            this.actions.open(node);
        else
            return;
        e.preventDefault();
        e.stopPropagation();
        if (next) {
            this.focus(next);
            this.reveal(next);
        }
    }

    reveal(node) {
        const y = this.y(node.depth), { scrollTop, clientHeight } = this.box;
        if (y < scrollTop)
            this.box.scrollTop = y;
        else if (y + ROW > scrollTop + clientHeight)
            this.box.scrollTop = y + ROW - clientHeight;
    }
}
