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
    : m_slots(capacity)
{
    NS_ASSERT_MSG(capacity > 0, "a window without room");
    for (uint32_t slot = capacity; slot > 0; --slot)
    {
        m_free.push_back(slot - 1);
    }
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
    if (!m_program || m_free.empty())
    {
        return NONE;
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
    m_slotOf.Push(index);
    Queue& queue = m_streams[static_cast<std::size_t>(slot.operation.stream)];
    if (queue.head == NONE)
    {
        queue.head = index;
    }
    else
    {
        m_slots[queue.tail].next = index;
    }
    queue.tail = index;
    return index;
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
    for (const uint64_t wait : operation.waits)
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
        uint32_t before = GetHead(m_slots[slot].operation.stream);
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
    Queue& queue = m_streams[static_cast<std::size_t>(done.operation.stream)];
    NS_ASSERT_MSG(queue.head == slot && done.started, "only a started head can be over");
    queue.head = done.next;
    m_slotOf[done.operation.id - m_firstId] = NONE;
    while (!m_slotOf.IsEmpty() && m_slotOf.Front() == NONE)
    {
        m_slotOf.Pop();
        ++m_firstId;
    }
    m_free.push_back(slot);
    --m_open;
}

} // namespace llm
} // namespace ns3
