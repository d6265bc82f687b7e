/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BRUCK_COLLECTIVE_H
#define LLM_BRUCK_COLLECTIVE_H

#include "llm-collective-algorithm.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * ALL_TO_ALL in ceil(log2 n) steps ("bruck"; Bruck et al. 1997), for small sizes.
 *
 * In step k a rank sends one message to rank + 2^k: all parts whose remaining way, counted in
 * ranks, has bit k set. About half of the buffer goes in each step, so parts are sent more than
 * once; what is on its way to others waits in the scratch buffer. Buffers else as in
 * DirectCollective.
 */
class BruckCollective : public CollectiveAlgorithm
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
    double DoPredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const override;
    std::vector<uint32_t> ListCandidates(const CollectiveSpec& spec, uint32_t from) const override;
};

} // namespace llm
} // namespace ns3

#endif // LLM_BRUCK_COLLECTIVE_H
