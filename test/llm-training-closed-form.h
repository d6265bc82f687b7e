/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_CLOSED_FORM_H
#define LLM_TRAINING_CLOSED_FORM_H

#include "llm-training-dice.h"

#include "ns3/llm-collective-operation.h"
#include "ns3/llm-collective-selector.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-group-nodes.h"
#include "ns3/llm-traffic-model.h"
#include "ns3/llm-training-step.h"
#include "ns3/llm-workload-checker.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/** Chooses how collectives are done. */
class CollectivePlanner
{
  public:
    virtual ~CollectivePlanner() = default;
    /** @param spec what; gets channels and slices. @return how. */
    virtual const CollectiveAlgorithm* Plan(CollectiveSpec& spec) = 0;
};

/** Rings, and direct all-to-alls. */
class PlainPlanner : public CollectivePlanner
{
  public:
    const CollectiveAlgorithm* Plan(CollectiveSpec& spec) override
    {
        spec.channels = spec.bytes > 1000 ? 2 : 1;
        spec.sliceBytes = spec.bytes > 1000 ? 512 : 0;
        const char* const name = spec.kind == CollectiveKind::ALL_TO_ALL ? "direct" : "ring";
        return m_selector.Choose(spec, name).algorithm;
    }

  private:
    CollectiveSelector m_selector; //!< algorithms
};

/** A random one of all the ways that fit, for each collective another one. */
class RandomPlanner : public CollectivePlanner
{
  public:
    /** @param seed of the choices. */
    explicit RandomPlanner(uint64_t seed)
        : m_seed(seed),
          m_names(m_selector.GetNames())
    {
    }

    const CollectiveAlgorithm* Plan(CollectiveSpec& spec) override
    {
        const auto key = std::make_tuple(spec.kind,
                                         spec.groupSize,
                                         spec.bytes,
                                         spec.exchange != nullptr,
                                         spec.ranksPerNode);
        auto found = m_plans.find(key);
        if (found == m_plans.end())
        {
            found = m_plans.emplace(key, Draw(spec)).first;
        }
        spec.channels = found->second.channels;
        spec.sliceBytes = found->second.sliceBytes;
        return found->second.algorithm;
    }

    /** @return how often each name has been chosen. */
    const std::map<std::string, uint64_t>& GetChosen() const
    {
        return m_chosen;
    }

  private:
    CollectiveSelector::CollectivePlan Draw(const CollectiveSpec& spec)
    {
        // Programs may ask in any order: what is drawn follows from the collective.
        Dice dice(m_seed + 7919 * spec.bytes + 31 * spec.groupSize +
                  1000003 * (static_cast<uint64_t>(spec.kind) + 8 * spec.ranksPerNode));
        CollectiveSelector::Wish wish;
        wish.channels = dice.Pick<uint32_t>({1, 2, 3});
        wish.sliceBytes = dice.Throw(2) == 0 ? 0 : 1 + spec.bytes / (1 + dice.Throw(7));
        wish.protocol = dice.Pick<std::string>({"auto", "auto", "none", "simple", "ll", "ll128"});
        std::vector<std::string> names = m_names;
        while (true)
        {
            const std::size_t next = dice.Throw(names.size());
            wish.algorithm = names[next];
            try
            {
                const CollectiveSelector::CollectivePlan plan = m_selector.Plan(spec, wish);
                ++m_chosen[wish.algorithm];
                return plan;
            }
            catch (const ConfigError&)
            {
                // It does not fit; "auto" always does.
                names.erase(names.begin() + static_cast<std::ptrdiff_t>(next));
            }
        }
    }

    /** Kind, group size, bytes, whether uneven, ranks per node. */
    using Key = std::tuple<CollectiveKind, uint32_t, uint64_t, bool, uint32_t>;

    uint64_t m_seed;                                           //!< of the choices
    CollectiveSelector m_selector;                             //!< algorithms
    std::vector<std::string> m_names;                          //!< of all
    std::map<Key, CollectiveSelector::CollectivePlan> m_plans; //!< so far
    std::map<std::string, uint64_t> m_chosen;                  //!< by name
};

/**
 * Closed form of a training step against what its programs emit, with collectives run as transfer
 * programs.
 */
class ClosedFormCheck
{
  public:
    /** @param step what is checked, with rings; it must outlive this object. */
    explicit ClosedFormCheck(const TrainingStep& step)
        : m_step(step),
          m_own(std::make_unique<PlainPlanner>()),
          m_planner(*m_own)
    {
    }

    /**
     * @param step what is checked; it must outlive this object.
     * @param planner says how collectives are done; likewise.
     * @param ranksPerServer so many neighbouring ranks share a server.
     */
    ClosedFormCheck(const TrainingStep& step, CollectivePlanner& planner, uint32_t ranksPerServer)
        : m_step(step),
          m_planner(planner)
    {
        for (uint32_t rank = 0; rank < step.GetWorldSize(); ++rank)
        {
            m_serverOf.push_back(rank / ranksPerServer);
        }
    }

    /**
     * Runs all programs in the WorkloadChecker and compares by rank, pair and dimension.
     * @param seed of the order of ranks.
     * @return the first difference; empty: there is none.
     * @throw ConfigError if programs do not fit together.
     */
    std::string Run(uint64_t seed)
    {
        for (const ProcessGroup& group : m_step.GetGroups())
        {
            m_ranksPerNode[&group] = GetRanksPerNode(group.ranks, m_serverOf);
        }
        WorkloadChecker checker(m_step);
        checker.SetObserver([this](uint32_t rank, const Operation& one) { Observe(rank, one); });
        const uint64_t walked = checker.Run(0, seed);
        uint64_t announced = 0;
        for (uint32_t rank = 0; rank < m_step.GetWorldSize(); ++rank)
        {
            announced += m_step.CountOperations(rank);
        }
        Expect(announced, walked, "operations");
        ExpectReceives();
        const TrafficModel model(
            m_step,
            [this](CollectiveSpec& spec, const ProcessGroup& group, ParallelDimension) {
                spec.ranksPerNode = m_ranksPerNode.at(&group);
                return m_planner.Plan(spec);
            });
        for (uint32_t from = 0; from < m_step.GetWorldSize() && m_difference.empty(); ++from)
        {
            Compare(model, from);
        }
        uint64_t total = 0;
        for (const auto& [key, bytes] : m_emitted)
        {
            total += bytes;
        }
        Expect(model.GetTotal(), total, "total");
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
    /** What decides on the bytes of a collective: kind, group size, bytes, exchange, root, ranks
     *  per node, group rank. */
    using SpecKey = std::tuple<CollectiveKind,
                               uint32_t,
                               uint64_t,
                               const ExchangeBytes*,
                               uint32_t,
                               uint32_t,
                               uint32_t>;

    /** Bytes of a group rank within a collective, by group rank of the other side. */
    struct Traffic
    {
        std::map<uint32_t, uint64_t> sent;
        std::map<uint32_t, uint64_t> received;
    };

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

    /** Within each collective, what is sent must be received. */
    void ExpectReceives()
    {
        for (const auto& [key, traffic] : m_known)
        {
            const auto& [kind, groupSize, bytes, exchange, root, perNode, rank] = key;
            for (const auto& [peer, sent] : traffic.sent)
            {
                // What a switch does is for the suites of collectives.
                const auto other =
                    m_known.find(SpecKey(kind, groupSize, bytes, exchange, root, perNode, peer));
                if (peer == rank || other == m_known.end())
                {
                    continue;
                }
                const auto received = other->second.received.find(rank);
                Expect(sent,
                       received == other->second.received.end() ? 0 : received->second,
                       std::string(ToString(kind)) + " of " + std::to_string(bytes) + " bytes");
            }
        }
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
        for (const auto& [peer, bytes] : Emit(one, groupRank).sent)
        {
            m_emitted[{rank, ranks[peer], one.dimension}] += bytes;
        }
    }

    /** @return bytes between a group rank and each other one, by running the transfer program. */
    const Traffic& Emit(const Operation& one, uint32_t groupRank)
    {
        const ProcessGroup& group = m_step.GetGroups()[one.group];
        CollectiveSpec spec;
        spec.kind = GetCollectiveKind(one.kind);
        spec.groupSize = static_cast<uint32_t>(group.ranks.size());
        spec.bytes = one.bytes;
        spec.root = one.root;
        spec.exchange = one.exchange;
        spec.ranksPerNode = m_ranksPerNode.at(&group);
        const auto [found, isNew] = m_known.try_emplace(SpecKey(spec.kind,
                                                                spec.groupSize,
                                                                spec.bytes,
                                                                spec.exchange,
                                                                spec.root,
                                                                spec.ranksPerNode,
                                                                groupRank));
        if (!isNew)
        {
            return found->second;
        }
        const CollectiveAlgorithm* algorithm = m_planner.Plan(spec);
        for (uint32_t channel = 0; channel < spec.channels; ++channel)
        {
            const auto program = algorithm->CreateProgram(spec, groupRank, channel);
            Transfer transfer;
            while (program->Next(transfer))
            {
                auto& peers = transfer.send ? found->second.sent : found->second.received;
                peers[transfer.inNetwork == InNetwork::NONE ? transfer.peer : groupRank] +=
                    transfer.bytes;
            }
        }
        return found->second;
    }

    const TrainingStep& m_step;                                               //!< what is checked
    std::unique_ptr<CollectivePlanner> m_own;                                 //!< or null
    CollectivePlanner& m_planner;                                             //!< says how
    std::vector<uint32_t> m_serverOf;                                         //!< by rank
    std::map<const ProcessGroup*, uint32_t> m_ranksPerNode;                   //!< by group
    std::map<SpecKey, Traffic> m_known;                                       //!< of collectives
    std::map<PairKey, uint64_t> m_emitted;                                    //!< bytes
    std::map<std::pair<uint32_t, ParallelDimension>, uint64_t> m_collectives; //!< by rank
    std::map<uint32_t, uint64_t> m_sends;                                     //!< by rank
    std::string m_difference;                                                 //!< the first
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_CLOSED_FORM_H
