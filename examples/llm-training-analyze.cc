/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tells of a scenario what needs no simulation of packets: bytes, memory, time, what the network
// must give.
//
//   llm-training-analyze llama3-8b-32
//   llm-training-analyze my.json --matrix=ranks.csv --server-matrix=servers.csv
//   llm-training-analyze my.json --set parallelism.data_parallel_size=1024 --format=json

#include "ns3/llm-analysis-program.h"

#include <iostream>

int
main(int argc, char* argv[])
{
    return ns3::llm::RunAnalysisProgram(argc, argv, std::cout, std::cerr);
}
