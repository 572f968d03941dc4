#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bench_agent.sh BUILD: what the agent costs, as `name value unit` lines. BUILD is a
# build folder with the targets bench_agent, collector, plugin_truth, cost, toro, images,
# alpha and beta.
#
# A guest runs under icount with the real collector attached to its virtio-serial
# port, and once more without the agent; a TCG plugin counts what it executes, so
# the difference is all that profiling costs, until the last byte has left the
# guest. QEMU's default CPU; the agent finds its core by gs (TPROF_CPU_GS).
set -eu
cd "$(dirname "$0")/../.."
build=$1

boot=tests/guest/boot
collector=$build/hostcollector/collector
plugin=$build/tests/accuracy/plugin_truth.so
cost=$build/tests/guest/cost.elf
images=$build/tests/guest/images
toro=$build/tests/guest/toro.elf
program=$build/tests/benches/bench_agent
archive=$build/agent/libtprof.a

dir=$(mktemp -d)
pid='' bridge=''
cleanup() {
    for p in $pid $bridge; do
        kill "$p" 2>/dev/null || true
    done
    rm -rf "$dir"
}
trap cleanup EXIT

fail() {
    echo "bench_agent: $*" >&2
    exit 1
}

guest=$cost more=()

# run NAME CORES OPTIONS [vsock]: the guest, with QEMU's arguments (more), watched by the
# plugin; with a collector unless OPTIONS say agent=0, always=1 or boot=N. Leaves $dir/NAME.truth and
# $dir/NAME.tprof.
run() {
    local name=$1 cores=$2 options=$3 way=${4:-serial} watch path=$dir/port from=--serial
    if [ "$way" = vsock ]; then
        path=$dir/vhost from=--vsock-uds
        options="transport=vsock $options"
    fi
    watch=$plugin,elf=$guest,out=$dir/$name.truth,begin=truth_begin,end=truth_end
    watch=$watch,isr=tprof_isr_gs,aside=handle_other,io=1
    "$boot" --icount 0 --cpus "$cores" --timeout 200 "--$way" "$path" \
        --append "live=1 seed=1 $options" --plugin "$watch" "$guest" "${more[@]}" >"$dir/console" 2>&1 &
    pid=$!
    if ! [[ $options =~ agent=0|always=|boot= ]]; then
        timeout 200 "$collector" record "$from" "$dir/port" --elf "$guest" --wait 5 \
            -o "$dir/$name.tprof" >"$dir/log" 2>&1 || fail "$name: $(tail -n 3 "$dir/log")"
    fi
    wait "$pid" || fail "$name: the guest failed: $(tail -n 3 "$dir/console")"
    pid=''
}

# truth NAME KEY COLUMN: a number of the plugin's, summed over the cores
truth() {
    awk -v key="$2" -v column="$3" '
        $3 == key { sum += $(3 + column) }
        END { printf "%d\n", sum }' "$dir/$1.truth"
}

# per_tick NAME: instructions of run NAME, less those without the agent, for each tick
per_tick() {
    awk "BEGIN { print ($(truth "$1" total 1) - $(truth "$1.without" total 1)) / $(truth "$1" ticks 1) }"
}

# both NAME OPTIONS: with and without the agent, on one core
both() {
    run "$1" 1 "rate=20000 $2"
    run "$1.without" 1 "agent=0 $2"
}

# bounded NAME VALUE MOST UNIT: a figure that is a promise
bounded() {
    printf '%s %.0f %s\n' "$1" "$2" "$4"
    awk "BEGIN { exit !($2 <= $3) }" || fail "$1: $2 $4, and at most $3 are promised"
}

# About 5,000 ticks each: the chain changes 40 times between two ticks.
visits='visits=200000 rounds=1250'
for frames in 1 2 4 8 16 32 64; do
    both "frames$frames" "frames=$frames stacks=64 $visits"
    echo "$frames $(per_tick "frames$frames")"
done >"$dir/fit"
# least squares: cost = fixed + frames * each
read -r fixed each <<<"$(awk '{ n++; x += $1; y += $2; xx += $1 * $1; xy += $1 * $2 }
    END {
        each = (n * xy - x * y) / (n * xx - x * x)
        print (y - each * x) / n, each
    }' "$dir/fit")"
printf 'isr_fixed %.0f instructions\n' "$fixed"
printf 'isr_per_frame %.1f instructions\n' "$each"

# ends NAME FRAMES OPTIONS: a tick of known stacks that end otherwise, FRAMES of which are read,
# takes at most 1.15 times what is fixed
ends() {
    both "$1" "frames=16 stacks=64 $visits $3"
    bounded "isr_$1" "$(per_tick "$1")" "$(awk "BEGIN { print 1.15 * $fixed + $2 * $each }")" instructions
}
ends root_outside_text 16 root=1
ends no_range 0 range=0
ends no_text 16 text=0

both fresh "frames=16 stacks=64 fresh=1 $visits"
printf 'isr_new_stack %.0f instructions\n' "$(per_tick fresh)"

# with nobody attached: the flight recorder, and boot
while read -r name option; do
    both "$name" "frames=16 stacks=64 $option $visits"
    printf 'isr_%s %.0f instructions\n' "$name" "$(per_tick "$name")"
done <<'EOF'
always always=1
boot_oldest boot=1
boot_newest boot=2
EOF

# a kernel and two applications by turns: most ticks find another image than the last
guest=$images.elf
more=(-- -device "loader,file=$images/alpha.elf,addr=0x2000000,force-raw=on"
    -device "loader,file=$images/beta.elf,addr=0x2400000,force-raw=on")
both images 'file1=0x2000000 file2=0x2400000 at1=0x100000 at2=0x555000000000 rounds=5000'
printf 'isr_images %.0f instructions\n' "$(per_tick images)"
guest=$cost more=()

# the same samples over vsock; the bridge offers $dir/port
"$collector" bridge --vhost-user "$dir/vhost" --uds "$dir/port" --cid 3 >"$dir/bridge" 2>&1 &
bridge=$!
for ((i = 0; i < 100; i++)); do
    grep -qs ready "$dir/bridge" && break
    sleep 0.05
done
run vsock 1 "rate=20000 frames=16 stacks=64 $visits" vsock
kill "$bridge"
wait "$bridge" || true
bridge=''

# The longest interrupt depends on the addresses in the guest, and so on its layout: some of
# them, with long records and short ones in turn.
for shuffle in 1000 2000 3000; do
    run "shuffle$shuffle" 1 "rate=20000 frames=16 stacks=1000 shuffle=$shuffle $visits"
done

# a minute of 4 cores, each at another of 1,000 stacks and 200 addresses after each tick
run minute 4 'rate=997 seconds=60 frames=16 stacks=1000'

awk '$3 == "interrupts" && $6 > worst { worst = $6 }
    END { printf "isr_worst %d instructions\n", worst }' "$dir"/*.truth
awk "BEGIN {
    printf \"apic_accesses_per_tick %.2f accesses\n\", $(truth frames16 apic 1) / $(truth frames16 ticks 1)
    printf \"kicks_per_1000_samples %.2f kicks\n\", 1000 * $(truth frames16 kicks 1) / $(truth frames16 ticks 1)
    printf \"vsock_kicks_per_1000_samples %.2f kicks\n\", 1000 * $(truth vsock kicks 1) / $(truth vsock ticks 1)
}"
awk '$3 == "isr_stack" && $4 > most { most = $4 }
    END { printf "isr_stack %d bytes\n", most }' "$dir"/*.truth
# as tests/package/check has it: what a kernel gains that calls what every kernel must
text() {
    ld -o "$dir/agent.elf" --gc-sections -e tprof_init_image -u tprof_start_cpu "$@" "$archive"
    size -A "$dir/agent.elf" | awk '/^\.(text|rodata)/ { n += $2 } END { print n }'
}
agent_text=$(text)
bounded agent_text "$agent_text" 25856 bytes
# what a kernel links in addition that names a capability: figure, symbol, bound
while read -r figure symbol most; do
    bounded "$figure" "$(($(text -u "$symbol") - agent_text))" "$most" bytes
done <<'EOF'
vsock_text tprof_vsock 6144
kvm_text tprof_kvm 1024
lend_text tprof_lend_timer 1536
ports_text tprof_uart 1024
map_text tprof_map 1536
progress_text tprof_add_counter 512
threads_text tprof_switch 5120
kernel_timer_text tprof_tick 2048
EOF

# wire NAME RECORDING
wire() {
    local sums
    sums=$("$program" "$2") || fail "$1: no samples"
    awk -v name="$1" -v sums="$sums" 'BEGIN {
        split(sums, s, " ")
        printf "%s %.2f bytes\n", name, s[2] / s[4]
    }'
}
wire wire_bytes_per_sample "$dir/minute.tprof"

# as tests/demo does it, in real time
"$boot" --cpus 4 --timeout 60 --serial "$dir/port" --append run=0 "$toro" >"$dir/console" 2>&1 &
pid=$!
timeout 40 "$collector" record --serial "$dir/port" --elf "$toro" --duration 5 \
    -o "$dir/demo.tprof" >"$dir/log" 2>&1 || fail "demo: $(tail -n 3 "$dir/log")"
kill "$pid"
wait "$pid" || true
pid=''
wire wire_bytes_per_sample_demo "$dir/demo.tprof"
