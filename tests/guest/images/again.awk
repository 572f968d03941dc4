# SPDX-License-Identifier: BSD-2-Clause
# Holds folded stacks of alpha.elf, and of beta.elf after it in the same place, against the
# loops of app.c and main.c: CMakeLists.txt says how long those of the applications are. In
# each round beta runs eight times as often as alpha.

function loops(image, step, leaf, visit, times) {
    truth["app_step [" image "]"] = times * step
    truth["app_prologue [" image "]"] = times * 400
    truth["app_leaf [" image "]"] = times * leaf * 2
    truth["app_visit [" image "]"] = times * visit
    truth["kernel_leaf called from " image] = times * 900 # in functions of the kernel, too
    truth["kernel_visit called from " image] = times * 500
}

BEGIN {
    loops("alpha.elf", 700, 1500, 300, 1)
    loops("beta.elf", 1600, 400, 500, 8)
}

{
    count = $NF
    sub(/ [0-9]+$/, "")
    leaf = $0
    sub(/.*;/, "", leaf)
    if (leaf ~ /^kernel_(leaf|visit)$/ && match($0, /;app_main \[[a-z.]*\];/))
        leaf = leaf " called from " substr($0, RSTART + 11, RLENGTH - 13)
    if (leaf in truth)
        seen[leaf] += count
    if (/\[alpha.elf\].*\[beta.elf\]|\[beta.elf\].*\[alpha.elf\]/)
        mixed += count
}

END {
    for (what in truth) {
        total += truth[what]
        n += seen[what]
    }
    for (what in truth) {
        p = truth[what] / total
        off = seen[what] / n - p
        # 4.5 standard errors: once in 150,000; and prologues, whose callers are others
        ok = off * off <= 20 * p * (1 - p) / n + 0.003 * 0.003
        failed = failed || !ok
        printf "%s: %.4f, truth %.4f%s\n", what, seen[what] / n, p, ok ? "" : " WRONG"
    }
    printf "%d samples, %d in both images\n", n, mixed
    exit failed || mixed > 0 || n < 2000
}
