/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-switch.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-deadlock-detector.h"
#include "ns3/fabric-pfc-watchdog.h"
#include "ns3/fabric-pool-buffer.h"
#include "ns3/llm-active-buffer-management.h"
#include "ns3/llm-dynamic-threshold.h"
#include "ns3/llm-static-threshold.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

namespace
{

/** @return threshold of a pool. */
Ptr<FabricBufferPolicy>
MakePolicy(const Scenario::SwitchSection& switches, double alpha)
{
    Ptr<FabricBufferPolicy> policy;
    if (switches.buffer_policy == "static")
    {
        policy = CreateObject<StaticThreshold>();
        policy->SetAttribute("Bytes", UintegerValue(switches.static_threshold));
        return policy;
    }
    if (switches.buffer_policy == "abm")
    {
        policy = CreateObject<ActiveBufferManagement>();
    }
    else
    {
        policy = CreateObject<DynamicThreshold>();
    }
    policy->SetAttribute("Alpha", DoubleValue(alpha));
    return policy;
}

} // namespace

Ptr<FabricSharedBuffer>
MakeScenarioBuffer(const Scenario& scenario)
{
    const Scenario::FabricSection& fabric = scenario.fabric;
    const Scenario::SwitchSection& switches = scenario.switches;
    uint8_t lossless = 0;
    for (const uint32_t trafficClass : fabric.lossless_classes)
    {
        lossless |= static_cast<uint8_t>(1U << trafficClass);
    }
    Ptr<FabricSharedBuffer> buffer;
    if (switches.buffer_model == "pools")
    {
        buffer = CreateObject<FabricPoolBuffer>();
        buffer->SetAttribute("Xon", UintegerValue(switches.xon));
        buffer->SetAttribute("IngressPool", UintegerValue(switches.ingress_pool));
        buffer->SetAttribute("EgressLosslessPool", UintegerValue(switches.egress_lossless_pool));
        buffer->SetAttribute("EgressLossyPool", UintegerValue(switches.egress_lossy_pool));
        buffer->SetAttribute("EgressReserve", UintegerValue(switches.egress_reserve));
        buffer->SetAttribute("EgressLossyPolicy",
                             PointerValue(MakePolicy(switches, switches.egress_alpha)));
    }
    else
    {
        buffer = CreateObject<FabricSharedBuffer>();
    }
    buffer->SetAttribute("Size", UintegerValue(fabric.buffer));
    buffer->SetAttribute("Reserve", UintegerValue(fabric.reserve));
    buffer->SetAttribute("XonOffset", UintegerValue(fabric.xon_offset));
    buffer->SetAttribute("LosslessClasses", UintegerValue(fabric.pfc ? lossless : 0));
    buffer->SetAttribute("HeadroomOversubscription",
                         DoubleValue(switches.headroom_oversubscription));
    buffer->SetAttribute("Policy", PointerValue(MakePolicy(switches, fabric.alpha)));
    return buffer;
}

void
SetSwitchFeatures(const Scenario& scenario, FabricSwitch& made)
{
    const Scenario::SwitchSection& switches = scenario.switches;
    made.SetAttribute("CutThrough", BooleanValue(switches.switching == "cut_through"));
    made.SetAttribute("Latency", TimeValue(PicoSeconds(switches.switch_latency_ps)));
    made.SetAttribute("Trimming", BooleanValue(switches.trimming));
    made.SetAttribute("TrimClass", UintegerValue(switches.trim_class));
    if (switches.pfc_watchdog == "off")
    {
        return;
    }
    Ptr<FabricPfcWatchdog> watchdog = CreateObject<FabricPfcWatchdog>();
    watchdog->SetAttribute("Action",
                           StringValue(switches.pfc_watchdog == "drop"      ? "Drop"
                                       : switches.pfc_watchdog == "forward" ? "Forward"
                                                                            : "Alert"));
    watchdog->SetAttribute("DetectionTime",
                           TimeValue(PicoSeconds(switches.pfc_watchdog_detection_ps)));
    watchdog->SetAttribute("RestorationTime",
                           TimeValue(PicoSeconds(switches.pfc_watchdog_restoration_ps)));
    watchdog->SetAttribute("PollInterval", TimeValue(PicoSeconds(switches.pfc_watchdog_poll_ps)));
    made.SetAttribute("PfcWatchdog", PointerValue(watchdog));
}

void
SetDeadlockChecks(const Scenario& scenario, Fabric& fabric)
{
    const std::string& check = scenario.switches.check_deadlock;
    fabric.SetAttribute("DeadlockCheck",
                        StringValue(check == "error"  ? "Error"
                                    : check == "warn" ? "Warn"
                                                      : "Off"));
    if (scenario.watchdog.deadlock_interval_ps > 0)
    {
        Ptr<FabricDeadlockDetector> detector = CreateObject<FabricDeadlockDetector>();
        detector->SetAttribute("Interval",
                               TimeValue(PicoSeconds(scenario.watchdog.deadlock_interval_ps)));
        fabric.SetAttribute("DeadlockDetector", PointerValue(detector));
    }
}

} // namespace llm
} // namespace ns3
