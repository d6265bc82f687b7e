/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_EVENT_CALENDAR_H
#define FABRIC_EVENT_CALENDAR_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Priority queue of 16-byte events ordered by (tick, key), both ascending: a calendar of short
 * unsorted lists that is sorted one day at a time, with a heap for what lies beyond its horizon.
 *
 * Fabric events lie close ahead (a serialisation time, a link delay), so that pushing is a list
 * insertion, and popping a look into a bitmap and a sort of one or two elements, or a radix sort
 * where thousands share a tick. The width of a day follows the density of events; it changes
 * speed, never order. Two events may be equal; they then pop one after the other.
 *
 * Looking does not move the calendar: a day opens only when its first tick is due, so that events
 * may be pushed at any time from the last event popped on, whatever lies further ahead.
 */
class FabricEventCalendar
{
  public:
    /** What the queue holds. */
    struct Event
    {
        int64_t tick;  //!< when
        uint32_t key;  //!< order among equals in time; also names the handler
        uint32_t next; //!< index of the next node in the same day
    };

    static_assert(sizeof(int64_t) == 8 && sizeof(uint32_t) == 4, "events are 16 bytes");

    /** Tick of an empty queue. */
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    FabricEventCalendar();

    /**
     * @param tick when; not before the tick of the last event popped, and before NEVER.
     * @param key order among equals.
     */
    void Push(int64_t tick, uint32_t key)
    {
        ++m_size;
        const int64_t day = tick >> m_shift;
        if (static_cast<uint64_t>(day - m_day - 1) < DAYS - 1 && m_free != NONE)
        {
            File(tick, key, day);
            return;
        }
        PushUnusual(tick, key);
    }

    /** @return tick of the first event, or NEVER. */
    int64_t PeekTick()
    {
        return m_count > m_floor ? TodayTick() : PeekAhead();
    }

    /**
     * Make the first event ready for Pop, if it is due.
     * @param limit last tick that is due.
     * @return tick of the first event if that is at or before @p limit; else any later tick.
     */
    int64_t PeekDue(int64_t limit)
    {
        return m_count > m_floor || OpenDay(limit) ? TodayTick() : NEVER;
    }

    /** Remove the event that PeekDue just named. @return its key. */
    uint32_t Pop()
    {
        --m_size;
        return static_cast<uint32_t>(m_today[--m_count]);
    }

    /**
     * What Pop will give next, as far as it is known without work; a hint to fetch ahead.
     * @param key gets it.
     * @return true if known.
     */
    bool PeekKey(uint32_t& key) const
    {
        if (m_count == 0)
        {
            return false;
        }
        key = static_cast<uint32_t>(m_today[m_count - 1]);
        return true;
    }

    /** Forget all events, and the time of the last one. */
    void Clear();

    /** @return number of events. */
    uint64_t GetSize() const
    {
        return m_size;
    }

    /** @return log2 of the ticks per day, for tests. */
    uint32_t GetShift() const
    {
        return m_shift;
    }

  private:
    static constexpr uint32_t DAYS_LOG2 = 13;         //!< days in the calendar, log2
    static constexpr uint32_t DAYS = 1U << DAYS_LOG2; //!< days in the calendar
    static constexpr uint32_t NONE = 0xffffffffU;     //!< end of a list
    static constexpr uint32_t WORDS = DAYS / 64;      //!< words of the occupancy map
    static constexpr int64_t ADAPT_EVERY = 1 << 14;   //!< events between looks at the width
    static constexpr int64_t ADAPT_MOST = 1 << 22;    //!< the same, between two widths
    static constexpr uint32_t MAX_SHIFT = 31;         //!< widest day: an offset has 32 bits
    static constexpr uint32_t MAX_MOVES = 32;         //!< most elders that give way to one event

    /** @return tick of the last element of m_today. */
    int64_t TodayTick() const
    {
        return m_base + static_cast<int64_t>(m_today[m_count - 1] >> 32);
    }

    /** @param event of today. @return the element of m_today. */
    uint64_t MakeElement(const Event& event) const
    {
        return (static_cast<uint64_t>(event.tick - m_base) << 32) | event.key;
    }

    /** Link an event into the list of a day within the horizon, after today; m_free is a node. */
    void File(int64_t tick, uint32_t key, int64_t day)
    {
        const uint32_t node = m_free;
        Event& event = m_nodes[node];
        m_free = event.next;
        const uint32_t slot = static_cast<uint32_t>(day) & (DAYS - 1);
        event.tick = tick;
        event.key = key;
        event.next = m_days[slot];
        m_days[slot] = node;
        m_occupied[slot / 64] |= uint64_t{1} << (slot % 64);
        if (tick < m_nextTick)
        {
            m_nextTick = tick;
        }
    }

    /** Push what is not after today or beyond the horizon, or find room for it. */
    void PushUnusual(int64_t tick, uint32_t key);
    /** Put an event that belongs to today into its place. */
    void InsertToday(int64_t tick, uint32_t key);
    /** Add to the free nodes. */
    void Grow();
    /** @return tick of the first event, when none of m_today is ready. */
    int64_t PeekAhead();
    /** Make an event of m_today ready. @param limit as in PeekDue. @return true if done. */
    bool OpenDay(int64_t limit);
    /** Read the rest of a day's list, which @p event begins, into m_today, sorted.
     * @return last event of the list. */
    Event* ReadDay(Event* event);
    /** @return next day after today that has a list, or NEVER. */
    int64_t FindDay();
    /** Merge what came late into m_today. */
    void MergeLate();
    /** Sort m_today from what it was read as. @param differing bits that differ within it. */
    void SortToday(uint64_t differing);
    /** Move what has come inside the horizon from the heap to the calendar. */
    void DrawNear();
    /** Set m_drawDay after the heap's first event changed. */
    void SetDrawDay();
    /** Choose another width if the last days were too full or too far apart.
     * @return true if so. */
    bool Adapt();
    /** @param change of m_shift. @param from as in Rebuild. */
    void ChangeShift(int32_t change, int64_t from);
    /** File every event anew. @param shift new log2 width. @param from earliest tick to come. */
    void Rebuild(uint32_t shift, int64_t from);

    uint64_t m_size{0};            //!< all events
    int64_t m_day{0};              //!< today's number: tick >> m_shift
    int64_t m_base{0};             //!< today's first tick
    int64_t m_nextTick{INT64_MIN}; //!< first tick in m_days, or less if not known
    uint32_t m_shift{8};           //!< log2 ticks per day
    uint32_t m_free{NONE};         //!< free nodes
    /** Today's events, latest first: the upper half of an element counts ticks from m_base, the
     * lower is the key. */
    std::vector<uint64_t> m_today;
    std::size_t m_count{0};            //!< elements of m_today
    std::size_t m_floor{0};            //!< elements of m_today that must wait for m_late
    std::vector<Event> m_nodes;        //!< storage of the lists
    std::vector<uint32_t> m_days;      //!< head of each day's list
    std::vector<uint64_t> m_occupied;  //!< bit per day that has a list
    std::vector<uint64_t> m_late;      //!< today's events that came late, as in m_today
    std::vector<uint64_t> m_scratch;   //!< for sorting
    std::vector<Event> m_far;          //!< binary heap, earliest first
    int64_t m_drawDay{NEVER};          //!< day that has the first of m_far inside its horizon
    int64_t m_adaptEvery{ADAPT_EVERY}; //!< events between looks, for now
    int32_t m_lastChange{0};           //!< of m_shift
    int64_t m_untilAdapt{ADAPT_EVERY}; //!< events left until the next look
    uint64_t m_statDays{0};            //!< days opened since the last look
    uint64_t m_statCompanions{0};      //!< events in them beside the first of each
    uint64_t m_statMixed{0};           //!< days of several ticks
    uint64_t m_statWords{0};           //!< words of the occupancy map looked at
    uint64_t m_statFar{0};             //!< events filed beyond the horizon
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_EVENT_CALENDAR_H
