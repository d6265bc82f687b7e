/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-parallel-layout.h"

#include "ns3/llm-config-error.h"

#include <limits>

namespace ns3
{
namespace llm
{

namespace
{

constexpr std::array<const char*, static_cast<std::size_t>(ParallelAxis::COUNT)> AXIS_NAMES{"tp",
                                                                                            "cp",
                                                                                            "ep",
                                                                                            "dp",
                                                                                            "pp"};

const char* const EMBEDDING_GROUP = "embd";

/** Splits "a-b-c". */
std::vector<std::string>
SplitDashes(const std::string& text)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true)
    {
        const std::size_t end = text.find('-', begin);
        parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
        if (end == std::string::npos)
        {
            return parts;
        }
        begin = end + 1;
    }
}

/** @return the axis of that name, or COUNT. */
std::size_t
FindAxis(const std::string& name)
{
    std::size_t axis = 0;
    while (axis < AXIS_NAMES.size() && name != AXIS_NAMES[axis])
    {
        ++axis;
    }
    return axis;
}

} // namespace

void
ParallelLayout::Fail(const std::string& key, const std::string& message) const
{
    throw ConfigError(m_source, m_path.empty() ? key : m_path + "." + key, message);
}

ParallelLayout::ParallelLayout(const ParallelConfig& config,
                               uint32_t worldSize,
                               const std::string& source,
                               const std::string& path)
    : m_config(config),
      m_source(source),
      m_path(path)
{
    struct Named
    {
        const char* key;
        uint32_t value;
    };

    for (const auto& size :
         {Named{"tensor_model_parallel_size", config.tensor_model_parallel_size},
          Named{"pipeline_model_parallel_size", config.pipeline_model_parallel_size},
          Named{"context_parallel_size", config.context_parallel_size},
          Named{"expert_model_parallel_size", config.expert_model_parallel_size},
          Named{"make_vocab_size_divisible_by", config.make_vocab_size_divisible_by}})
    {
        if (size.value == 0)
        {
            Fail(size.key, "must be at least 1, is 0");
        }
    }
    for (const auto& size :
         {Named{"context_parallel_size", config.context_parallel_size},
          Named{"expert_model_parallel_size", config.expert_model_parallel_size}})
    {
        if (size.value != 1)
        {
            Fail(size.key, "is " + std::to_string(size.value) + ", only 1 is supported");
        }
    }
    const uint64_t t = config.tensor_model_parallel_size;
    const uint64_t p = config.pipeline_model_parallel_size;
    const std::string product = "tensor_model_parallel_size " + std::to_string(t) +
                                " x pipeline_model_parallel_size " + std::to_string(p);
    constexpr uint64_t limit = std::numeric_limits<uint32_t>::max();
    uint64_t d = config.data_parallel_size;
    if (t > limit / p || (d != 0 && d > limit / (t * p)))
    {
        Fail("data_parallel_size", product + " x " + std::to_string(d) + " is above 2^32 ranks");
    }
    if (worldSize == 0)
    {
        d = d == 0 ? 1 : d;
        worldSize = static_cast<uint32_t>(t * p * d);
    }
    else if (d == 0)
    {
        if (worldSize % (t * p) != 0)
        {
            Fail("tensor_model_parallel_size",
                 product + " = " + std::to_string(t * p) + " does not divide the world size " +
                     std::to_string(worldSize));
        }
        d = worldSize / (t * p);
    }
    if (t * p * d != worldSize)
    {
        Fail("data_parallel_size",
             product + " x data_parallel_size " + std::to_string(d) + " = " +
                 std::to_string(t * p * d) + " is not the world size " + std::to_string(worldSize));
    }
    m_worldSize = worldSize;
    m_config.data_parallel_size = static_cast<uint32_t>(d);
    m_size = {config.tensor_model_parallel_size,
              1,
              1,
              m_config.data_parallel_size,
              config.pipeline_model_parallel_size};
    ReadOrder();
}

void
ParallelLayout::ReadOrder()
{
    const auto fail = [this](const std::string& why) {
        Fail("rank_order",
             "'" + m_config.rank_order + "' " + why +
                 "; it must be a permutation of tp-cp-ep-dp-pp");
    };
    std::array<bool, AXES> seen{};
    std::size_t length = 0;
    for (const auto& name : SplitDashes(m_config.rank_order))
    {
        const std::size_t axis = FindAxis(name);
        if (axis == AXES)
        {
            fail("has the unknown axis '" + name + "'");
        }
        if (seen[axis])
        {
            fail("has '" + name + "' twice");
        }
        seen[axis] = true;
        m_order[length++] = axis;
    }
    for (std::size_t axis = 0; axis < AXES; ++axis)
    {
        if (seen[axis])
        {
            continue;
        }
        if (m_size[axis] > 1)
        {
            fail(std::string("lacks '") + AXIS_NAMES[axis] + "', whose size is " +
                 std::to_string(m_size[axis]));
        }
        m_order[length++] = axis;
    }
    uint32_t stride = 1;
    for (const std::size_t axis : m_order)
    {
        m_stride[axis] = stride;
        stride *= m_size[axis];
    }
}

const ParallelConfig&
ParallelLayout::GetConfig() const
{
    return m_config;
}

uint32_t
ParallelLayout::GetWorldSize() const
{
    return m_worldSize;
}

uint32_t
ParallelLayout::GetSize(ParallelAxis axis) const
{
    return m_size[static_cast<std::size_t>(axis)];
}

uint32_t
ParallelLayout::GetCoordinate(uint32_t rank, ParallelAxis axis) const
{
    const auto index = static_cast<std::size_t>(axis);
    return rank / m_stride[index] % m_size[index];
}

ParallelCoordinates
ParallelLayout::GetCoordinates(uint32_t rank) const
{
    ParallelCoordinates coordinates{};
    for (std::size_t axis = 0; axis < AXES; ++axis)
    {
        coordinates[axis] = rank / m_stride[axis] % m_size[axis];
    }
    return coordinates;
}

uint32_t
ParallelLayout::GetRank(const ParallelCoordinates& coordinates) const
{
    uint32_t rank = 0;
    for (std::size_t axis = 0; axis < AXES; ++axis)
    {
        rank += coordinates[axis] * m_stride[axis];
    }
    return rank;
}

ParallelLayout::AxisMask
ParallelLayout::ParseKind(const std::string& kind) const
{
    AxisMask mask{};
    if (kind == EMBEDDING_GROUP)
    {
        mask[static_cast<std::size_t>(ParallelAxis::PP)] = true;
        return mask;
    }
    for (const auto& name : SplitDashes(kind))
    {
        const std::size_t axis = FindAxis(name);
        if (axis == AXES)
        {
            throw ConfigError("ParallelLayout",
                              "",
                              "unknown kind of group '" + kind +
                                  "'; known: embd, and axes joined by dashes (tp, cp, ep, dp, pp)");
        }
        mask[axis] = true;
    }
    return mask;
}

uint32_t
ParallelLayout::Number(uint32_t rank, const AxisMask& mask, bool wanted) const
{
    uint32_t number = 0;
    uint32_t radix = 1;
    for (const std::size_t axis : m_order)
    {
        if (mask[axis] == wanted)
        {
            number += rank / m_stride[axis] % m_size[axis] * radix;
            radix *= m_size[axis];
        }
    }
    return number;
}

uint32_t
ParallelLayout::GetGroupSize(const std::string& kind) const
{
    const AxisMask mask = ParseKind(kind);
    if (kind == EMBEDDING_GROUP)
    {
        return GetSize(ParallelAxis::PP) > 1 ? 2 : 1;
    }
    uint32_t size = 1;
    for (std::size_t axis = 0; axis < AXES; ++axis)
    {
        size *= mask[axis] ? m_size[axis] : 1;
    }
    return size;
}

uint32_t
ParallelLayout::GetGroupCount(const std::string& kind) const
{
    if (kind == EMBEDDING_GROUP)
    {
        return m_worldSize / GetSize(ParallelAxis::PP);
    }
    return m_worldSize / GetGroupSize(kind);
}

std::vector<uint32_t>
ParallelLayout::GetGroup(const std::string& kind, uint32_t index) const
{
    const AxisMask mask = ParseKind(kind);
    uint32_t base = 0;
    for (const std::size_t axis : m_order)
    {
        if (!mask[axis])
        {
            base += index % m_size[axis] * m_stride[axis];
            index /= m_size[axis];
        }
    }
    if (kind == EMBEDDING_GROUP)
    {
        const auto pp = static_cast<std::size_t>(ParallelAxis::PP);
        std::vector<uint32_t> ends{base};
        if (m_size[pp] > 1)
        {
            ends.push_back(base + (m_size[pp] - 1) * m_stride[pp]);
        }
        return ends;
    }
    const uint32_t size = GetGroupSize(kind);
    std::vector<uint32_t> ranks;
    ranks.reserve(size);
    for (uint32_t member = 0; member < size; ++member)
    {
        uint32_t rank = base;
        uint32_t rest = member;
        for (const std::size_t axis : m_order)
        {
            if (mask[axis])
            {
                rank += rest % m_size[axis] * m_stride[axis];
                rest /= m_size[axis];
            }
        }
        ranks.push_back(rank);
    }
    return ranks;
}

uint32_t
ParallelLayout::GetGroupIndex(const std::string& kind, uint32_t rank) const
{
    return Number(rank, ParseKind(kind), false);
}

uint32_t
ParallelLayout::GetGroupRank(const std::string& kind, uint32_t rank) const
{
    const uint32_t number = Number(rank, ParseKind(kind), true);
    return kind == EMBEDDING_GROUP ? (number == 0 ? 0 : 1) : number;
}

void
ParallelLayout::CheckSplit(const char* what, const char* key, uint64_t number) const
{
    const uint32_t t = GetSize(ParallelAxis::TP);
    if (number % t != 0)
    {
        Fail("tensor_model_parallel_size",
             std::to_string(t) + " does not divide the model's " + std::to_string(number) + " " +
                 what + " (" + key + ")");
    }
}

std::vector<StageLayers>
ParallelLayout::SplitLayers(const ModelConfig& model) const
{
    CheckSplit("attention heads", "num_attention_heads", model.num_attention_heads);
    CheckSplit("key-value heads", "num_key_value_heads", model.num_key_value_heads);
    CheckSplit("MLP columns", "intermediate_size", model.intermediate_size);

    const uint32_t p = GetSize(ParallelAxis::PP);
    const uint64_t first = m_config.decoder_first_pipeline_num_layers;
    const uint64_t last = m_config.decoder_last_pipeline_num_layers;
    if (p == 1 && (first != 0 || last != 0))
    {
        Fail(first != 0 ? "decoder_first_pipeline_num_layers" : "decoder_last_pipeline_num_layers",
             "needs pipeline_model_parallel_size of at least 2, which is 1");
    }
    const uint64_t layers = model.num_hidden_layers;
    if (first + last > layers)
    {
        Fail("decoder_first_pipeline_num_layers",
             std::to_string(first) + " + " + std::to_string(last) +
                 " layers on the first and the last stage are more than the model's " +
                 std::to_string(layers) + " (num_hidden_layers)");
    }
    const uint64_t evenStages = p - (first != 0 ? 1 : 0) - (last != 0 ? 1 : 0);
    const uint64_t rest = layers - first - last;
    const bool even = evenStages == 0 ? rest == 0 : rest % evenStages == 0 && rest >= evenStages;
    if (!even)
    {
        Fail("pipeline_model_parallel_size",
             std::to_string(rest) + " layers (num_hidden_layers " + std::to_string(layers) +
                 ") cannot be spread evenly over " + std::to_string(evenStages) +
                 " stages; decoder_first_pipeline_num_layers or decoder_last_pipeline_num_layers "
                 "can make an end different");
    }
    std::vector<StageLayers> stages(p);
    uint64_t next = 0;
    for (uint32_t stage = 0; stage < p; ++stage)
    {
        uint64_t count = evenStages == 0 ? 0 : rest / evenStages;
        count = stage == 0 && first != 0 ? first : count;
        count = stage == p - 1 && last != 0 ? last : count;
        stages[stage] = {next, count};
        next += count;
    }
    return stages;
}

uint64_t
ParallelLayout::GetPaddedVocabSize(const ModelConfig& model) const
{
    const uint64_t multiple =
        static_cast<uint64_t>(m_config.make_vocab_size_divisible_by) * GetSize(ParallelAxis::TP);
    return (model.vocab_size + multiple - 1) / multiple * multiple;
}

} // namespace llm
} // namespace ns3
