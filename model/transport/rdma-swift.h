/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SWIFT_H
#define RDMA_SWIFT_H

#include "rdma-congestion-ops.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Swift (Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020): a window that holds the RTT at a target, which grows with the number
 * of hops and as the window shrinks (flow scaling), so that many flows stay fair.
 *
 *     target = base + hops * HopScaling + max(0, min(a / sqrt(cwnd) + b, FsRange))
 *     a = FsRange / (1 / sqrt(FsMin) - 1 / sqrt(FsMax)),  b = -a / sqrt(FsMax)
 *
 * - delay below target: cwnd grows by AdditiveIncrease packets per RTT.
 * - else, once per RTT: cwnd *= max(1 - Beta (delay - target) / delay, 1 - MaxDecrease).
 * - NAK: once per RTT, cwnd *= 1 - MaxDecrease; so on a timeout, or MinWindow after RetryReset.
 *
 * A window below one packet is paced: one packet per RTT / cwnd.
 *
 * Not modelled: the second window, for delay at the receiving host; this NIC has none.
 * The paper publishes no values for its fabric; defaults here follow from the path, see attributes.
 */
class RdmaSwift final : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaSwift();
    ~RdmaSwift() override;
    /** @return ACKs. */
    uint32_t GetNeeds() const override;
    /**
     * Start with InitialWindow.
     * @param path that the queue pair uses.
     * @throw ConfigError if FsMin is not below FsMax.
     */
    void Init(const RdmaPathInfo& path) override;
    void OnAck(const RdmaAckInfo& ack) override;
    void OnLoss(Time now, RdmaLossKind kind) override;

    /** @return target delay for the present window, seconds. */
    double GetTargetSeconds() const;

    /** @return window, packets of the path MTU. */
    double GetWindowPackets() const
    {
        return m_cwnd;
    }

    /** @return a of flow scaling, seconds. */
    double GetFsAlpha() const
    {
        return m_fsAlpha;
    }

    /** @return b of flow scaling, seconds. */
    double GetFsBeta() const
    {
        return m_fsBeta;
    }

  private:
    /** @return true if the last decrease is an RTT ago. @param now tick. */
    bool MayDecrease(int64_t now) const;
    /** Multiply the window. @param now tick. @param factor of it. */
    void Decrease(int64_t now, double factor);
    /** Keep the window in its bounds and tell it. */
    void Publish();

    Time m_baseTarget;      //!< attribute BaseTarget
    Time m_hopScaling;      //!< attribute HopScaling
    Time m_fsRangeTime;     //!< attribute FsRange
    double m_fsMin;         //!< attribute FsMin
    double m_fsMax;         //!< attribute FsMax
    double m_increase;      //!< attribute AdditiveIncrease
    double m_beta;          //!< attribute Beta
    double m_maxDecrease;   //!< attribute MaxDecrease
    double m_minWindow;     //!< attribute MinWindow
    double m_maxWindowBdp;  //!< attribute MaxWindowBdp
    double m_initialWindow; //!< attribute InitialWindow
    uint32_t m_retryReset;  //!< attribute RetryReset

    RdmaPathInfo m_path;        //!< as in Init
    double m_base{0};           //!< target without flow scaling, seconds
    double m_fsRange{0};        //!< seconds
    double m_fsAlpha{0};        //!< seconds
    double m_fsBeta{0};         //!< seconds
    double m_cwnd{1};           //!< packets
    double m_maxWindow{1};      //!< packets
    int64_t m_rtt{1};           //!< last sample, ticks
    int64_t m_decreasedAt{0};   //!< tick of the last decrease
    bool m_hasDecreased{false}; //!< there was one
    uint32_t m_timeouts{0};     //!< in a row
    mutable double m_root{1};   //!< of the window, where the search for the next root begins
};

} // namespace llm
} // namespace ns3

#endif // RDMA_SWIFT_H
