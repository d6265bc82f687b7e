/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BINOMIAL_TREE_COLLECTIVE_H
#define LLM_BINOMIAL_TREE_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * BROADCAST and REDUCE along a binomial tree ("binomial_tree", short "tree").
 *
 * Counted from the root, rank v has the parent v without its lowest set bit. BROADCAST sends to the
 * largest subtree first; REDUCE goes the same ways upwards. ceil(log2 n) steps of the whole buffer.
 * With slices, slice j is passed on as soon as it is there; the root's link, which carries
 * ceil(log2 n) copies, bounds the time all the same.
 *
 * A rank sends to its children at once, so that they share its link: an unsliced BROADCAST takes
 * L + (L-1) + ... + 1 times the buffer, L = ceil(log2 n), where senders that serve one child after
 * the other would take L.
 */
class BinomialTreeCollective : public CollectiveAlgorithm
{
  public:
    std::string GetName() const override;
    std::string WhyNot(const CollectiveSpec& spec) const override;
    std::unique_ptr<TransferProgram> CreateProgram(const CollectiveSpec& spec,
                                                   uint32_t rank,
                                                   uint32_t channel) const override;
    uint64_t PredictPairBytes(const CollectiveSpec& spec,
                              uint32_t from,
                              uint32_t to) const override;

  protected:
    /**
     * With k slices (all channels) and L = ceil(log2 n). BROADCAST: L alpha, and L S for all slices
     * but one, L (L+1) / 2 S / k for that one. REDUCE: alpha + L S, and L-1 alphas more as far as
     * the slices do not hide them.
     */
    double DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const override;
    std::vector<uint32_t> ListCandidates(const CollectiveSpec& spec, uint32_t from) const override;
};

} // namespace llm
} // namespace ns3

#endif // LLM_BINOMIAL_TREE_COLLECTIVE_H
