/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DELAY_POWER_TCP_H
#define RDMA_DELAY_POWER_TCP_H

#include "rdma-congestion-ops.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Theta-PowerTCP, the form of PowerTCP that needs nothing of switches (Addanki et al., "PowerTCP:
 * Pushing the Performance Limits of Datacenter Networks", NSDI 2022, algorithm 2). Power is current
 * times voltage: here the gradient of the RTT plus 1, times the RTT, as a share of the base RTT
 * tau:
 *
 *     power = (dRTT/dt + 1) * RTT / tau, averaged over tau
 *     once per RTT: window = Gamma * (window one RTT ago / power + beta) + (1 - Gamma) * window
 *
 * with beta = bandwidth-delay product / Flows. The pacing rate is window / tau.
 *
 * tau is the RTT sample of an unloaded path. Samples of short packets are less: power is then
 * underestimated by their share of tau.
 */
class RdmaDelayPowerTcp final : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaDelayPowerTcp();
    ~RdmaDelayPowerTcp() override;
    /** @return ACKs. */
    uint32_t GetNeeds() const override;
    void Init(const RdmaPathInfo& path) override;
    void OnAck(const RdmaAckInfo& ack) override;

    /** @return averaged normalised power; 1 on a full path without a queue. */
    double GetPower() const
    {
        return m_power;
    }

    /** @return window, bytes. */
    double GetWindowBytes() const
    {
        return m_current;
    }

  private:
    /** Tell rate and window. */
    void Publish();

    double m_gamma;     //!< attribute Gamma
    double m_flows;     //!< attribute Flows
    DataRate m_minRate; //!< attribute MinRate

    double m_tau{1};             //!< ticks
    double m_line{0};            //!< bit/s
    double m_fullWindow{0};      //!< bytes
    double m_leastWindow{1};     //!< bytes
    double m_beta{0};            //!< bytes
    double m_current{0};         //!< window, bytes
    double m_old{0};             //!< window one RTT ago, bytes
    double m_power{1};           //!< averaged
    int64_t m_ackAt{0};          //!< tick of the last sample
    int64_t m_rtt{0};            //!< last sample, ticks; 0: none
    uint64_t m_updatedBefore{0}; //!< PSN up to which packets were sent before the last update
};

} // namespace llm
} // namespace ns3

#endif // RDMA_DELAY_POWER_TCP_H
