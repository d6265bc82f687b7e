/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FIRST_SCHEDULER_H
#define FABRIC_FIRST_SCHEDULER_H

#include "ns3/event-impl.h"
#include "ns3/scheduler.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

class FabricEventQueue;

/**
 * @ingroup llm-training
 *
 * The ns-3 event that stands at the head of a FabricEventQueue on simulators that do not know
 * such queues. One object is pending as often as its queue armed it.
 */
class FabricAlarm final : public EventImpl
{
  public:
    /** @param queue to fire. */
    explicit FabricAlarm(FabricEventQueue* queue);

    /** The queue is going away: fire no more. */
    void Forget();

    /** @return order among alarms of one tick: that in which queues were made. */
    uint64_t GetRank() const
    {
        return m_rank;
    }

  private:
    void Notify() override;

    FabricEventQueue* m_queue; //!< owner, or null when it is gone
    uint64_t m_rank;           //!< order among alarms
};

/**
 * @ingroup llm-training
 *
 * A Scheduler that puts FabricAlarms before ns-3 events of the same time, and leaves those to
 * another Scheduler. With it, the portable back end of FabricEventQueue gives the order of the
 * native one; the queue installs it around the type that the global value SchedulerType names.
 *
 * An alarm leaves with the uid of the ns-3 event that ran last in its tick, or 0, so that the
 * simulator still tells rightly which events of the tick have run.
 */
class FabricFirstScheduler : public Scheduler
{
  public:
    /** @return the TypeId. */
    static TypeId GetTypeId();

    /** Give the current simulator such a scheduler. Pending events are kept. */
    static void Install();

    FabricFirstScheduler();
    ~FabricFirstScheduler() override;

    void Insert(const Event& ev) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& ev) override;

  private:
    /** @param type of the scheduler for all other events. */
    void SetInner(TypeId type);
    /** @return that type. */
    TypeId GetInner() const;
    /** @return true if an alarm is the next event. */
    bool IsAlarmNext() const;
    /** @param alarm as it was inserted. @return as the simulator is to see it. */
    Event WithPresentUid(Event alarm) const;

    Ptr<Scheduler> m_inner;      //!< for all other events
    std::vector<Event> m_alarms; //!< pending alarms, earliest last
    EventKey m_last{0, 0, 0};    //!< of the last other event
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_FIRST_SCHEDULER_H
