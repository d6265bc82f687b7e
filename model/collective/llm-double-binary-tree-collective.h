/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DOUBLE_BINARY_TREE_COLLECTIVE_H
#define LLM_DOUBLE_BINARY_TREE_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * ALL_REDUCE over two binary trees ("double_binary_tree", short "tree"; Sanders et al. 2009), with
 * the trees that NCCL builds over nodes.
 *
 * Each tree carries half of the data up to its root and down again. In the first tree rank 0 is the
 * root and a rank is the deeper, the lower its lowest set bit; the second is the first with the
 * ranks mirrored (n even) or shifted by one (n odd), so that (almost) nobody is an inner rank of
 * both: no rank sends more than 2 S.
 *
 * The trees are pipelined by slices: slice j goes on as soon as the children's (up) or the
 * parent's (down) is there. In the program, slices on their way down are listed as many rounds
 * behind those on their way up as the way to the root and back has hops.
 */
class DoubleBinaryTreeCollective : public CollectiveAlgorithm
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
     * With k slices per tree (all channels) and L = ceil(log2 n) levels: 2 L alpha, the busiest
     * link's 2 S (less below 4 ranks) for all slices but one, and for that one the way there and
     * back, (2 L - 1) S / k. Unsliced this is what a quiet fabric takes; sliced it is an
     * estimate, since ways up and down then compete for the links of inner ranks.
     */
    double DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const override;
    std::vector<uint32_t> ListCandidates(const CollectiveSpec& spec, uint32_t from) const override;
};

} // namespace llm
} // namespace ns3

#endif // LLM_DOUBLE_BINARY_TREE_COLLECTIVE_H
