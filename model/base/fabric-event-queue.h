/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_EVENT_QUEUE_H
#define FABRIC_EVENT_QUEUE_H

#include "fabric-event-calendar.h"

#include "ns3/ptr.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/** What a fabric event is for. At equal time, lower kinds go first. */
enum class FabricEventKind : uint32_t
{
    TRANSMIT,    //!< a port's transmitter is free and something waits
    ARRIVAL,     //!< the last bit of the first frame on a link has arrived
    FORWARD,     //!< a frame is through a switch that takes time, or forwards early
    PAUSE_TIMER, //!< PFC: a pause ends, or an XOFF must be refreshed
    WATCHDOG,    //!< PFC: a watchdog looks whether a class is paused for too long
    NIC_TIMER,   //!< a NIC's earliest timer: pacing, retransmission, congestion control
    SCALE_UP,    //!< a transfer inside a scale-up domain ends
    PROTOCOL,    //!< a collective library hands on what has arrived
    JOB,         //!< an executor's earliest timer: a computation ends
    COUNT        //!< number of kinds
};

/**
 * @ingroup llm-training
 *
 * Something that owns fabric events: a port, a NIC, an executor.
 */
class FabricEventHandler
{
  public:
    /**
     * @param kind what the event was scheduled for.
     * @param now the present tick.
     *
     * A handler that re-armed itself for another time sees stale firings and skips them.
     */
    virtual void HandleFabricEvent(FabricEventKind kind, int64_t now) = 0;

  protected:
    ~FabricEventHandler() = default;
};

class FabricAlarm;
class FabricSimulatorImpl;

/**
 * @ingroup llm-training
 *
 * The event core of a fabric: events without allocation, ordered by (time, kind, id), where ids
 * are given in topology order. There is nothing to cancel: owners re-arm, and skip stale firings.
 *
 * Two back ends give identical results. *Native*: the simulator is a FabricSimulatorImpl, which
 * runs fabric events directly. *Portable*: any other SimulatorImpl; one reused ns-3 event stands at
 * the head of the queue, and a FabricFirstScheduler around the chosen Scheduler sees to its place.
 * At equal time, fabric events precede ns-3 events; code that enters the fabric from an ns-3 event
 * does so through a FabricEntry, which first catches up to now.
 *
 * With the portable back end Simulator::GetContext does not name the handler's node, and a program
 * that calls Simulator::SetScheduler after the fabric was made loses the order among fabric and
 * ns-3 events of one tick. What a fabric event hands to the ns-3 stack of a node should go by
 * Simulator::ScheduleWithContext.
 *
 * A queue belongs to one Fabric or one job. Simulator::Destroy detaches it: it forgets its events
 * and its simulator, and is inert from there until it is destroyed.
 */
class FabricEventQueue
{
  public:
    /** Tick of an empty queue. */
    static constexpr int64_t NEVER = FabricEventCalendar::NEVER;

    /** Attach to the current simulator, by the native back end where it offers one. */
    FabricEventQueue();
    ~FabricEventQueue();
    FabricEventQueue(const FabricEventQueue&) = delete;
    FabricEventQueue& operator=(const FabricEventQueue&) = delete;

    /**
     * Make a handler known. Ids count up per kind, so call in topology order.
     * @param kind of the events it will get.
     * @param handler lives as long as the queue.
     * @param nodeId ns-3 node id that is the context of its events, 0xffffffff for none.
     * @param hot what the handler touches first, to be fetched ahead: 128 bytes from there.
     * @return the id to schedule with.
     */
    uint32_t Register(FabricEventKind kind,
                      FabricEventHandler* handler,
                      uint32_t nodeId,
                      const void* hot = nullptr);

    /**
     * @param tick when, not before now.
     * @param kind and
     * @param id name the handler.
     */
    void ScheduleAt(int64_t tick, FabricEventKind kind, uint32_t id)
    {
        m_calendar.Push(tick, (static_cast<uint32_t>(kind) << ID_BITS) | id);
        if (tick < m_armBelow)
        {
            Arm(tick);
        }
    }

    /** @return the present tick: of the event that runs, or of the simulator. */
    int64_t Now() const
    {
        return m_running ? m_now : NowOutside();
    }

    /** @return tick of the next event, or NEVER. */
    int64_t PeekTick()
    {
        return m_calendar.PeekTick();
    }

    /** @return events run so far. */
    uint64_t GetEventCount() const
    {
        return m_eventCount;
    }

    /** @return number of pending events. */
    uint64_t GetPending() const
    {
        return m_calendar.GetSize();
    }

    /** @return true if the simulator is a FabricSimulatorImpl. */
    bool IsNative() const
    {
        return m_native != nullptr;
    }

    /** @return true while an event runs. */
    bool IsRunning() const
    {
        return m_running;
    }

    /** @return node id of the handler whose event runs; 0xffffffff outside events. */
    uint32_t GetCurrentContext() const;

    /**
     * Run every event up to and including now. Does nothing while an event of this queue runs and
     * inside a FabricEntry.
     */
    void CatchUp();

    /**
     * Run events while the first one is due at or before @p limit; for the back ends.
     * @param limit tick before NEVER, read again after every event.
     * @param interrupt stop early when it becomes true.
     */
    void RunWhile(const int64_t& limit, const std::atomic<bool>& interrupt);

  private:
    friend class FabricAlarm;
    friend class FabricSimulatorImpl;
    friend class FabricEntry;

    class Obituary;
    class RunningScope;

    static constexpr uint32_t ID_BITS = 28;                  //!< low bits of an event's key
    static constexpr uint32_t ID_MASK = (1U << ID_BITS) - 1; //!< the id in an event's key

    /** A registered handler. */
    struct Slot
    {
        FabricEventHandler* handler; //!< who
        const char* hot;             //!< what it touches first
        uint32_t nodeId;             //!< context
    };

    /** @return the present tick of the simulator. */
    int64_t NowOutside() const;
    /** The outermost FabricEntry begins. */
    void Enter();
    /** The outermost FabricEntry ends. */
    void Leave();
    /** Bring what the next event touches towards the cache. */
    void FetchAhead() const;
    /** Portable: have an ns-3 event at @p tick. Native: tell the simulator of an earlier head. */
    void Arm(int64_t tick);
    /** Portable: have an ns-3 event at the head of the queue or before. */
    void Rearm();
    /** Portable: the ns-3 event fired. */
    void Fire();
    /** The simulator is going away: forget it and all events. */
    void SimulatorDestroyed();

    FabricEventCalendar m_calendar;                                           //!< pending events
    std::vector<Slot> m_slots[static_cast<uint32_t>(FabricEventKind::COUNT)]; //!< by kind and id
    FabricSimulatorImpl* m_native{nullptr};                                   //!< native back end
    Ptr<FabricAlarm> m_alarm;      //!< portable: the ns-3 event
    Ptr<Obituary> m_obituary;      //!< portable: told by Simulator::Destroy
    std::vector<int64_t> m_armed;  //!< portable: pending ns-3 events, earliest last
    int64_t m_armBelow{INT64_MIN}; //!< an earlier event than this needs Arm
    int64_t m_now{0};              //!< tick of the event that runs
    uint32_t m_currentKey{0};      //!< its key
    bool m_running{false};         //!< an event runs
    bool m_entered{false};         //!< a FabricEntry stands
    bool m_attached{false};        //!< the simulator lives
    uint64_t m_eventCount{0};      //!< events run
};

/**
 * @ingroup llm-training
 *
 * Stand one on the stack in every function by which ns-3 code enters the fabric. It catches the
 * queue up to now before, and again on leaving, so that both back ends interleave fabric and ns-3
 * events in one order. Inside fabric events it costs a test.
 */
class FabricEntry
{
  public:
    /** @param queue of the fabric that is entered. */
    explicit FabricEntry(FabricEventQueue& queue)
        : m_queue(queue.m_running || queue.m_entered ? nullptr : &queue)
    {
        if (m_queue)
        {
            m_queue->Enter();
        }
    }

    ~FabricEntry()
    {
        if (m_queue)
        {
            m_queue->Leave();
        }
    }

    FabricEntry(const FabricEntry&) = delete;
    FabricEntry& operator=(const FabricEntry&) = delete;

  private:
    FabricEventQueue* m_queue; //!< what was entered; null if it was entered already
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_EVENT_QUEUE_H
