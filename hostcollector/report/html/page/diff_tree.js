/* SPDX-License-Identifier: BSD-2-Clause */
/* What `collector diff` says, as the .json file has it: functions, and the call
 * trees of both sides as one, of which each side is drawn as a tree of its own.
 */

class Difference {
    constructor(said) {
        this.said = said;
        this.names = [];
        this.numbers = new Map(); /* of names */
        this.calls = said.calls.map((call, i) => ({
            ...call, number: i + 1, function: this.numberOf(call.name), children: [], own: null,
        }));
        this.top = { number: 0, children: [], own: null };
        said.calls.forEach((call, i) => {
            const parent = call.parent ? this.calls[call.parent - 1] : this.top;
            if (call.own)
                parent.own = this.calls[i];
            else
                parent.children.push(this.calls[i]);
        });
        const changed = [...said.calls, ...said.functions].filter((c) => c.verdict === "changed");
        this.most = changed.reduce((most, c) => Math.max(most, Math.abs(c.rest.change)), 0);
        /* what FlameView asks a profile for */
        this.functions = this.names.map((name) => ({ name }));
    }

    numberOf(name) {
        if (!this.numbers.has(name)) {
            while (this.names.length < MARKS)
                this.names.push("");
            this.numbers.set(name, this.names.length);
            this.names.push(name);
        }
        return this.numbers.get(name);
    }

    isLate() {
        return false;
    }

    /* The tree of (side), "before" or "after". */
    tree(side) {
        const root = new DiffNode({ profile: this, side }, null, this.top);
        root.time = 1;
        return root;
    }
}

/* A call on one side, as wide as its share of all there. */
class DiffNode extends TreeNode {
    constructor(sums, parent, call) {
        super(sums, parent, call.number === 0 ? -2 : call.function * 2);
        this.call = call;
        this.kind = call.number;
        this.time = call.number === 0 ? 1 : call.all[sums.side];
    }

    find() {
        return this.call.children.filter((call) => call.all[this.sums.side] > 0)
            .map((call) => new DiffNode(this.sums, this, call));
    }
}

/* What grew is red, what shrank is blue, the more the stronger; what is noise is
 * grey. */
class ChangeColours {
    constructor(difference) {
        this.by = "change";
        this.most = difference.most;
    }

    of(f, late, node) {
        return f < 0 ? cssColour("--root") : this.ofChange(changedPart(node.call));
    }

    ofChange({ verdict, rest }) {
        if (verdict !== "changed")
            return cssColour("--noise");
        const strength = Math.sqrt(Math.min(1, Math.abs(rest.change) / (this.most || 1)));
        const hue = rest.change > 0 ? 8 : 214;
        return dark() ? `hsl(${hue} ${30 + 30 * strength}% ${28 + 14 * strength}%)`
            : `hsl(${hue} ${60 + 25 * strength}% ${89 - 24 * strength}%)`;
    }
}

/* The call, or its own time if that alone has changed. */
function changedPart(call) {
    return call.verdict !== "changed" && call.own && call.own.verdict === "changed"
        ? call.own : call;
}

function signedText(x) {
    return `${x < 0 ? "\u2212" : "+"}${(100 * Math.abs(x)).toFixed(1)}`;
}

function changeText(change) {
    return `${signedText(change.change)} (${signedText(change.low)} to ${signedText(change.high)})`;
}

function verdictText({ verdict, step }, call) {
    if (verdict === "rare")
        return "too few samples to judge";
    if (verdict === "changed")
        return "changed beyond chance";
    return call && step ? "within chance, beside what calls it" : "within chance";
}

/* In lines: (row), a function or a call, on both sides. */
function changeLines(row, call) {
    const { all, rest } = row;
    return [verdictText(row, call),
            `of all: before ${percentText(all.before)} %, after ${percentText(all.after)} %, ` +
            `${changeText(all)} points`,
            `of the rest: before ${percentText(rest.before)} %, after ${percentText(rest.after)} %, ` +
            `${changeText(rest)} points`];
}
