#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes FILE picolibc's source tarball, from a cache that all builds share:
#
#   fetch-picolibc.sh FILE
#
# Fills the cache (TPROF_CACHE, else tprof/ in the user's cache) from Debian's source
# package, which apt verifies, by way of the mirror that this machine is set up for;
# without apt, from upstream. No system file is touched and nobody needs to be root.
set -eu

version=1.8.10
suite=trixie # Debian 12 has no source of this version
upstream=https://github.com/picolibc/picolibc/archive/refs/tags/$version.tar.gz
# of the tar inside: whoever packs it again, the content is the same
sha256=a68847436fa02888a61a0a9e7c1814d3b80aa2c450d49320239a1c4f2e508ec5

# sound FILE: is it what we want?
sound() {
    [ -f "$1" ] && gzip -dc "$1" 2>/dev/null | sha256sum | grep -q "^$sha256 "
}

# from_apt DIR URI: the source package's tarball into DIR, by a private apt state
from_apt() {
    mkdir -p "$1/sources" "$1/lists/partial" "$1/cache/archives/partial"
    cat >"$1/sources/picolibc.sources" <<END
Types: deb-src
URIs: $2
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
    cat >"$1/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$1/sources";
Dir::State::lists "$1/lists";
Dir::Cache "$1/cache";
APT::Sandbox::User "root";
END
    (
        cd "$1"
        export APT_CONFIG="$1/apt.conf"
        apt-get -qq update && apt-get -qq source --download-only --tar-only picolibc
    ) && mv "$1/picolibc_$version.orig.tar.gz" "$1/tarball"
}

# mirrors: where this machine gets its packages from, Debian by its usual name first;
# apt need not have been there before
mirrors() {
    uris=$(apt-get --print-uris update 2>/dev/null | sed -n "s|^'\(.*/\)dists/.*|\1|p" |
        sort -u | grep -v security)
    echo "$uris" | grep 'debian/*$'
    echo "$uris" | grep -v 'debian/*$'
}

# fetch DIR: DIR/tarball from the first source that has it
fetch() {
    for uri in $(mirrors || true); do
        from_apt "$1" "$uri" && return
    done
    if command -v curl >/dev/null; then
        curl -fsSL --retry 2 --max-time 120 -o "$1/tarball" "$upstream"
    else
        wget -q -T 30 -O "$1/tarball" "$upstream"
    fi
}

file=$1
cache=${TPROF_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tprof}
cached=$cache/picolibc-$version.tar.gz
mkdir -p "$cache"
if command -v flock >/dev/null; then # one of several builds fetches
    exec 9>"$cache/lock"
    flock 9
fi
if ! sound "$cached"; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    if ! fetch "$work" >&2 || ! sound "$work/tarball"; then
        echo "picolibc: cannot fetch its source; give it by -DPICOLIBC_TARBALL=FILE, from" >&2
        echo "picolibc: $upstream" >&2
        exit 1
    fi
    cp "$work/tarball" "$cached.new" && mv "$cached.new" "$cached"
fi
cp "$cached" "$file"
