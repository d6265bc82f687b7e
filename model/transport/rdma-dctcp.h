/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCTCP_H
#define RDMA_DCTCP_H

#include "rdma-congestion-ops.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * DCTCP for RDMA: the estimator and reaction of Alizadeh et al., "Data Center TCP (DCTCP)",
 * SIGCOMM 2010, on a rate instead of a window, without slow start, as the HPCC paper (SIGCOMM 2019,
 * s. 5.1) compares with. The receiver echoes each CE mark in the ACK of its packet.
 *
 * - Once per RTT: alpha = (1-G) alpha + G * (marked bytes / acknowledged bytes).
 * - First echo in an RTT: rate *= 1 - alpha/2; no further decrease until what was sent before is
 *   acknowledged.
 * - Once per RTT without a decrease: rate += RateAi.
 *
 * A window follows the rate, rate * base RTT * WindowBdp, which makes it the window-based DCTCP of
 * the paper, clocked by ACKs; with WindowBdp 0 there is none.
 *
 * Switches should mark everything above one threshold K: Kmin = Kmax = 30 kB per 10 Gb/s, Pmax 1
 * (SIGCOMM 2010: K > C RTT / 7, and the queue peaks at K plus a packet per flow).
 */
class RdmaDctcp final : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaDctcp();
    ~RdmaDctcp() override;
    /** @return ACKs of every packet, with ECN echo. */
    uint32_t GetNeeds() const override;
    void Init(const RdmaPathInfo& path) override;
    void OnAck(const RdmaAckInfo& ack) override;

    /** @return estimated share of marked bytes. */
    double GetAlpha() const
    {
        return m_alpha;
    }

    /** @return rate, bit/s. */
    double GetCurrentRate() const
    {
        return m_current;
    }

  private:
    /** Tell rate and window. */
    void Publish();

    double m_g;            //!< attribute G
    double m_initialAlpha; //!< attribute InitialAlpha
    DataRate m_rateAi;     //!< attribute RateAi
    DataRate m_minRate;    //!< attribute MinRate
    double m_windowBdp;    //!< attribute WindowBdp

    double m_line{0};         //!< bit/s
    double m_fullWindow{0};   //!< bytes at line rate; 0: unlimited
    uint64_t m_mtu{1};        //!< payload bytes per packet
    double m_current{0};      //!< bit/s
    double m_alpha{0};        //!< estimate
    uint64_t m_acked{0};      //!< bytes in this RTT
    uint64_t m_marked{0};     //!< of those, marked
    uint64_t m_roundEnd{0};   //!< PSN up to which this RTT's packets go
    uint64_t m_reducedEnd{0}; //!< PSN up to which packets were sent before the last decrease
    bool m_started{false};    //!< there was an ACK
    bool m_reduced{false};    //!< a decrease is under way
};

} // namespace llm
} // namespace ns3

#endif // RDMA_DCTCP_H
