/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-event-queue.h"

#include "fabric-first-scheduler.h"
#include "fabric-simulator-impl.h"

#include "ns3/assert.h"
#include "ns3/event-impl.h"
#include "ns3/simulator.h"

namespace ns3
{
namespace llm
{

/** Portable: tells the queue that the simulator is being destroyed. */
class FabricEventQueue::Obituary : public EventImpl
{
  public:
    /** @param queue to tell. */
    explicit Obituary(FabricEventQueue* queue)
        : m_queue(queue)
    {
    }

    /** The queue is going away. */
    void Forget()
    {
        m_queue = nullptr;
    }

  private:
    void Notify() override
    {
        if (m_queue)
        {
            m_queue->SimulatorDestroyed();
        }
    }

    FabricEventQueue* m_queue; //!< owner, or null when it is gone
};

/** Marks the queue as running for as long as it stands, whatever a handler throws. */
class FabricEventQueue::RunningScope
{
  public:
    /** @param queue that runs; its m_now is set. */
    explicit RunningScope(FabricEventQueue& queue)
        : m_queue(queue)
    {
        m_queue.m_running = true;
        m_queue.m_armBelow = INT64_MIN;
        if (m_queue.m_native)
        {
            m_outer = m_queue.m_native->EnterQueue(&m_queue);
        }
    }

    ~RunningScope()
    {
        m_queue.m_running = false;
        if (m_queue.m_native)
        {
            m_queue.m_native->LeaveQueue(&m_queue, m_outer);
        }
    }

    RunningScope(const RunningScope&) = delete;
    RunningScope& operator=(const RunningScope&) = delete;

  private:
    FabricEventQueue& m_queue;          //!< what runs
    FabricEventQueue* m_outer{nullptr}; //!< native: what ran before
};

namespace
{

const std::atomic<bool> g_noInterrupt{false}; //!< for runs that nobody interrupts

} // namespace

FabricEventQueue::FabricEventQueue()
{
    Ptr<SimulatorImpl> simulator = Simulator::GetImplementation();
    m_attached = true;
    m_native = dynamic_cast<FabricSimulatorImpl*>(PeekPointer(simulator));
    if (m_native)
    {
        m_native->Attach(this);
        return;
    }
    m_armBelow = NEVER;
    m_alarm = Create<FabricAlarm>(this);
    m_obituary = Create<Obituary>(this);
    Simulator::ScheduleDestroy(m_obituary);
    FabricFirstScheduler::Install();
}

FabricEventQueue::~FabricEventQueue()
{
    NS_ASSERT_MSG(!m_running, "a FabricEventQueue is destroyed by one of its own events");
    if (m_native)
    {
        m_native->Detach(this);
    }
    if (m_alarm)
    {
        m_alarm->Forget();
        m_obituary->Forget();
    }
}

uint32_t
FabricEventQueue::Register(FabricEventKind kind,
                           FabricEventHandler* handler,
                           uint32_t nodeId,
                           const void* hot)
{
    NS_ASSERT_MSG(kind < FabricEventKind::COUNT, "no such kind of fabric event");
    auto& slots = m_slots[static_cast<uint32_t>(kind)];
    NS_ASSERT_MSG(slots.size() < (1U << ID_BITS), "too many handlers of one kind");
    slots.push_back({handler, static_cast<const char*>(hot ? hot : handler), nodeId});
    return static_cast<uint32_t>(slots.size() - 1);
}

int64_t
FabricEventQueue::NowOutside() const
{
    if (m_native)
    {
        return m_native->GetNowTick();
    }
    return m_attached ? Simulator::Now().GetTimeStep() : m_now;
}

uint32_t
FabricEventQueue::GetCurrentContext() const
{
    if (!m_running)
    {
        return Simulator::NO_CONTEXT;
    }
    return m_slots[m_currentKey >> ID_BITS][m_currentKey & ID_MASK].nodeId;
}

inline void
FabricEventQueue::FetchAhead() const
{
    // Of a thousand ports the next one is seldom in the cache.
    uint32_t key;
    if (m_calendar.PeekKey(key))
    {
        const char* hot = m_slots[key >> ID_BITS][key & ID_MASK].hot;
        __builtin_prefetch(hot);
        __builtin_prefetch(hot + 64);
    }
}

void
FabricEventQueue::RunWhile(const int64_t& limit, const std::atomic<bool>& interrupt)
{
    if (interrupt.load(std::memory_order_relaxed))
    {
        return;
    }
    int64_t tick = m_calendar.PeekDue(limit);
    if (tick > limit)
    {
        return;
    }
    m_now = tick;
    RunningScope scope(*this);
    do
    {
        const uint32_t key = m_calendar.Pop();
        m_now = tick;
        m_currentKey = key;
        ++m_eventCount;
        const uint32_t kind = key >> ID_BITS;
        FetchAhead();
        m_slots[kind][key & ID_MASK].handler->HandleFabricEvent(static_cast<FabricEventKind>(kind),
                                                                tick);
        if (interrupt.load(std::memory_order_relaxed))
        {
            break;
        }
        tick = m_calendar.PeekDue(limit);
    } while (tick <= limit);
}

void
FabricEventQueue::CatchUp()
{
    if (m_running || m_entered || !m_attached)
    {
        return;
    }
    const int64_t now = NowOutside();
    RunWhile(now, g_noInterrupt);
    if (!m_native)
    {
        Rearm();
    }
}

void
FabricEventQueue::Enter()
{
    CatchUp();
    m_entered = true;
    if (!m_native)
    {
        // What is scheduled until Leave is armed there, once.
        m_armBelow = INT64_MIN;
    }
}

void
FabricEventQueue::Leave()
{
    m_entered = false;
    CatchUp();
}

void
FabricEventQueue::Arm(int64_t tick)
{
    m_armBelow = tick;
    if (m_native)
    {
        m_native->HeadLowered(this, tick);
        return;
    }
    const int64_t delay = tick - NowOutside();
    NS_ASSERT_MSG(delay >= 0, "a fabric event is scheduled for the past");
    m_armed.push_back(tick);
    m_alarm->Ref();
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, TimeStep(delay), PeekPointer(m_alarm));
}

void
FabricEventQueue::Rearm()
{
    m_armBelow = m_armed.empty() ? NEVER : m_armed.back();
    const int64_t head = m_calendar.PeekTick();
    if (head < m_armBelow)
    {
        Arm(head);
    }
}

void
FabricEventQueue::Fire()
{
    NS_ASSERT_MSG(!m_armed.empty() && m_armed.back() == NowOutside(),
                  "an alarm fires that was not armed for now");
    m_armed.pop_back();
    CatchUp();
}

void
FabricEventQueue::SimulatorDestroyed()
{
    m_now = NowOutside();
    m_attached = false;
    m_native = nullptr;
    m_armBelow = INT64_MIN;
    m_armed.clear();
    m_calendar.Clear();
    if (m_alarm)
    {
        m_alarm->Forget();
        m_obituary->Forget();
    }
}

} // namespace llm
} // namespace ns3
