/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs a collective over a simulated fabric for a sweep of sizes and prints nccl-tests' table.
//
//   llm-training-collective all_reduce -b 8 -e 128M -f 2 --algorithm nccl
//   llm-training-collective all_gather -b 1M --all
//   llm-training-collective alltoall -b 64K -e 16M -f 4 --scenario my.json --csv alltoall.csv

#include "ns3/llm-collective-program.h"
#include "ns3/nstime.h"

#include <iostream>

int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS);
    return ns3::llm::RunCollectiveProgram(argc, argv, std::cout, std::cerr);
}
