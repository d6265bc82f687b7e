/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-loss-model.h"

#include "ns3/double.h"
#include "ns3/llm-philox.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricLossModel);
NS_OBJECT_ENSURE_REGISTERED(RandomLossModel);

namespace
{
constexpr uint64_t STREAM_OF_LOSSES = uint64_t{2} << 40; //!< keeps port ids of users apart
} // namespace

TypeId
FabricLossModel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricLossModel").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

void
FabricLossModel::Configure(uint32_t, uint64_t)
{
}

TypeId
RandomLossModel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RandomLossModel")
                            .SetParent<FabricLossModel>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RandomLossModel>()
                            .AddAttribute("Probability",
                                          "Probability that an arriving frame is lost, 0 to 1.",
                                          DoubleValue(0),
                                          MakeDoubleAccessor(&RandomLossModel::m_probability),
                                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

RandomLossModel::RandomLossModel()
    : m_probability(0)
{
}

RandomLossModel::~RandomLossModel() = default;

void
RandomLossModel::Configure(uint32_t port, uint64_t key)
{
    m_port = port;
    m_key = key;
}

bool
RandomLossModel::IsLost(const Frame&)
{
    const auto threshold = static_cast<uint64_t>(m_probability * 4294967296.0);
    return Philox(m_key)(m_frames++, STREAM_OF_LOSSES | m_port)[0] < threshold;
}

} // namespace llm
} // namespace ns3
