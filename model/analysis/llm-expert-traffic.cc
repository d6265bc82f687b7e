/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-expert-traffic.h"

#include "ns3/llm-expert-routing.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

/** The experts of one stage. */
class ExpertTraffic
{
  public:
    ExpertTraffic(const StageTraffic& at, TrafficUses& uses);

    /** Adds some layers that route alike. @param recomputed whether backward runs forward again. */
    void AddLayers(uint64_t layer, uint64_t layers, bool recomputed);

    const ExpertRouting& GetRouting() const
    {
        return m_routing;
    }

  private:
    void AddAllToAll(uint64_t layer);
    void AddAllGather();
    void AddFlex(uint64_t layer);
    void AddExchange(std::vector<uint64_t> bytes);
    void Add(CollectiveKind kind, const char* group, uint64_t bytes, uint64_t times);
    void AddByExpertRank(CollectiveKind kind, uint64_t tokenBytes, const std::vector<uint64_t>& n);

    static uint64_t CountTokens(const TrainingStep& step);

    const TrainingStep& m_step;
    const ModelConfig& m_model;
    const TrainingConfig& m_training;
    TrafficUses& m_uses;
    ExpertRouting m_routing;
    uint64_t m_microbatches; //!< that pass the stage
    uint64_t m_there;        //!< bytes of a token to an expert
    uint64_t m_back;         //!< bytes of a token from an expert
    uint64_t m_e;            //!< expert parallelism
    uint64_t m_et;           //!< tensor parallelism of experts
    uint64_t m_count{0};     //!< layers at hand, times microbatches
    uint64_t m_forwards{1};  //!< of these
};

uint64_t
ExpertTraffic::CountTokens(const TrainingStep& step)
{
    const ParallelConfig& parallel = step.GetLayout().GetConfig();
    const TrainingConfig& training = step.GetTraining();
    return static_cast<uint64_t>(training.micro_batch_size) * training.seq_length /
           (static_cast<uint64_t>(parallel.context_parallel_size) *
            parallel.tensor_model_parallel_size);
}

ExpertTraffic::ExpertTraffic(const StageTraffic& at, TrafficUses& uses)
    : m_step(at.step),
      m_model(at.step.GetModel()),
      m_training(at.step.GetTraining()),
      m_uses(uses),
      m_routing(m_model, m_training, CountTokens(at.step)),
      m_microbatches(at.microbatches),
      m_back(m_model.hidden_size * GetBytesPerElement(at.step.GetParamsType()))
{
    const ParallelConfig& parallel = m_step.GetLayout().GetConfig();
    const uint64_t h = m_model.hidden_size;
    m_there = m_training.moe_dispatch_dtype == "fp8" ? h + 4 * ((h + 127) / 128) : m_back;
    m_e = parallel.expert_model_parallel_size;
    m_et = parallel.expert_tensor_parallel_size > 0 ? parallel.expert_tensor_parallel_size
                                                    : parallel.tensor_model_parallel_size;
}

void
ExpertTraffic::AddLayers(uint64_t layer, uint64_t layers, bool recomputed)
{
    m_forwards = recomputed ? 2 : 1;
    m_count = layers * m_microbatches;
    if (m_training.moe_token_dispatcher_type == "alltoall")
    {
        AddAllToAll(layer);
    }
    else if (m_training.moe_token_dispatcher_type == "allgather")
    {
        AddAllGather();
    }
    else
    {
        AddFlex(layer);
    }
}

void
ExpertTraffic::Add(CollectiveKind kind, const char* group, uint64_t bytes, uint64_t times)
{
    m_uses.collectives.push_back(
        {kind, ParallelDimension::EXPERT, group, bytes, m_count * times, nullptr, {}});
}

void
ExpertTraffic::AddByExpertRank(CollectiveKind kind,
                               uint64_t tokenBytes,
                               const std::vector<uint64_t>& n)
{
    std::vector<uint64_t> bytes;
    for (const uint64_t slots : n)
    {
        bytes.push_back(m_et * m_e * slots * tokenBytes);
    }
    const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    Add(kind, "etp", *most, m_forwards + 1);
    if (*least < *most)
    {
        m_uses.collectives.back().bytesByExpertRank = std::move(bytes);
    }
}

void
ExpertTraffic::AddExchange(std::vector<uint64_t> bytes)
{
    const auto exchange =
        std::make_shared<MatrixExchange>(static_cast<uint32_t>(m_e), std::move(bytes));
    Add(CollectiveKind::ALL_TO_ALL, "ep", exchange->GetMeanBytes(), m_forwards + 1);
    m_uses.collectives.back().exchange = exchange.get();
    m_uses.exchanges.push_back(exchange);
}

void
ExpertTraffic::AddAllToAll(uint64_t layer)
{
    if (!m_training.moe_pad_expert_input_to_capacity)
    {
        Add(CollectiveKind::ALL_GATHER, "etp-ep", 8 * m_model.num_experts * m_e * m_et, m_forwards);
    }
    std::vector<uint64_t> n(m_e, 0);
    const std::vector<uint64_t> slots = m_routing.GetSlots(layer);
    for (uint64_t expert = 0; expert < m_model.num_experts; ++expert)
    {
        n[expert * m_e / m_model.num_experts] += slots[expert];
    }
    if (std::count(n.begin(), n.end(), n[0]) == static_cast<int64_t>(m_e))
    {
        Add(CollectiveKind::ALL_TO_ALL, "ep", m_e * n[0] * m_there, m_forwards + 1);
        Add(CollectiveKind::ALL_TO_ALL, "ep", m_e * n[0] * m_back, m_forwards + 1);
    }
    else
    {
        std::vector<uint64_t> there;
        std::vector<uint64_t> back;
        for (uint64_t from = 0; from < m_e; ++from)
        {
            for (uint64_t to = 0; to < m_e; ++to)
            {
                there.push_back(n[to] * m_there);
                back.push_back(n[from] * m_back);
            }
        }
        AddExchange(std::move(there));
        AddExchange(std::move(back));
    }
    AddByExpertRank(CollectiveKind::ALL_GATHER, m_there, n);
    AddByExpertRank(CollectiveKind::REDUCE_SCATTER, m_back, n);
}

void
ExpertTraffic::AddAllGather()
{
    const uint64_t bytes = m_et * m_e * m_routing.GetTokens() * m_back;
    Add(CollectiveKind::ALL_GATHER, "etp-ep", bytes, m_forwards + 1);
    Add(CollectiveKind::REDUCE_SCATTER, "etp-ep", bytes, m_forwards + 1);
}

void
ExpertTraffic::AddFlex(uint64_t layer)
{
    // Neighbours in a node: those of the first group.
    const std::vector<uint32_t> group = m_step.GetLayout().GetGroup("ep", 0);
    const uint32_t perNode = m_training.moe_ranks_per_node;
    uint64_t places = 1;
    while (places < m_e && group[places] / perNode == group[0] / perNode)
    {
        ++places;
    }
    const uint64_t nodes = m_e / places;
    const std::vector<uint64_t> toRank = m_routing.GetCopies(layer, m_e);
    std::vector<uint64_t> toNode = m_routing.GetCopies(layer, nodes);
    for (uint64_t node = 0; node < nodes; ++node)
    {
        uint64_t sum = 0;
        uint64_t most = 0;
        for (uint64_t place = 0; place < places; ++place)
        {
            sum += toRank[node * places + place];
            most = std::max(most, toRank[node * places + place]);
        }
        toNode[node] = std::min(std::max(toNode[node], most), sum);
    }
    const auto addHop = [&](uint64_t tokenBytes, bool between, bool back) {
        std::vector<uint64_t> bytes(m_e * m_e, 0);
        for (uint64_t from = 0; from < m_e; ++from)
        {
            for (uint64_t to = 0; to < m_e; ++to)
            {
                const bool sameNode = from / places == to / places;
                const bool samePlace = from % places == to % places;
                uint64_t tokens = 0;
                if (between && samePlace && !sameNode)
                {
                    tokens = toNode[to / places];
                }
                if (!between && sameNode && from != to)
                {
                    tokens = nodes * toRank[to];
                }
                bytes[back ? to * m_e + from : from * m_e + to] = tokens * tokenBytes;
            }
        }
        AddExchange(std::move(bytes));
    };
    for (const bool back : {false, true})
    {
        if (nodes > 1)
        {
            addHop(back ? m_back : m_there, true, back);
        }
        if (places > 1)
        {
            addHop(back ? m_back : m_there, false, back);
        }
    }
}

} // namespace

void
AddExpertTraffic(const StageTraffic& at, TrafficUses& uses)
{
    const ModelConfig& model = at.step.GetModel();
    const TrainingConfig& training = at.step.GetTraining();
    const uint64_t some = training.recompute_num_layers;
    const uint64_t again =
        training.recompute_granularity != "full" ? 0 : (some == 0 ? at.work.layers.count : some);
    std::vector<uint64_t> layers[2]; // forward once, forward twice
    for (uint64_t i = 0; i < at.work.layers.count; ++i)
    {
        if (model.IsMoeLayer(at.work.layers.first + i))
        {
            layers[i < again ? 1 : 0].push_back(at.work.layers.first + i);
        }
    }
    if (layers[0].empty() && layers[1].empty())
    {
        return;
    }
    ExpertTraffic traffic(at, uses);
    for (const bool recomputed : {false, true})
    {
        const std::vector<uint64_t>& list = layers[recomputed ? 1 : 0];
        if (traffic.GetRouting().IsUniform() && !list.empty())
        {
            traffic.AddLayers(list[0], list.size(), recomputed);
            continue;
        }
        for (const uint64_t layer : list)
        {
            traffic.AddLayers(layer, 1, recomputed);
        }
    }
}

} // namespace llm
} // namespace ns3
