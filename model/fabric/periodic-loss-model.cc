/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "periodic-loss-model.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(PeriodicLossModel);

TypeId
PeriodicLossModel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::PeriodicLossModel")
            .SetParent<FabricLossModel>()
            .SetGroupName("LlmTraining")
            .AddConstructor<PeriodicLossModel>()
            .AddAttribute("Interval",
                          "One frame of so many is lost.",
                          UintegerValue(256),
                          MakeUintegerAccessor(&PeriodicLossModel::m_interval),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("First",
                          "Number of the first frame that is lost, from 1; 0: the Interval.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PeriodicLossModel::m_first),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("DataOnly",
                          "Count and lose RDMA data only; else all frames.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&PeriodicLossModel::m_dataOnly),
                          MakeBooleanChecker());
    return tid;
}

PeriodicLossModel::PeriodicLossModel()
    : m_interval(256),
      m_first(0),
      m_dataOnly(true)
{
}

PeriodicLossModel::~PeriodicLossModel() = default;

bool
PeriodicLossModel::IsLost(const Frame& frame)
{
    if (m_dataOnly && frame.kind > FrameKind::READ_RESPONSE)
    {
        return false;
    }
    const uint64_t first = m_first ? m_first : m_interval;
    ++m_frames;
    return m_frames >= first && (m_frames - first) % m_interval == 0;
}

} // namespace llm
} // namespace ns3
