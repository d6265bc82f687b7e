/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-event-calendar.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** How a kind of traffic spreads its events. */
struct Load
{
    const char* name;            //!< for messages
    std::vector<int64_t> delays; //!< ticks ahead, one picked per event
    int64_t jitter;              //!< added, uniform below this
    uint32_t pending;            //!< events kept pending
    uint32_t keys;               //!< keys are below this
    bool sameKey;                //!< an event's successor has its key
};

/// @ingroup llm-training-tests
/// The calendar gives what a sorted set gives, whatever the spread of its events.
class CalendarPropertyTestCase : public TestCase
{
  public:
    /** @param load to put on. @param seed of what is picked. */
    CalendarPropertyTestCase(const Load& load, uint64_t seed)
        : TestCase(std::string("calendar = sorted set: ") + load.name),
          m_load(load),
          m_random(seed)
    {
    }

  private:
    /** @param below bound. @return a number below it. */
    uint64_t Pick(uint64_t below)
    {
        const Philox::Numbers numbers = m_random(m_drawn++, 0);
        return ((static_cast<uint64_t>(numbers[0]) << 32) | numbers[1]) % below;
    }

    /** Push an event into both. @param key of the predecessor. */
    void Push(uint32_t key)
    {
        int64_t tick = m_now + m_load.delays[Pick(m_load.delays.size())];
        if (m_load.jitter > 0)
        {
            tick += static_cast<int64_t>(Pick(static_cast<uint64_t>(m_load.jitter)));
        }
        key = m_load.sameKey ? key : static_cast<uint32_t>(Pick(m_load.keys)) << 12 | (key & 0xfff);
        m_calendar.Push(tick, key);
        m_reference.emplace(tick, key);
    }

    /** Pop what is due. @param limit in ticks. @param most events. @return false on a difference.
     */
    bool PopUntil(int64_t limit, uint32_t most)
    {
        while (most-- > 0 && !m_reference.empty() && m_reference.begin()->first <= limit)
        {
            const auto expected = *m_reference.begin();
            m_reference.erase(m_reference.begin());
            const int64_t tick = m_calendar.PeekDue(limit);
            const uint32_t key = m_calendar.Pop();
            if (tick != expected.first || key != expected.second)
            {
                NS_TEST_EXPECT_MSG_EQ(tick, expected.first, "tick of event " << m_popped);
                NS_TEST_EXPECT_MSG_EQ(key, expected.second, "key of event " << m_popped);
                return false;
            }
            ++m_popped;
            m_now = tick;
            Push(key);
        }
        return true;
    }

    void DoRun() override
    {
        constexpr uint64_t EVENTS = 100000;
        NS_TEST_EXPECT_MSG_EQ(m_calendar.PeekTick(), FabricEventCalendar::NEVER, "empty");
        NS_TEST_EXPECT_MSG_EQ(m_calendar.PeekDue(FabricEventCalendar::NEVER - 1),
                              FabricEventCalendar::NEVER,
                              "nothing is due");
        for (uint32_t i = 0; i < m_load.pending; ++i)
        {
            Push(i);
        }
        while (m_popped < EVENTS)
        {
            NS_TEST_ASSERT_MSG_EQ(m_calendar.GetSize(), m_reference.size(), "size");
            const int64_t head = m_reference.begin()->first;
            // Look, be refused, look again, go on until a limit somewhere ahead.
            NS_TEST_ASSERT_MSG_EQ(m_calendar.PeekTick(), head, "head");
            NS_TEST_ASSERT_MSG_GT(m_calendar.PeekDue(head - 1), head - 1, "nothing before head");
            NS_TEST_ASSERT_MSG_EQ(m_calendar.PeekTick(), head, "head after refusal");
            const int64_t limit = Pick(2) ? head : head + m_load.delays[0] / 2 + 1;
            if (!PopUntil(limit, 1 + static_cast<uint32_t>(Pick(3000))))
            {
                return;
            }
            // Code outside events may push at any time from now on, even if a later day is open.
            if (Pick(8) == 0)
            {
                const int64_t next = m_reference.begin()->first;
                m_calendar.PeekDue(next);
                m_now += static_cast<int64_t>(Pick(static_cast<uint64_t>(next - m_now) + 1));
                const std::size_t burst = Pick(2) ? 1 : Pick(200);
                for (std::size_t i = 0; i < burst; ++i)
                {
                    Push(static_cast<uint32_t>(Pick(m_load.keys)));
                    // Keep the number: a later one leaves.
                    const auto last = *m_reference.begin();
                    if (last.first == m_now)
                    {
                        m_reference.erase(m_reference.begin());
                        m_calendar.PeekDue(m_now);
                        const uint32_t key = m_calendar.Pop();
                        NS_TEST_ASSERT_MSG_EQ(key, last.second, "late event");
                    }
                }
            }
            if (m_reference.size() > 2 * m_load.pending + 400)
            {
                // Drain.
                while (!m_reference.empty())
                {
                    const auto expected = *m_reference.begin();
                    m_reference.erase(m_reference.begin());
                    NS_TEST_ASSERT_MSG_EQ(m_calendar.PeekDue(FabricEventCalendar::NEVER - 1),
                                          expected.first,
                                          "tick while draining");
                    const uint32_t key = m_calendar.Pop();
                    NS_TEST_ASSERT_MSG_EQ(key, expected.second, "key while draining");
                    m_now = expected.first;
                }
                NS_TEST_ASSERT_MSG_EQ(m_calendar.PeekTick(), FabricEventCalendar::NEVER, "drained");
                for (uint32_t i = 0; i < m_load.pending; ++i)
                {
                    Push(i);
                }
            }
        }
        m_calendar.Clear();
        NS_TEST_EXPECT_MSG_EQ(m_calendar.GetSize(), 0, "cleared");
        NS_TEST_EXPECT_MSG_EQ(m_calendar.PeekTick(), FabricEventCalendar::NEVER, "cleared");
    }

    Load m_load;                                             //!< what is put on
    Philox m_random;                                         //!< picks
    uint64_t m_drawn{0};                                     //!< numbers picked
    int64_t m_now{0};                                        //!< tick of the last event
    uint64_t m_popped{0};                                    //!< events compared
    FabricEventCalendar m_calendar;                          //!< under test
    std::multiset<std::pair<int64_t, uint32_t>> m_reference; //!< what it must equal
};

/// @ingroup llm-training-tests
/// The width of a day widens for events far apart and narrows for crowds, in either direction.
class CalendarAdaptsTestCase : public TestCase
{
  public:
    CalendarAdaptsTestCase()
        : TestCase("the width of a day follows the density of events")
    {
    }

  private:
    /** Hold a number of events pending and let time pass. */
    void Run(FabricEventCalendar& calendar, int64_t spread, uint32_t pending, uint64_t events)
    {
        const Philox random(1);
        for (uint64_t i = 0; i < events; ++i)
        {
            if (calendar.GetSize() >= pending)
            {
                const int64_t tick = calendar.PeekDue(FabricEventCalendar::NEVER - 1);
                NS_TEST_ASSERT_MSG_GT_OR_EQ(tick, m_now, "time goes on");
                m_now = tick;
                calendar.Pop();
            }
            calendar.Push(m_now + 1 + random.Draw(i, 0) % spread, 0);
        }
    }

    void DoRun() override
    {
        FabricEventCalendar calendar;
        const uint32_t start = calendar.GetShift();
        Run(calendar, 4000000000, 10, 400000);
        const uint32_t wide = calendar.GetShift();
        NS_TEST_EXPECT_MSG_GT(wide, start + 5, "milliseconds apart: wide days");
        Run(calendar, 10000, 1000, 1000000);
        NS_TEST_EXPECT_MSG_LT(calendar.GetShift(), 8, "picoseconds apart: narrow days");
    }

    int64_t m_now{0}; //!< tick of the last event
};

/// @ingroup llm-training-tests
/// The suite of the calendar.
class LlmTrainingEventsCalendarTestSuite : public TestSuite
{
  public:
    LlmTrainingEventsCalendarTestSuite()
        : TestSuite("llm-training-events-calendar", Type::UNIT)
    {
        const int64_t billion = 1000000000;
        const Load loads[] = {
            {"one event", {1}, 0, 1, 1, true},
            {"picosecond links", {83840, 1083840}, 0, 300, 7, false},
            {"nanosecond links", {84, 1084, 83}, 0, 300, 7, false},
            {"lockstep of 4096, in order", {81920}, 0, 4096, 1, true},
            {"lockstep of 4096, in disorder", {81920}, 0, 4096, 5, false},
            {"lockstep of 5000 with events of the same tick", {0, 1, 82, 0}, 0, 5000, 6, false},
            {"everything at once", {0, 0, 0, 1}, 0, 100, 3, false},
            {"close, far and very far", {100, 70000, 4 * billion, 900 * billion}, 9, 500, 9, false},
            {"lone far timers, then bursts", {1, 2, 3, 5000 * billion}, 5, 40, 9, false},
            {"billions of ticks apart", {7 * billion}, 5 * billion, 20, 4, false},
            {"random, dense", {1}, 3000, 3000, 16, false},
            {"random, sparse", {1}, 100000000, 50, 16, false},
        };
        uint64_t seed = 1;
        for (const Load& load : loads)
        {
            AddTestCase(new CalendarPropertyTestCase(load, seed++));
        }
        AddTestCase(new CalendarAdaptsTestCase);
    }
};

LlmTrainingEventsCalendarTestSuite g_llmTrainingEventsCalendarTestSuite; //!< registers the suite

} // namespace
