#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Puts what programs print into the pages of doc/ that show it, between their marks.

usage: doc/update-manual.py [BUILD]      BUILD: folder with the programs, default build
"""

import os
import subprocess
import sys

PARTS = [
    ("llm-training.rst", "scenario fields", ["llm-training-sim", "--manual-scenario"]),
    ("journey.rst", "journey", ["llm-training-journey", "--format=rst"]),
    ("published-runs.rst", "published runs",
     ["llm-training-analyze", "--published", "--format=rst"]),
]


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
    doc = os.path.dirname(os.path.abspath(__file__))
    for page, name, command in PARTS:
        program = os.path.join(build, command[0])
        if not os.access(program, os.X_OK):
            print(f"doc/{page} is left as it is: there is no {program}")
            continue
        path = os.path.join(doc, page)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        begin, end = f".. {name}: begin\n", f".. {name}: end\n"
        first, last = text.index(begin) + len(begin), text.index(end)
        printed = subprocess.run([program] + command[1:], check=True,
                                 stdout=subprocess.PIPE, encoding="utf-8").stdout.strip("\n")
        wanted = f"{text[:first]}\n{printed}\n\n{text[last:]}"
        if wanted != text:
            with open(path, "w", encoding="utf-8") as f:
                f.write(wanted)
            print(f"doc/{page}: {name}")


if __name__ == "__main__":
    main()
