#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds picolibc and installs it in the folder DIR; VERSION is the one that fetch-picolibc.sh
# finds:
#
#   picolibc.sh VERSION TARBALL DIR CMAKE_ARG...
#
# TARBALL is its source, fetched if empty. Builds in DIR.build, which stays if that fails.
set -eu

version=$1 tarball=$2 dir=$3
shift 3
build=$dir.build
rm -rf "$build"
mkdir -p "$build"
if [ -z "$tarball" ]; then
    tarball=$build/picolibc.tar.gz
    "$(dirname "$0")/fetch-picolibc.sh" "$tarball"
fi
(
    set -e
    cd "$build"
    tar xzf "$tarball"
    # half of the files, which no guest links
    sed -i '/add_subdirectory(libm)/d' "picolibc-$version/newlib/CMakeLists.txt"
    sed -i -E '/add_subdirectory\((argz|iconv|posix|signal|ssp|time|uchar|xdr|ubsan)\)/d' \
        "picolibc-$version/newlib/libc/CMakeLists.txt"
    # the same bytes, whatever folder this is
    map=-ffile-prefix-map=$build/picolibc-$version=picolibc-$version
    cmake -S "picolibc-$version" -B out "$@" -DCMAKE_INSTALL_PREFIX="$dir" \
        -DCMAKE_C_FLAGS="$PICOLIBC_FLAGS $map" -DCMAKE_ASM_FLAGS="$PICOLIBC_FLAGS $map"
    cmake --build out -j 2
    cmake --install out
) >"$build/log" 2>&1 || {
    tail -n 30 "$build/log" >&2
    echo "picolibc: cannot be built, see $build/log" >&2
    exit 1
}
rm -rf "$build"
