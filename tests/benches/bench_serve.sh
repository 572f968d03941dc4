#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bench_serve.sh BUILD: what collector serve takes for 10 to 18,000 guests of one core at
# 97 Hz, on one core of the host, and what it keeps of them in windows of 10 s, as
# `name value unit` lines; with _elf: 100 guests whose image it has. BUILD is a build
# folder with the targets push_guests (whose guests have 64 stacks of 16 frames) and
# collector. Ends with an error if a sample is lost that is not accounted for.
set -eu
build=$(realpath "$1")
dir=$(mktemp -d)
pids=()
cleanup() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$dir"
}
trap cleanup EXIT
hz=$(getconf CLK_TCK)
other=$(($(nproc) > 1))
[ "$other" = 1 ] || { echo "SKIP: bench_serve: needs two cores" >&2; exit 77; }

cpu() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

# A process may not have 20,000 descriptors everywhere, and plays a guest with two.
most=4000

# play GUESTS: the orders of all players are descriptor 3; player I writes into played.I
play() {
    local first count orders
    mkfifo orders.all
    for ((first = 0; first < $1; first += most)); do
        count=$(($1 - first < most ? $1 - first : most))
        mkfifo "orders.$first"
        taskset -c 0 "$build/tests/push/push_guests" run "$count" "$first" \
            <"orders.$first" >"played.$first" 2>&1 &
        pids+=($!)
    done
    orders=(orders.[0-9]*)
    tee "${orders[@]}" <orders.all >orders.said &
    pids+=($!)
    exec 3>orders.all
    until [ -S "run/$(($1 - 1))" ]; do sleep .1; done
}

# The image of these guests, by its build-id: 64 functions of 64 bytes, which halt all the
# time.
make_image() {
    {
        printf '.globl _start\n_start:\n'
        for i in {0..63}; do
            printf '.type f%d,@function\nf%d: push %%rbp\nmov %%rsp,%%rbp\n' "$i" "$i"
            printf '.rept 29\nsti\nhlt\n.endr\npop %%rbp\nret\n.size f%d,.-f%d\n' "$i" "$i"
        done
    } >"$dir/image.s"
    "${CC:-cc}" -nostdlib -static -no-pie -Wl,--build-id=0xb1d00102 -Wl,-Ttext=0x400000 \
        -Wl,--section-start=.note.gnu.build-id=0x300000 -o "$dir/image.elf" "$dir/image.s"
}

# measure GUESTS SECONDS [--elf FILE]
measure() {
    local guests=$1 seconds=$2 name=serve_$1_guests${3:+_elf} serve before after memory played sums=''
    shift 2
    mkdir -p "$dir/$guests/run"
    cd "$dir/$guests"
    pids=()
    play "$guests"
    taskset -c 1 "$build/hostcollector/collector" serve --watch run --spool spool --window 10s "$@" 2>said &
    serve=$!
    pids+=("$serve")
    sleep $((5 + guests / 1000))
    before=$(cpu $serve)
    sleep "$seconds"
    after=$(cpu $serve)
    memory=$(awk '/^VmHWM/ { print $2 }' "/proc/$serve/status")
    echo rest >&3
    for played in played.*; do
        until grep -q resting "$played"; do sleep .1; done
    done
    kill -TERM $serve
    wait $serve
    exec 3>&-
    wait
    sums=$(awk '$2 ~ /^[0-9]+$/ { sent += $2; dropped += $3 } END { print sent + 0, dropped + 0 }' played.*)
    awk -v name="$name" -v ticks=$((after - before)) -v hz="$hz" -v s="$seconds" -v kib="$memory" \
        -v sums="$sums" -v bytes="$(find spool -name '*.tprof' -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')" -v said="$(tr -d , <said | grep ' samples [0-9]* lost$' | tail -n 1)" '
        BEGIN {
            split(sums, sum, " ")
            split(said, word, " ")
            if (word[3] != sum[1] || word[5] != sum[2]) {
                print "bench_serve: " said "; guests sent " sum[1] ", dropped " sum[2] > "/dev/stderr"
                exit 1
            }
            printf "%s_core %.2f %% of a core\n", name, 100 * ticks / hz / s
            printf "%s_memory %.1f MiB\n", name, kib / 1024
            printf "%s_dropped %.4f %%\n", name, 100 * sum[2] / (sum[1] + sum[2])
            printf "%s_spool %.2f bytes/sample\n", name, bytes / sum[1]
        }'
    cd /
    rm -rf "${dir:?}/$guests"
}

make_image
ulimit -n "$(ulimit -Hn)"
for guests in ${GUESTS:-10 100 1000 18000}; do
    measure "$guests" $((guests > 1000 ? 30 : 20))
    [ "$guests" != 100 ] || measure "$guests" 20 --elf "$dir/image.elf"
done
