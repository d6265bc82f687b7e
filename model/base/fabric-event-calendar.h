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
 * insertion and popping is a sort of one or two elements. The width of a day follows the density
 * of events; it changes speed, never order. Two events may be equal; they then pop one after the
 * other.
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
     * @param tick when; not before the tick of the last event popped.
     * @param key order among equals.
     */
    void Push(int64_t tick, uint32_t key);

    /** @return tick of the first event, or NEVER. */
    int64_t PeekTick()
    {
        if (m_today.empty())
        {
            if (m_size == 0)
            {
                return NEVER;
            }
            NextDay();
        }
        return m_today.back().tick;
    }

    /** @return key of the event that PeekTick just named. */
    uint32_t PeekKey() const
    {
        return m_today.back().key;
    }

    /** Remove the event that PeekTick just named. The next day opens when somebody asks for it,
     * so that what the event's handler pushes is filed relative to the present. */
    void Pop()
    {
        m_today.pop_back();
        --m_size;
    }

    /** Forget all events. */
    void Clear();

    /** @return number of events. */
    uint64_t GetSize() const
    {
        return m_size;
    }

  private:
    static constexpr uint32_t DAYS_LOG2 = 13;                //!< days in the calendar, log2
    static constexpr uint32_t DAYS = 1U << DAYS_LOG2;        //!< days in the calendar
    static constexpr uint32_t NONE = 0xffffffffU;            //!< end of a list
    static constexpr uint32_t WORDS = DAYS / 64;             //!< words of the occupancy map
    static constexpr uint32_t ADAPT_EVERY = 1U << 15;        //!< days between looks at the width
    static constexpr uint32_t MAX_SHIFT = 48;                //!< widest day, log2 ticks
    static constexpr std::size_t CROWD = 64;                 //!< m_today may hold this many strays

    /** Fill m_today with the next day that has events; m_size must be > 0. */
    void NextDay();
    /** Choose another width if the last days were too full or too far apart. */
    void Adapt();
    /** @param shift new log2 width; re-files every event. */
    void Rebuild(uint32_t shift);
    /** Put an event that belongs to today into its place. */
    void InsertToday(int64_t tick, uint32_t key);
    /** File an event of a later day. */
    void File(int64_t tick, uint32_t key);
    /** Put an event beyond the horizon into the heap. */
    void FileFar(int64_t tick, uint32_t key);
    /** Sort m_today after a whole day was added to it. */
    void SortToday();
    /** Move what has come inside the horizon from the heap to the calendar. */
    void DrawNear();

    uint64_t m_size{0};                 //!< all events
    int64_t m_day{0};                   //!< today's number: tick >> m_shift
    uint32_t m_shift{8};                //!< log2 ticks per day
    uint32_t m_free{NONE};              //!< free nodes
    uint64_t m_nearSize{0};             //!< events filed under days
    std::vector<Event> m_today;         //!< today's events, latest first
    std::vector<Event> m_nodes;         //!< storage of the lists
    std::vector<uint32_t> m_days;       //!< head of each day's list
    std::vector<uint64_t> m_occupied;   //!< bit per day that has a list
    std::vector<Event> m_far;           //!< binary heap, earliest first
    uint64_t m_statDays{0};             //!< days opened since the last look
    uint64_t m_statEvents{0};           //!< events in them
    uint64_t m_statMoves{0};            //!< moves to make room in m_today
    uint64_t m_statFar{0};              //!< events filed beyond the horizon
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_EVENT_CALENDAR_H
