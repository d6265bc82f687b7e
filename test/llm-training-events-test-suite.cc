/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/config.h"
#include "ns3/event-id.h"
#include "ns3/fabric-event-queue.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/make-event.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Sets the simulator of the process for as long as it stands, and destroys it then. */
class SimulatorScope
{
  public:
    /** @param type TypeId name of the SimulatorImpl. */
    explicit SimulatorScope(const std::string& type)
    {
        Simulator::Destroy();
        GlobalValue::Bind("SimulatorImplementationType", StringValue(type));
    }

    ~SimulatorScope()
    {
        Simulator::Destroy();
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    }

    SimulatorScope(const SimulatorScope&) = delete;
    SimulatorScope& operator=(const SimulatorScope&) = delete;
};

const char* const NATIVE = "ns3::llm::FabricSimulatorImpl"; //!< native back end
const char* const PORTABLE = "ns3::DefaultSimulatorImpl";   //!< a portable back end

/** A handler that calls a function. */
struct Handler : public FabricEventHandler
{
    std::function<void(FabricEventKind, int64_t)> function; //!< what to do

    void HandleFabricEvent(FabricEventKind kind, int64_t now) override
    {
        function(kind, now);
    }
};

/// @ingroup llm-training-tests
/// The published vectors of Random123.
class PhiloxVectorsTestCase : public TestCase
{
  public:
    PhiloxVectorsTestCase()
        : TestCase("Philox4x32-10 gives the vectors of Random123")
    {
    }

  private:
    void DoRun() override
    {
        struct Vector
        {
            uint64_t sequence;
            uint64_t object;
            uint64_t key;
            Philox::Numbers expected;
        };

        const Vector vectors[] = {
            {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
            {~uint64_t{0},
             ~uint64_t{0},
             ~uint64_t{0},
             {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
            {0x85a308d3243f6a88,
             0x0370734413198a2e,
             0x299f31d0a4093822,
             {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
        };
        for (const Vector& v : vectors)
        {
            const Philox::Numbers got = Philox(v.key)(v.sequence, v.object);
            for (std::size_t i = 0; i < 4; ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(got[i], v.expected[i], "word " << i << ", key " << v.key);
            }
            NS_TEST_EXPECT_MSG_EQ(Philox(v.key).Draw(4 * 7 + 3, v.object),
                                  Philox(v.key)(7, v.object)[3],
                                  "draws are words of blocks");
        }
        NS_TEST_EXPECT_MSG_NE(Philox::MakeKey(1, 1, 0), Philox::MakeKey(2, 1, 0), "seed");
        NS_TEST_EXPECT_MSG_NE(Philox::MakeKey(1, 1, 0), Philox::MakeKey(1, 2, 0), "run");
        NS_TEST_EXPECT_MSG_NE(Philox::MakeKey(1, 1, 0), Philox::MakeKey(1, 1, 1), "stream");
        NS_TEST_EXPECT_MSG_EQ(
            Philox::FromSeed(5).GetKey(),
            Philox::MakeKey(RngSeedManager::GetSeed(), RngSeedManager::GetRun(), 5),
            "key of the present seed and run");
    }
};

/// @ingroup llm-training-tests
/// Events of one tick go by kind, then by id, whatever the order of scheduling.
class OrderTestCase : public TestCase
{
  public:
    /** @param simulator TypeId name. */
    explicit OrderTestCase(const std::string& simulator)
        : TestCase("fabric events go by time, kind and id on " + simulator),
          m_simulator(simulator)
    {
    }

  private:
    void DoRun() override
    {
        SimulatorScope scope(m_simulator);
        FabricEventQueue queue;
        NS_TEST_EXPECT_MSG_EQ(queue.IsNative(), (m_simulator == NATIVE), "back end");
        std::string log;
        const FabricEventKind kinds[] = {FabricEventKind::ARRIVAL, FabricEventKind::TRANSMIT};
        std::vector<Handler> handlers(4);
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint32_t id = queue.Register(kinds[i / 2], &handlers[i], i);
            NS_TEST_EXPECT_MSG_EQ(id, i % 2, "ids count up per kind");
            handlers[i].function = [&log, &queue, id](FabricEventKind kind, int64_t now) {
                log += (kind == FabricEventKind::ARRIVAL ? "A" : "T") + std::to_string(id) + "@" +
                       std::to_string(now) +
                       (now == queue.Now() && now == Simulator::Now().GetTimeStep() ? " " : "? ");
            };
        }
        for (const int64_t tick : {7, 0, 1000000})
        {
            queue.ScheduleAt(tick, FabricEventKind::ARRIVAL, 1);
            queue.ScheduleAt(tick, FabricEventKind::TRANSMIT, 1);
            queue.ScheduleAt(tick, FabricEventKind::ARRIVAL, 0);
            queue.ScheduleAt(tick, FabricEventKind::TRANSMIT, 0);
        }
        NS_TEST_EXPECT_MSG_EQ(queue.GetPending(), 12, "pending");
        // In real time, a run ends only when it is told.
        Simulator::Stop(TimeStep(1000001));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(log,
                              "T0@0 T1@0 A0@0 A1@0 T0@7 T1@7 A0@7 A1@7 "
                              "T0@1000000 T1@1000000 A0@1000000 A1@1000000 ",
                              "order");
        NS_TEST_EXPECT_MSG_EQ(queue.GetEventCount(), 12, "events run");
        NS_TEST_EXPECT_MSG_EQ(queue.GetPending(), 0, "all events ran");
    }

    std::string m_simulator; //!< TypeId name
};

/**
 * A seeded random mix of fabric and ns-3 events on short delays, so that most share their tick:
 * each draws what it does next, so that one exchange of order changes all that follows.
 */
class Mix
{
  public:
    /** What takes part. */
    struct Options
    {
        bool entering;   //!< ns-3 events enter the fabric
        uint32_t queues; //!< number of fabric queues
        uint64_t events; //!< events that schedule successors
        bool removing;   //!< ns-3 events are removed
    };

    /** @param options what takes part. @param seed of all that is drawn. */
    Mix(const Options& options, uint64_t seed)
        : m_options(options),
          m_random(seed),
          m_handlers(options.queues * HANDLERS)
    {
        for (uint32_t q = 0; q < options.queues; ++q)
        {
            m_queues.push_back(std::make_unique<FabricEventQueue>());
            for (uint32_t i = 0; i < HANDLERS; ++i)
            {
                const auto kind = static_cast<FabricEventKind>(i % 3);
                const uint32_t id = m_queues[q]->Register(kind, &m_handlers[q * HANDLERS + i], i);
                m_handlers[q * HANDLERS + i].function = [this, q, id](FabricEventKind k,
                                                                      int64_t now) {
                    Log(1 + q, static_cast<uint64_t>(k), id, now);
                    Act(static_cast<int32_t>(q));
                };
            }
        }
    }

    /** @return the log, a line of numbers per event, after a run to the end. */
    const std::vector<uint64_t>& Run()
    {
        for (int i = 0; i < 20; ++i)
        {
            Act(-1);
        }
        Simulator::Run();
        Log(99, Simulator::IsFinished(), 0, 0);
        return m_log;
    }

    /** @return events run. */
    uint64_t GetCount() const
    {
        return m_count;
    }

  private:
    static constexpr uint32_t HANDLERS = 12; //!< per queue

    /** @param below bound. @return a number below it. */
    uint32_t Pick(uint32_t below)
    {
        return m_random.Draw(m_drawn++, 0) % below;
    }

    /** Note an event. */
    void Log(uint64_t what, uint64_t kind, uint64_t id, int64_t now)
    {
        m_log.push_back(what * 1000000 + kind * 1000 + id);
        m_log.push_back(static_cast<uint64_t>(now));
        m_log.push_back(static_cast<uint64_t>(Simulator::Now().GetTimeStep()));
    }

    /** An ns-3 event. @param number its name. */
    void Ns3Event(uint32_t number)
    {
        std::vector<std::unique_ptr<FabricEntry>> entries;
        if (m_options.entering)
        {
            for (auto& queue : m_queues)
            {
                entries.push_back(std::make_unique<FabricEntry>(*queue));
            }
        }
        Log(0, 0, number % 1000, 0);
        Act(-1);
        while (!entries.empty())
        {
            entries.pop_back();
        }
    }

    /** Schedule, cancel, ask. @param running queue whose event runs, -1 for none. */
    void Act(int32_t running)
    {
        ++m_count;
        const uint32_t successors = m_count > m_options.events ? 0 : Pick(3) + (Pick(2) == 0);
        for (uint32_t i = 0; i < successors; ++i)
        {
            const int64_t delay = Pick(20) == 0 ? Pick(5000) : Pick(4);
            if (Pick(2) == 0)
            {
                Ns3Schedule(delay);
                continue;
            }
            const uint32_t q = Pick(m_options.queues);
            const uint32_t handler = Pick(HANDLERS);
            std::unique_ptr<FabricEntry> entry;
            if (m_options.entering || (running >= 0 && static_cast<uint32_t>(running) != q))
            {
                entry = std::make_unique<FabricEntry>(*m_queues[q]);
            }
            m_queues[q]->ScheduleAt(Simulator::Now().GetTimeStep() + delay,
                                    static_cast<FabricEventKind>(handler % 3),
                                    handler / 3);
        }
        if (!m_ids.empty() && Pick(2) == 0)
        {
            Ask(m_ids[Pick(static_cast<uint32_t>(m_ids.size()))]);
        }
    }

    /** @param delay of a new ns-3 event. */
    void Ns3Schedule(int64_t delay)
    {
        const uint32_t number = m_number++;
        if (Pick(4) == 0)
        {
            Simulator::ScheduleWithContext(7, TimeStep(delay), &Mix::Ns3Event, this, number);
            return;
        }
        const EventId id = Simulator::Schedule(TimeStep(delay), &Mix::Ns3Event, this, number);
        if (m_ids.size() < 64)
        {
            m_ids.push_back(id);
        }
        else
        {
            m_ids[Pick(64)] = id;
        }
    }

    /** Ask about an event, and perhaps take it away. @param id of it. */
    void Ask(const EventId id)
    {
        Log(50, Simulator::IsExpired(id), 0, Simulator::GetDelayLeft(id).GetTimeStep());
        const uint32_t choice = Pick(3);
        if (choice == 0 || (choice == 1 && !m_options.removing))
        {
            Simulator::Cancel(id);
        }
        else if (choice == 1)
        {
            Simulator::Remove(id);
        }
        Log(51, Simulator::IsExpired(id), 0, Simulator::GetDelayLeft(id).GetTimeStep());
    }

    Options m_options;                                       //!< what takes part
    Philox m_random;                                         //!< what is drawn
    uint64_t m_drawn{0};                                     //!< numbers drawn
    std::vector<Handler> m_handlers;                         //!< of all queues
    std::vector<std::unique_ptr<FabricEventQueue>> m_queues; //!< the queues
    std::vector<EventId> m_ids;                              //!< some ns-3 events
    uint64_t m_count{0};                                     //!< events run
    uint32_t m_number{0};                                    //!< ns-3 events scheduled
    std::vector<uint64_t> m_log;                             //!< what happened
};

/// @ingroup llm-training-tests
/// The native simulator and any ns-3 one with any scheduler run a random mix alike.
class BackEndsAgreeTestCase : public TestCase
{
  public:
    /** @param name of the case. @param options of the mix. */
    BackEndsAgreeTestCase(const std::string& name, const Mix::Options& options)
        : TestCase("all back ends and schedulers run one order: " + name),
          m_options(options)
    {
    }

  private:
    /** @param simulator and @param scheduler TypeId names. @param seed of the mix.
     * @param firstUid of a native simulator.
     * @return the log. */
    std::vector<uint64_t> RunMix(const std::string& simulator,
                                 const std::string& scheduler,
                                 uint64_t seed,
                                 uint32_t firstUid = EventId::UID::VALID)
    {
        SimulatorScope scope(simulator);
        GlobalValue::Bind("SchedulerType", StringValue(scheduler));
        Config::SetDefault("ns3::llm::FabricSimulatorImpl::FirstUid", UintegerValue(firstUid));
        std::vector<uint64_t> log;
        {
            Mix mix(m_options, seed);
            log = mix.Run();
            NS_TEST_EXPECT_MSG_GT(mix.GetCount(), m_options.events, "the mix did not die out");
        }
        if (simulator == NATIVE)
        {
            auto native =
                dynamic_cast<FabricSimulatorImpl*>(PeekPointer(Simulator::GetImplementation()));
            NS_TEST_EXPECT_MSG_EQ((native->GetRenumberCount() > 0),
                                  (firstUid != EventId::UID::VALID),
                                  "uids are renumbered when they are used up");
        }
        Simulator::Destroy();
        GlobalValue::Bind("SchedulerType", StringValue("ns3::MapScheduler"));
        Config::SetDefault("ns3::llm::FabricSimulatorImpl::FirstUid",
                           UintegerValue(EventId::UID::VALID));
        return log;
    }

    /** Compare every back end with the native one. @param scheduler TypeId name.
     * @param seed of the mix. @param native log. */
    void Compare(const std::string& scheduler, uint64_t seed, const std::vector<uint64_t>& native)
    {
        NS_TEST_EXPECT_MSG_EQ(FirstDifference(native, RunMix(PORTABLE, scheduler, seed)),
                              -1,
                              "seed " << seed << ", portable, " << scheduler);
        NS_TEST_EXPECT_MSG_EQ(FirstDifference(native, RunMix(NATIVE, scheduler, seed)),
                              -1,
                              "seed " << seed << ", native, " << scheduler);
        for (const uint32_t uid : {0xfffffff0U, 0xfffffc00U, 0x7ffffe00U, 0x7fffffffU})
        {
            NS_TEST_EXPECT_MSG_EQ(FirstDifference(native, RunMix(NATIVE, scheduler, seed, uid)),
                                  -1,
                                  "seed " << seed << ", uids from " << uid << ", " << scheduler);
        }
    }

    void DoRun() override
    {
        for (const uint64_t seed : {1, 2})
        {
            m_options.removing = true;
            const std::vector<uint64_t> native = RunMix(NATIVE, "ns3::MapScheduler", seed);
            for (const char* scheduler : {"ns3::MapScheduler",
                                          "ns3::ListScheduler",
                                          "ns3::CalendarScheduler",
                                          "ns3::PriorityQueueScheduler"})
            {
                Compare(scheduler, seed, native);
            }
            NS_TEST_EXPECT_MSG_NE(
                FirstDifference(native, RunMix(NATIVE, "ns3::MapScheduler", seed + 10)),
                -1,
                "another seed gives another order");
            // ns-3's HeapScheduler loses its order when an event is removed from its middle.
            m_options.removing = false;
            Compare("ns3::HeapScheduler", seed, RunMix(NATIVE, "ns3::MapScheduler", seed));
        }
    }

    /** @param a and @param b logs. @return index of the first difference, -1 for none. */
    static int64_t FirstDifference(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b)
    {
        const auto different = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
        return different.first == a.end() && different.second == b.end()
                   ? -1
                   : different.first - a.begin();
    }

    Mix::Options m_options; //!< of the mix
};

/** A queue with one handler per kind, which writes "T@5 " into a log and then acts. */
struct Bench
{
    FabricEventQueue queue;                             //!< under test
    Handler handlers[3];                                //!< of node 3, 4 and 5
    std::string log;                                    //!< what happened
    std::function<void(FabricEventKind, int64_t)> then; //!< what handlers do

    Bench()
    {
        const FabricEventKind kinds[] = {FabricEventKind::TRANSMIT,
                                         FabricEventKind::ARRIVAL,
                                         FabricEventKind::PAUSE_TIMER};
        for (uint32_t k = 0; k < 3; ++k)
        {
            queue.Register(kinds[k], &handlers[k], 3 + k);
            handlers[k].function = [this, letter = "TAP"[k]](FabricEventKind kind, int64_t now) {
                log += std::string(1, letter) + "@" + std::to_string(now) + " ";
                if (then)
                {
                    then(kind, now);
                }
            };
        }
    }

    /** @param tick when. @param kind what. */
    void At(int64_t tick, FabricEventKind kind = FabricEventKind::TRANSMIT)
    {
        queue.ScheduleAt(tick, kind, 0);
    }

    /** @param what goes into the log with the time. */
    void Note(const std::string& what)
    {
        log += what + "@" + std::to_string(Simulator::Now().GetTimeStep()) + " ";
    }
};

/** Schedule a function. @param tick from now. @param function what to do. @return its id. */
EventId
After(int64_t tick, std::function<void()> function)
{
    return Simulator::Schedule(TimeStep(static_cast<uint64_t>(tick)),
                               [function = std::move(function)]() { function(); });
}

/// @ingroup llm-training-tests
/// A FabricEntry catches up before and after, and does nothing inside a fabric event.
class EntryTestCase : public TestCase
{
  public:
    /** @param simulator TypeId name. */
    explicit EntryTestCase(const std::string& simulator)
        : TestCase("an entry catches up on both sides on " + simulator),
          m_simulator(simulator)
    {
    }

  private:
    void DoRun() override
    {
        SimulatorScope scope(m_simulator);
        Bench b;
        After(5, [&b]() {
            b.Note("first");
            FabricEntry entry(b.queue);
            b.At(5);
            b.At(6);
            {
                FabricEntry nested(b.queue);
                b.queue.CatchUp();
            }
            b.Note("body");
        });
        After(5, [&b]() {
            b.Note("second");
            b.At(5);
            b.Note("without");
        });
        After(5, [&b]() {
            b.Note("third");
            b.At(5);
            b.queue.CatchUp();
            b.Note("caught");
        });
        b.At(5, FabricEventKind::ARRIVAL);
        b.then = [&b](FabricEventKind kind, int64_t now) {
            if (now == 6 && kind == FabricEventKind::TRANSMIT)
            {
                FabricEntry entry(b.queue);
                b.At(6, FabricEventKind::PAUSE_TIMER);
                b.queue.CatchUp();
                b.Note("inside");
            }
        };
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(b.log,
                              "A@5 first@5 body@5 T@5 second@5 without@5 T@5 third@5 T@5 caught@5 "
                              "T@6 inside@6 P@6 ",
                              "interleaving");
    }

    std::string m_simulator; //!< TypeId name
};

/// @ingroup llm-training-tests
/// Fabric events have the node of their handler as context, and hand it on.
class ContextTestCase : public TestCase
{
  public:
    ContextTestCase()
        : TestCase("the native simulator shows the handler's node as context")
    {
    }

  private:
    void DoRun() override
    {
        SimulatorScope scope(NATIVE);
        Bench b;
        std::vector<uint32_t> seen;
        b.then = [&](FabricEventKind, int64_t) {
            seen.push_back(Simulator::GetContext());
            seen.push_back(b.queue.GetCurrentContext());
            After(1, [&seen]() { seen.push_back(Simulator::GetContext()); });
        };
        Simulator::ScheduleWithContext(77, TimeStep(9), MakeEvent(+[]() {}));
        b.At(10, FabricEventKind::TRANSMIT);
        b.At(10, FabricEventKind::PAUSE_TIMER);
        After(20, [&]() {
            FabricEntry entry(b.queue);
            b.At(20, FabricEventKind::ARRIVAL);
            seen.push_back(Simulator::GetContext());
        });
        Simulator::Run();
        const std::vector<uint32_t> expected{3, 3, 5, 5, 3, 5, Simulator::NO_CONTEXT, 4, 4, 4};
        NS_TEST_EXPECT_MSG_EQ((seen == expected), true, "contexts");
        NS_TEST_EXPECT_MSG_EQ(b.queue.GetCurrentContext(), Simulator::NO_CONTEXT, "outside");
    }
};

/// @ingroup llm-training-tests
/// Stop from a fabric event completes the tick; a later Run goes on where it ended.
class StopTestCase : public TestCase
{
  public:
    /** @param simulator TypeId name. */
    explicit StopTestCase(const std::string& simulator)
        : TestCase("a stopped run completes its tick and can go on, on " + simulator),
          m_simulator(simulator)
    {
    }

  private:
    void DoRun() override
    {
        SimulatorScope scope(m_simulator);
        Bench b;
        b.then = [&b](FabricEventKind kind, int64_t now) {
            if (now == 10 && kind == FabricEventKind::TRANSMIT)
            {
                Simulator::Stop();
                b.At(10, FabricEventKind::PAUSE_TIMER);
            }
        };
        b.At(10, FabricEventKind::TRANSMIT);
        b.At(10, FabricEventKind::ARRIVAL);
        After(10, [&b]() { b.Note("ns3"); });
        b.At(11);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(b.log, "T@10 A@10 P@10 ", "up to the stop");
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now().GetTimeStep(), 10, "time of the stop");
        b.log.clear();
        Simulator::Stop(TimeStep(10));
        b.At(20);
        b.At(21);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(b.log, "ns3@10 T@11 T@20 ", "up to the second stop");
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now().GetTimeStep(), 20, "time of the second stop");
        NS_TEST_EXPECT_MSG_EQ(b.queue.GetPending(), 1, "one left");
        b.log.clear();
        After(0, []() { Simulator::Stop(); });
        After(0, [&b]() { b.Note("next"); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(b.log, "", "stopped by the first event");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(b.log, "next@20 T@21 ", "to the end");
        NS_TEST_EXPECT_MSG_EQ(Simulator::IsFinished(), true, "finished");
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now().GetTimeStep(), 21, "time of the last event");
    }

    std::string m_simulator; //!< TypeId name
};

/// @ingroup llm-training-tests
/// Other threads may schedule while fabric events run.
class ThreadTestCase : public TestCase
{
  public:
    /** @param simulator TypeId name. */
    explicit ThreadTestCase(const std::string& simulator)
        : TestCase("another thread schedules into a running fabric on " + simulator),
          m_simulator(simulator)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t EVENTS = 200;
        SimulatorScope scope(m_simulator);
        Bench b;
        uint32_t seen = 0;
        bool contextsRight = true;
        bool late = false;
        b.then = [&](FabricEventKind, int64_t now) {
            b.log.clear();
            if (seen < EVENTS)
            {
                b.At(now + 1);
            }
        };
        b.At(0);
        Simulator::Now(); // made by this thread
        std::thread other([&]() {
            for (uint32_t i = 0; i < EVENTS; ++i)
            {
                std::function<void()> function = [&, i]() {
                    contextsRight = contextsRight && Simulator::GetContext() == i && seen == i;
                    late = late || b.queue.PeekTick() < Simulator::Now().GetTimeStep();
                    ++seen;
                };
                Simulator::ScheduleWithContext(i, TimeStep(2), [function]() { function(); });
                std::this_thread::yield();
            }
        });
        Simulator::Run();
        other.join();
        NS_TEST_EXPECT_MSG_EQ(seen, EVENTS, "all came in");
        NS_TEST_EXPECT_MSG_EQ(contextsRight, true, "in order, with their contexts");
        NS_TEST_EXPECT_MSG_EQ(late, false, "fabric events precede them");
    }

    std::string m_simulator; //!< TypeId name
};

/// @ingroup llm-training-tests
/// A queue outlives its simulator, or the simulator outlives the queue.
class LifetimeTestCase : public TestCase
{
  public:
    /** @param simulator TypeId name. */
    explicit LifetimeTestCase(const std::string& simulator)
        : TestCase("queue and simulator end in any order on " + simulator),
          m_simulator(simulator)
    {
    }

  private:
    void DoRun() override
    {
        SimulatorScope scope(m_simulator);
        std::string log;
        auto outliving = std::make_unique<Bench>();
        auto dying = std::make_unique<Bench>();
        std::unique_ptr<Bench> disposed;
        Simulator::ScheduleDestroy(
            +[](std::unique_ptr<Bench>* b) { b->reset(); },
            &disposed);
        disposed = std::make_unique<Bench>();
        outliving->At(3);
        outliving->At(300);
        dying->At(4);
        dying->At(6);
        disposed->At(5);
        disposed->At(500);
        After(5, [&dying]() { dying.reset(); });
        After(6, [&log]() { log += "six "; });
        After(7, []() { Simulator::Stop(); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(outliving->log + disposed->log + log, "T@3 T@5 six ", "ran");
        NS_TEST_EXPECT_MSG_EQ(outliving->queue.GetPending(), 1, "pending before the end");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ((disposed == nullptr), true, "destroyed by the simulator's end");
        NS_TEST_EXPECT_MSG_EQ(outliving->queue.GetPending(), 0, "events are forgotten");
        NS_TEST_EXPECT_MSG_EQ(outliving->queue.Now(), 7, "time stands still");
        NS_TEST_EXPECT_MSG_EQ(outliving->queue.IsNative(), false, "detached");
        outliving->At(1000);
        outliving->queue.CatchUp();
        {
            FabricEntry entry(outliving->queue);
        }

        // A second life.
        Bench again;
        again.At(1);
        again.At(2);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(again.log, "T@1 T@2 ", "a new simulation runs");
        NS_TEST_EXPECT_MSG_EQ(outliving->log, "T@3 ", "the old queue stays out of it");
        outliving.reset();
        NS_TEST_EXPECT_MSG_EQ(again.queue.IsNative(), (m_simulator == NATIVE), "back end");
    }

    std::string m_simulator; //!< TypeId name
};

/// @ingroup llm-training-tests
/// What ns-3 promises of a SimulatorImpl beside the order of events.
class AsInNs3TestCase : public TestCase
{
  public:
    /** @param simulator TypeId name. */
    explicit AsInNs3TestCase(const std::string& simulator)
        : TestCase("events to be run at the end, and other promises of ns-3, on " + simulator),
          m_simulator(simulator)
    {
    }

  private:
    void DoRun() override
    {
        SimulatorScope scope(m_simulator);
        std::string log;
        NS_TEST_EXPECT_MSG_EQ(Simulator::IsFinished(), true, "nothing to do");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetMaximumSimulationTime().GetTimeStep(),
                              std::numeric_limits<int64_t>::max(),
                              "longest time");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetSystemId(), 0, "system id");
        std::vector<EventId> ids;
        for (const char* name : {"a", "b", "c", "d"})
        {
            ids.push_back(Simulator::ScheduleDestroy(
                +[](std::string* l, const char* n) { *l += n; },
                &log,
                name));
        }
        NS_TEST_EXPECT_MSG_EQ(ids[0].IsExpired(), false, "pending for the end");
        Simulator::Cancel(ids[1]);
        Simulator::Remove(ids[2]);
        NS_TEST_EXPECT_MSG_EQ(ids[1].IsExpired(), true, "cancelled");
        NS_TEST_EXPECT_MSG_EQ(ids[2].IsExpired(), true, "removed");
        NS_TEST_EXPECT_MSG_EQ(EventId().IsExpired(), true, "the empty id");
        EventId self;
        EventId later = After(9, []() {});
        self = After(4, [&]() {
            NS_TEST_EXPECT_MSG_EQ(self.IsExpired(), true, "an event that runs has expired");
            NS_TEST_EXPECT_MSG_EQ(Simulator::GetDelayLeft(later).GetTimeStep(), 5, "left");
            NS_TEST_EXPECT_MSG_EQ(Simulator::GetDelayLeft(self).GetTimeStep(), 0, "none left");
            Simulator::ScheduleNow(
                +[](std::string* l) { *l += std::to_string(Simulator::Now().GetTimeStep()); },
                &log);
        });
        NS_TEST_EXPECT_MSG_EQ(Simulator::IsFinished(), false, "something to do");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount(), 3, "events run");
        NS_TEST_EXPECT_MSG_EQ(log, "4", "before the end");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(log, "4ad", "at the end");
    }

    std::string m_simulator; //!< TypeId name
};

/// @ingroup llm-training-tests
/// The portable back end needs one ns-3 event per tick that has fabric events.
class FewAlarmsTestCase : public TestCase
{
  public:
    FewAlarmsTestCase()
        : TestCase("the portable back end arms one ns-3 event per fabric tick")
    {
    }

  private:
    void DoRun() override
    {
        SimulatorScope scope(PORTABLE);
        Bench b;
        b.At(1000000);
        constexpr uint32_t ENTRIES = 1000;
        for (uint32_t i = 0; i < ENTRIES; ++i)
        {
            After(100 * i, [&b]() {
                FabricEntry entry(b.queue);
                const int64_t now = b.queue.Now();
                for (const int64_t delay : {50, 20, 20, 50, 20})
                {
                    b.At(now + delay);
                }
            });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(b.queue.GetEventCount(), 5 * ENTRIES + 1, "fabric events");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount(), ENTRIES + 2 * ENTRIES + 1, "ns-3 events");
    }
};

/// @ingroup llm-training-tests
/// The suite of the event core.
class LlmTrainingEventsTestSuite : public TestSuite
{
  public:
    LlmTrainingEventsTestSuite()
        : TestSuite("llm-training-events", Type::UNIT)
    {
        AddTestCase(new PhiloxVectorsTestCase);
        AddTestCase(new OrderTestCase(NATIVE));
        AddTestCase(new OrderTestCase(PORTABLE));
        AddTestCase(new OrderTestCase("ns3::RealtimeSimulatorImpl"));
        for (const char* simulator : {NATIVE, PORTABLE})
        {
            AddTestCase(new EntryTestCase(simulator));
            AddTestCase(new StopTestCase(simulator));
            AddTestCase(new ThreadTestCase(simulator));
            AddTestCase(new LifetimeTestCase(simulator));
            AddTestCase(new AsInNs3TestCase(simulator));
        }
        AddTestCase(new ContextTestCase);
        AddTestCase(new FewAlarmsTestCase);
        AddTestCase(new BackEndsAgreeTestCase("entering the fabric", {true, 1, 4000, true}));
        AddTestCase(new BackEndsAgreeTestCase("not entering it", {false, 1, 4000, true}));
        AddTestCase(new BackEndsAgreeTestCase("three fabrics", {true, 3, 4000, true}));
    }
};

LlmTrainingEventsTestSuite g_llmTrainingEventsTestSuite; //!< registers the suite

} // namespace
