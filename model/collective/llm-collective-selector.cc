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
#include "llm-pairwise-collective.h"
#include "llm-pat-collective.h"
#include "llm-pxn-collective.h"
#include "llm-recursive-doubling-collective.h"
#include "llm-ring-collective.h"
#include "llm-two-level-node-collective.h"
#include "llm-two-level-rail-collective.h"

#include "ns3/llm-config-error.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

constexpr const char* AUTO = "auto"; //!< name that leaves the choice to us
constexpr const char* TREE = "tree"; //!< name of the tree algorithm that fits the kind

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

} // namespace

CollectiveSelector::CollectiveSelector(double alphaPs, double bitsPerSecond)
    : m_alphaPs(alphaPs),
      m_bitsPerSecond(bitsPerSecond)
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

} // namespace llm
} // namespace ns3
