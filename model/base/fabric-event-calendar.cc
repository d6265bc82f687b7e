/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-event-calendar.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** @return true if a comes after b: order of the heap and of m_today (latest first). */
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
    m_today.reserve(64);
}

void
FabricEventCalendar::Clear()
{
    *this = FabricEventCalendar();
}

void
FabricEventCalendar::Push(int64_t tick, uint32_t key)
{
    const int64_t day = tick >> m_shift;
    ++m_size;
    if (m_size == 1)
    {
        // Nothing pending: this event's day becomes today.
        m_day = day;
        m_today.push_back({tick, key, NONE});
        return;
    }
    if (day > m_day)
    {
        File(tick, key);
        return;
    }
    if (day < m_day && m_today.size() >= CROWD)
    {
        // The calendar had run ahead to a lone late event; start again from the present.
        InsertToday(tick, key);
        Rebuild(m_shift);
        return;
    }
    InsertToday(tick, key);
}

void
FabricEventCalendar::InsertToday(int64_t tick, uint32_t key)
{
    const Event event{tick, key, NONE};
    std::size_t i = m_today.size();
    m_today.push_back(event);
    while (i > 0 && Later(event, m_today[i - 1]))
    {
        m_today[i] = m_today[i - 1];
        --i;
        ++m_statMoves;
    }
    m_today[i] = event;
}

void
FabricEventCalendar::File(int64_t tick, uint32_t key)
{
    const int64_t day = tick >> m_shift;
    if (day - m_day >= static_cast<int64_t>(DAYS))
    {
        ++m_statFar;
        FileFar(tick, key);
        return;
    }
    uint32_t node = m_free;
    if (node == NONE)
    {
        node = static_cast<uint32_t>(m_nodes.size());
        m_nodes.emplace_back();
    }
    else
    {
        m_free = m_nodes[node].next;
    }
    const uint32_t slot = static_cast<uint32_t>(day) & (DAYS - 1);
    m_nodes[node] = {tick, key, m_days[slot]};
    m_days[slot] = node;
    m_occupied[slot / 64] |= uint64_t{1} << (slot % 64);
    ++m_nearSize;
}

void
FabricEventCalendar::FileFar(int64_t tick, uint32_t key)
{
    m_far.push_back({tick, key, NONE});
    std::push_heap(m_far.begin(), m_far.end(), Later);
}

void
FabricEventCalendar::DrawNear()
{
    while (!m_far.empty() && (m_far.front().tick >> m_shift) - m_day < static_cast<int64_t>(DAYS))
    {
        const Event event = m_far.front();
        std::pop_heap(m_far.begin(), m_far.end(), Later);
        m_far.pop_back();
        if ((event.tick >> m_shift) <= m_day)
        {
            m_today.push_back({event.tick, event.key, NONE});
        }
        else
        {
            File(event.tick, event.key);
        }
    }
}

void
FabricEventCalendar::NextDay()
{
    if (++m_statDays >= ADAPT_EVERY)
    {
        Adapt();
        if (!m_today.empty())
        {
            return;
        }
    }
    if (m_nearSize == 0)
    {
        m_day = m_far.front().tick >> m_shift;
        DrawNear();
        SortToday();
        return;
    }
    // Next occupied day after today, going round the map once.
    const uint32_t start = static_cast<uint32_t>(m_day + 1) & (DAYS - 1);
    uint32_t word = start / 64;
    uint64_t bits = m_occupied[word] & (~uint64_t{0} << (start % 64));
    while (bits == 0)
    {
        word = (word + 1) % WORDS;
        bits = m_occupied[word];
    }
    const uint32_t slot = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
    m_day += 1 + ((slot - start) & (DAYS - 1));
    uint32_t node = m_days[slot];
    m_days[slot] = NONE;
    m_occupied[word] &= ~(uint64_t{1} << (slot % 64));
    while (node != NONE)
    {
        const Event event = m_nodes[node];
        m_nodes[node].next = m_free;
        m_free = node;
        node = event.next;
        --m_nearSize;
        m_today.push_back(event);
    }
    if (!m_far.empty())
    {
        DrawNear();
    }
    SortToday();
}

void
FabricEventCalendar::SortToday()
{
    m_statEvents += m_today.size();
    if (m_today.size() > 1 && !std::is_sorted(m_today.begin(), m_today.end(), Later))
    {
        std::sort(m_today.begin(), m_today.end(), Later);
    }
}

void
FabricEventCalendar::Adapt()
{
    // Days too wide make pushes shift their elders; days too narrow send pushes to the heap.
    const bool crowded = m_statMoves > 4 * m_statEvents;
    const bool shortSighted = m_statFar * 8 > m_statEvents;
    m_statDays = 0;
    m_statEvents = 0;
    m_statMoves = 0;
    m_statFar = 0;
    if (crowded && m_shift > 0)
    {
        Rebuild(m_shift - 1);
    }
    else if (shortSighted && m_shift < MAX_SHIFT)
    {
        Rebuild(m_shift + 1);
    }
}

void
FabricEventCalendar::Rebuild(uint32_t shift)
{
    std::vector<Event> all(m_today);
    all.reserve(m_size);
    for (uint32_t slot = 0; slot < DAYS; ++slot)
    {
        for (uint32_t node = m_days[slot]; node != NONE; node = m_nodes[node].next)
        {
            all.push_back(m_nodes[node]);
        }
        m_days[slot] = NONE;
    }
    all.insert(all.end(), m_far.begin(), m_far.end());
    std::fill(m_occupied.begin(), m_occupied.end(), 0);
    m_today.clear();
    m_nodes.clear();
    m_far.clear();
    m_free = NONE;
    m_nearSize = 0;
    m_shift = shift;
    m_size = 0;
    std::sort(all.begin(), all.end(), [](const Event& a, const Event& b) { return Later(b, a); });
    for (const Event& event : all)
    {
        Push(event.tick, event.key);
    }
}

} // namespace llm
} // namespace ns3
