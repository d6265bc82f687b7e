/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-chakra-writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace llm
{

namespace
{

constexpr int64_t FORMAT = 1; //!< of our own attributes
constexpr int64_t PS_PER_US = 1000000;
constexpr uint64_t MOST_TAG = INT32_MAX; //!< of comm_tag

/** @return the kind of collective, as Chakra counts them. */
ChakraCollective
CollectiveOf(OperationKind kind)
{
    switch (kind)
    {
    case OperationKind::ALL_GATHER:
        return ChakraCollective::ALL_GATHER;
    case OperationKind::REDUCE_SCATTER:
        return ChakraCollective::REDUCE_SCATTER;
    case OperationKind::BROADCAST:
        return ChakraCollective::BROADCAST;
    case OperationKind::REDUCE:
        return ChakraCollective::REDUCE;
    case OperationKind::ALL_TO_ALL:
        return ChakraCollective::ALL_TO_ALL;
    default:
        return ChakraCollective::ALL_REDUCE;
    }
}

/** @return the kind of node. */
ChakraType
TypeOf(OperationKind kind)
{
    switch (kind)
    {
    case OperationKind::COMPUTE:
        return ChakraType::COMPUTE;
    case OperationKind::SEND:
        return ChakraType::SEND;
    case OperationKind::RECV:
        return ChakraType::RECEIVE;
    default:
        return ChakraType::COLLECTIVE;
    }
}

} // namespace

ChakraWriter::ChakraWriter(const WorkloadSource& source)
    : m_source(source)
{
}

uint64_t
ChakraWriter::Write(const std::string& prefix) const
{
    uint64_t nodes = 0;
    for (uint32_t rank = 0; rank < m_source.GetWorldSize(); ++rank)
    {
        nodes += WriteRank(prefix, rank);
    }
    return nodes;
}

uint64_t
ChakraWriter::WriteRank(const std::string& prefix, uint32_t rank) const
{
    ChakraAttributes head;
    head["llm_format"] = ChakraValue::Integer(FORMAT);
    head["llm_ranks"] = ChakraValue::Integer(m_source.GetWorldSize());
    head["llm_rank"] = ChakraValue::Integer(rank);
    head["llm_groups"] = ChakraValue::Unsigned(m_source.GetGroups().size());
    head["llm_channels"] = ChakraValue::Integer(m_source.GetChannelCount());
    ChakraFileWriter file(prefix + "." + std::to_string(rank) + ".et", head);
    file.Write(MakeGroupNode(rank));
    uint64_t nodes = 1;
    RankState state;
    state.rank = rank;
    const auto program = m_source.CreateProgram(rank, 0);
    for (Operation operation; program->Next(operation);)
    {
        file.Write(MakeNode(state, operation));
        ++nodes;
    }
    file.Close();
    return nodes;
}

ChakraNode
ChakraWriter::MakeGroupNode(uint32_t rank) const
{
    auto list = nlohmann::ordered_json::array();
    const auto& groups = m_source.GetGroups();
    for (std::size_t i = 0; i < groups.size(); ++i)
    {
        const ProcessGroup& group = groups[i];
        if (std::find(group.ranks.begin(), group.ranks.end(), rank) != group.ranks.end())
        {
            list.push_back({{"pg_name", std::to_string(i)},
                            {"pg_desc", group.name},
                            {"ranks", group.ranks},
                            {"llm_dimension", ToString(group.dimension)}});
        }
    }
    ChakraNode node;
    node.name = "process groups";
    node.type = static_cast<int32_t>(ChakraType::METADATA);
    node.inputs = list.dump();
    return node;
}

ChakraNode
ChakraWriter::MakeNode(RankState& state, const Operation& operation) const
{
    ChakraNode node;
    // Node 0 is that of the groups.
    node.id = operation.id + 1;
    node.type = static_cast<int32_t>(TypeOf(operation.kind));
    node.name =
        std::string(ToString(operation.phase)) +
        (operation.layer >= 0 ? " layer " + std::to_string(operation.layer) : "") +
        (operation.microbatch >= 0 ? " microbatch " + std::to_string(operation.microbatch) : "") +
        " " + ToString(operation.kind);
    if (operation.stream != OperationStream::UNORDERED)
    {
        const auto last = state.lastOf.find(operation.stream);
        if (last != state.lastOf.end())
        {
            node.controlDependencies.push_back(last->second);
        }
        state.lastOf[operation.stream] = node.id;
    }
    for (const uint64_t wait : operation.waits)
    {
        node.dataDependencies.push_back(wait + 1);
    }
    ChakraAttributes& attributes = node.attributes;
    attributes["is_cpu_op"] = ChakraValue::Boolean(false);
    attributes["llm_stream"] = ChakraValue::Text(ToString(operation.stream));
    attributes["llm_phase"] = ChakraValue::Text(ToString(operation.phase));
    attributes["llm_dimension"] = ChakraValue::Text(ToString(operation.dimension));
    if (operation.layer >= 0)
    {
        attributes["llm_layer"] = ChakraValue::Integer(operation.layer);
    }
    if (operation.microbatch >= 0)
    {
        attributes["llm_microbatch"] = ChakraValue::Integer(operation.microbatch);
    }
    if (operation.lane > 0)
    {
        attributes["llm_lane"] = ChakraValue::Integer(operation.lane);
    }
    if (operation.channel > 0)
    {
        attributes["llm_channel"] = ChakraValue::Integer(operation.channel);
    }
    if (!operation.startWaits.empty())
    {
        std::vector<uint64_t> ids;
        for (const uint64_t wait : operation.startWaits)
        {
            ids.push_back(wait + 1);
        }
        attributes["llm_start_waits"] = ChakraValue::Integers(ids);
    }
    switch (operation.kind)
    {
    case OperationKind::COMPUTE:
        // Others keep nodes of 0 us for broken ones.
        node.durationMicros = static_cast<uint64_t>(
            std::max<int64_t>((operation.durationPs + PS_PER_US / 2) / PS_PER_US,
                              operation.durationPs > 0 ? 1 : 0));
        attributes["llm_duration_ps"] = ChakraValue::Integer(operation.durationPs);
        break;
    case OperationKind::SEND:
    case OperationKind::RECV: {
        const bool send = operation.kind == OperationKind::SEND;
        attributes["comm_src"] = ChakraValue::Integer(send ? state.rank : operation.peer);
        attributes["comm_dst"] = ChakraValue::Integer(send ? operation.peer : state.rank);
        attributes["comm_tag"] =
            ChakraValue::Integer(static_cast<int64_t>(operation.tag & MOST_TAG));
        attributes["comm_size"] = ChakraValue::Unsigned(operation.bytes);
        if (operation.tag > MOST_TAG)
        {
            attributes["llm_tag"] = ChakraValue::Unsigned(operation.tag);
        }
        break;
    }
    default:
        AddCollective(state, operation, node);
    }
    return node;
}

void
ChakraWriter::AddCollective(RankState& state, const Operation& operation, ChakraNode& node) const
{
    const ProcessGroup& group = m_source.GetGroups()[operation.group];
    const uint64_t sequence = state.sequences[operation.group]++;
    ChakraAttributes& attributes = node.attributes;
    attributes["comm_type"] =
        ChakraValue::Integer(static_cast<int64_t>(CollectiveOf(operation.kind)));
    attributes["pg_name"] = ChakraValue::Text(std::to_string(operation.group));
    const uint64_t members = group.ranks.size();
    const uint64_t input = operation.kind == OperationKind::ALL_GATHER
                               ? operation.bytes / members + (operation.bytes % members ? 1 : 0)
                               : operation.bytes;
    attributes["comm_size"] = ChakraValue::Unsigned(input);
    attributes["llm_bytes"] = ChakraValue::Unsigned(operation.bytes);
    if (operation.kind == OperationKind::BROADCAST || operation.kind == OperationKind::REDUCE)
    {
        attributes["root_rank"] = ChakraValue::Integer(operation.root);
    }
    if (!operation.exchange)
    {
        return;
    }
    // Who gets how much is written once; every member sees the same collectives in the same order.
    const auto [first, fresh] = state.firstSequence.emplace(operation.exchange, sequence);
    attributes["llm_exchange_of"] = ChakraValue::Unsigned(first->second);
    if (fresh)
    {
        const auto place = std::find(group.ranks.begin(), group.ranks.end(), state.rank);
        const auto self = static_cast<uint32_t>(place - group.ranks.begin());
        std::vector<uint64_t> row;
        for (uint32_t to = 0; to < members; ++to)
        {
            row.push_back(operation.exchange->Get(self, to));
        }
        attributes["llm_exchange"] = ChakraValue::Integers(row);
    }
}

} // namespace llm
} // namespace ns3
