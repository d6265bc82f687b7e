/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-send-window.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

void
RdmaSendWindow::Start(uint64_t psn)
{
    m_base = psn;
    m_end = psn;
    m_arrivedEnd = psn;
    m_lostFrom = psn;
}

void
RdmaSendWindow::Push(uint32_t payload)
{
    if (m_end - m_base == m_ring.size())
    {
        const std::size_t size = std::max<std::size_t>(64, 2 * m_ring.size());
        std::vector<uint16_t> old(size, 0);
        old.swap(m_ring);
        for (uint64_t psn = m_base; psn < m_end; ++psn)
        {
            m_ring[psn & (size - 1)] = old[psn & (old.size() - 1)];
        }
    }
    m_ring[m_end & (m_ring.size() - 1)] = static_cast<uint16_t>(payload << 2);
    ++m_end;
}

uint64_t
RdmaSendWindow::Advance(uint64_t psn)
{
    uint64_t bytes = 0;
    for (; m_base < psn; ++m_base)
    {
        const uint32_t payload = GetPayload(m_base);
        switch (GetState(m_base))
        {
        case State::ARRIVED:
            m_arrivedBytes -= payload;
            break;
        case State::LOST:
            m_lostBytes -= payload;
            --m_lostPackets;
            bytes += payload;
            break;
        default:
            bytes += payload;
            break;
        }
    }
    return bytes;
}

uint32_t
RdmaSendWindow::MarkArrived(uint64_t psn)
{
    const State state = GetState(psn);
    if (state == State::ARRIVED)
    {
        return 0;
    }
    const uint32_t payload = GetPayload(psn);
    if (state == State::LOST)
    {
        m_lostBytes -= payload;
        --m_lostPackets;
    }
    m_arrivedBytes += payload;
    m_arrivedEnd = std::max(m_arrivedEnd, psn + 1);
    SetState(psn, State::ARRIVED);
    return payload;
}

bool
RdmaSendWindow::MarkLost(uint64_t psn)
{
    const State state = GetState(psn);
    if (state == State::ARRIVED || state == State::LOST)
    {
        return false;
    }
    m_lostFrom = m_lostPackets == 0 ? psn : std::min(m_lostFrom, psn);
    m_lostBytes += GetPayload(psn);
    ++m_lostPackets;
    SetState(psn, State::LOST);
    return true;
}

void
RdmaSendWindow::Forget(uint64_t psn)
{
    if (GetState(psn) == State::AGAIN)
    {
        SetState(psn, State::FLYING);
    }
}

uint64_t
RdmaSendWindow::TakeLost()
{
    uint64_t psn = std::max(m_lostFrom, m_base);
    while (GetState(psn) != State::LOST)
    {
        ++psn;
    }
    m_lostFrom = psn + 1;
    m_lostBytes -= GetPayload(psn);
    --m_lostPackets;
    SetState(psn, State::AGAIN);
    return psn;
}

} // namespace llm
} // namespace ns3
