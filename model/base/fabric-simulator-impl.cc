/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-simulator-impl.h"

#include "ns3/assert.h"
#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/global-value.h"
#include "ns3/make-event.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricSimulatorImpl);

namespace
{

// Uids are used by halves: the upper bit tells whether an EventId dates from before the last
// renumbering. The half that follows begins where no special uid lies.
constexpr uint32_t HALF = 0x80000000U;               //!< upper bit of a uid
constexpr uint32_t HALF_END = HALF - 1;              //!< last number in a half; never given
constexpr uint32_t HALF_BEGIN = EventId::UID::VALID; //!< first number in a half that is given

const std::atomic<bool> g_noInterrupt{false}; //!< for runs that nobody interrupts

} // namespace

TypeId
FabricSimulatorImpl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricSimulatorImpl")
            .SetParent<SimulatorImpl>()
            .SetGroupName("LlmTraining")
            .AddConstructor<FabricSimulatorImpl>()
            .AddAttribute("FirstUid",
                          "The first uid that is given to an ns-3 event. Results do not depend on "
                          "it; a number near 2^31 or 2^32 shows that uids may be used up.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(EventId::UID::VALID),
                          MakeUintegerAccessor(&FabricSimulatorImpl::SetFirstUid,
                                               &FabricSimulatorImpl::GetFirstUid),
                          MakeUintegerChecker<uint32_t>(EventId::UID::VALID));
    return tid;
}

void
FabricSimulatorImpl::Select()
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::llm::FabricSimulatorImpl"));
}

FabricSimulatorImpl::FabricSimulatorImpl()
    : m_mainThread(std::this_thread::get_id())
{
}

FabricSimulatorImpl::~FabricSimulatorImpl() = default;

void
FabricSimulatorImpl::SetFirstUid(uint32_t firstUid)
{
    m_firstUid = firstUid;
    m_uid = firstUid;
}

uint32_t
FabricSimulatorImpl::GetFirstUid() const
{
    return m_firstUid;
}

void
FabricSimulatorImpl::DoDispose()
{
    while (!m_queues.empty())
    {
        FabricEventQueue* queue = m_queues.back();
        queue->SimulatorDestroyed();
        Detach(queue);
    }
    ProcessForeignEvents();
    while (m_events && !m_events->IsEmpty())
    {
        m_events->RemoveNext().impl->Unref();
    }
    m_events = nullptr;
    m_former.clear();
    SimulatorImpl::DoDispose();
}

void
FabricSimulatorImpl::Destroy()
{
    while (!m_atDestroy.empty())
    {
        Ptr<EventImpl> event = m_atDestroy.front().PeekEventImpl();
        m_atDestroy.pop_front();
        if (!event->IsCancelled())
        {
            event->Invoke();
        }
    }
    while (!m_queues.empty())
    {
        FabricEventQueue* queue = m_queues.back();
        queue->SimulatorDestroyed();
        Detach(queue);
    }
}

void
FabricSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    Ptr<Scheduler> scheduler = schedulerFactory.Create<Scheduler>();
    while (m_events && !m_events->IsEmpty())
    {
        scheduler->Insert(m_events->RemoveNext());
    }
    m_events = scheduler;
    m_schedulerFactory = schedulerFactory;
}

void
FabricSimulatorImpl::Attach(FabricEventQueue* queue)
{
    m_queues.push_back(queue);
}

void
FabricSimulatorImpl::Detach(FabricEventQueue* queue)
{
    auto it = std::find(m_queues.begin(), m_queues.end(), queue);
    if (it != m_queues.end())
    {
        m_detachedEvents += queue->GetEventCount();
        m_queues.erase(it);
    }
}

FabricEventQueue*
FabricSimulatorImpl::EnterQueue(FabricEventQueue* queue)
{
    FabricEventQueue* outer = m_runningQueue;
    m_runningQueue = queue;
    return outer;
}

void
FabricSimulatorImpl::LeaveQueue(FabricEventQueue* queue, FabricEventQueue* outer)
{
    m_now = std::max(m_now, queue->m_now);
    m_runningQueue = outer;
    if (m_queues.size() > 1)
    {
        HeadLowered(queue, queue->PeekTick());
    }
}

void
FabricSimulatorImpl::HeadLowered(FabricEventQueue* queue, int64_t tick)
{
    queue->m_armBelow = tick;
    if (m_loopQueue && m_loopQueue != queue)
    {
        m_limit = std::min(m_limit, GetLimitBy(queue, tick));
    }
}

int64_t
FabricSimulatorImpl::GetLimitBy(const FabricEventQueue* queue, int64_t tick) const
{
    // Whoever attached first goes first at equal time.
    for (const FabricEventQueue* other : m_queues)
    {
        if (other == queue)
        {
            return tick - 1;
        }
        if (other == m_loopQueue)
        {
            break;
        }
    }
    return tick;
}

int64_t
FabricSimulatorImpl::PeekNs3Tick() const
{
    return m_events->IsEmpty() ? FabricEventQueue::NEVER
                               : static_cast<int64_t>(m_events->PeekNext().key.m_ts);
}

void
FabricSimulatorImpl::RunQueues(int64_t bound, const std::atomic<bool>& interrupt)
{
    while (!interrupt)
    {
        m_loopQueue = nullptr;
        int64_t head = FabricEventQueue::NEVER;
        for (FabricEventQueue* queue : m_queues)
        {
            const int64_t tick = queue->PeekTick();
            if (tick < head)
            {
                head = tick;
                m_loopQueue = queue;
            }
        }
        m_limit = std::min({bound, PeekNs3Tick(), FabricEventQueue::NEVER - 1});
        if (!m_loopQueue || head > m_limit)
        {
            break;
        }
        for (FabricEventQueue* queue : m_queues)
        {
            if (queue != m_loopQueue)
            {
                HeadLowered(queue, queue->PeekTick());
            }
        }
        m_loopQueue->RunWhile(m_limit, interrupt);
    }
    m_loopQueue = nullptr;
}

void
FabricSimulatorImpl::RunFabric()
{
    if (m_queues.empty())
    {
        return;
    }
    RunQueues(FabricEventQueue::NEVER, m_interrupt);
    while (m_interrupt.exchange(false))
    {
        ProcessForeignEvents();
        if (m_stop)
        {
            // As with the portable back end, the fabric completes the tick.
            RunQueues(m_now, g_noInterrupt);
            return;
        }
        RunQueues(FabricEventQueue::NEVER, m_interrupt);
    }
}

void
FabricSimulatorImpl::Run()
{
    if (m_mainThread != std::this_thread::get_id())
    {
        // Others may look at it already: write only what is new.
        m_mainThread = std::this_thread::get_id();
    }
    m_stop = false;
    m_interrupt = false;
    ProcessForeignEvents();
    while (true)
    {
        RunFabric();
        if (m_stop || m_events->IsEmpty())
        {
            break;
        }
        ProcessOneEvent();
        ProcessForeignEvents();
        if (m_stop)
        {
            break;
        }
    }
}

void
FabricSimulatorImpl::ProcessOneEvent()
{
    const Scheduler::Event next = m_events->RemoveNext();
    PreEventHook(EventId(next.impl, next.key.m_ts, next.key.m_context, next.key.m_uid));
    NS_ASSERT_MSG(static_cast<int64_t>(next.key.m_ts) >= m_now,
                  "the Scheduler gives an event of the past");
    ++m_eventCount;
    m_now = static_cast<int64_t>(next.key.m_ts);
    m_currentTs = next.key.m_ts;
    m_currentContext = next.key.m_context;
    m_currentUid = next.key.m_uid;
    next.impl->Invoke();
    next.impl->Unref();
}

void
FabricSimulatorImpl::ProcessForeignEvents()
{
    if (m_foreignEmpty)
    {
        return;
    }
    std::vector<ForeignEvent> events;
    {
        std::unique_lock<std::mutex> lock{m_foreignMutex};
        events.swap(m_foreign);
        m_foreignEmpty = true;
    }
    for (const ForeignEvent& event : events)
    {
        Insert(static_cast<uint64_t>(GetNowTick() + event.delay), event.context, event.event);
    }
}

bool
FabricSimulatorImpl::IsFinished() const
{
    return m_stop || (m_events->IsEmpty() &&
                      std::all_of(m_queues.begin(), m_queues.end(), [](FabricEventQueue* queue) {
                          return queue->GetPending() == 0;
                      }));
}

void
FabricSimulatorImpl::Stop()
{
    m_stop = true;
    m_interrupt = true;
}

FabricSimulatorImpl::StopResult
FabricSimulatorImpl::Stop(const Time& delay)
{
    EventImpl* event = MakeEvent(static_cast<void (*)()>(&Simulator::Stop));
    return static_cast<StopResult>(Schedule(delay, event));
}

uint32_t
FabricSimulatorImpl::Insert(uint64_t ts, uint32_t context, EventImpl* event)
{
    if ((m_uid & HALF_END) == HALF_END)
    {
        Renumber();
    }
    Scheduler::Event entry;
    entry.impl = event;
    entry.key.m_ts = ts;
    entry.key.m_context = context;
    entry.key.m_uid = m_uid++;
    m_events->Insert(entry);
    m_limit = std::min(m_limit, static_cast<int64_t>(ts));
    return entry.key.m_uid;
}

void
FabricSimulatorImpl::Renumber()
{
    const uint32_t half = (m_uid & HALF) ^ HALF;
    std::vector<Scheduler::Event> pending;
    while (!m_events->IsEmpty())
    {
        pending.push_back(m_events->RemoveNext());
    }
    NS_ASSERT_MSG(pending.size() < HALF_END - HALF_BEGIN, "2^31 ns-3 events are pending");

    // EventIds hold the uid that the event was given first: follow it through.
    std::map<uint32_t, FormerKey> original;
    for (const auto& entry : m_former)
    {
        original.emplace(entry.second, entry.first);
    }
    m_former.clear();
    // A scheduler that was emptied may take no event of the past any more.
    m_events = m_schedulerFactory.Create<Scheduler>();
    m_currentUid = half | (HALF_BEGIN - 1);
    m_uid = half | HALF_BEGIN;
    for (Scheduler::Event& event : pending)
    {
        const auto known = original.find(event.key.m_uid);
        const FormerKey key = known != original.end()
                                  ? known->second
                                  : FormerKey{event.impl, event.key.m_ts, event.key.m_uid};
        m_former.emplace(key, m_uid);
        event.key.m_uid = m_uid++;
        m_events->Insert(event);
    }
    ++m_renumberCount;
}

uint32_t
FabricSimulatorImpl::GetPresentUid(const EventId& id) const
{
    if (m_renumberCount == 0)
    {
        return id.GetUid();
    }
    const auto it = m_former.find({id.PeekEventImpl(), id.GetTs(), id.GetUid()});
    if (it != m_former.end())
    {
        return it->second;
    }
    const bool isFormer = (id.GetUid() & HALF) != (m_uid & HALF);
    return isFormer ? static_cast<uint32_t>(EventId::UID::INVALID) : id.GetUid();
}

EventId
FabricSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(m_mainThread == std::this_thread::get_id(),
                  "Simulator::Schedule from another thread; use ScheduleWithContext");
    NS_ASSERT_MSG(delay.IsPositive(), "an ns-3 event is scheduled for the past");
    const uint64_t ts = static_cast<uint64_t>(GetNowTick() + delay.GetTimeStep());
    const uint32_t context = GetContext();
    const uint32_t uid = Insert(ts, context, event);
    return EventId(event, ts, context, uid);
}

void
FabricSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    if (m_mainThread == std::this_thread::get_id())
    {
        NS_ASSERT_MSG(delay.IsPositive(), "an ns-3 event is scheduled for the past");
        Insert(static_cast<uint64_t>(GetNowTick() + delay.GetTimeStep()), context, event);
        return;
    }
    {
        std::unique_lock<std::mutex> lock{m_foreignMutex};
        m_foreign.push_back({context, delay.GetTimeStep(), event});
        m_foreignEmpty = false;
    }
    m_interrupt = true;
}

EventId
FabricSimulatorImpl::ScheduleNow(EventImpl* event)
{
    return Schedule(Time(0), event);
}

EventId
FabricSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    NS_ASSERT_MSG(m_mainThread == std::this_thread::get_id(),
                  "Simulator::ScheduleDestroy from another thread");
    EventId id(Ptr<EventImpl>(event, false),
               static_cast<uint64_t>(GetNowTick()),
               Simulator::NO_CONTEXT,
               EventId::UID::DESTROY);
    m_atDestroy.push_back(id);
    return id;
}

void
FabricSimulatorImpl::Remove(const EventId& id)
{
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        const auto it = std::find(m_atDestroy.begin(), m_atDestroy.end(), id);
        if (it != m_atDestroy.end())
        {
            m_atDestroy.erase(it);
        }
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    Scheduler::Event event;
    event.impl = id.PeekEventImpl();
    event.key.m_ts = id.GetTs();
    event.key.m_context = id.GetContext();
    event.key.m_uid = GetPresentUid(id);
    m_events->Remove(event);
    m_former.erase({event.impl, event.key.m_ts, id.GetUid()});
    event.impl->Cancel();
    event.impl->Unref();
}

void
FabricSimulatorImpl::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
FabricSimulatorImpl::IsExpired(const EventId& id) const
{
    if (!id.PeekEventImpl() || id.PeekEventImpl()->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        return std::find(m_atDestroy.begin(), m_atDestroy.end(), id) == m_atDestroy.end();
    }
    const uint64_t now = static_cast<uint64_t>(GetNowTick());
    if (id.GetTs() != now || m_currentTs != now)
    {
        // When no ns-3 event of this tick has run yet, all of its events are pending.
        return id.GetTs() < now;
    }
    return GetPresentUid(id) <= m_currentUid;
}

Time
FabricSimulatorImpl::Now() const
{
    return TimeStep(static_cast<uint64_t>(GetNowTick()));
}

Time
FabricSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? TimeStep(0) : TimeStep(id.GetTs() - static_cast<uint64_t>(GetNowTick()));
}

Time
FabricSimulatorImpl::GetMaximumSimulationTime() const
{
    return TimeStep(static_cast<uint64_t>(FabricEventQueue::NEVER));
}

uint32_t
FabricSimulatorImpl::GetSystemId() const
{
    return 0;
}

uint32_t
FabricSimulatorImpl::GetContext() const
{
    return m_runningQueue ? m_runningQueue->GetCurrentContext() : m_currentContext;
}

uint64_t
FabricSimulatorImpl::GetEventCount() const
{
    uint64_t count = m_eventCount + m_detachedEvents;
    for (const FabricEventQueue* queue : m_queues)
    {
        count += queue->GetEventCount();
    }
    return count;
}

} // namespace llm
} // namespace ns3
