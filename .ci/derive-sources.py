#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints apt source lines of another type or suite, derived from this machine's own sources.

usage: derive-sources.py TYPE SUITE     for example: deb-src bookworm, deb trixie

Takes the entries of the Debian release that is running (not its updates or security suites), so
that whichever mirror and key the machine trusts are used, and no host name is written down here.
"""

import glob
import re
import sys


def running_release():
    with open("/etc/os-release", encoding="utf-8") as f:
        for line in f:
            if line.startswith("VERSION_CODENAME="):
                return line.split("=", 1)[1].strip().strip('"')
    sys.exit("derive-sources.py: /etc/os-release names no VERSION_CODENAME")


def deb822_entries(text):
    """Yields (URIs, suites, components, key file) of each paragraph of a .sources file."""
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line for line in paragraph.splitlines() if not line.startswith("#")]
        fields = {}
        key = None
        for line in lines:
            if line[:1].isspace() and key:
                fields[key] += " " + line.strip()
            elif ":" in line:
                key, value = line.split(":", 1)
                key = key.strip().lower()
                fields[key] = value.strip()
        if fields.get("enabled", "yes").lower() == "no" or "uris" not in fields:
            continue
        yield (
            fields["uris"].split(),
            fields.get("suites", "").split(),
            fields.get("components", "").split(),
            fields.get("signed-by", ""),
        )


def one_line_entries(text):
    """Yields (URIs, suites, components, key file) of each line of a .list file."""
    for line in text.splitlines():
        match = re.match(r"\s*deb(?:-src)?\s+(?:\[([^]]*)\]\s+)?(\S+)\s+(\S+)\s*(.*)", line)
        if match:
            options, uri, suite, components = match.groups()
            key = re.search(r"signed-by=(\S+)", options or "")
            components = components.split("#")[0].split()
            yield [uri], [suite], components, key.group(1) if key else ""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    kind, suite = sys.argv[1:]
    wanted = {running_release(), "stable"}
    lines = []
    for path in ["/etc/apt/sources.list"] + sorted(glob.glob("/etc/apt/sources.list.d/*")):
        try:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        except FileNotFoundError:
            continue
        if path.endswith(".sources"):
            entries = deb822_entries(text)
        elif path.endswith(".list"):
            entries = one_line_entries(text)
        else:
            continue
        for uris, suites, components, key in entries:
            # An embedded key block is no file name: leave it to the system's trusted keys.
            option = f"[signed-by={key}] " if key.startswith("/") else ""
            if "main" in components and wanted.intersection(suites):
                lines += [f"{kind} {option}{uri} {suite} main" for uri in uris]
    if not lines:
        sys.exit(f"derive-sources.py: no apt source of {' or '.join(sorted(wanted))} found")
    print("\n".join(dict.fromkeys(lines)))


if __name__ == "__main__":
    main()
