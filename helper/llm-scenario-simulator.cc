/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-simulator.h"

#include "ns3/fabric-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <string>

namespace ns3
{
namespace llm
{

void
SelectScenarioSimulator(const Scenario& scenario)
{
    RngSeedManager::SetSeed(static_cast<uint32_t>(scenario.seed));
    RngSeedManager::SetRun(scenario.run);
    const std::string native = FabricSimulatorImpl::GetTypeId().GetName();
    StringValue present;
    GlobalValue::GetValueByName("SimulatorImplementationType", present);
    if (scenario.simulator.event_queue == "native")
    {
        // Somebody who chose another one, on the command line, wants the portable queue.
        if (present.Get() == "ns3::DefaultSimulatorImpl")
        {
            FabricSimulatorImpl::Select();
        }
    }
    else if (present.Get() == native)
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    }
}

} // namespace llm
} // namespace ns3
