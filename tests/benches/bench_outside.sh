#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bench_outside.sh BUILD: what it costs to sample a guest on 2 cores, by an agent in it and
# from outside, as `name value unit` lines. BUILD is a build folder with the targets
# bench_outside, collector, outside and outside_bare.
#
# The guest is 16 calls deep all the time, and counts its work (tests/guest/outside).
# QProfiler's way is that of its script, once as it is, with 50 ms between two samples, and
# once without. QEMU's two cores and whoever samples share this machine: on a machine of
# two cores the sampler takes its time from the guest. That is part of each figure, so
# _least and _most stand beside each median.
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "$1")

rounds=5
rates=(20 100 500 2000)
boot=$PWD/tests/guest/boot
collector=$build/hostcollector/collector
program=$build/tests/benches/bench_outside

dir=$(mktemp -d)
memory=$(mktemp -d /dev/shm/tprof-bench-XXXXXX)
pid=''
stop() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    wait
    pid=''
}
trap 'stop; rm -rf "$dir" "$memory"' EXIT
cd "$dir"

# start ELF OPTION...: the guest, its memory in a file. QEMU has one stub at a time: $stub, or
# what the monitor starts for --qmp
stub=(-gdb "unix:$dir/gdb,server=on,wait=off")
start() {
    local elf=$1
    shift
    "$boot" --timeout 300 --cpus 2 --pidfile "$dir/pid" "$@" "$elf" -- -machine memory-backend=ram \
        -object "memory-backend-file,id=ram,size=64M,mem-path=$memory/ram,share=on" \
        -name guest,debug-threads=on -qmp "unix:$dir/qmp,server=on,wait=off" \
        "${stub[@]}" >console 2>&1 &
    pid=$!
    for ((i = 0; i < 500; i++)); do
        grep -q '^outside: 2 cores' console && break
        kill -0 $pid || exit 1
        sleep 0.02
    done
}

# cost ELF NAME COMMAND...: what these cost, and how often they sampled
cost() {
    local elf=$1 at name
    shift
    at=$(nm "$elf" | sed -n 's/ [A-Za-z] outside_counts$//p')
    "$program" cost "$memory/ram" "0x$at" "$(cat pid)" $rounds "$@"
    while [ $# -gt 0 ]; do
        name=$1
        shift 2
        # the median of what was reached, by the host's clock
        cat "$name".* | tr -d ',' |
            sed -nE 's/.*\b([0-9]+) samples (of 2 cores )?in .*/\1/p' | awk '{ print $1 / 2 }' | sort -n |
            awk -v name="$name" '{ rate[NR] = $1 }
                END { printf "%s %.1f samples/s\n", name, rate[int((NR + 1) / 2)] }'
    done
}

elf=$build/tests/guest/outside_bare.elf
start "$elf"
ways=(qprofiler "$program qprofiler $dir/qmp 50000 2"
    qprofiler_unpaused "$program qprofiler $dir/qmp 0 2")
for rate in "${rates[@]}"; do
    ways+=("agentless_$rate" "$collector --gdb $dir/gdb --elf $elf --rate $rate --duration 2")
done
cost "$elf" "${ways[@]}" | tee figures

# whole NAME COMMAND...: whole stacks a second by the collector's COMMAND, as NAME_stacks, and how
# many times QProfiler's as NAME_vs_qprofiler
whole() {
    local name=$1 samples
    shift
    "$@" --gdb "$dir/gdb" --elf "$elf" --duration 5 -o whole.tprof >whole
    samples=$(tr -d ',' <whole | sed -nE '1s/.* ([0-9]+) samples of 2 cores .*/\1/p')
    "$collector" report whole.tprof --format folded >stacks
    awk -F ';' -v name="$name" -v rate="$((samples / 5))" \
        -v by_qprofiler="$(sed -n 's/^qprofiler \([0-9.]*\) .*/\1/p' figures)" '
        {
            n = $NF
            sub(/.* /, "", n)
            all += n
            if (NF > 16 && !/\?\]/) whole += n # a core, and 16 frames
        }
        END {
            printf "%s_stacks %.0f samples/s\n", name, rate * whole / all
            printf "%s_vs_qprofiler %.0f ratio\n", name, rate * whole / all / by_qprofiler
        }' stacks
}
# who asks for more gets less, since the guest has no time to go on
whole agentless "$collector" --rate 2000
# where real-time priorities are allowed, nobody waits for a core that the guest keeps busy
if chrt -f 1 true 2>/dev/null; then
    chrt -f -p 1 "$(cat pid)"
    whole agentless_realtime chrt -f 1 "$collector" --rate 2000
    ways=()
    for rate in "${rates[@]}"; do
        ways+=("agentless_realtime_$rate" "chrt -f 1 $collector --gdb $dir/gdb --elf $elf --rate $rate --duration 2")
    done
    cost "$elf" "${ways[@]}"
fi
stop

stub=()
start "$elf"
ways=()
for rate in "${rates[@]}"; do
    ways+=("agentless_qmp_$rate" "$collector --qmp $dir/qmp --elf $elf --rate $rate --duration 2")
done
cost "$elf" "${ways[@]}"
if chrt -f 1 true 2>/dev/null; then
    chrt -f -p 1 "$(cat pid)"
    ways=()
    for rate in "${rates[@]}"; do
        ways+=("agentless_qmp_realtime_$rate" "chrt -f 1 $collector --qmp $dir/qmp --elf $elf --rate $rate --duration 2")
    done
    cost "$elf" "${ways[@]}"
fi
stop

elf=$build/tests/guest/outside.elf
start "$elf" --serial "$dir/port"
ways=()
for rate in "${rates[@]}"; do
    ways+=("agent_$rate" "$collector --serial $dir/port --elf $elf --rate $rate --duration 2")
done
cost "$elf" "${ways[@]}"
stop
