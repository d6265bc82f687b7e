# SPDX-License-Identifier: GPL-2.0-only
#
# What ./quickstart, ./check and the scripts in .ci/ share. Sourced by bash, not run.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=${JOBS:-$(nproc)}

# What the module needs to be built alone, by the names of Debian 12.
build_packages=(g++ cmake ninja-build libns3-dev ns3 libboost-dev nlohmann-json3-dev
    libutf8proc-dev)

# step NAME: says what begins; when the script fails it is this step that failed.
current_step=
step()
{
    current_step=$1
    printf '\n== %s (%ss)\n' "$1" "$SECONDS"
}

# fail MESSAGE: ends the script; the step at work is named.
fail()
{
    echo "$1" >&2
    exit 1
}

report_end()
{
    local code=$?
    if [ "$code" -ne 0 ] && [ -n "$current_step" ]; then
        printf '\nFAILED in step "%s" (exit code %s)\n' "$current_step" "$code" >&2
    fi
}
trap report_end EXIT

# install_packages NAME...: installs what of it is missing; needs root or sudo only then.
install_packages()
{
    step "packages"
    if ! command -v dpkg-query >/dev/null; then
        echo "This is no Debian: taking for granted that what corresponds to these is there: $*"
        return
    fi
    local missing=() name as_root=()
    for name in "$@"; do
        if [ "$(dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | head -n 1)" != installed ]; then
            missing+=("$name")
        fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        echo "nothing is missing"
        return
    fi
    echo "missing: ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            fail "neither root nor sudo: have these installed first: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q
        -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
    "${apt[@]}" update
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

# build_alone TARGET...: configures and builds in build/ against the installed ns-3.
build_alone()
{
    step "configure"
    cmake -S . -B build -G Ninja -Wno-dev
    step "build"
    ninja -C build -j "$jobs" "$@"
}
