/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-operation-window.h"

#include "ns3/assert.h"
#include "ns3/llm-config-error.h"

namespace ns3
{
namespace llm
{

OperationWindow::OperationWindow(uint32_t capacity)
    : m_capacity(capacity)
{
    NS_ASSERT_MSG(capacity > 0, "a window without room");
}

void
OperationWindow::Begin(std::unique_ptr<StepProgram> program)
{
    NS_ASSERT_MSG(IsOver(), "operations are open");
    m_program = std::move(program);
    m_firstId = 0;
    m_slotOf.Clear();
}

uint32_t
OperationWindow::Fetch()
{
    if (!m_program || m_ordered == m_capacity)
    {
        return NONE;
    }
    if (m_free.empty())
    {
        m_free.push_back(static_cast<uint32_t>(m_slots.size()));
        m_slots.emplace_back();
    }
    const uint32_t index = m_free.back();
    Slot& slot = m_slots[index];
    if (!m_program->Next(slot.operation))
    {
        m_program.reset();
        return NONE;
    }
    Check(slot.operation);
    m_free.pop_back();
    ++m_open;
    slot.start = 0;
    slot.started = false;
    slot.next = NONE;
    slot.sequence = -1;
    slot.pending = 0;
    slot.dependents.clear();
    slot.startDependents.clear();
    if (slot.operation.stream == OperationStream::UNORDERED)
    {
        Link(index);
    }
    else
    {
        Queue(index);
    }
    m_slotOf.Push(index);
    return index;
}

void
OperationWindow::Queue(uint32_t index)
{
    ++m_ordered;
    StreamQueue& queue = m_streams[static_cast<std::size_t>(m_slots[index].operation.stream)];
    if (queue.head == NONE)
    {
        queue.head = index;
    }
    else
    {
        m_slots[queue.tail].next = index;
    }
    queue.tail = index;
}

void
OperationWindow::Link(uint32_t index)
{
    Slot& slot = m_slots[index];
    const Operation& operation = slot.operation;
    for (const uint64_t wait : operation.waits)
    {
        const uint32_t other = Find(wait);
        if (other != NONE)
        {
            m_slots[other].dependents.push_back(index);
            ++slot.pending;
        }
    }
    for (const uint64_t wait : operation.startWaits)
    {
        const uint32_t other = Find(wait);
        if (other != NONE && !m_slots[other].started)
        {
            m_slots[other].startDependents.push_back(index);
            ++slot.pending;
        }
    }
    if (operation.kind == OperationKind::COMPUTE && operation.durationPs > 0)
    {
        m_computes.insert(operation.id);
    }
    if (slot.pending == 0)
    {
        MakeReady(index);
    }
}

void
OperationWindow::MakeReady(uint32_t index)
{
    const Operation& operation = m_slots[index].operation;
    if (operation.kind == OperationKind::COMPUTE && operation.durationPs == 0)
    {
        m_instant.Push(index);
    }
    else
    {
        m_ready.emplace(operation.lane, operation.id, index);
    }
}

void
OperationWindow::Release(std::vector<uint32_t>& slots)
{
    for (const uint32_t index : slots)
    {
        if (--m_slots[index].pending == 0)
        {
            MakeReady(index);
        }
    }
    slots.clear();
}

uint32_t
OperationWindow::TakeInstant()
{
    if (m_instant.IsEmpty())
    {
        return NONE;
    }
    const uint32_t slot = m_instant.Front();
    m_instant.Pop();
    return slot;
}

uint32_t
OperationWindow::TakeReady(bool again)
{
    const auto it = again ? m_ready.begin() : m_ready.lower_bound(m_cursor);
    if (it == m_ready.end())
    {
        return NONE;
    }
    m_cursor = *it;
    m_ready.erase(it);
    return std::get<2>(m_cursor);
}

uint32_t
OperationWindow::GetFirstCompute() const
{
    return m_computes.empty() ? NONE : Find(*m_computes.begin());
}

void
OperationWindow::Start(uint32_t slot, int64_t now)
{
    m_slots[slot].started = true;
    m_slots[slot].start = now;
    Release(m_slots[slot].startDependents);
}

void
OperationWindow::Check(const Operation& operation) const
{
    const uint64_t expected = m_firstId + m_slotOf.Size();
    const std::string path = "operation " + std::to_string(expected);
    if (operation.id != expected)
    {
        throw ConfigError("step program",
                          path,
                          "carries id " + std::to_string(operation.id) +
                              "; ids count up from 0 in program order");
    }
    if (operation.stream >= OperationStream::COUNT)
    {
        throw ConfigError("step program", path, "unknown stream");
    }
    for (const auto* waits : {&operation.waits, &operation.startWaits})
    {
        for (const uint64_t wait : *waits)
        {
            if (wait >= expected)
            {
                throw ConfigError("step program",
                                  path,
                                  "waits for operation " + std::to_string(wait) +
                                      "; it may wait for earlier ones only");
            }
        }
    }
    if ((operation.stream == OperationStream::UNORDERED ? m_ordered : m_open - m_ordered) > 0)
    {
        throw ConfigError("step program",
                          path,
                          "unordered operations and streams in one program; it has to be either");
    }
}

uint32_t
OperationWindow::Find(uint64_t id) const
{
    return id < m_firstId ? NONE : m_slotOf[id - m_firstId];
}

uint32_t
OperationWindow::GetOldest() const
{
    return m_slotOf.IsEmpty() ? NONE : m_slotOf.Front();
}

bool
OperationWindow::IsReady(uint32_t slot) const
{
    for (const uint64_t wait : m_slots[slot].operation.waits)
    {
        if (Find(wait) != NONE)
        {
            return false;
        }
    }
    return true;
}

uint32_t
OperationWindow::FindCause(uint32_t slot) const
{
    // Every step goes to an earlier operation of the program, so this ends.
    while (!m_slots[slot].started)
    {
        const bool unordered = m_slots[slot].operation.stream == OperationStream::UNORDERED;
        uint32_t before = unordered ? slot : GetHead(m_slots[slot].operation.stream);
        if (before == slot)
        {
            before = NONE;
            for (const uint64_t wait : m_slots[slot].operation.waits)
            {
                before = Find(wait);
                if (before != NONE)
                {
                    break;
                }
            }
        }
        if (before == NONE)
        {
            return slot;
        }
        slot = before;
    }
    return slot;
}

void
OperationWindow::Complete(uint32_t slot)
{
    Slot& done = m_slots[slot];
    if (done.operation.stream == OperationStream::UNORDERED)
    {
        NS_ASSERT_MSG(done.started, "only what has started can be over");
        m_computes.erase(done.operation.id);
    }
    else
    {
        StreamQueue& queue = m_streams[static_cast<std::size_t>(done.operation.stream)];
        NS_ASSERT_MSG(queue.head == slot && done.started, "only a started head can be over");
        queue.head = done.next;
        --m_ordered;
    }
    m_slotOf[done.operation.id - m_firstId] = NONE;
    while (!m_slotOf.IsEmpty() && m_slotOf.Front() == NONE)
    {
        m_slotOf.Pop();
        ++m_firstId;
    }
    m_free.push_back(slot);
    --m_open;
    Release(done.dependents);
}

std::vector<uint32_t>
OperationWindow::ListStarted(std::size_t most) const
{
    std::vector<uint32_t> slots;
    for (std::size_t i = 0; i < m_slotOf.Size() && slots.size() < most; ++i)
    {
        if (m_slotOf[i] != NONE && m_slots[m_slotOf[i]].started)
        {
            slots.push_back(m_slotOf[i]);
        }
    }
    return slots;
}

} // namespace llm
} // namespace ns3
