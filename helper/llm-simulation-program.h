/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SIMULATION_PROGRAM_H
#define LLM_SIMULATION_PROGRAM_H

namespace ns3
{
namespace llm
{

/**
 * The program llm-training-sim, but for its main function.
 *
 * Prints what is simulated, progress if standard error is a terminal, and the report; errors go to
 * standard error.
 * @param argc number of arguments.
 * @param argv a scenario file, --set PATH=VALUE (any number of times), --output FOLDER,
 *        --help-scenario, and ns-3's own options.
 * @return 0; 1 if the run failed, with what was open; 2 for bad input, with one line.
 */
int RunSimulationProgram(int argc, char* argv[]);

} // namespace llm
} // namespace ns3

#endif // LLM_SIMULATION_PROGRAM_H
