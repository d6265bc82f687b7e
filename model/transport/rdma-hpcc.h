/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HPCC_H
#define RDMA_HPCC_H

#include "rdma-int-base.h"

#include <cstdint>

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
class RdmaHpcc final : public RdmaIntBase
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaHpcc();
    ~RdmaHpcc() override;
    void Init(const RdmaPathInfo& path) override;

    /** @return averaged utilisation U. */
    double GetUtilization() const
    {
        return GetSignal();
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
    double MeasureHop(const IntRecord& now,
                      const IntRecord& before,
                      double dt,
                      double bytesPerTick) const override;
    bool UpdateWindow(bool newRound) override;

    double m_eta;        //!< attribute Eta
    uint32_t m_maxStage; //!< attribute MaxStage
    double m_windowAi;   //!< attribute WindowAi
    bool m_fastReact;    //!< attribute FastReact

    double m_reference{0}; //!< Wc, bytes
    uint32_t m_stage{0};   //!< incStage
};

} // namespace llm
} // namespace ns3

#endif // RDMA_HPCC_H
