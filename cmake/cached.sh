#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes what takes long and seldom changes, with a cache that all builds share:
#
#   cached.sh KEY OUTPUT COMMAND...
#
# OUTPUT, a file or a folder, is copied from the cache, if the cache has KEY; else COMMAND
# makes OUTPUT, and the cache gets a copy. KEY says all that OUTPUT depends on, and can be a
# file's name. The cache is TPROF_CACHE, else tprof/ in the user's cache; whoever deletes it
# loses time alone.
set -eu

key=$1 output=$2
shift 2
cache=${TPROF_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tprof}
new=$cache/$key.new.$$
trap 'rm -rf "$new"' EXIT

rm -rf "$output"
if [ -e "$cache/$key" ] && cp -R "$cache/$key" "$output"; then
    touch "$output"
    exit
fi
rm -rf "$output"
"$@"
# a cache that cannot be written is no error, nor is a build beside this one that was faster
if mkdir -p "$cache" && cp -R "$output" "$new" && [ ! -e "$cache/$key" ]; then
    mv "$new" "$cache/$key"
fi 2>/dev/null || true
