/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Which class of a port sends next.

#include "fabric-port.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

constexpr int32_t ROUND_BYTES = 9216; //!< least turn of the round robin: one jumbo frame

} // namespace

void
FabricPort::SetClassWeights(const std::array<uint32_t, 8>& weights)
{
    for (std::size_t i = 0; i < weights.size(); ++i)
    {
        if (weights[i] < 1 || weights[i] > MAX_WEIGHT)
        {
            throw ConfigError("FabricPort",
                              "ClassWeights",
                              "the weight of class " + std::to_string(i) + " is " +
                                  std::to_string(weights[i]) + "; 1 to " +
                                  std::to_string(MAX_WEIGHT) + " can be");
        }
    }
    m_weights = weights;
    // The least weight's turn is worth the longest frame: then no class is passed over, and a
    // choice takes at most one round (Shreedhar and Varghese, SIGCOMM 1995).
    const uint32_t least = *std::min_element(weights.begin(), weights.end());
    for (std::size_t i = 0; i < weights.size(); ++i)
    {
        m_quantum[i] =
            static_cast<int32_t>(static_cast<uint64_t>(ROUND_BYTES) * weights[i] / least);
    }
}

const std::array<uint32_t, 8>&
FabricPort::GetClassWeights() const
{
    return m_weights;
}

void
FabricPort::ReadClassWeights(const std::string& text)
{
    std::istringstream words(text);
    std::array<uint32_t, 8> weights{};
    for (uint32_t& weight : weights)
    {
        words >> weight;
    }
    std::string more;
    if (!words || words >> more)
    {
        throw ConfigError("FabricPort",
                          "ClassWeights",
                          "'" + text + "' is not eight whole numbers, as in \"1 1 1 1 1 1 1 1\"");
    }
    SetClassWeights(weights);
}

std::string
FabricPort::WriteClassWeights() const
{
    std::string text;
    for (const uint32_t weight : m_weights)
    {
        text += (text.empty() ? "" : " ") + std::to_string(weight);
    }
    return text;
}

} // namespace llm
} // namespace ns3
