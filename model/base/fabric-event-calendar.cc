/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-event-calendar.h"

#include <algorithm>
#include <array>
#include <functional>

namespace ns3
{
namespace llm
{

namespace
{

/** @return true if a comes after b: order of the heap. */
inline bool
Later(const FabricEventCalendar::Event& a, const FabricEventCalendar::Event& b)
{
    return a.tick != b.tick ? a.tick > b.tick : a.key > b.key;
}

} // namespace

FabricEventCalendar::FabricEventCalendar()
    : m_days(DAYS, NONE),
      m_occupied(WORDS, 0)
{
}

void
FabricEventCalendar::Clear()
{
    *this = FabricEventCalendar();
}

void
FabricEventCalendar::Grow()
{
    const std::size_t old = m_nodes.size();
    m_nodes.resize(old + std::max<std::size_t>(64, old));
    for (std::size_t i = m_nodes.size(); i-- > old;)
    {
        m_nodes[i].next = m_free;
        m_free = static_cast<uint32_t>(i);
    }
    // A day can hold them all.
    m_today.resize(std::max(m_today.size(), m_nodes.size()));
}

void
FabricEventCalendar::PushUnusual(int64_t tick, uint32_t key)
{
    const int64_t day = tick >> m_shift;
    const int64_t ahead = day - m_day;
    if (ahead >= static_cast<int64_t>(DAYS))
    {
        ++m_statFar;
        m_far.push_back({tick, key, NONE});
        std::push_heap(m_far.begin(), m_far.end(), Later);
        SetDrawDay();
    }
    else if (ahead > 0)
    {
        if (m_free == NONE)
        {
            Grow();
        }
        File(tick, key, day);
    }
    else if (ahead == 0)
    {
        InsertToday(tick, key);
    }
    else
    {
        // Today was opened and then left alone for something earlier.
        Rebuild(m_shift, tick);
        ++m_size;
        InsertToday(tick, key);
    }
}

void
FabricEventCalendar::InsertToday(int64_t tick, uint32_t key)
{
    const uint64_t element = MakeElement({tick, key, NONE});
    if (m_count == m_today.size())
    {
        m_today.resize(std::max<std::size_t>(64, 2 * m_count));
    }
    const std::size_t end = m_count - std::min<std::size_t>(m_count - m_floor, MAX_MOVES);
    std::size_t place = m_count;
    while (place > end && element > m_today[place - 1])
    {
        --place;
    }
    if (place > m_floor ? element <= m_today[place - 1] : m_late.empty())
    {
        for (std::size_t i = m_count++; i > place; --i)
        {
            m_today[i] = m_today[i - 1];
        }
        m_today[place] = element;
        return;
    }
    // Too many would have to move, or others wait already: it is merged in when its turn comes.
    const auto begin = m_today.begin();
    const auto found = std::lower_bound(begin,
                                        begin + static_cast<std::ptrdiff_t>(m_count),
                                        element,
                                        std::greater<uint64_t>());
    m_floor = std::max(m_floor, static_cast<std::size_t>(found - begin));
    m_late.push_back(element);
}

void
FabricEventCalendar::MergeLate()
{
    std::sort(m_late.begin(), m_late.end(), std::greater<uint64_t>());
    m_scratch.resize(m_count + m_late.size());
    std::merge(m_today.begin(),
               m_today.begin() + static_cast<std::ptrdiff_t>(m_count),
               m_late.begin(),
               m_late.end(),
               m_scratch.begin(),
               std::greater<uint64_t>());
    m_late.clear();
    m_count = m_scratch.size();
    m_floor = 0;
    m_untilAdapt -= static_cast<int64_t>(m_count);
    if (m_today.size() < m_count)
    {
        m_today.resize(m_count);
    }
    std::copy(m_scratch.begin(), m_scratch.end(), m_today.begin());
}

int64_t
FabricEventCalendar::FindDay()
{
    const int64_t start = m_day + 1;
    const uint32_t slot = static_cast<uint32_t>(start) & (DAYS - 1);
    const uint32_t word = slot / 64;
    uint64_t bits = m_occupied[word] >> (slot % 64);
    if (bits != 0)
    {
        return start + __builtin_ctzll(bits);
    }
    // Once round, to the bits of the first word before the start.
    int64_t day = start - slot % 64;
    for (uint32_t i = 1; i <= WORDS; ++i)
    {
        bits = m_occupied[(word + i) % WORDS];
        day += 64;
        if (bits != 0)
        {
            m_statWords += i;
            return day + __builtin_ctzll(bits);
        }
    }
    return NEVER;
}

int64_t
FabricEventCalendar::PeekAhead()
{
    if (!m_late.empty())
    {
        MergeLate();
        return TodayTick();
    }
    if (m_size == 0)
    {
        return NEVER;
    }
    if (m_size == m_far.size())
    {
        return m_far.front().tick;
    }
    if (m_nextTick == INT64_MIN)
    {
        const uint32_t slot = static_cast<uint32_t>(FindDay()) & (DAYS - 1);
        m_nextTick = NEVER;
        for (uint32_t node = m_days[slot]; node != NONE; node = m_nodes[node].next)
        {
            m_nextTick = std::min(m_nextTick, m_nodes[node].tick);
        }
    }
    return m_nextTick;
}

bool
FabricEventCalendar::OpenDay(int64_t limit)
{
    if (!m_late.empty())
    {
        MergeLate();
        const bool crowded = (m_today[0] >> 32) != (m_today[m_count - 1] >> 32);
        if (m_untilAdapt < 0 && crowded && m_shift > 0 && TodayTick() <= limit)
        {
            ChangeShift(-1, TodayTick());
        }
        return true;
    }
    int64_t day = FindDay();
    if (day == NEVER)
    {
        if (m_size == 0 || m_far.front().tick > limit)
        {
            return false;
        }
        m_day = (m_far.front().tick >> m_shift) - 1;
        DrawNear();
        day = m_day + 1;
    }
    const int64_t base = static_cast<int64_t>(static_cast<uint64_t>(day) << m_shift);
    if (base > limit)
    {
        return false;
    }
    ++m_statDays;
    if (--m_untilAdapt < 0 && Adapt())
    {
        return m_count > m_floor || OpenDay(limit);
    }
    m_day = day;
    m_base = base;
    m_nextTick = INT64_MIN;
    const uint32_t slot = static_cast<uint32_t>(day) & (DAYS - 1);
    const uint32_t head = m_days[slot];
    m_days[slot] = NONE;
    m_occupied[slot / 64] &= ~(uint64_t{1} << (slot % 64));

    Event* event = &m_nodes[head];
    m_today[0] = MakeElement(*event);
    m_count = 1;
    if (event->next != NONE)
    {
        event = ReadDay(event);
    }
    event->next = m_free;
    m_free = head;
    if (day >= m_drawDay)
    {
        DrawNear();
    }
    return true;
}

FabricEventCalendar::Event*
FabricEventCalendar::ReadDay(Event* event)
{
    // A list is latest pushed first: often sorted as it should be.
    uint64_t* const today = m_today.data();
    const uint64_t first = today[0];
    uint64_t previous = first;
    uint64_t differing = 0;
    bool sorted = true;
    std::size_t count = 1;
    do
    {
        event = &m_nodes[event->next];
        const uint64_t element = MakeElement(*event);
        today[count++] = element;
        differing |= element ^ first;
        sorted &= element <= previous;
        previous = element;
    } while (event->next != NONE);
    m_count = count;
    m_statCompanions += count - 1;
    m_untilAdapt -= static_cast<int64_t>(count - 1);
    m_statMixed += (differing >> 32) != 0;
    if (!sorted)
    {
        SortToday(differing);
    }
    return event;
}

void
FabricEventCalendar::SortToday(uint64_t differing)
{
    constexpr std::size_t FEW = 20;
    constexpr std::size_t RADIX = 256;
    if (m_count <= FEW)
    {
        for (std::size_t i = 1; i < m_count; ++i)
        {
            const uint64_t element = m_today[i];
            std::size_t j = i;
            for (; j > 0 && element > m_today[j - 1]; --j)
            {
                m_today[j] = m_today[j - 1];
            }
            m_today[j] = element;
        }
        return;
    }
    std::size_t passes = 0;
    for (uint32_t bit = 0; bit < 64; bit += 8)
    {
        passes += ((differing >> bit) & (RADIX - 1)) != 0;
    }
    if (m_count < 64 * passes)
    {
        std::sort(m_today.begin(),
                  m_today.begin() + static_cast<std::ptrdiff_t>(m_count),
                  std::greater<uint64_t>());
        return;
    }
    m_scratch.resize(m_today.size());
    for (uint32_t bit = 0; bit < 64; bit += 8)
    {
        if (((differing >> bit) & (RADIX - 1)) == 0)
        {
            continue;
        }
        std::array<uint32_t, RADIX> places{};
        for (std::size_t i = 0; i < m_count; ++i)
        {
            ++places[(m_today[i] >> bit) & (RADIX - 1)];
        }
        uint32_t place = 0;
        for (std::size_t digit = RADIX; digit-- > 0;)
        {
            const uint32_t number = places[digit];
            places[digit] = place;
            place += number;
        }
        for (std::size_t i = 0; i < m_count; ++i)
        {
            const uint64_t element = m_today[i];
            m_scratch[places[(element >> bit) & (RADIX - 1)]++] = element;
        }
        m_today.swap(m_scratch);
    }
}

void
FabricEventCalendar::DrawNear()
{
    while (!m_far.empty() && (m_far.front().tick >> m_shift) - m_day < static_cast<int64_t>(DAYS))
    {
        const Event event = m_far.front();
        std::pop_heap(m_far.begin(), m_far.end(), Later);
        m_far.pop_back();
        if (m_free == NONE)
        {
            Grow();
        }
        File(event.tick, event.key, event.tick >> m_shift);
    }
    SetDrawDay();
}

void
FabricEventCalendar::SetDrawDay()
{
    m_drawDay = m_far.empty() ? NEVER : (m_far.front().tick >> m_shift) - int64_t{DAYS} + 1;
}

bool
FabricEventCalendar::Adapt()
{
    // Days too narrow send pushes to the heap and make the search for the next day long; days too
    // wide have much to sort.
    const bool shortSighted = m_statFar * 8 > m_statDays + m_statCompanions;
    const bool empty = m_statWords > 4 * m_statDays;
    const bool crowded = m_statCompanions > 2 * m_statDays && m_statMixed * 2 > m_statDays;
    if (crowded && m_shift > 0)
    {
        ChangeShift(-1, m_base);
        return true;
    }
    if (!crowded && (shortSighted || empty) && m_shift < MAX_SHIFT)
    {
        ChangeShift(1, m_base);
        return true;
    }
    ChangeShift(0, m_base);
    return false;
}

void
FabricEventCalendar::ChangeShift(int32_t change, int64_t from)
{
    // Between two widths, change ever more rarely; and never so often that filing anew counts.
    if (change != 0)
    {
        m_adaptEvery =
            change == m_lastChange ? ADAPT_EVERY : std::min(2 * m_adaptEvery, ADAPT_MOST);
        m_lastChange = change;
        Rebuild(static_cast<uint32_t>(static_cast<int32_t>(m_shift) + change), from);
    }
    m_untilAdapt = std::max(m_adaptEvery, static_cast<int64_t>(4 * m_size));
    m_statDays = 0;
    m_statCompanions = 0;
    m_statMixed = 0;
    m_statWords = 0;
    m_statFar = 0;
}

void
FabricEventCalendar::Rebuild(uint32_t shift, int64_t from)
{
    std::vector<Event> all(m_far);
    all.reserve(m_size);
    for (std::size_t i = 0; i < m_count; ++i)
    {
        m_late.push_back(m_today[i]);
    }
    for (const uint64_t element : m_late)
    {
        all.push_back(
            {m_base + static_cast<int64_t>(element >> 32), static_cast<uint32_t>(element), NONE});
    }
    for (uint32_t slot = 0; slot < DAYS; ++slot)
    {
        for (uint32_t node = m_days[slot]; node != NONE; node = m_nodes[node].next)
        {
            all.push_back(m_nodes[node]);
        }
    }
    std::fill(m_days.begin(), m_days.end(), NONE);
    std::fill(m_occupied.begin(), m_occupied.end(), 0);
    m_nodes.clear();
    m_free = NONE;
    m_far.clear();
    m_drawDay = NEVER;
    m_late.clear();
    m_count = 0;
    m_floor = 0;
    m_shift = shift;
    m_day = from >> shift;
    m_base = m_day << shift;
    m_nextTick = INT64_MIN;
    // Latest first, as today's events want it.
    std::sort(all.begin(), all.end(), Later);
    m_size = 0;
    for (const Event& event : all)
    {
        Push(event.tick, event.key);
    }
}

} // namespace llm
} // namespace ns3
