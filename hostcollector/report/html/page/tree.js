/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees to draw, made while they are looked at. A node has: function (-1: the
 * root), inlined, time, self, samples, count, late, parent, and kids(least):
 * its children of at least (least) time, the largest first. */

class TreeNode {
    constructor(sums, parent, kind) {
        this.sums = sums;
        this.parent = parent;
        this.kind = kind;
        this.function = kind >> 1;
        this.inlined = (kind & 1) === 1;
        this.time = this.self = this.samples = this.count = this.late = 0;
        this.timeSq = this.selfSq = 0; /* sums of the squares */
        this.list = null;
        this.least = Infinity;
    }

    kids(least) {
        if (this.list === null || least < this.least) {
            /* nodes that somebody may know remain the same */
            const known = new Map((this.list || []).map((node) => [node.kind, node]));
            this.least = least;
            this.list = this.find(least).filter((node) => node.time >= least)
                .map((node) => known.get(node.kind) || node);
            this.list.sort((a, b) => b.time - a.time || a.function - b.function);
        }
        return this.list;
    }

    get depth() {
        let depth = 0;
        for (let node = this.parent; node !== null; node = node.parent)
            depth++;
        return depth;
    }

    /* From the root's child to this node. */
    path() {
        const path = [];
        for (let node = this; node.parent !== null; node = node.parent)
            path.unshift(node);
        return path;
    }
}

/* Callers above callees. (calls): those that the node stands for, none of them
 * below another. */
class DownNode extends TreeNode {
    constructor(sums, parent, kind, calls) {
        super(sums, parent, kind);
        this.calls = calls;
    }

    add(c) {
        const s = this.sums;
        this.calls.push(c);
        this.time += s.total[c];
        this.timeSq += s.totalSquare[c];
        this.self += s.self[c];
        this.selfSq += s.square[c];
        this.samples += s.totalSamples[c];
        this.count += s.totalCount[c];
        this.late += s.totalLate[c];
    }

    find(least) {
        const { calls } = this.sums.profile;
        const several = this.calls.length > 1, kids = new Map();
        for (const c of this.calls) {
            for (let i = calls.first[c]; i < calls.first[c + 1]; i++) {
                const child = calls.children[i];
                if (!(this.sums.total[child] > 0) ||
                    (!several && this.sums.total[child] < least))
                    continue;
                const kind = calls.function[child] * 2 + calls.inlined[child];
                let kid = kids.get(kind);
                if (kid === undefined)
                    kids.set(kind, kid = new DownNode(this.sums, this, kind, []));
                kid.add(child);
            }
        }
        return [...kids.values()];
    }
}

/* Callees above callers. The node stands for the (origins), of which (at) are
 * the callers so far out; (time) ... are arrays of what each origin adds. */
class UpNode extends TreeNode {
    constructor(sums, parent, kind, add) {
        super(sums, parent, kind);
        this.amounts = add;
        this.origins = [];
        this.at = [];
    }

    add(origin, at) {
        const a = this.amounts;
        this.origins.push(origin);
        this.at.push(at);
        this.time += a.time[origin];
        this.timeSq += a.square[origin];
        this.samples += a.samples[origin];
        this.count += a.count[origin];
        this.late += a.late[origin];
        if (this.parent !== null && this.parent.parent === null) {
            this.self += this.sums.self[origin];
            this.selfSq += this.sums.square[origin];
        }
    }

    find() {
        const { calls } = this.sums.profile, kids = new Map();
        for (let i = 0; i < this.at.length; i++) {
            const up = calls.parent[this.at[i]];
            if (up === 0)
                continue;
            const kind = calls.function[up] * 2;
            let kid = kids.get(kind);
            if (kid === undefined)
                kids.set(kind, kid = new UpNode(this.sums, this, kind, this.amounts));
            kid.add(this.origins[i], up);
        }
        return [...kids.values()];
    }
}

/* The root of an inverted tree: its children are innermost functions. */
class InvertedRoot extends UpNode {
    find() {
        const { calls } = this.sums.profile, kids = new Map();
        for (let c = 1; c < calls.count; c++) {
            if (!(this.sums.self[c] > 0))
                continue;
            const kind = calls.function[c] * 2;
            let kid = kids.get(kind);
            if (kid === undefined)
                kids.set(kind, kid = new UpNode(this.sums, this, kind, this.amounts));
            kid.add(c, c);
        }
        return [...kids.values()];
    }
}

function totalsOf(sums) {
    return { time: sums.total, square: sums.totalSquare, samples: sums.totalSamples,
             count: sums.totalCount, late: sums.totalLate };
}

function selvesOf(sums) {
    return { time: sums.self, square: sums.square, samples: sums.samples,
             count: sums.count, late: sums.late };
}

/* The whole tree of (sums), (inverted) or not. */
function wholeTree(sums, inverted) {
    const root = inverted
        ? new InvertedRoot(sums, null, -2, selvesOf(sums))
        : new DownNode(sums, null, -2, [0]);
    root.time = sums.total[0];
    root.timeSq = sums.totalSquare[0];
    root.samples = sums.totalSamples[0];
    root.count = sums.totalCount[0];
    root.late = sums.totalLate[0];
    return root;
}

/* Callers and callees of function (f): {callers, callees}, two trees whose
 * roots stand for (f) itself. Each sample counts once. */
function sandwichTrees(sums, f) {
    const { calls } = sums.profile;
    const callees = new DownNode(sums, null, f * 2, []);
    const callers = new UpNode(sums, null, f * 2, totalsOf(sums));
    for (let c = 1; c < calls.count; c++) {
        if (calls.function[c] !== f || !calls.outer[c] || !(sums.total[c] > 0))
            continue;
        callees.add(c);
        callers.add(c, c);
    }
    return { callers, callees };
}

/* The stacks below (root) as folded stacks, in samples of (period) each, as
 * collector report -o x.folded has them. */
function foldedText(root, period) {
    const lines = [], todo = root.kids(0).map((node) => [node, ""]);
    while (todo.length > 0) {
        const [node, above] = todo.pop();
        const stack = above + root.sums.profile.functions[node.function].name.replaceAll(";", ":");
        if (node.self > 0)
            lines.push(`${stack} ${Math.max(1, Math.round(node.self / (period || 1)))}\n`);
        for (const kid of node.kids(0))
            todo.push([kid, `${stack};`]);
    }
    return lines.sort().join("");
}
