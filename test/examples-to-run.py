#! /usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# The programs of examples/, run by ns-3's test.py and by .ci/run-examples.py:
# (command, whether to run it, whether to run it under valgrind).

cpp_examples = [
    ("llm-training-sim gpt2-small --output=testpy-output/gpt2-small", "True", "False"),
    ("llm-training-sim simai-16 --output=testpy-output/simai-16", "True", "False"),
    ("llm-training-sim company --set iterations=1 --output=testpy-output/company", "True", "False"),
    ("llm-training-sim goal-4 --output=testpy-output/goal-4", "True", "False"),
    ("llm-training-sim hpcc-16 --output=testpy-output/hpcc-16", "True", "False"),
    ("llm-training-bench --pattern=permutation --hosts=16 --bytes=100000", "True", "False"),
    ("llm-training-dumbbell --iterations=1", "True", "False"),
    ("llm-training-anywhere --network=p2p-tc", "True", "False"),
    ("llm-training-anywhere --network=ipv6", "True", "False"),
    ("llm-training-fabric", "True", "False"),
    ("llm-training-incast --duration=2ms", "True", "False"),
    ("llm-training-tokenize --bench=1", "True", "False"),
    ("llm-training-analyze llama3-8b-32 --matrix=ranks.csv", "True", "False"),
    ("llm-training-collective all_reduce -b 8 -e 1M -f 8 --algorithm=nccl", "True", "False"),
    ("llm-training-journey", "True", "False"),
    ("llm-training-journey --word=selva --model=llama-3-8b --tp=8 --dp=2", "True", "False"),
]
python_examples = []
