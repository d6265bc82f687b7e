#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks the way includes point between the rooms under model/ (see doc/, the way of a token).

A room may include base/ and the rooms to its left; workload, collective and analysis must not
reach ns-3's simulator, nodes, packets or devices, not even through another header of ours.
model/llm-training-compat.h may be used by all rooms that know ns-3.
"""

import glob
import os
import re
import sys

ROOMS = ["base", "workload", "collective", "analysis", "transport", "fabric", "application"]
PLAIN_ROOMS = ROOMS[1:4]
SIMULATION_HEADER = re.compile(
    r"(simulator|node|net-device|packet|channel|application|socket|ipv4|ipv6|address)(-[a-z0-9-]+)?\.h$"
)
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def room_of(path):
    parts = path.split("/")
    if parts[0] == "helper":
        return "helper"
    return parts[1] if len(parts) == 3 else "compat"


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    files = sorted(
        f for pattern in ("model/*.*", "model/*/*.*", "helper/*.*") for f in glob.glob(pattern)
        if f.endswith((".h", ".cc"))
    )
    errors = []
    ours = {}
    for path in files:
        if path.endswith(".h"):
            name = os.path.basename(path)
            if name in ours:
                errors.append(f"{path}: the name {name} is taken by {ours[name]}")
            ours[name] = path
    included = {}
    for path in files:
        with open(path, encoding="utf-8") as f:
            included[path] = INCLUDE.findall(f.read())

    order = {room: i for i, room in enumerate(ROOMS)}
    for path in files:
        room = room_of(path)
        for name in included[path]:
            target = ours.get(os.path.basename(name))
            if target is None:
                continue
            there = room_of(target)
            if there == room or (there == "compat" and room not in PLAIN_ROOMS):
                continue
            if room == "helper" and there in order:
                continue
            if room in order and there in order and order[there] < order[room]:
                continue
            errors.append(f"{path}: room {room} may not include {name} of room {there}")

    # What a plain room reaches of ns-3, directly or through our own headers.
    def reached(path, seen):
        for name in included[path]:
            target = ours.get(os.path.basename(name))
            if target is None:
                if name.startswith("ns3/"):
                    yield name, path
            elif target not in seen:
                seen.add(target)
                yield from reached(target, seen)

    for path in files:
        if room_of(path) in PLAIN_ROOMS:
            for name, where in reached(path, set()):
                if SIMULATION_HEADER.match(name[len("ns3/"):]):
                    through = "" if where == path else f" (through {where})"
                    errors.append(f"{path}: a plain room reaches {name}{through}")

    for error in errors:
        print(error, file=sys.stderr)
    print(f"{len(files)} files, {len(errors)} wrong includes")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
