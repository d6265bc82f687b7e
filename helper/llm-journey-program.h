/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_JOURNEY_PROGRAM_H
#define LLM_JOURNEY_PROGRAM_H

#include <ostream>

namespace ns3
{
namespace llm
{

/**
 * The program llm-training-journey, but for its main function: follows a text through all stages of
 * a training step, see TellJourney. Without options canto I of the Inferno, GPT-2 small, and three
 * layouts of 8 accelerators.
 * @param argc number of arguments.
 * @param argv see --help.
 * @param out gets the story, as text, JSON or reStructuredText.
 * @param err gets errors: one line for bad input.
 * @return 0; 1 if out cannot be written; 2 for bad input.
 */
int RunJourneyProgram(int argc, char* argv[], std::ostream& out, std::ostream& err);

} // namespace llm
} // namespace ns3

#endif // LLM_JOURNEY_PROGRAM_H
