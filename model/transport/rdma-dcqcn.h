/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCQCN_H
#define RDMA_DCQCN_H

#include "rdma-dcqcn-base.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * DCQCN as published: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM
 * 2015, figure 7 and equations 1 to 4, with the parameters of its section 5 as defaults (g = 1/256,
 * timers of 55 us, a byte counter of 10 MB, F = 5, R_AI = 40 Mb/s, found for 40 Gb/s).
 *
 * - CNP: the target becomes the current rate, which is multiplied by 1 - alpha/2; then alpha
 *   becomes (1-g) alpha + g. All timers and the byte counter start anew.
 * - Every AlphaTimer without a CNP: alpha becomes (1-g) alpha.
 * - Every IncreaseTimer and every ByteCounter bytes, with T and B such intervals since the last
 *   CNP: nothing is added to the target while max(T, B) < F (fast recovery); RateHai times
 *   min(T, B) - F is added if min(T, B) > F (hyper increase); else RateAi (additive increase).
 *   Then the current rate goes half the way to the target.
 *
 * The paper gives no hyper step and no least rate. RateHai is by default ten times RateAi, the
 * proportion of IEEE 802.1Qau; MinRate lets a queue pair send at least a 4 KiB packet in 3.4 ms.
 */
class RdmaDcqcn final : public RdmaDcqcnBase
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaDcqcn();
    ~RdmaDcqcn() override;
    void OnCnp(Time now) override;
    double GetAlpha(Time now) const override;

  protected:
    double GetTargetStep(uint32_t lowest, uint32_t highest) const override;

  private:
    double m_alpha{0};           //!< estimate at m_alphaSince
    int64_t m_alphaSince{NEVER}; //!< tick of the last CNP; NEVER: there was none
};

} // namespace llm
} // namespace ns3

#endif // RDMA_DCQCN_H
