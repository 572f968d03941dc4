#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bench_push.sh BUILD: see bench_push.mjs.
set -eu
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
for tool in node clickhouse-server clickhouse-client; do
    command -v $tool >/dev/null || { echo "SKIP: bench_push: no $tool" >&2; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
node "$here/bench_push.mjs" "$build"
