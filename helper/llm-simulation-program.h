/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SIMULATION_PROGRAM_H
#define LLM_SIMULATION_PROGRAM_H

#include <iosfwd>

namespace ns3
{
namespace llm
{

/**
 * The program llm-training-sim, but for its main function.
 *
 * Shows progress if standard error is a terminal, then the report.
 * @param argc number of arguments.
 * @param argv a scenario file, --set PATH=VALUE (any number of times), --output FOLDER,
 *        --help-scenario, and ns-3's own options.
 * @param out gets the report.
 * @param err gets errors: one line for bad input, what was open for a run that failed.
 * @return 0; 1 if the run failed; 2 for bad input.
 */
int RunSimulationProgram(int argc, char* argv[], std::ostream& out, std::ostream& err);

} // namespace llm
} // namespace ns3

#endif // LLM_SIMULATION_PROGRAM_H
