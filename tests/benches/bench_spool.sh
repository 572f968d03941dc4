#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bench_spool.sh BUILD: prints spool_bytes and spool_report_s, the seconds of
# `collector report --spool` on a day of one guest: one core at 97 Hz in 8640 windows. Then the
# same of merged windows, and spool_compact_s, what merging takes.
# BUILD is built with optimization. The fastest of three runs, with the windows in the page
# cache.
set -euo pipefail
export LC_ALL=C
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$build/tests/benches/bench_spool" "$dir" 8640 | grep spool_bytes
report() {
    for _ in 1 2 3; do
        begin=$(date +%s%N)
        "$build/hostcollector/collector" report --spool "$dir" -o "$dir/report.txt" --force
        end=$(date +%s%N)
        grep -q '^web, .* 8,380,800 samples of 1 core .* none lost' "$dir/report.txt"
        echo $((end - begin))
    done | sort -n | awk -v name="$1" 'NR == 1 { printf "%s %.2f s\n", name, $1 / 1e9 }'
}

report spool_report_s
begin=$(date +%s%N)
"$build/hostcollector/collector" compact "$dir" >"$dir/said"
end=$(date +%s%N)
cat "$dir"/web.*.tprof | wc -c | awk '{ printf "spool_merged_bytes %.2f bytes/sample\n", $1 / 8380800 }'
echo $((end - begin)) | awk '{ printf "spool_compact_s %.2f s\n", $1 / 1e9 }'
report spool_merged_report_s
