/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_POISSON_TRAFFIC_H
#define LLM_POISSON_TRAFFIC_H

#include "llm-flow-generator.h"
#include "llm-flow-size-distribution.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Flows that begin as a Poisson process, with sizes of an empirical distribution, each from a
 * random sender to a random receiver, both equally likely. The attribute Load is the payload that
 * is offered, as a part of what the senders' links carry: arrivals per second are
 * Load x sum of the rates / (8 x mean size).
 */
class PoissonTraffic : public FlowGenerator
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    PoissonTraffic();

    /** @param sizes of flows. */
    void SetSizes(const FlowSizeDistribution& sizes);
    /** @param bitsPerSecond of all senders' links together, > 0. */
    void SetSendRate(uint64_t bitsPerSecond);

    /** @return sizes of flows. */
    const FlowSizeDistribution& GetSizes() const
    {
        return m_sizes;
    }

    /** @return ticks between two arrivals, in the mean. */
    double GetMeanInterval() const;

    /** @return the part of the senders' links that flows have asked for since StartTime. */
    double GetOfferedLoad() const;

  protected:
    void CheckSettings() const override;
    void Generate() override;
    int64_t GetFirstDelay() override;

  private:
    /** @return ticks to the next arrival. */
    int64_t DrawInterval();

    double m_load{0.3};           //!< attribute
    uint64_t m_sendRate{0};       //!< bit/s
    FlowSizeDistribution m_sizes; //!< of flows
};

} // namespace llm
} // namespace ns3

#endif // LLM_POISSON_TRAFFIC_H
