/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_POWER_TCP_H
#define RDMA_POWER_TCP_H

#include "rdma-congestion-ops.h"

#include <cstdint>
#include <vector>

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
class RdmaPowerTcp final : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaPowerTcp();
    ~RdmaPowerTcp() override;
    /** @return ACKs, INT. */
    uint32_t GetNeeds() const override;
    void Init(const RdmaPathInfo& path) override;
    void OnAck(const RdmaAckInfo& ack) override;
    uint8_t GetIntBytesPerHop() const override;

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
    /** Keep records for the next difference. */
    void Remember(const RdmaAckInfo& ack);
    /** Measure the power by the newest records. @return false if they say nothing. */
    bool Measure(const RdmaAckInfo& ack);
    /** Tell rate and window. */
    void Publish();

    double m_gamma;        //!< attribute Gamma
    double m_flows;        //!< attribute Flows
    DataRate m_minRate;    //!< attribute MinRate
    uint8_t m_bytesPerHop; //!< attribute IntBytesPerHop

    double m_tau{1};                 //!< base RTT, ticks
    double m_ticksPerSecond{1};      //!< resolution
    double m_line{0};                //!< bit/s
    double m_fullWindow{1};          //!< bytes
    double m_leastWindow{1};         //!< bytes
    double m_beta{0};                //!< bytes
    double m_current{0};             //!< window, bytes
    double m_old{0};                 //!< window one RTT ago, bytes
    double m_next{0};                //!< m_old of the next RTT
    double m_power{1};               //!< averaged
    bool m_started{false};           //!< there was an ACK
    uint64_t m_updatedBefore{0};     //!< PSN up to which packets were sent before m_next
    std::vector<IntRecord> m_before; //!< records of the ACK before
};

} // namespace llm
} // namespace ns3

#endif // RDMA_POWER_TCP_H
