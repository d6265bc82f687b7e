/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_CLOSED_FORM_H
#define LLM_TRAINING_CLOSED_FORM_H

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-traffic-model.h"
#include "ns3/llm-training-step.h"
#include "ns3/llm-workload-checker.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/** Deterministic random numbers (splitmix64). */
class Dice
{
  public:
    explicit Dice(uint64_t seed)
        : m_state(seed)
    {
    }

    /** @return 0 .. sides - 1. */
    uint64_t Throw(uint64_t sides)
    {
        m_state += 0x9e3779b97f4a7c15ULL;
        uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return (z ^ (z >> 31)) % sides;
    }

    /** @return one of the values. */
    template <typename T>
    T Pick(const std::vector<T>& values)
    {
        return values[Throw(values.size())];
    }

  private:
    uint64_t m_state; //!< of the sequence
};

/** Draws a pipeline schedule and where layers are. @return microbatches that it can run. */
inline uint64_t
PickSchedule(Dice& dice, ParallelConfig& parallel, uint64_t& layers)
{
    const uint64_t p = parallel.pipeline_model_parallel_size;
    const bool even = parallel.decoder_last_pipeline_num_layers == 0;
    uint64_t microbatches = 1 + dice.Throw(6);
    parallel.pipeline_schedule =
        dice.Pick<std::string>({"1f1b", "1f1b", "gpipe", "zb_h1", "dualpipe"});
    if (parallel.pipeline_schedule == "dualpipe")
    {
        microbatches = 2 * (p + dice.Throw(3));
        parallel.pipeline_schedule = p % 2 == 0 ? "dualpipe" : "zb_h1";
    }
    else if (parallel.pipeline_schedule == "1f1b" && p > 1 && even && dice.Throw(2) == 1)
    {
        const uint64_t v = 2 + dice.Throw(2);
        parallel.virtual_pipeline_model_parallel_size = static_cast<uint32_t>(v);
        layers *= v;
        microbatches = p * (1 + dice.Throw(3));
    }
    if (even && dice.Throw(3) == 0)
    {
        layers = 0;
        for (uint64_t stage = 0; stage < p * parallel.virtual_pipeline_model_parallel_size; ++stage)
        {
            const uint64_t count = (stage == 0 ? 0 : 1) + dice.Throw(3);
            layers += count;
            parallel.pipeline_model_parallel_layout +=
                (stage == 0 ? "" : ",") + std::to_string(count);
        }
        if (layers == 0)
        {
            layers = 1;
            parallel.pipeline_model_parallel_layout = "1";
        }
    }
    return microbatches;
}

/**
 * Data parallelism of a random kind.
 * @param dice throws.
 * @param parallel gets instances.
 * @param training gets all else.
 * @param replicas what instances must divide: ranks with the same weights.
 */
inline void
AddRandomSharding(Dice& dice, ParallelConfig& parallel, TrainingConfig& training, uint32_t replicas)
{
    training.ddp_bucket_scheme =
        dice.Pick<std::string>({training.ddp_bucket_scheme, "deepspeed", "megatron"});
    training.data_parallel_sharding_strategy = dice.Pick<std::string>(
        {"no_shard", "optim", "optim", "optim_grads", "optim_grads_params", "optim_grads_params"});
    training.overlap_param_gather = dice.Throw(2) == 1;
    if (training.data_parallel_sharding_strategy == "no_shard")
    {
        return;
    }
    if (training.data_parallel_sharding_strategy == "optim_grads_params")
    {
        training.reshard_after_forward = dice.Throw(2) == 1;
    }
    const bool twoWays = parallel.pipeline_schedule == "dualpipe";
    parallel.num_distributed_optimizer_instances =
        replicas % 2 == 0 && !twoWays ? dice.Pick<uint32_t>({1, 2, replicas}) : 1;
}

/** Recomputation and overlap of a random kind. */
inline void
AddRandomRecomputation(Dice& dice, const ParallelConfig& parallel, TrainingConfig& training)
{
    training.recompute_granularity = dice.Pick<std::string>({"none", "none", "selective", "full"});
    if (training.recompute_granularity == "full")
    {
        training.recompute_num_layers = static_cast<uint32_t>(dice.Throw(3));
    }
    training.tp_comm_overlap = parallel.sequence_parallel && dice.Throw(2) == 1;
}

/**
 * Closed form of a training step against what its programs emit, with ring and direct collectives
 * run as transfer programs.
 */
class ClosedFormCheck
{
  public:
    /** @param step what is checked; it must outlive this object. */
    explicit ClosedFormCheck(const TrainingStep& step)
        : m_step(step)
    {
    }

    /**
     * Runs all programs in the WorkloadChecker and compares by rank, pair and dimension.
     * @param seed of the order of ranks.
     * @return the first difference; empty: there is none.
     * @throw ConfigError if programs do not fit together.
     */
    std::string Run(uint64_t seed)
    {
        WorkloadChecker checker(m_step);
        checker.SetObserver([this](uint32_t rank, const Operation& one) { Observe(rank, one); });
        checker.Run(0, seed);
        const TrafficModel model(m_step,
                                 [this](CollectiveSpec& spec,
                                        const ProcessGroup&,
                                        ParallelDimension) { return Choose(spec); });
        uint64_t total = 0;
        for (const auto& [key, bytes] : m_emitted)
        {
            total += bytes;
        }
        Expect(model.GetTotal(), total, "total");
        for (uint32_t from = 0; from < m_step.GetWorldSize() && m_difference.empty(); ++from)
        {
            Compare(model, from);
        }
        return m_difference;
    }

    /** @return bytes that all ranks emit for a purpose. */
    uint64_t GetEmitted(ParallelDimension dimension) const
    {
        uint64_t sum = 0;
        for (const auto& [key, bytes] : m_emitted)
        {
            sum += std::get<2>(key) == dimension ? bytes : 0;
        }
        return sum;
    }

  private:
    /** From, to, dimension. */
    using PairKey = std::tuple<uint32_t, uint32_t, ParallelDimension>;
    /** What decides on the bytes of a collective: kind, group size, bytes, exchange, rank. */
    using SpecKey = std::tuple<OperationKind, uint32_t, uint64_t, const ExchangeBytes*, uint32_t>;

    void Expect(uint64_t closedForm, uint64_t emitted, const std::string& what)
    {
        if (closedForm != emitted && m_difference.empty())
        {
            m_difference = what + ": closed form " + std::to_string(closedForm) + ", emitted " +
                           std::to_string(emitted);
        }
    }

    void Compare(const TrafficModel& model, uint32_t from)
    {
        std::map<std::pair<uint32_t, ParallelDimension>, uint64_t> peers;
        for (const auto& peer : model.GetPeers(from))
        {
            peers[{peer.peer, peer.dimension}] = peer.bytes;
        }
        const std::string who = "rank " + std::to_string(from) + " ";
        Expect(model.GetSendCount(from), m_sends[from], who + "pipeline sends");
        for (int index = 0; index < static_cast<int>(ParallelDimension::COUNT); ++index)
        {
            const auto dimension = static_cast<ParallelDimension>(index);
            const std::string what = who + ToString(dimension);
            Expect(model.GetCollectiveCount(from, dimension),
                   m_collectives[{from, dimension}],
                   what + " collectives");
            uint64_t sent = 0;
            for (uint32_t to = 0; to < m_step.GetWorldSize(); ++to)
            {
                const auto found = m_emitted.find({from, to, dimension});
                const uint64_t bytes = found == m_emitted.end() ? 0 : found->second;
                sent += bytes;
                const std::string pair = what + " to " + std::to_string(to);
                Expect(model.GetPairBytes(from, to, dimension), bytes, pair);
                const auto peer = peers.find({to, dimension});
                Expect(peer == peers.end() ? 0 : peer->second, bytes, pair + " among the peers");
            }
            Expect(model.GetBytesSent(from, dimension), sent, what + " bytes");
        }
    }

    const CollectiveAlgorithm* Choose(CollectiveSpec& spec)
    {
        spec.channels = spec.bytes > 1000 ? 2 : 1;
        spec.sliceBytes = spec.bytes > 1000 ? 512 : 0;
        const char* const name = spec.kind == CollectiveKind::ALL_TO_ALL ? "direct" : "ring";
        return m_selector.Choose(spec, name).algorithm;
    }

    void Observe(uint32_t rank, const Operation& one)
    {
        if (one.kind == OperationKind::COMPUTE || one.kind == OperationKind::RECV)
        {
            return;
        }
        if (one.kind == OperationKind::SEND)
        {
            m_sends[rank] += one.dimension == ParallelDimension::PIPELINE ? 1 : 0;
            m_emitted[{rank, one.peer, one.dimension}] += one.bytes;
            return;
        }
        ++m_collectives[{rank, one.dimension}];
        const auto& ranks = m_step.GetGroups()[one.group].ranks;
        uint32_t groupRank = 0;
        while (ranks[groupRank] != rank)
        {
            ++groupRank;
        }
        for (const auto& [peer, bytes] : Emit(one, static_cast<uint32_t>(ranks.size()), groupRank))
        {
            m_emitted[{rank, ranks[peer], one.dimension}] += bytes;
        }
    }

    /** @return bytes from a group rank to each other one, by running the transfer programs. */
    const std::map<uint32_t, uint64_t>& Emit(const Operation& one,
                                             uint32_t groupSize,
                                             uint32_t groupRank)
    {
        const SpecKey key(one.kind, groupSize, one.bytes, one.exchange, groupRank);
        const auto found = m_known.find(key);
        if (found != m_known.end())
        {
            return found->second;
        }
        CollectiveSpec spec;
        spec.kind = Convert(one.kind);
        spec.groupSize = groupSize;
        spec.bytes = one.bytes;
        spec.root = one.root;
        spec.exchange = one.exchange;
        const CollectiveAlgorithm* algorithm = Choose(spec);
        auto& sent = m_known[key];
        for (uint32_t channel = 0; channel < spec.channels; ++channel)
        {
            const auto program = algorithm->CreateProgram(spec, groupRank, channel);
            Transfer transfer;
            while (program->Next(transfer))
            {
                if (transfer.send)
                {
                    sent[transfer.peer] += transfer.bytes;
                }
            }
        }
        return sent;
    }

    static CollectiveKind Convert(OperationKind kind)
    {
        switch (kind)
        {
        case OperationKind::ALL_GATHER:
            return CollectiveKind::ALL_GATHER;
        case OperationKind::REDUCE_SCATTER:
            return CollectiveKind::REDUCE_SCATTER;
        case OperationKind::BROADCAST:
            return CollectiveKind::BROADCAST;
        case OperationKind::ALL_TO_ALL:
            return CollectiveKind::ALL_TO_ALL;
        default:
            return CollectiveKind::ALL_REDUCE;
        }
    }

    const TrainingStep& m_step;                                               //!< what is checked
    CollectiveSelector m_selector;                                            //!< algorithms
    std::map<SpecKey, std::map<uint32_t, uint64_t>> m_known;                  //!< what they send
    std::map<PairKey, uint64_t> m_emitted;                                    //!< bytes
    std::map<std::pair<uint32_t, ParallelDimension>, uint64_t> m_collectives; //!< by rank
    std::map<uint32_t, uint64_t> m_sends;                                     //!< by rank
    std::string m_difference;                                                 //!< the first
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_CLOSED_FORM_H
