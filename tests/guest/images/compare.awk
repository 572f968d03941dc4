# SPDX-License-Identifier: BSD-2-Clause
# Holds folded stacks against the truth plugin's, which knows addresses alone. Lines:
#   function SLIDE START SIZE NAME...    hexadecimal: where NAME lies
#   core C place ADDRESS INSTRUCTIONS    what core C executed
#   core C stack STATE 0x...;0x... N     what was interrupted N times
#   folded C;a;b;c N                     the collector's
# Compared is what work() calls.

function hex(text,    i, n) {
    text = tolower(text)
    sub(/^0x/, "", text)
    for (i = 1; i <= length(text); i++)
        n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
    return n
}

function name_of(address,    i) {
    if (!(address in known)) {
        known[address] = "?"
        for (i = 1; i <= functions; i++)
            if (hex(address) >= start[i] && hex(address) < end[i])
                known[address] = name[i]
    }
    return known[address]
}

# What follows work in a stack; "" if it is not there.
function below_work(stack) {
    return match(stack, /(^|;)work;/) ? substr(stack, RSTART + RLENGTH) : ""
}

function leaf_of(stack) {
    sub(/.*;/, "", stack)
    return stack
}

# Is (stack), in which a caller is uncertain, a true one of (core) with some caller there?
function fits_marked(core, stack,    key, part, n, i, other, ok) {
    n = split(stack, part, ";")
    for (key in true_stack) {
        split(key, other, SUBSEP)
        if (other[1] != core || split(other[2], other, ";") != n)
            continue
        ok = 1
        for (i = 1; i <= n; i++)
            ok = ok && (part[i] == "[caller?]" || part[i] == other[i])
        if (ok)
            return 1
    }
    return 0
}

function wrong(what) {
    print what
    failed = 1
}

$1 == "function" {
    start[++functions] = hex($2) + hex($3)
    end[functions] = start[functions] + hex($4)
    name[functions] = $6 != "" ? $5 " " $6 : $5
}

$1 == "core" && $3 == "place" {
    executed[$2, name_of($4)] += $5
    executed_total[$2] += $5
}

$1 == "core" && $3 == "stack" {
    text = ""
    n = split($5, address, ";")
    for (i = 1; i <= n; i++)
        text = text (i > 1 ? ";" : "") name_of(address[i])
    if (below_work(text) != "") {
        true_stack[$2, below_work(text)] += $6
        true_total[$2] += $6
    }
}

$1 == "folded" {
    count = $NF
    sub(/^folded /, "")
    sub(/ [0-9]+$/, "")
    core = substr($0, 1, index($0, ";") - 1)
    stack = below_work($0)
    if (stack == "")
        next
    self[core, leaf_of(stack)] += count
    total[core] += count
    if (stack !~ /\[caller\?\]/) {
        if (count > 1.05 * true_stack[core, stack] + 2) # some stand for two ticks
            wrong("core " core ": " stack " " count " times, truth: " true_stack[core, stack] + 0)
        next
    }
    if (!fits_marked(core, stack))
        wrong("core " core ": " stack " is no true stack")
    marked[core] += count
}

END {
    for (core = 0; core < cores; core++) {
        n = total[core]
        if (n < 1000 || n < 0.99 * true_total[core] - 3 || n > 1.02 * true_total[core] + 3)
            wrong("core " core ": " n + 0 " samples of " true_total[core] + 0 " ticks")
        if (marked[core] > 0.003 * n + 2)
            wrong("core " core ": " marked[core] " samples of an uncertain caller")
        images = ""
        for (key in executed) {
            split(key, at, SUBSEP)
            if (at[1] != core)
                continue
            p = executed[key] / executed_total[core]
            off = self[key] / n - p
            # 4.5 standard errors: once in 150,000 functions; and what the marks leave out
            if (off * off > 20 * p * (1 - p) / n + 0.003 * 0.003)
                wrong(sprintf("core %d: %s %.4f, truth %.4f", core, at[2], self[key] / n, p))
            if (p > 0.02)
                images = images sprintf(", %s %.4f (%.4f)", at[2], self[key] / n, p)
        }
        print "core " core ": " n " samples, " marked[core] + 0 " marked" images
    }
    exit failed
}
