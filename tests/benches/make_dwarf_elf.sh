#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make_dwarf_elf.sh DIR: makes DIR/big.elf, an ELF with over 100 MB of DWARF in
# 420 compile units whose functions consist of inlined code for the better part.
# DWARF of that size takes a compiler minutes, so 20 sources are compiled and
# each object is copied 21 times under names of equal length.
set -eu
export LC_ALL=C

dir=$1
sources=20
copies=21
functions=105

# C source number (n): structs that nest, inline functions that call each
# other three deep on them, and functions that call those.
source_text()
{
    awk -v n="$1" -v functions="$functions" '
    BEGIN {
        srand(n)
        u = sprintf("unit%03d", n)
        print "#include <stdint.h>"
        for (i = 0; i < functions; i++) {
            printf "struct %s_s%d {\n", u, i
            for (j = 0; j < 8; j++)
                printf "    uint%d_t field_%d_%d;\n", j % 2 ? 32 : 64, i, j
            if (i > 0)
                printf "    struct %s_s%d *next;\n", u, int(rand() * i)
            print "};"
        }
        for (i = 0; i < functions; i++) {
            k = int(rand() * functions); l = 1 + int(rand() * 60)
            printf "static inline __attribute__((always_inline)) uint64_t\n"
            printf "%s_low%d(struct %s_s%d *s, uint64_t x)\n{\n", u, i, u, k
            printf "    uint64_t y = x ^ s->field_%d_2;\n", k
            printf "    uint64_t z = (y >> %d) + s->field_%d_1;\n", l, k
            printf "    s->field_%d_3 = (uint32_t)(z * %du);\n", k, 2 * l + 1
            print "    return y + z;\n}"
        }
        for (i = 0; i < functions; i++) {
            k = int(rand() * functions)
            printf "static inline __attribute__((always_inline)) uint64_t\n"
            printf "%s_mid%d(void *p, uint64_t x)\n{\n", u, i
            print "    uint64_t sum = x;"
            print "    for (unsigned i = 0; i < (x & 15); i++) {"
            printf "        uint64_t t = %s_low%d(p, sum + i);\n", u, k
            printf "        sum += t * %s_low%d(p, t);\n", u, (k + 1) % functions
            print "    }\n    return sum;\n}"
        }
        for (i = 0; i < functions; i++) {
            k = int(rand() * functions)
            printf "uint64_t %s_fun%d(void *p, uint64_t a, uint64_t b)\n{\n", u, i
            print "    uint64_t r = a * b;"
            print "    if (r % 3 == 0)"
            printf "        r += %s_mid%d(p, a);\n", u, k
            printf "    r ^= %s_mid%d(p, r);\n", u, (k + 7) % functions
            for (j = 0; j < 4; j++) {
                l = 1 + int(rand() * 30)
                printf "    r = (r << %d) ^ (r / (b + %d));\n", l, l
                printf "    if (r & %d)\n        b += a * %d;\n", 2 ^ (l % 16), l
            }
            printf "    return r + %s_low%d(p, b);\n}\n", u, k
        }
    }'
}

number()
{
    printf '%03d' "$1"
}

compile()
{
    source_text "$(number "$1")" >"$dir/unit$(number "$1").c"
    (cd "$dir" && cc -g -O2 -fno-omit-frame-pointer -c "unit$(number "$1").c")
}

# the same objects as the compile units of numbers that were not compiled
copy()
{
    for c in $(seq 1 $((copies - 1))); do
        to=$(number $(($1 + c * sources)))
        sed "s/unit$(number "$1")/unit$to/g" \
            <"$dir/unit$(number "$1").o" >"$dir/unit$to.o"
    done
}

mkdir -p "$dir"
for n in $(seq 0 2 $((sources - 1))); do
    { compile "$n" && copy "$n"; } &
    { compile $((n + 1)) && copy $((n + 1)); } &
    wait
done
ld -o "$dir/big.elf.new" -e 0x400000 --build-id -Ttext-segment=0x400000 "$dir"/unit*.o
rm -f "$dir"/unit*.o
readelf --debug-dump=info --dwarf-depth=1 "$dir/big.elf.new" 2>/dev/null |
    grep -c DW_TAG_compile_unit >"$dir/big.units"
mv "$dir/big.elf.new" "$dir/big.elf"
