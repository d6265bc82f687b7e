/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-first-scheduler.h"

#include "fabric-event-queue.h"

#include "ns3/assert.h"
#include "ns3/global-value.h"
#include "ns3/map-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <atomic>
#include <typeinfo>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricFirstScheduler);

namespace
{

std::atomic<uint64_t> g_alarms{0}; //!< alarms ever made: a number to order them by

/** @param event any. @return its alarm, or null if it is another event. */
const FabricAlarm*
AsAlarm(const Scheduler::Event& event)
{
    const EventImpl& impl = *event.impl;
    return typeid(impl) == typeid(FabricAlarm) ? static_cast<const FabricAlarm*>(event.impl)
                                               : nullptr;
}

} // namespace

FabricAlarm::FabricAlarm(FabricEventQueue* queue)
    : m_queue(queue),
      m_rank(g_alarms++)
{
}

void
FabricAlarm::Forget()
{
    m_queue = nullptr;
}

void
FabricAlarm::Notify()
{
    if (m_queue)
    {
        m_queue->Fire();
    }
}

TypeId
FabricFirstScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FabricFirstScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<FabricFirstScheduler>()
                            .AddAttribute("Inner",
                                          "The scheduler that keeps ns-3's own events.",
                                          TypeIdValue(MapScheduler::GetTypeId()),
                                          MakeTypeIdAccessor(&FabricFirstScheduler::SetInner,
                                                             &FabricFirstScheduler::GetInner),
                                          MakeTypeIdChecker());
    return tid;
}

void
FabricFirstScheduler::Install()
{
    StringValue chosen;
    GlobalValue::GetValueByName("SchedulerType", chosen);
    ObjectFactory factory;
    factory.SetTypeId(GetTypeId());
    if (chosen.Get() != GetTypeId().GetName())
    {
        factory.Set("Inner", chosen);
    }
    Simulator::SetScheduler(factory);
}

FabricFirstScheduler::FabricFirstScheduler() = default;

FabricFirstScheduler::~FabricFirstScheduler() = default;

void
FabricFirstScheduler::SetInner(TypeId type)
{
    NS_ASSERT_MSG(!m_inner || m_inner->IsEmpty(), "the scheduler has events");
    ObjectFactory factory;
    factory.SetTypeId(type);
    m_inner = factory.Create<Scheduler>();
}

TypeId
FabricFirstScheduler::GetInner() const
{
    return m_inner->GetInstanceTypeId();
}

void
FabricFirstScheduler::Insert(const Event& ev)
{
    const FabricAlarm* alarm = AsAlarm(ev);
    if (!alarm)
    {
        m_inner->Insert(ev);
        return;
    }
    const auto place =
        std::find_if(m_alarms.rbegin(), m_alarms.rend(), [&ev, alarm](const Event& other) {
            return other.key.m_ts != ev.key.m_ts ? other.key.m_ts > ev.key.m_ts
                                                 : AsAlarm(other)->GetRank() > alarm->GetRank();
        });
    m_alarms.insert(place.base(), ev);
}

bool
FabricFirstScheduler::IsEmpty() const
{
    return m_alarms.empty() && m_inner->IsEmpty();
}

bool
FabricFirstScheduler::IsAlarmNext() const
{
    return !m_alarms.empty() &&
           (m_inner->IsEmpty() || m_alarms.back().key.m_ts <= m_inner->PeekNext().key.m_ts);
}

Scheduler::Event
FabricFirstScheduler::WithPresentUid(Event alarm) const
{
    alarm.key.m_uid = m_last.m_ts == alarm.key.m_ts ? m_last.m_uid : 0;
    return alarm;
}

Scheduler::Event
FabricFirstScheduler::PeekNext() const
{
    return IsAlarmNext() ? WithPresentUid(m_alarms.back()) : m_inner->PeekNext();
}

Scheduler::Event
FabricFirstScheduler::RemoveNext()
{
    if (IsAlarmNext())
    {
        const Event alarm = m_alarms.back();
        m_alarms.pop_back();
        return WithPresentUid(alarm);
    }
    const Event next = m_inner->RemoveNext();
    m_last = next.key;
    return next;
}

void
FabricFirstScheduler::Remove(const Event& ev)
{
    if (!AsAlarm(ev))
    {
        m_inner->Remove(ev);
        return;
    }
    const auto place = std::find_if(m_alarms.begin(), m_alarms.end(), [&ev](const Event& other) {
        return other.key.m_uid == ev.key.m_uid;
    });
    if (place != m_alarms.end())
    {
        m_alarms.erase(place);
    }
}

} // namespace llm
} // namespace ns3
