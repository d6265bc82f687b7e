/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_EVENT_QUEUE_H
#define FABRIC_EVENT_QUEUE_H

#include "fabric-event-calendar.h"

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
    PAUSE_TIMER, //!< PFC: a pause ends, or an XOFF must be refreshed
    NIC_TIMER,   //!< a NIC's earliest timer: pacing, retransmission, congestion control
    SCALE_UP,    //!< a transfer inside a scale-up domain ends
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

class FabricSimulatorImpl;

/**
 * @ingroup llm-training
 *
 * The event core of a fabric: events without allocation, ordered by (time, kind, id), where ids
 * are given in topology order. There is nothing to cancel: owners re-arm, and skip stale firings.
 *
 * Two back ends give identical results. *Native*: the simulator is a FabricSimulatorImpl, which
 * runs fabric events directly. *Portable*: any other SimulatorImpl; one reused ns-3 event stands at
 * the head of the queue. At equal time, fabric events precede ns-3 events; code that enters the
 * fabric from an ns-3 event does so through a FabricEntry, which first catches up to now.
 *
 * A queue must be destroyed before Simulator::Destroy or is told by it; it belongs to one Fabric
 * or one job.
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
     * @return the id to schedule with.
     */
    uint32_t Register(FabricEventKind kind, FabricEventHandler* handler, uint32_t nodeId);

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
    int64_t Now() const;

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

    /** @return node id of the handler whose event runs; 0xffffffff outside events. */
    uint32_t GetCurrentContext() const;

    /** Run every event up to and including now. Does nothing while an event of this queue runs. */
    void CatchUp();

    /**
     * Run events while the first one is due at or before @p limit; for the back ends.
     * @param limit tick, read again after every event.
     * @param interrupt stop early when it becomes true.
     */
    void RunWhile(const int64_t& limit, const std::atomic<bool>& interrupt);

  private:
    friend class FabricSimulatorImpl;
    friend class FabricEntry;

    static constexpr uint32_t ID_BITS = 28; //!< low bits of an event's key

    /** A registered handler. */
    struct Slot
    {
        FabricEventHandler* handler; //!< who
        uint32_t nodeId;             //!< context
    };

    /** Portable: have an ns-3 event at @p tick. */
    void Arm(int64_t tick);
    /** Portable: the ns-3 event fired. */
    void Fire();
    /** The simulator is going away: forget it and all events. */
    void SimulatorDestroyed();

    FabricEventCalendar m_calendar; //!< pending events
    std::vector<Slot> m_slots[static_cast<uint32_t>(FabricEventKind::COUNT)]; //!< by kind and id
    FabricSimulatorImpl* m_native{nullptr}; //!< native back end
    int64_t m_armBelow{INT64_MIN};          //!< portable: an earlier event than this needs Arm
    int64_t m_now{0};                       //!< tick of the event that runs
    uint32_t m_currentKey{0};               //!< its key
    bool m_running{false};                  //!< an event runs
    uint32_t m_entered{0};                  //!< depth of FabricEntry
    uint64_t m_eventCount{0};               //!< events run
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
    explicit FabricEntry(FabricEventQueue& queue);
    ~FabricEntry();
    FabricEntry(const FabricEntry&) = delete;
    FabricEntry& operator=(const FabricEntry&) = delete;

  private:
    FabricEventQueue& m_queue; //!< what was entered
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_EVENT_QUEUE_H
