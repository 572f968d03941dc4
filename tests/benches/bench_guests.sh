#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# How many guests one collector serves; called by tests/bench with the build's folder.
set -eu
timeout 200 "$1/tests/benches/bench_guests" "$1/hostcollector/collector"
