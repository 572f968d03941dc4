#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bench_decode.sh PROGRAM: prints decode_rate (by CPU time) and, where there is
# perf, decode_vs_perf (by the clock). PROGRAM is bench_decode, built with
# optimization; the best of five runs counts.
#
# Both sides get samples of 10,000 distinct 16-frame stacks in 80,000 variants
# of the leaf, and end with a count for each. perf gets fewer of them, as it
# would take minutes; rates are compared.
set -eu
program=$1
samples=${TPROF_BENCH_SAMPLES:-10000000}
perf_samples=${TPROF_BENCH_PERF_SAMPLES:-100000}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$program" wire "$dir/wire" "$samples"
"$program" run "$dir/wire" >/dev/null # the file into the page cache
for _ in 1 2 3 4 5; do
    "$program" run "$dir/wire" 2>/dev/null
done | sort -k 1,1 -k 2,2nr | sort -u -k 1,1 >"$dir/best" # of each figure
cat "$dir/best"
best=$(awk '$1 == "decode_rate_wall" { print $2 }' "$dir/best")

command -v perf >/dev/null || { echo "SKIP: no perf" >&2; exit 77; }

# 4096 functions of 64 bytes at 0x400000, file offset 0x1000
awk 'BEGIN {
    print ".text\n.globl _start\n_start:"
    for (i = 0; i < 4096; i++)
        printf ".type f%04d,@function\nf%04d: .fill 64,1,0x90\n.size f%04d,64\n", i, i, i
}' >"$dir/text.s"
as -o "$dir/text.o" "$dir/text.s"
ld -z separate-code -Ttext=0x400000 -o "$dir/text" "$dir/text.o"
"$program" perf "$dir/perf.data" "$dir/text" "$perf_samples"

# One pass: a line per frame, innermost first; an empty line ends a sample.
# shellcheck disable=SC2016 # the dollars are awk's
collapse='
    /^[^ \t]/ { next }
    NF == 0   { if (stack != "") count[stack]++; stack = ""; next }
              { stack = (stack == "") ? $2 : $2 ";" stack }
    END       { for (s in count) print s, count[s] }'
start=$EPOCHREALTIME
perf script -i "$dir/perf.data" 2>/dev/null | awk "$collapse" >"$dir/folded"
end=$EPOCHREALTIME
total=$(awk '{ n += $NF } END { print n }' "$dir/folded")
[ "$total" = "$perf_samples" ] || { echo "perf script gave $total of $perf_samples samples" >&2; exit 1; }
awk -v ours="$best" -v n="$perf_samples" -v start="$start" -v end="$end" 'BEGIN {
    printf "decode_perf_script %.0f samples/s\n", n / (end - start)
    printf "decode_vs_perf %.0f ratio\n", ours / (n / (end - start)) }'
