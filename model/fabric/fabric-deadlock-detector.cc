/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-deadlock-detector.h"

#include "llm-fabric.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricDeadlockDetector);

namespace
{

/** What is known of one transmitter and class. */
struct Transmitter
{
    bool stuck{false};           //!< paused by a switch, for all that is known so far
    std::vector<uint32_t> waits; //!< for these, by place
};

/** @return place of a transmitter. */
uint32_t
PlaceOf(const FabricPort* port, uint8_t trafficClass)
{
    return port->GetPortId() * 8 + trafficClass;
}

/** @return whether the peer, a switch, holds a class back in which something waits. */
bool
IsHeldBack(const FabricPort* port, uint8_t trafficClass)
{
    const FabricPort* peer = port->GetPeer();
    return port->IsSwitchPort() && peer->IsSwitchPort() &&
           ((port->GetPausedClasses() & peer->GetPausing()) >> trafficClass & 1) &&
           port->GetQueueBytes(trafficClass) > 0 && peer->GetPipelineBytes() == 0;
}

/** @return transmitters and what they wait for, by place. */
std::vector<Transmitter>
CollectWaits(const Fabric& fabric)
{
    std::vector<Transmitter> all(fabric.GetPorts().size() * 8);
    for (const auto& port : fabric.GetPorts())
    {
        for (uint8_t c = 0; c < 8; ++c)
        {
            all[PlaceOf(PeekPointer(port), c)].stuck = IsHeldBack(PeekPointer(port), c);
            if (!port->IsSwitchPort() || port->GetQueueBytes(c) == 0)
            {
                continue;
            }
            // Whoever sent what waits here waits for this transmitter.
            for (const uint16_t ingress : port->GetQueuedFrom(c))
            {
                const FabricPort* from = port->GetSwitch()->GetPorts()[ingress]->GetPeer();
                all[PlaceOf(from, c)].waits.push_back(PlaceOf(PeekPointer(port), c));
            }
        }
    }
    return all;
}

} // namespace

TypeId
FabricDeadlockDetector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricDeadlockDetector")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddConstructor<FabricDeadlockDetector>()
            .AddAttribute("Interval",
                          "Time between two looks, while a class is paused somewhere.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&FabricDeadlockDetector::m_interval),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("Stop",
                          "Stop the simulation at a deadlock.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricDeadlockDetector::m_stop),
                          MakeBooleanChecker())
            .AddTraceSource("Deadlock",
                            "Transmitters wait for each other in a circle (the circle in one "
                            "line); once.",
                            MakeTraceSourceAccessor(&FabricDeadlockDetector::m_deadlock),
                            "ns3::llm::FabricDeadlockDetector::DeadlockTracedCallback");
    return tid;
}

FabricDeadlockDetector::FabricDeadlockDetector() = default;

FabricDeadlockDetector::~FabricDeadlockDetector() = default;

std::vector<FabricPortClass>
FabricDeadlockDetector::FindCycle(const Fabric& fabric)
{
    std::vector<Transmitter> all = CollectWaits(fabric);
    // Take away whoever waits for somebody who can move, or for nobody, until nothing changes.
    for (bool changed = true; changed;)
    {
        changed = false;
        for (Transmitter& one : all)
        {
            const bool moves = one.waits.empty() ||
                               std::any_of(one.waits.begin(), one.waits.end(), [&](uint32_t w) {
                                   return !all[w].stuck;
                               });
            if (one.stuck && moves)
            {
                one.stuck = false;
                changed = true;
            }
        }
    }
    const auto first =
        std::find_if(all.begin(), all.end(), [](const Transmitter& one) { return one.stuck; });
    if (first == all.end())
    {
        return {};
    }
    // Whoever is stuck waits for somebody who is: follow the first until one comes twice.
    std::vector<uint32_t> way{static_cast<uint32_t>(first - all.begin())};
    std::vector<uint32_t>::iterator again;
    do
    {
        const std::vector<uint32_t>& waits = all[way.back()].waits;
        const uint32_t next = *std::min_element(waits.begin(), waits.end());
        again = std::find(way.begin(), way.end(), next);
        if (again == way.end())
        {
            way.push_back(next);
            again = way.end();
        }
    } while (again == way.end());
    std::vector<FabricPortClass> cycle;
    for (; again != way.end(); ++again)
    {
        cycle.push_back(
            {PeekPointer(fabric.GetPorts()[*again / 8]), static_cast<uint8_t>(*again % 8)});
    }
    return cycle;
}

std::string
FabricDeadlockDetector::Describe(const std::vector<FabricPortClass>& cycle)
{
    if (cycle.empty())
    {
        return "";
    }
    std::string text = "class " + std::to_string(cycle.front().trafficClass) + ": ";
    for (const FabricPortClass& one : cycle)
    {
        text += one.port->GetLabel() + " -> ";
    }
    return text + cycle.front().port->GetLabel();
}

void
FabricDeadlockDetector::Watch(Fabric* fabric)
{
    m_fabric = fabric;
    m_id = fabric->GetEventQueue().Register(FabricEventKind::WATCHDOG, this, 0xffffffff);
}

void
FabricDeadlockDetector::Arm(int64_t now)
{
    if (!m_armed)
    {
        const int64_t interval = m_interval.GetTimeStep();
        m_armed = true;
        m_fabric->GetEventQueue().ScheduleAt((now / interval + 1) * interval,
                                             FabricEventKind::WATCHDOG,
                                             m_id);
    }
}

void
FabricDeadlockDetector::HandleFabricEvent(FabricEventKind, int64_t now)
{
    m_armed = false;
    if (m_found.empty())
    {
        m_found = Describe(FindCycle(*m_fabric));
        if (!m_found.empty())
        {
            m_deadlock(m_found);
            if (m_stop)
            {
                Simulator::Stop();
            }
            return;
        }
    }
    const auto& ports = m_fabric->GetPorts();
    const bool paused = std::any_of(ports.begin(), ports.end(), [](const Ptr<FabricPort>& port) {
        return port->GetPausedClasses() != 0;
    });
    if (paused)
    {
        Arm(now);
    }
}

} // namespace llm
} // namespace ns3
