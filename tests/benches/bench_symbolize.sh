#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench_symbolize.sh PROGRAM [DIR]: prints symbolize_100mb and
# symbolize_vs_addr2line. PROGRAM is bench_symbolize, built with optimization;
# DIR keeps the ELF that make_dwarf_elf.sh makes for the next time.
#
# Whole processes are timed, the fastest of several runs, with the ELF in the
# page cache. Both get the same 10,000 addresses, half of them in inlined code,
# and must give the same answers.
set -eu
export LC_ALL=C
program=$1
dir=${2:-${TMPDIR:-/tmp}/tprof-bench-symbolize}
here=$(cd "$(dirname "$0")" && pwd)

# 5,000 addresses with and 5,000 without inline frames, as addr2line sees them
choose()
{
    "$program" pick "$dir/big.elf" 25000 >"$dir/pool"
    addr2line -a -i -f -e "$dir/big.elf" <"$dir/pool" | awk '
        function take() {
            if (lines == 2 ? single++ < 5000 : inlined++ < 5000)
                print address
        }
        /^0x/ { if (lines) take(); address = $0; lines = 0; next }
              { lines++ }
        END   { take() }'
}

# made by an older version of the script?
if [ -e "$dir/big.elf" ] && [ -n "$(find "$here/make_dwarf_elf.sh" -newer "$dir/big.elf")" ]; then
    rm -f "$dir/big.elf" "$dir/addresses"
fi
[ -e "$dir/big.elf" ] || "$here/make_dwarf_elf.sh" "$dir"
[ -s "$dir/addresses" ] || { choose >"$dir/new" && mv "$dir/new" "$dir/addresses"; }
[ "$(wc -l <"$dir/addresses")" -eq 10000 ] || { echo "not 10,000 addresses" >&2; exit 1; }
bytes=$(size -A -d "$dir/big.elf" | awk '/^\.debug/ { n += $2 } END { printf "%d", n }')
units=$(cat "$dir/big.units")
[ "$bytes" -ge 100000000 ] || { echo "only $bytes bytes of DWARF" >&2; exit 1; }

ours="$program run $dir/big.elf <$dir/addresses"
theirs="addr2line -a -i -f -e $dir/big.elf <$dir/addresses"
sh -c "$ours" >"$dir/ours"
sh -c "$theirs" | sed 's/ (discriminator [0-9]*)//' >"$dir/theirs"
cmp "$dir/ours" "$dir/theirs" >&2

a=$("$program" time 10 "$ours >/dev/null")
b=$("$program" time 4 "$theirs >/dev/null")
echo "symbolize_dwarf $bytes bytes"
echo "symbolize_units $units units"
echo "symbolize_100mb $a seconds"
awk -v a="$a" -v b="$b" 'BEGIN { printf "symbolize_vs_addr2line %.1f ratio\n", b / a }'
