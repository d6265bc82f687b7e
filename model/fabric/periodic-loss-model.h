/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PERIODIC_LOSS_MODEL_H
#define PERIODIC_LOSS_MODEL_H

#include "fabric-loss-model.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Loses every n-th frame, without chance: the deterministic pattern with which livelock of
 * go-back-0 was shown (Guo et al., SIGCOMM 2016, section 4.1: 1 in 256).
 */
class PeriodicLossModel final : public FabricLossModel
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    PeriodicLossModel();
    ~PeriodicLossModel() override;

    bool IsLost(const Frame& frame) override;

  private:
    uint64_t m_interval;  //!< attribute Interval
    uint64_t m_first;     //!< attribute First
    bool m_dataOnly;      //!< attribute DataOnly
    uint64_t m_frames{0}; //!< frames seen
};

} // namespace llm
} // namespace ns3

#endif // PERIODIC_LOSS_MODEL_H
