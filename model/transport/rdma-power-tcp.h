/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_POWER_TCP_H
#define RDMA_POWER_TCP_H

#include "rdma-int-base.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * PowerTCP with in-band telemetry (Addanki et al., "PowerTCP: Pushing the Performance Limits of
 * Datacenter Networks", NSDI 2022, algorithm 1). Power is current (rate of arrival: growth of the
 * queue plus rate of transmission mu) times voltage (queue plus bandwidth-delay product):
 *
 *     power = max over hops of (dq/dt + mu) (q + b tau) / (b^2 tau), averaged over tau
 *     window = Gamma * (window one RTT ago / power + beta) + (1 - Gamma) * window, at every ACK
 *
 * with beta = bandwidth-delay product / Flows, and tau the base RTT. The pacing rate is window /
 * tau. RdmaDelayPowerTcp is the form that needs no telemetry.
 */
class RdmaPowerTcp final : public RdmaIntBase
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaPowerTcp();
    ~RdmaPowerTcp() override;
    void Init(const RdmaPathInfo& path) override;

    /** @return averaged normalised power; 1 on a full path without a queue. */
    double GetPower() const
    {
        return GetSignal();
    }

  private:
    double MeasureHop(const IntRecord& now,
                      const IntRecord& before,
                      double dt,
                      double bytesPerTick) const override;
    bool UpdateWindow(bool newRound) override;

    double m_gamma; //!< attribute Gamma
    double m_flows; //!< attribute Flows

    double m_beta{0}; //!< bytes
    double m_old{0};  //!< window one RTT ago, bytes
    double m_next{0}; //!< m_old of the next RTT
};

} // namespace llm
} // namespace ns3

#endif // RDMA_POWER_TCP_H
