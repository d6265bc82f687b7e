#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: same-output.sh PROGRAM OTHER_PROGRAM WORK_DIRECTORY
#
# Runs the quick-start scenario with two builds of llm-training-sim, and with both event queues, and
# compares the output folders byte for byte.
set -euo pipefail
program=$1 other=$2 work=$3
scenario=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/examples/scenarios/gpt2-small.json
rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$program" "$scenario" --output=first >first.log
"$program" "$scenario" --output=second >second.log
"$other" "$scenario" --output=other >other.log
diff -r first second
diff -r first other
ls first
