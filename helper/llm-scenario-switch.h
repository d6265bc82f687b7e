/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_SWITCH_H
#define LLM_SCENARIO_SWITCH_H

#include "llm-scenario.h"

#include "ns3/llm-fabric.h"

namespace ns3
{
namespace llm
{

/** @param scenario that says how. @return the packet memory of one switch. */
Ptr<FabricSharedBuffer> MakeScenarioBuffer(const Scenario& scenario);

/** Set how a switch forwards, trims and watches pauses. @param scenario that says how.
 *  @param made gets it. */
void SetSwitchFeatures(const Scenario& scenario, FabricSwitch& made);

/** Set how a fabric looks for deadlocks; before Build. @param scenario that says how.
 *  @param fabric gets it. */
void SetDeadlockChecks(const Scenario& scenario, Fabric& fabric);

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_SWITCH_H
