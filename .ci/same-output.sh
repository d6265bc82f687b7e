#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: same-output.sh PROGRAM OTHER_PROGRAM WORK_DIRECTORY
#
# Runs the quick-start scenario five times with two builds of llm-training-sim, on either event queue,
# and compares the output folders byte for byte.
set -euo pipefail
program=$1 other=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$program" gpt2-small --output=first >first.log
"$program" gpt2-small --output=again >again.log
"$program" gpt2-small --output=portable --set simulator.event_queue=portable >portable.log
"$other" gpt2-small --output=other >other.log
"$other" gpt2-small --output=other-portable --set simulator.event_queue=portable >other-portable.log
for folder in again portable other other-portable; do
    diff -r first "$folder"
done
ls first
