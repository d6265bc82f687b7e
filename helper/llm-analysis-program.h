/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ANALYSIS_PROGRAM_H
#define LLM_ANALYSIS_PROGRAM_H

#include <ostream>

namespace ns3
{
namespace llm
{

/**
 * The program llm-training-analyze, but for its main function: what can be said about a scenario
 * without simulating packets, see ScenarioAnalysis.
 * @param argc number of arguments.
 * @param argv see --help.
 * @param out gets the report, as text or JSON.
 * @param err gets errors: one line for bad input; and a warning if memory does not suffice.
 * @return 0; 1 if out cannot be written; 2 for bad input.
 */
int RunAnalysisProgram(int argc, char* argv[], std::ostream& out, std::ostream& err);

} // namespace llm
} // namespace ns3

#endif // LLM_ANALYSIS_PROGRAM_H
