/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-collective-selector.h"

#include "llm-binomial-tree-collective.h"
#include "llm-bruck-collective.h"
#include "llm-direct-collective.h"
#include "llm-double-binary-tree-collective.h"
#include "llm-halving-doubling-collective.h"
#include "llm-naive-collective.h"
#include "llm-nvls-collective.h"
#include "llm-pairwise-collective.h"
#include "llm-pat-collective.h"
#include "llm-pxn-collective.h"
#include "llm-recursive-doubling-collective.h"
#include "llm-ring-collective.h"
#include "llm-two-level-node-collective.h"
#include "llm-two-level-rail-collective.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <cstdio>

namespace ns3
{
namespace llm
{

namespace
{

constexpr const char* AUTO = "auto";   //!< name that leaves the choice to us
constexpr const char* TREE = "tree";   //!< name of the tree algorithm that fits the kind
constexpr const char* NCCL = "nccl";   //!< name that leaves the choice to NCCL's cost model
constexpr double NVLINK_BITS = 3.6e12; //!< per second and direction, NVLink 4
constexpr double NIC_BITS = 4e11;      //!< per second

/** @return "a, b, c" */
std::string
Join(const std::vector<std::string>& words)
{
    std::string line;
    for (const auto& word : words)
    {
        line += (line.empty() ? "" : ", ") + word;
    }
    return line;
}

/** @return "12.3 us". */
std::string
Microseconds(double timeUs)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.1f us", timeUs);
    return text;
}

/** @return a protocol by its name in a Wish; NONE also for "auto" and "nccl". */
NcclProtocol
FindProtocol(const std::string& name)
{
    return name == "simple"  ? NcclProtocol::SIMPLE
           : name == "ll"    ? NcclProtocol::LL
           : name == "ll128" ? NcclProtocol::LL128
                             : NcclProtocol::NONE;
}

/** Sets channels and slices by the protocol. */
void
FitProtocol(const CollectiveSpec& spec, CollectiveSelector::CollectivePlan& plan, uint32_t channels)
{
    const bool withinNode = spec.groupSize > 1 && spec.ranksPerNode >= spec.groupSize;
    plan.channels =
        GetNcclChannels(plan.protocol, plan.algorithm->GetName() == "ring", spec, channels);
    plan.sliceBytes = GetNcclSliceBytes(plan.protocol, spec.kind, withinNode);
}

} // namespace

CollectiveSelector::CollectiveSelector(double alphaPs, double bitsPerSecond)
    : m_alphaPs(alphaPs),
      m_bitsPerSecond(bitsPerSecond),
      m_nccl(std::make_unique<NcclCostModel>(NVLINK_BITS, NIC_BITS))
{
    Register(std::make_unique<RingCollective>());
    Register(std::make_unique<DirectCollective>(), Use::LAST);
    Register(std::make_unique<DoubleBinaryTreeCollective>(), Use::BY_NAME);
    Register(std::make_unique<HalvingDoublingCollective>(), Use::BY_NAME);
    Register(std::make_unique<RecursiveDoublingCollective>(), Use::BY_NAME);
    Register(std::make_unique<PatCollective>(), Use::BY_NAME);
    Register(std::make_unique<PairwiseCollective>(), Use::BY_NAME);
    Register(std::make_unique<BruckCollective>(), Use::BY_NAME);
    Register(std::make_unique<BinomialTreeCollective>(), Use::BY_NAME);
    Register(std::make_unique<NaiveCollective>(), Use::BY_NAME);
    Register(std::make_unique<TwoLevelRailCollective>(), Use::BY_NAME);
    Register(std::make_unique<TwoLevelNodeCollective>(), Use::BY_NAME);
    Register(std::make_unique<PxnCollective>(), Use::BY_NAME);
    Register(std::make_unique<NvlsCollective>(), Use::BY_NAME);
}

void
CollectiveSelector::SetNcclCostModel(const NcclCostModel& model)
{
    m_nccl = std::make_unique<NcclCostModel>(model);
}

void
CollectiveSelector::Register(std::unique_ptr<CollectiveAlgorithm> algorithm, Use use)
{
    const std::vector<std::string> names = GetNames();
    if (std::find(names.begin(), names.end(), algorithm->GetName()) != names.end())
    {
        throw ConfigError("CollectiveSelector",
                          "",
                          "the name \"" + algorithm->GetName() + "\" is taken; taken are " +
                              Join(names));
    }
    m_algorithms.push_back({std::move(algorithm), use});
}

std::vector<std::string>
CollectiveSelector::GetNames() const
{
    std::vector<std::string> names{AUTO};
    for (const auto& entry : m_algorithms)
    {
        names.push_back(entry.algorithm->GetName());
        if (entry.algorithm->GetName() == DoubleBinaryTreeCollective().GetName())
        {
            names.emplace_back(TREE);
        }
    }
    names.emplace_back(NCCL);
    return names;
}

CollectiveSelector::Choice
CollectiveSelector::Choose(const CollectiveSpec& spec,
                           const std::string& name,
                           const std::string& source,
                           const std::string& path) const
{
    if (name == TREE)
    {
        const bool rooted =
            spec.kind == CollectiveKind::BROADCAST || spec.kind == CollectiveKind::REDUCE;
        return Choose(spec,
                      rooted ? BinomialTreeCollective().GetName()
                             : DoubleBinaryTreeCollective().GetName(),
                      source,
                      path);
    }
    if (name == NCCL)
    {
        const CollectivePlan plan = PlanNccl(spec, {NCCL, 1, 0, "auto"}, source, path);
        return {plan.algorithm, plan.reason};
    }
    const CollectiveAlgorithm* best = nullptr;
    double bestPs = 0;
    std::string reason;
    for (const auto& [algorithm, use] : m_algorithms)
    {
        const std::string whyNot = algorithm->WhyNot(spec);
        if (name == algorithm->GetName())
        {
            if (!whyNot.empty())
            {
                throw ConfigError(source, path, whyNot);
            }
            return {algorithm.get(), name + ": asked for by name"};
        }
        if (name != AUTO || use == Use::BY_NAME || (use == Use::LAST && best))
        {
            continue;
        }
        if (!whyNot.empty())
        {
            reason += "; not " + algorithm->GetName() + ": " + whyNot;
            continue;
        }
        const double timePs = algorithm->PredictTimePs(spec, m_alphaPs, m_bitsPerSecond);
        reason += "; " + algorithm->GetName() + " " + std::to_string(timePs / 1e6) + " us";
        if (!best || timePs < bestPs)
        {
            best = algorithm.get();
            bestPs = timePs;
        }
    }
    if (name != AUTO)
    {
        throw ConfigError(source,
                          path,
                          "collective algorithm \"" + name + "\" is not supported; known are " +
                              Join(GetNames()));
    }
    if (!best)
    {
        const std::string wrong = CheckCollectiveSpec(spec);
        throw ConfigError(source,
                          path,
                          wrong.empty()
                              ? std::string("no algorithm does ") + ToString(spec.kind) + reason
                              : wrong);
    }
    return {best, best->GetName() + ": least predicted time" + reason};
}

std::vector<std::string>
CollectiveSelector::GetProtocolNames()
{
    return {"auto", "none", "simple", "ll", "ll128", "nccl"};
}

const CollectiveAlgorithm*
CollectiveSelector::Find(const std::string& name) const
{
    for (const auto& entry : m_algorithms)
    {
        if (entry.algorithm->GetName() == name)
        {
            return entry.algorithm.get();
        }
    }
    return nullptr;
}

CollectiveSelector::CollectivePlan
CollectiveSelector::PlanNccl(const CollectiveSpec& spec,
                             const Wish& wish,
                             const std::string& source,
                             const std::string& path) const
{
    const std::string wrong = CheckCollectiveSpec(spec);
    if (!wrong.empty())
    {
        throw ConfigError(source, path, wrong);
    }
    CollectiveSpec asked = spec;
    asked.channels = wish.channels;
    const NcclProtocol only = FindProtocol(wish.protocol);
    CollectivePlan plan;
    double bestUs = 0;
    std::string considered;
    std::string refused;
    for (const NcclCostModel::Candidate& candidate : m_nccl->Predict(asked))
    {
        const CollectiveAlgorithm* algorithm = Find(candidate.algorithm);
        if (!algorithm || (only != NcclProtocol::NONE && candidate.protocol != only) ||
            (wish.algorithm != NCCL && wish.algorithm != candidate.algorithm))
        {
            continue;
        }
        const std::string whyNot = algorithm->WhyNot(asked);
        if (!whyNot.empty())
        {
            refused += "; " + whyNot;
            continue;
        }
        considered += (considered.empty() ? "" : ", ") + candidate.algorithm + " " +
                      ToString(candidate.protocol) + " " + Microseconds(candidate.timeUs);
        if (!plan.algorithm || candidate.timeUs < bestUs)
        {
            plan.algorithm = algorithm;
            plan.protocol = candidate.protocol;
            bestUs = candidate.timeUs;
        }
    }
    if (!plan.algorithm)
    {
        throw ConfigError(source,
                          path,
                          "NCCL's cost model knows no way to do " +
                              std::string(ToString(spec.kind)) + " by " + wish.algorithm +
                              " with protocol " + wish.protocol + refused);
    }
    FitProtocol(spec, plan, wish.channels);
    plan.reason = "least of NCCL's predicted times: " + considered;
    if (wish.protocol == "none")
    {
        plan.protocol = NcclProtocol::NONE;
        plan.channels = wish.channels;
        plan.sliceBytes = wish.sliceBytes;
    }
    return plan;
}

CollectiveSelector::CollectivePlan
CollectiveSelector::Plan(const CollectiveSpec& spec,
                         const Wish& wish,
                         const std::string& source,
                         const std::string& path) const
{
    const std::vector<std::string> protocols = GetProtocolNames();
    if (std::find(protocols.begin(), protocols.end(), wish.protocol) == protocols.end())
    {
        throw ConfigError(source,
                          path,
                          "protocol \"" + wish.protocol + "\" is not supported; known are " +
                              Join(protocols));
    }
    if (wish.algorithm == NCCL)
    {
        return PlanNccl(spec, wish, source, path);
    }
    CollectiveSpec asked = spec;
    asked.channels = wish.channels;
    asked.sliceBytes = wish.sliceBytes;
    const Choice choice = Choose(asked, wish.algorithm, source, path);
    if (wish.protocol == "nccl")
    {
        Wish narrow = wish;
        narrow.algorithm = choice.algorithm->GetName();
        CollectivePlan plan = PlanNccl(spec, narrow, source, path);
        plan.reason = choice.reason + "; protocol: " + plan.reason;
        return plan;
    }
    CollectivePlan plan;
    plan.algorithm = choice.algorithm;
    plan.protocol = FindProtocol(wish.protocol);
    plan.channels = wish.channels;
    plan.sliceBytes = wish.sliceBytes;
    plan.reason = choice.reason.substr(choice.reason.find(": ") + 2);
    if (plan.protocol != NcclProtocol::NONE)
    {
        FitProtocol(spec, plan, wish.channels);
        plan.reason += ", protocol likewise";
    }
    return plan;
}

} // namespace llm
} // namespace ns3
