/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-pinned-path.h"

#include "rdma-queue-pair.h"

#include "ns3/llm-config-error.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPinnedPath);

namespace
{

/** @return name of a connection, for people. */
std::string
Label(const RdmaQueuePair& queuePair)
{
    return "rank " + std::to_string(queuePair.GetLocalRank()) + " to rank " +
           std::to_string(queuePair.GetRemoteRank());
}

} // namespace

TypeId
RdmaPinnedPath::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RdmaPinnedPath")
                            .SetParent<RdmaPathSelector>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RdmaPinnedPath>();
    return tid;
}

RdmaPinnedPath::RdmaPinnedPath() = default;

RdmaPinnedPath::~RdmaPinnedPath() = default;

void
RdmaPinnedPath::DoDispose()
{
    m_finder = nullptr;
    RdmaPathSelector::DoDispose();
}

void
RdmaPinnedPath::PinEntropy(uint32_t source,
                           uint32_t destination,
                           uint32_t channel,
                           uint32_t entropy)
{
    if (entropy == 0 || entropy > UINT16_MAX)
    {
        throw ConfigError("RdmaPinnedPath",
                          "PinEntropy",
                          "source port " + std::to_string(entropy) +
                              " is none; use 1 to 65535, of which RoCEv2 has 49152 and up");
    }
    m_pins.push_back({source, destination, channel, entropy, false});
}

void
RdmaPinnedPath::PinPath(uint32_t source, uint32_t destination, uint32_t channel, uint32_t path)
{
    m_pins.push_back({source, destination, channel, path, true});
}

void
RdmaPinnedPath::SetFinder(Finder finder)
{
    m_finder = std::move(finder);
}

uint16_t
RdmaPinnedPath::ChooseInitial(const RdmaQueuePair& queuePair)
{
    const auto fits = [](uint32_t wanted, uint32_t is) { return wanted == ANY || wanted == is; };
    for (auto pin = m_pins.rbegin(); pin != m_pins.rend(); ++pin)
    {
        if (!fits(pin->source, queuePair.GetLocalRank()) ||
            !fits(pin->destination, queuePair.GetRemoteRank()) ||
            !fits(pin->channel, queuePair.GetChannel()))
        {
            continue;
        }
        if (!pin->isPath)
        {
            return static_cast<uint16_t>(pin->value);
        }
        if (!m_finder)
        {
            throw ConfigError("RdmaPinnedPath",
                              Label(queuePair),
                              "is pinned to path " + std::to_string(pin->value) +
                                  ", but nobody knows the paths; call SetFinder, or install by "
                                  "RdmaTransportHelper");
        }
        const uint16_t entropy = m_finder(queuePair, pin->value);
        if (entropy == 0)
        {
            throw ConfigError("RdmaPinnedPath",
                              Label(queuePair),
                              "no source port leads over path " + std::to_string(pin->value) +
                                  "; the switches hash it away, or do not decide by flow");
        }
        return entropy;
    }
    return HashConnection(queuePair);
}

bool
RdmaPinnedPath::IsPerPacket() const
{
    return false;
}

uint16_t
RdmaPinnedPath::Choose(const RdmaQueuePair& queuePair, uint64_t)
{
    return queuePair.GetEntropy();
}

} // namespace llm
} // namespace ns3
