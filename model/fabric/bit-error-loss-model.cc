/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "bit-error-loss-model.h"

#include "ns3/double.h"
#include "ns3/llm-philox.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(BitErrorLossModel);

namespace
{
constexpr uint64_t STREAM_OF_BIT_ERRORS = uint64_t{9} << 40; //!< keeps port ids of users apart
} // namespace

TypeId
BitErrorLossModel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::BitErrorLossModel")
                            .SetParent<FabricLossModel>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<BitErrorLossModel>()
                            .AddAttribute("BitErrorRate",
                                          "Probability that a bit of a frame arrives wrong. Set "
                                          "before the first frame.",
                                          DoubleValue(1e-12),
                                          MakeDoubleAccessor(&BitErrorLossModel::m_bitErrorRate),
                                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

BitErrorLossModel::BitErrorLossModel()
    : m_bitErrorRate(1e-12)
{
}

BitErrorLossModel::~BitErrorLossModel() = default;

void
BitErrorLossModel::DoDispose()
{
    m_before = nullptr;
    FabricLossModel::DoDispose();
}

void
BitErrorLossModel::SetBefore(Ptr<FabricLossModel> before)
{
    m_before = before;
}

Ptr<FabricLossModel>
BitErrorLossModel::GetBefore() const
{
    return m_before;
}

double
BitErrorLossModel::GetLossProbability(double bitErrorRate, uint64_t bits)
{
    // By squaring. Two parts are spoilt with probability p + q - p q; unlike 1 - (1 - p)(1 - q),
    // that keeps its digits where p and q are small.
    double lost = 0;
    double power = bitErrorRate;
    for (; bits > 0; bits >>= 1)
    {
        if (bits & 1)
        {
            lost = lost + power - lost * power;
        }
        power = power + power - power * power;
    }
    return lost;
}

void
BitErrorLossModel::Configure(uint32_t port, uint64_t key)
{
    m_port = port;
    m_key = key;
}

bool
BitErrorLossModel::IsLost(const Frame& frame)
{
    if (m_before && m_before->IsLost(frame))
    {
        return true;
    }
    if (frame.bytes != m_bytes)
    {
        constexpr double SCALE = 9007199254740992.0; // 2^53
        m_bytes = frame.bytes;
        m_threshold = static_cast<uint64_t>(
            GetLossProbability(m_bitErrorRate, uint64_t{8} * m_bytes) * SCALE);
    }
    const auto random = Philox(m_key)(m_frames++, STREAM_OF_BIT_ERRORS | m_port);
    return ((static_cast<uint64_t>(random[0]) << 21) ^ (random[1] >> 11)) < m_threshold;
}

} // namespace llm
} // namespace ns3
