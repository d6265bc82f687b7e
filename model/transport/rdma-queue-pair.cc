/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-queue-pair.h"

#include "rdma-nic.h"

namespace ns3
{
namespace llm
{

RdmaQueuePair::RdmaQueuePair(RdmaNic* nic,
                             uint32_t number,
                             uint32_t localRank,
                             uint32_t remoteRank,
                             uint16_t channel,
                             RdmaWorkListener* listener)
    : m_nic(nic),
      m_number(number),
      m_listener(listener),
      m_localRank(localRank),
      m_remoteRank(remoteRank),
      m_channel(channel)
{
}

void
RdmaQueuePair::ArmTimer(uint32_t id, Time at)
{
    m_ccTimerAt[id] = at.GetTimeStep();
    m_nic->AddTimer(m_ccTimerAt[id],
                    m_number,
                    id == 0 ? RdmaNic::TimerKind::CONTROL_0 : RdmaNic::TimerKind::CONTROL_1);
}

void
RdmaQueuePair::CancelTimer(uint32_t id)
{
    m_ccTimerAt[id] = NEVER;
}

void
RdmaQueuePair::ControlChanged()
{
    m_nic->ReadControl(*this, m_nic->m_events->Now());
}

} // namespace llm
} // namespace ns3
