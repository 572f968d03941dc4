#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bench_bridge.sh BUILD: what `collector bridge` carries, as `name value unit` lines.
# BUILD is a build folder with the targets bench_bridge, collector and vsock_own.
#
# A guest whose own vsock driver discards, sends and echoes, on one core; the ratios are
# of its rates to that of a socketpair.
set -eu
cd "$(dirname "$0")/../.."
build=$1

dir=$(mktemp -d)
bridge='' boot=''
cleanup() {
    [ -z "$boot" ] || kill "$boot" 2>/dev/null || true
    [ -z "$bridge" ] || kill "$bridge" 2>/dev/null || true
    wait
    rm -rf "$dir"
}
trap cleanup EXIT

timeout 120 "$build/hostcollector/collector" bridge --vhost-user "$dir/vhost" \
    --uds "$dir/vsock" --cid 3 >"$dir/log" 2>&1 &
bridge=$!
# QEMU gives up at once where nobody listens
for ((i = 0; i < 500; i++)); do
    grep -q " 00010000 .*$dir/vhost" /proc/net/unix && break
    sleep 0.01
done
tests/guest/boot --timeout 110 --vsock "$dir/vhost" --pidfile "$dir/pid" \
    "$build/tests/guest/vsock_own.elf" >"$dir/console" 2>&1 &
boot=$!
for ((i = 0; i < 1000; i++)); do
    grep -q '^own: cid' "$dir/console" 2>/dev/null && break
    sleep 0.01
done
if ! timeout 100 "$build/tests/benches/bench_bridge" "$dir/vsock" "$(cat "$dir/pid")"; then
    tail -n 5 "$dir/log" "$dir/console" >&2
    echo "bench_bridge: nothing was measured" >&2
    exit 1
fi
