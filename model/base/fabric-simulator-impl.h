/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SIMULATOR_IMPL_H
#define FABRIC_SIMULATOR_IMPL_H

#include "fabric-event-queue.h"

#include "ns3/object-factory.h"
#include "ns3/scheduler.h"
#include "ns3/simulator-impl.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The simulator that runs fabric events without a detour: the native back end of
 * FabricEventQueue. It keeps ns-3's events in the chosen Scheduler, as DefaultSimulatorImpl does,
 * and beside them the queues that attached themselves.
 *
 * Choose it with one line before anything touches the Simulator, FabricSimulatorImpl::Select(), or
 * with --SimulatorImplementationType=ns3::llm::FabricSimulatorImpl.
 *
 * - Events run in order of time; at equal time fabric events come first, those of the queue that
 *   attached first before others, and ns-3 events follow in the order in which they were
 *   scheduled.
 * - During a fabric event, Simulator::Now is its tick and Simulator::GetContext the node of its
 *   handler.
 * - Simulator::Stop inside a fabric event lets the fabric finish the tick, inside an ns-3 event
 *   it lets that event finish.
 * - Simulator::GetEventCount counts events of both kinds.
 * - ns-3's 32-bit event uids may be used up any number of times: pending events are numbered
 *   anew, in order, and EventIds that were handed out stay valid.
 */
class FabricSimulatorImpl : public SimulatorImpl
{
  public:
    /** @return the TypeId. */
    static TypeId GetTypeId();

    /** Make this the simulator of the process; call before any other use of Simulator, or after
     * Simulator::Destroy. */
    static void Select();

    FabricSimulatorImpl();
    ~FabricSimulatorImpl() override;

    /** What SimulatorImpl::Stop(const Time&) returns: void, EventId from ns-3.41. */
    using StopResult = decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()));

    void Destroy() override;
    bool IsFinished() const override;
    void Stop() override;
    StopResult Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    Time GetMaximumSimulationTime() const override;
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    uint32_t GetContext() const override;
    uint64_t GetEventCount() const override;

    /** @return the present tick. */
    int64_t GetNowTick() const
    {
        return m_runningQueue ? m_runningQueue->m_now : m_now;
    }

    /** @return how often the pending events were numbered anew. */
    uint64_t GetRenumberCount() const
    {
        return m_renumberCount;
    }

    /** @param queue to run; its queue calls. */
    void Attach(FabricEventQueue* queue);
    /** @param queue to forget; its queue calls. */
    void Detach(FabricEventQueue* queue);
    /** @param queue begins to run. @return what ran before. */
    FabricEventQueue* EnterQueue(FabricEventQueue* queue);
    /** @param queue ends to run. @param outer what ran before. */
    void LeaveQueue(FabricEventQueue* queue, FabricEventQueue* outer);
    /** @param queue that does not run got its first event at @p tick. @param tick when. */
    void HeadLowered(FabricEventQueue* queue, int64_t tick);

  protected:
    void DoDispose() override;

  private:
    /** An event from another thread. */
    struct ForeignEvent
    {
        uint32_t context; //!< execution context
        int64_t delay;    //!< ticks from when this thread takes it in
        EventImpl* event; //!< what to do, one reference
    };

    /** What an EventId from before a renumbering says of its event. */
    struct FormerKey
    {
        const EventImpl* impl; //!< what it does
        uint64_t ts;           //!< when
        uint32_t uid;          //!< uid that the EventId holds

        /** @param other to compare. @return true if this comes first, in no meaningful order. */
        bool operator<(const FormerKey& other) const
        {
            return ts != other.ts     ? ts < other.ts
                   : uid != other.uid ? uid < other.uid
                                      : std::less<const EventImpl*>()(impl, other.impl);
        }
    };

    /** @param ts when. @param context where. @param event what. @return uid of the new event. */
    uint32_t Insert(uint64_t ts, uint32_t context, EventImpl* event);
    /** Number all pending events anew, in order, from the start of the other half of the uids. */
    void Renumber();
    /** @param id of an event. @return its uid now, or 0 if it was not pending when uids changed. */
    uint32_t GetPresentUid(const EventId& id) const;
    /** @return tick of the first ns-3 event, or FabricEventQueue::NEVER. */
    int64_t PeekNs3Tick() const;
    /** @param queue that waits. @param tick of its first event.
     * @return last tick that m_loopQueue may run before it. */
    int64_t GetLimitBy(const FabricEventQueue* queue, int64_t tick) const;
    /** Run the fabric events that precede the first ns-3 event. */
    void RunFabric();
    /** Run fabric events up to and including the tick of the first ns-3 event.
     * @param bound run none beyond this tick. @param interrupt ends it early. */
    void RunQueues(int64_t bound, const std::atomic<bool>& interrupt);
    /** Run the first ns-3 event. */
    void ProcessOneEvent();
    /** Take in the events from other threads. */
    void ProcessForeignEvents();
    /** @param firstUid first uid that is given. */
    void SetFirstUid(uint32_t firstUid);
    /** @return first uid that was given. */
    uint32_t GetFirstUid() const;

    std::vector<FabricEventQueue*> m_queues;   //!< attached queues, in order
    FabricEventQueue* m_runningQueue{nullptr}; //!< innermost queue that runs an event
    int64_t m_now{0};                          //!< tick of the last event, of either kind
    FabricEventQueue* m_loopQueue{nullptr};    //!< queue that RunQueues runs
    int64_t m_limit{0};                        //!< last tick that m_loopQueue may run now
    std::atomic<bool> m_interrupt{false};      //!< RunQueues must return
    std::atomic<bool> m_stop{false};           //!< Run must return
    uint64_t m_detachedEvents{0};              //!< events run by queues that are gone

    Ptr<Scheduler> m_events;                      //!< pending ns-3 events
    ObjectFactory m_schedulerFactory;             //!< makes m_events
    std::list<EventId> m_atDestroy;               //!< events for Destroy
    uint32_t m_firstUid{EventId::UID::VALID};     //!< first uid given
    uint32_t m_uid{EventId::UID::VALID};          //!< next uid
    uint32_t m_currentUid{EventId::UID::INVALID}; //!< uid of the last ns-3 event
    uint64_t m_currentTs{0};                      //!< time of the last ns-3 event
    uint32_t m_currentContext{0xffffffff};        //!< context of the last ns-3 event
    uint64_t m_eventCount{0};                     //!< ns-3 events run
    uint64_t m_renumberCount{0};                  //!< calls of Renumber
    std::map<FormerKey, uint32_t> m_former;       //!< present uids of renumbered events

    std::mutex m_foreignMutex;              //!< guards m_foreign
    std::vector<ForeignEvent> m_foreign;    //!< events from other threads
    std::atomic<bool> m_foreignEmpty{true}; //!< m_foreign is empty
    std::thread::id m_mainThread;           //!< the thread that runs events
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_SIMULATOR_IMPL_H
