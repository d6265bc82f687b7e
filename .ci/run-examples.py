#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the example programs of a build alone, as test/examples-to-run.py lists them for ns-3.

usage: run-examples.py BUILD_DIRECTORY WORK_DIRECTORY

Every examples/*.cc must have been built, and each must be listed at least once.
"""

import ast
import glob
import os
import runpy
import shutil
import subprocess
import sys
import time


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, work = (os.path.abspath(a) for a in sys.argv[1:])
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    listed = runpy.run_path(os.path.join(root, "test", "examples-to-run.py"))["cpp_examples"]

    programs = [os.path.basename(p)[:-3] for p in sorted(glob.glob(f"{root}/examples/*.cc"))]
    for program in programs:
        if not os.access(os.path.join(build, program), os.X_OK):
            sys.exit(f"examples/{program}.cc has made no program {build}/{program}")
        if not any(command.split()[0] == program for command, _, _ in listed):
            sys.exit(f"test/examples-to-run.py does not run {program}")

    shutil.rmtree(work, ignore_errors=True)
    for number, (command, run, _) in enumerate(listed):
        if not ast.literal_eval(run):
            continue
        folder = os.path.join(work, str(number))
        os.makedirs(folder)
        begin = time.monotonic()
        result = subprocess.run(
            [os.path.join(build, command.split()[0])] + command.split()[1:],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            print(result.stdout)
            sys.exit(f"{command}: exit code {result.returncode}")
        print(f"PASS {time.monotonic() - begin:6.1f} s  {command}")


if __name__ == "__main__":
    main()
