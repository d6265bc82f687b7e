/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COLLECTIVE_PROGRAM_H
#define LLM_COLLECTIVE_PROGRAM_H

#include <ostream>

namespace ns3
{
namespace llm
{

/**
 * The program llm-training-collective: nccl-tests on a simulated fabric.
 *
 * @param argc of main.
 * @param argv of main.
 * @param out gets the table.
 * @param err gets what went wrong.
 * @return exit code: 0; 1 if a run could not end or its books do not balance; 2 for bad input.
 */
int RunCollectiveProgram(int argc, char* argv[], std::ostream& out, std::ostream& err);

} // namespace llm
} // namespace ns3

#endif // LLM_COLLECTIVE_PROGRAM_H
