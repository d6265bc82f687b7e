/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs a scenario: a language model's training step over a simulated RoCEv2 fabric, packet by
// packet.
//
//   llm-training-sim examples/scenarios/gpt2-small.json
//   llm-training-sim my.json --set transport.congestion_control=none --output out/none
//   llm-training-sim --help-scenario

#include "ns3/llm-simulation-program.h"
#include "ns3/nstime.h"

#include <iostream>

int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS);
    return ns3::llm::RunSimulationProgram(argc, argv, std::cout, std::cerr);
}
