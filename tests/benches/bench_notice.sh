#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bench_notice.sh BUILD: what an agent costs while no host is there, and how soon it
# learns of one, as `name value unit` lines; told by the device's interrupt, by looks of
# its own, by the kernel's polls, a hundred a second. BUILD is a build folder with the
# targets bench_notice, collector, plugin_truth and notice.
#
# A guest that counts to some number of seconds runs under icount, once for one second
# and once for eleven, and a TCG plugin counts what it executes: the difference is ten
# seconds, start and end left out. So are the kernel's own ticks, for polls.
set -eu
cd "$(dirname "$0")/../.."
build=$1
guest=$build/tests/guest/notice.elf

dir=$(mktemp -d)
bridge='' boot=''
cleanup() {
    [ -z "$boot" ] || kill "$boot" 2>/dev/null || true
    [ -z "$bridge" ] || kill "$bridge" 2>/dev/null || true
    wait
    rm -rf "$dir"
}
trap cleanup EXIT

fail() {
    tail -n 5 "$dir/log" "$dir/console" >&2
    echo "bench_notice: $*" >&2
    exit 1
}

# start OPTION...: the guest, by tests/guest/boot, behind a bridge of its own
start() {
    timeout 120 "$build/hostcollector/collector" bridge --vhost-user "$dir/vhost" \
        --uds "$dir/vsock" --cid 3 >"$dir/log" 2>&1 &
    bridge=$!
    # QEMU gives up at once where nobody listens
    for ((i = 0; i < 500; i++)); do
        grep -q " 00010000 .*$dir/vhost" /proc/net/unix && break
        sleep 0.01
    done
    tests/guest/boot --timeout 100 --cpus 3 --vsock "$dir/vhost" "$@" "$guest" \
        >"$dir/console" 2>&1 &
    boot=$!
}

stop() {
    kill "$bridge" 2>/dev/null || true
    wait "$bridge" || true
    bridge=''
    rm -f "$dir/vhost" "$dir/vsock"
}

# run NAME OPTIONS: the guest, alone, for one second and for eleven
run() {
    local window
    for window in 100 1100; do
        start --icount 0 --append "sessions=0 window=$window $2" \
            --plugin "$build/tests/accuracy/plugin_truth.so,elf=$guest,out=$dir/$1.$window,isr=tprof_isr_gs,io=1"
        wait "$boot" || fail "$1: the guest failed"
        boot=''
        stop
    done
}

# counted NAME CORES KEY COLUMN: of a second, on core 0 or on the others, which have
# the agent and nothing to do; a number behind the plugin's KEY
counted() {
    awk -v cores="$2" -v key="$3" -v column="$4" '
        $3 == key && ($2 > 0) == cores { n += (FNR == NR ? -1 : 1) * $(3 + column) }
        END { printf "%.1f\n", n / 10 }' "$dir/$1.100" "$dir/$1.1100"
}

# less A B
less() {
    awk "BEGIN { printf \"%.1f\n\", $1 - $2 }"
}

# cost NAME: of interrupts
cost() {
    echo "$1_idle_interrupts $(counted "$1" 1 interrupts 1) interrupts/s"
    echo "$1_idle_instructions $(counted "$1" 1 interrupts 2) instructions/s"
    echo "$1_idle_exits $(counted "$1" 1 devices 1) accesses/s"
}

# added KEY: by polls to what the kernel's ticks are without them
added() {
    less "$(counted polls 0 "$1" 1)" "$(counted none 0 "$1" 1)"
}

run notice notice=0
cost notice
run looks notice=1
cost looks
run polls "notice=2 poll=1"
run none notice=2
echo "polls_idle_interrupts $(counted polls 1 interrupts 1) interrupts/s"
echo "polls_idle_instructions $(added total) instructions/s"
echo "polls_idle_exits $(added devices) accesses/s"

# attach NAME OPTIONS: in real time
attach() {
    start --append "sessions=1000 $2"
    for ((i = 0; i < 1000; i++)); do
        grep -q '^notice: before' "$dir/console" && break
        sleep 0.01
    done
    timeout 60 "$build/tests/benches/bench_notice" "$dir/vsock" "$1" || fail "$1: no answer"
    kill "$boot"
    wait "$boot" || true
    boot=''
    stop
}
attach notice notice=0
attach looks notice=1
attach polls "notice=2 poll=1"
