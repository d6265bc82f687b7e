#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes DESTINATION hold exactly the module's files of SOURCE, touching only what differs.

usage: sync-tree.py SOURCE DESTINATION

A fresh clone has new modification times everywhere; files equal in content keep theirs, so that
what was built from them stays valid.
"""

import filecmp
import os
import shutil
import sys

PARTS = [
    "CMakeLists.txt",
    "VERSION",
    "LICENSE",
    "cmake",
    "model",
    "helper",
    "examples",
    "test",
    "doc",
]


def files_below(top):
    found = set()
    for part in PARTS:
        path = os.path.join(top, part)
        if os.path.isfile(path):
            found.add(part)
        for folder, subfolders, names in os.walk(path):
            subfolders[:] = [s for s in subfolders if s != "__pycache__"]
            found.update(os.path.relpath(os.path.join(folder, n), top) for n in names)
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, destination = sys.argv[1:]
    wanted = files_below(source)
    for name in files_below(destination) - wanted:
        os.remove(os.path.join(destination, name))
    for name in sorted(wanted):
        a, b = os.path.join(source, name), os.path.join(destination, name)
        if not (os.path.isfile(b) and filecmp.cmp(a, b, shallow=False)):
            os.makedirs(os.path.dirname(b), exist_ok=True)
            shutil.copyfile(a, b)
            shutil.copymode(a, b)


if __name__ == "__main__":
    main()
