/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-message-program.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

void
MessageProgram::Message::Add(const ByteRange& range)
{
    if (range.bytes == 0)
    {
        return;
    }
    if (!pieces.empty() && pieces.back().offset + pieces.back().bytes == range.offset)
    {
        pieces.back().bytes += range.bytes;
        return;
    }
    pieces.push_back(range);
}

MessageProgram::Message&
MessageProgram::Step::Send(uint32_t peer, const ByteRange& range)
{
    messages.push_back({true, false, peer, {}});
    messages.back().Add(range);
    return messages.back();
}

MessageProgram::Message&
MessageProgram::Step::Receive(uint32_t peer, bool reduce, const ByteRange& range)
{
    messages.push_back({false, reduce, peer, {}});
    messages.back().Add(range);
    return messages.back();
}

MessageProgram::MessageProgram(uint64_t sliceBytes)
    : m_sliceBytes(sliceBytes)
{
}

bool
MessageProgram::EnterMessage()
{
    while (m_next >= m_step.messages.size())
    {
        m_step.messages.clear();
        m_step.waits = Waits::FOR_ALL;
        m_next = 0;
        if (!NextStep(m_step))
        {
            return false;
        }
        EnterStep();
    }
    m_message = &m_step.messages[m_next++];
    m_bytes = 0;
    for (const ByteRange& piece : m_message->pieces)
    {
        m_bytes += piece.bytes;
    }
    m_slices = CountSlices(m_bytes, m_sliceBytes);
    m_slice = 0;
    return true;
}

void
MessageProgram::EnterStep()
{
    switch (m_step.waits)
    {
    case Waits::FOR_ALL:
        m_first = 0;
        m_end = m_received;
        break;
    case Waits::AS_BEFORE:
        break;
    case Waits::FOR_NOTHING:
        m_first = 0;
        m_end = 0;
        break;
    case Waits::FOR_LAST_STEP:
        m_first = m_stepBegin;
        m_end = m_received;
        break;
    }
    m_stepBegin = m_received;
}

void
MessageProgram::CutSlice()
{
    const ByteRange slice = SplitBytes(m_bytes, m_slices, m_slice++);
    uint64_t skip = slice.offset;
    uint64_t left = slice.bytes;
    m_cut.clear();
    for (const ByteRange& piece : m_message->pieces)
    {
        if (skip >= piece.bytes)
        {
            skip -= piece.bytes;
            continue;
        }
        const uint64_t bytes = std::min(left, piece.bytes - skip);
        m_cut.push_back({piece.offset + skip, bytes});
        left -= bytes;
        skip = 0;
        if (left == 0)
        {
            return;
        }
    }
}

bool
MessageProgram::Next(Transfer& transfer)
{
    while (m_slice >= m_slices)
    {
        if (!EnterMessage())
        {
            return false;
        }
    }
    CutSlice();
    transfer = Transfer();
    transfer.send = m_message->send;
    transfer.reduce = m_message->reduce;
    transfer.peer = m_message->peer;
    transfer.offset = m_cut.front().offset;
    for (const ByteRange& piece : m_cut)
    {
        transfer.bytes += piece.bytes;
    }
    transfer.pieces = m_cut.size() > 1 ? &m_cut : nullptr;
    if (transfer.send)
    {
        transfer.firstDependency = m_first;
        transfer.endDependency = m_end;
    }
    else
    {
        ++m_received;
    }
    return true;
}

} // namespace llm
} // namespace ns3
