/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-pfc-watchdog.h"

#include "fabric-port.h"

#include "ns3/enum.h"
#include "ns3/llm-training-compat.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricPfcWatchdog);

TypeId
FabricPfcWatchdog::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricPfcWatchdog")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddConstructor<FabricPfcWatchdog>()
            .AddAttribute("DetectionTime",
                          "A class that is paused for so long with frames queued is in a storm.",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&FabricPfcWatchdog::m_detectionTime),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("RestorationTime",
                          "A storm is over when for so long no XOFF has come.",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&FabricPfcWatchdog::m_restorationTime),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("PollInterval",
                          "Time between two looks, on its multiples.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&FabricPfcWatchdog::m_pollInterval),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("Action",
                          "What is done to a class in a storm: Drop (empty the queue and drop what "
                          "comes), Forward (ignore the pause), Alert (tell only).",
                          llm::MakeEnumValueCompat(DROP),
                          llm::MakeEnumAccessorCompat<Action>(&FabricPfcWatchdog::m_action),
                          MakeEnumChecker(DROP, "Drop", FORWARD, "Forward", ALERT, "Alert"));
    return tid;
}

FabricPfcWatchdog::FabricPfcWatchdog() = default;

FabricPfcWatchdog::~FabricPfcWatchdog() = default;

void
FabricPfcWatchdog::DoDispose()
{
    m_port = nullptr;
    Object::DoDispose();
}

Ptr<FabricPfcWatchdog>
FabricPfcWatchdog::Copy() const
{
    Ptr<FabricPfcWatchdog> copy = CreateObject<FabricPfcWatchdog>();
    copy->m_detectionTime = m_detectionTime;
    copy->m_restorationTime = m_restorationTime;
    copy->m_pollInterval = m_pollInterval;
    copy->m_action = m_action;
    return copy;
}

void
FabricPfcWatchdog::Configure(FabricPort* port, FabricEventQueue& events, uint32_t nodeId)
{
    m_port = port;
    m_events = &events;
    m_id = events.Register(FabricEventKind::WATCHDOG, this, nodeId);
}

bool
FabricPfcWatchdog::TakePause(uint8_t trafficClass, uint16_t quanta, int64_t now)
{
    if (quanta > 0)
    {
        m_lastXoff[trafficClass] = now;
        Arm(now);
    }
    return m_action != ALERT && ((m_storms >> trafficClass) & 1);
}

void
FabricPfcWatchdog::Arm(int64_t now)
{
    if (!m_armed)
    {
        const int64_t interval = m_pollInterval.GetTimeStep();
        m_armed = true;
        m_events->ScheduleAt((now / interval + 1) * interval, FabricEventKind::WATCHDOG, m_id);
    }
}

void
FabricPfcWatchdog::HandleFabricEvent(FabricEventKind, int64_t now)
{
    m_armed = false;
    if (!m_port)
    {
        return; // disposed of
    }
    bool again = false;
    for (uint8_t c = 0; c < 8; ++c)
    {
        again |= Look(c, now);
    }
    if (again)
    {
        Arm(now);
    }
}

bool
FabricPfcWatchdog::Look(uint8_t trafficClass, int64_t now)
{
    const auto bit = static_cast<uint8_t>(1U << trafficClass);
    const bool paused = m_port->GetPausedClasses() & bit;
    if (m_storms & bit)
    {
        if (now - m_lastXoff[trafficClass] < m_restorationTime.GetTimeStep() ||
            (m_action == ALERT && paused))
        {
            return true;
        }
        m_storms &= static_cast<uint8_t>(~bit);
        if (m_action == DROP)
        {
            m_port->EndDiscard(trafficClass, now);
        }
        m_port->NoteStorm(trafficClass, false);
        return false;
    }
    if (!paused)
    {
        return false;
    }
    if (m_port->GetQueueBytes(trafficClass) == 0)
    {
        m_lastIdle[trafficClass] = now;
        return true;
    }
    const int64_t since = std::max(m_port->GetPausedSince(trafficClass), m_lastIdle[trafficClass]);
    if (now - since >= m_detectionTime.GetTimeStep())
    {
        m_storms |= bit;
        m_port->NoteStorm(trafficClass, true);
        if (m_action == DROP)
        {
            m_port->BeginDiscard(trafficClass, now);
        }
        else if (m_action == FORWARD)
        {
            m_port->IgnorePause(trafficClass, now);
        }
    }
    return true;
}

} // namespace llm
} // namespace ns3
