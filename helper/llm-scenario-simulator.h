/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_SIMULATOR_H
#define LLM_SCENARIO_SIMULATOR_H

#include "llm-scenario.h"

namespace ns3
{
namespace llm
{

/**
 * Set seed and run, and choose ns-3's simulator as the scenario says, unless somebody chose another
 * one before. Call it before anything touches the simulator.
 * @param scenario what is simulated.
 */
void SelectScenarioSimulator(const Scenario& scenario);

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_SIMULATOR_H
