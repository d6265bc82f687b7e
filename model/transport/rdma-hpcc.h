/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HPCC_H
#define RDMA_HPCC_H

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
 * HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1): switches
 * tell queue length and bytes sent in each data packet, ACKs bring it back, and the window follows
 * the utilisation of the most loaded link.
 *
 *     u = max over hops of min(queue, queue before) / (B T) + (bytes - bytes before) / dt / B
 *     U = (1 - tau/T) U + tau/T u,   tau = dt of that hop, at most T
 *     U >= Eta or stage >= MaxStage: W = Wc / (U / Eta) + WindowAi, stage 0
 *     else:                          W = Wc + WindowAi, stage + 1
 *     once per RTT: Wc = W
 *
 * T is the path's base RTT, the first window the bandwidth-delay product, the pacing rate W / T.
 * The RTT of the first ACK only records. Published evaluations also used MaxStage 0.
 */
class RdmaHpcc final : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaHpcc();
    ~RdmaHpcc() override;
    /** @return ACKs, INT. */
    uint32_t GetNeeds() const override;
    void Init(const RdmaPathInfo& path) override;
    void OnAck(const RdmaAckInfo& ack) override;
    uint8_t GetIntBytesPerHop() const override;

    /** @return averaged utilisation U. */
    double GetUtilization() const
    {
        return m_utilization;
    }

    /** @return window W, bytes. */
    double GetWindowBytes() const
    {
        return m_current;
    }

    /** @return reference window Wc, bytes. */
    double GetReferenceWindow() const
    {
        return m_reference;
    }

    /** @return additive stages since the last multiplicative one. */
    uint32_t GetStage() const
    {
        return m_stage;
    }

  private:
    /** Keep records for the next difference. */
    void Remember(const RdmaAckInfo& ack);
    /** Measure U by the newest records. @return false if they say nothing. */
    bool Measure(const RdmaAckInfo& ack);
    /** Tell rate and window. */
    void Publish();

    double m_eta;          //!< attribute Eta
    uint32_t m_maxStage;   //!< attribute MaxStage
    double m_windowAi;     //!< attribute WindowAi
    bool m_fastReact;      //!< attribute FastReact
    DataRate m_minRate;    //!< attribute MinRate
    uint8_t m_bytesPerHop; //!< attribute IntBytesPerHop

    double m_t{1};                   //!< base RTT, ticks
    double m_ticksPerSecond{1};      //!< resolution
    double m_line{0};                //!< bit/s
    double m_fullWindow{1};          //!< bytes
    double m_leastWindow{1};         //!< bytes
    double m_current{0};             //!< W, bytes
    double m_reference{0};           //!< Wc, bytes
    double m_utilization{1};         //!< U
    uint32_t m_stage{0};             //!< incStage
    bool m_started{false};           //!< there was an ACK
    uint64_t m_updatedBefore{0};     //!< PSN up to which packets were sent before the last update
    std::vector<IntRecord> m_before; //!< records of the ACK before
};

} // namespace llm
} // namespace ns3

#endif // RDMA_HPCC_H
