#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes cmake/Sources.cmake, the sorted lists of the module's files, from what is in the tree.

usage: cmake/list-sources.py [--check]

With --check nothing is written; the exit code is 1 when the file is not what would be written.
The waf build (wscript-compat/) reads the same file.
"""

import glob
import os
import sys

HEAD = """\
# SPDX-License-Identifier: GPL-2.0-only
#
# The files of the module, for every way to build it. Written by cmake/list-sources.py: run it after
# adding, renaming or removing a file.

get_filename_component(llm_training_root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
"""

LISTS = [
    ("llm_training_sources", "", ["model/*.cc", "model/*/*.cc", "helper/*.cc"]),
    ("llm_training_headers", "", ["model/*.h", "model/*/*.h", "helper/*.h"]),
    ("llm_training_test_sources", "", ["test/*-test-suite.cc"]),
    ("llm_training_example_sources", "# Each is a program of the same name.\n", ["examples/*.cc"]),
]


def text_of_lists():
    text = HEAD
    for variable, comment, patterns in LISTS:
        files = sorted(f for pattern in patterns for f in glob.glob(pattern))
        if variable == "llm_training_example_sources":
            files = [os.path.basename(f) for f in files]
        text += f"\n{comment}set({variable}\n" + "".join(f"    {f}\n" for f in files) + ")\n"
    return text


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    path = "cmake/Sources.cmake"
    wanted = text_of_lists()
    with open(path, encoding="utf-8") as f:
        present = f.read()
    if sys.argv[1:] == ["--check"]:
        differing = sorted(set(wanted.splitlines()) ^ set(present.splitlines()))
        if wanted != present:
            sys.exit(f"{path} is not up to date; run cmake/list-sources.py\n" + "\n".join(differing))
    elif wanted != present:
        with open(path, "w", encoding="utf-8") as f:
            f.write(wanted)


if __name__ == "__main__":
    main()
