# SPDX-License-Identifier: GPL-2.0-only
#
# Other ns-3 releases to try the module with, taken from Debian. Sourced after cmake/setup.sh.
#
# They are kept outside the checkout when the machine keeps files, and fetched anew when not. The
# tree of ns-3.37 stays at one path, because its build directory knows its own place.

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/llm-training-ci
mkdir -p "$cache" || fail "no cache directory can be made at $cache"

# private_apt TYPE SUITE COMMAND...: apt-get with one source of its own; the system's lists and
# settings stay as they are. A testing suite's Release file may be past its Valid-Until.
private_apt()
{
    local type=$1 suite=$2
    shift 2
    local lists=$cache/apt/$type-$suite
    mkdir -p "$lists/partial"
    python3 "$root/.ci/derive-sources.py" "$type" "$suite" >"$lists.list"
    apt-get -q -o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false \
        -o Acquire::Retries=3 -o Dir::Etc::SourceList="$lists.list" \
        -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$lists" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@"
}

# fetch_source_tree: ns-3.37 as Debian 12 ships it, unpacked at $source_tree.
source_tree=$cache/ns3-3.37/ns-3.37
fetch_source_tree()
{
    if [ -e "$cache/ns3-3.37.complete" ]; then
        echo "kept: $source_tree"
        return
    fi
    rm -rf "$cache/source" "$cache/ns3-3.37"
    mkdir -p "$cache/source"
    private_apt deb-src bookworm update
    (cd "$cache/source" && private_apt deb-src bookworm source ns3)
    mv "$cache/source/ns3-3.37" "$cache/ns3-3.37"
    rm -rf "$cache/source"
    [ -x "$source_tree/ns3" ] || fail "the source package has no $source_tree/ns3"
    touch "$cache/ns3-3.37.complete"
}

# fetch_headers SUITE VERSION: the headers of that suite's libns3-dev, at $cache/headers-VERSION.
# The packages are unpacked, not installed: they belong to another Debian.
fetch_headers()
{
    local suite=$1 version=$2 there=$cache/headers-$2
    if [ -e "$there.complete" ]; then
        echo "kept: $there"
        return
    fi
    rm -rf "$there" "$cache/download"
    mkdir -p "$there" "$cache/download"
    private_apt deb "$suite" update
    (cd "$cache/download" && private_apt deb "$suite" download libns3-dev)
    ls "$cache/download"/libns3-dev_"$version"[-+]*.deb >/dev/null ||
        fail "$suite has another release than ns-3.$version: $(ls "$cache/download")"
    dpkg -x "$cache/download"/libns3-dev_*.deb "$there"
    rm -rf "$cache/download"
    # Debian builds without MPI; these three headers have not changed since 3.37.
    local name
    for name in mpi-interface.h mpi-receiver.h parallel-communication-interface.h; do
        [ -e "$there/usr/include/ns3/$name" ] ||
            cp "$source_tree/src/mpi/model/$name" "$there/usr/include/ns3/$name"
    done
    touch "$there.complete"
}
