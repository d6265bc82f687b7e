/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TIMELY_H
#define RDMA_TIMELY_H

#include "rdma-congestion-ops.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015,
 * algorithm 1): a rate steered by the RTT and by its gradient.
 *
 * - RTT below TLow: the rate rises by Delta. RTT above THigh: times 1 - Beta (1 - THigh / RTT).
 * - Else by the gradient, a moving average of RTT differences as a share of MinRtt: where it is not
 *   positive, the rate rises by Delta, or HaiFactor times as much from the HaiThreshold-th such
 *   update in a row on; where it is, the rate is multiplied by max(0, 1 - Beta gradient).
 *
 * The RTT is that of one packet without its time on the NIC's own link; the paper measures segments
 * of 16 to 64 KiB. TIMELY has no unique fixed point, and promises no fairness (Zhu et al., "ECN or
 * Delay", CoNEXT 2016).
 *
 * Inside, the rate is a double; the pacing rate is its whole part. Attributes are read in Init.
 */
class RdmaTimely final : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaTimely();
    ~RdmaTimely() override;
    /** @return ACKs. */
    uint32_t GetNeeds() const override;
    void Init(const RdmaPathInfo& path) override;
    void OnAck(const RdmaAckInfo& ack) override;

    /** @return normalised RTT gradient. */
    double GetGradient() const
    {
        return m_difference / m_minRttTicks;
    }

    /** @return rate, bit/s. */
    double GetCurrentRate() const
    {
        return m_current;
    }

  private:
    /** One update. @param rtt newest sample, ticks. */
    void Update(double rtt);

    double m_alpha;         //!< attribute Alpha
    double m_beta;          //!< attribute Beta
    Time m_tLow;            //!< attribute TLow
    Time m_tHigh;           //!< attribute THigh
    Time m_minRtt;          //!< attribute MinRtt
    DataRate m_delta;       //!< attribute Delta
    DataRate m_reference;   //!< attribute DeltaReferenceRate
    double m_haiFactor;     //!< attribute HaiFactor
    uint32_t m_haiAfter;    //!< attribute HaiThreshold
    DataRate m_minRate;     //!< attribute MinRate
    DataRate m_initialRate; //!< attribute InitialRate
    bool m_oncePerRtt;      //!< attribute OncePerRtt

    double m_line{0};            //!< bit/s
    double m_step{0};            //!< bit/s
    double m_minRttTicks{1};     //!< ticks
    double m_current{0};         //!< bit/s
    double m_previous{-1};       //!< RTT before, ticks; negative: none
    double m_difference{0};      //!< moving average of RTT differences, ticks
    uint32_t m_calm{0};          //!< updates in a row without a positive gradient
    uint64_t m_updatedBefore{0}; //!< PSN up to which packets were sent before the last update
};

} // namespace llm
} // namespace ns3

#endif // RDMA_TIMELY_H
