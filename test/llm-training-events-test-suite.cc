/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-event-queue.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <functional>
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
    }
};

LlmTrainingEventsTestSuite g_llmTrainingEventsTestSuite; //!< registers the suite

} // namespace
