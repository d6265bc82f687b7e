/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NSCC_H
#define RDMA_NSCC_H

#include "rdma-congestion-ops.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * NSCC, network-signalled congestion control of the Ultra Ethernet specification 1.0, s. 3.6: a
 * window steered by ECN echoes and by the queueing delay, the RTT less that of an unloaded path.
 * Constants are those of a reference network of 100 Gb/s and 12 us, scaled by
 * a = BDP / reference BDP and b = target delay / 12 us:
 *
 * - no echo, delay below the target Q: increase by 4 MTU a b / Q (Q - delay) per acknowledged byte
 *   and window (proportional); below FastDelay for a whole window: by a/4 of what is acknowledged
 *   (fast).
 * - no echo, delay above: by 5 MTU a per window (fair).
 * - echo, delay below: no change.
 * - echo, delay above: once per base RTT, if the average delay is above Q, window *= max(1 - Gamma
 *   (average - Q) / average, 1/2).
 * - Once per base RTT + Q: after a loss or a delay above 4 Q, if less than an eighth of the
 * greatest window was acknowledged, the window becomes that (quick adapt).
 * - Every NAK takes one MTU off the window unless it was just replaced so: each trimmed packet, and
 *   each noticed loss.
 *
 * Increases are gathered and applied every 8 MTU or RTT, with 0.15 MTU a once per RTT.
 *
 * Switches should mark from Kmin = 0.2 BDP to Kmax = 0.8 BDP. Not modelled: choice of entropy (see
 * RdmaPathSelector), receiver credits.
 */
class RdmaNscc final : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaNscc();
    ~RdmaNscc() override;
    /** @return ACKs of every packet, with ECN echo. */
    uint32_t GetNeeds() const override;
    void Init(const RdmaPathInfo& path) override;
    void OnAck(const RdmaAckInfo& ack) override;
    void OnLoss(Time now, RdmaLossKind kind) override;

    /** What follows from the path. */
    struct Constants
    {
        double bdp{0};             //!< bytes
        double scalingA{0};        //!< a
        double scalingB{0};        //!< b
        double targetDelay{0};     //!< Q, seconds
        double alpha{0};           //!< of the proportional increase, bytes per second
        double fairIncrease{0};    //!< bytes
        double eta{0};             //!< bytes per RTT
        double fastScale{0};       //!< share of what is acknowledged
        double maxWindow{0};       //!< bytes
        double quickAdaptDelay{0}; //!< seconds
    };

    /** @return constants of this path. */
    const Constants& GetConstants() const
    {
        return m_constants;
    }

    /** @param delay average queueing delay, seconds. @return factor of a decrease. */
    double GetDecreaseFactor(double delay) const;

    /** @return window, bytes. */
    double GetWindowBytes() const
    {
        return m_cwnd;
    }

  private:
    /** Gather the increase, or decrease. */
    void React(const RdmaAckInfo& ack, double delay);
    /** Gather the fast increase. @return true if it holds. */
    bool GrowFast(double acked, double delay);
    /** End of an epoch: fall to what arrived. @return true if the window was replaced. */
    bool QuickAdapt(const RdmaAckInfo& ack, double delay);
    /** Apply what was gathered. @param now tick. */
    void Fulfil(int64_t now);
    /** Keep the window in its bounds and tell it. */
    void Publish();

    double m_targetRtts;  //!< attribute TargetRtts
    double m_gamma;       //!< attribute Gamma
    double m_maxBdp;      //!< attribute MaxWindowBdp
    double m_delayWeight; //!< attribute DelayWeight
    Time m_fastDelay;     //!< attribute FastDelay
    DataRate m_refRate;   //!< attribute ReferenceRate
    Time m_refRtt;        //!< attribute ReferenceRtt

    Constants m_constants;        //!< of the path
    uint64_t m_line{0};           //!< bit/s
    double m_mtu{1};              //!< bytes
    int64_t m_baseRtt{1};         //!< ticks
    int64_t m_leastRtt{0};        //!< sample without a queue, ticks
    int64_t m_adaptPeriod{1};     //!< ticks
    double m_cwnd{0};             //!< bytes
    double m_average{0};          //!< queueing delay, seconds
    double m_increase{0};         //!< gathered, square bytes
    double m_sinceFulfil{0};      //!< bytes acknowledged
    int64_t m_fulfilledAt{0};     //!< tick
    int64_t m_etaAt{0};           //!< tick
    int64_t m_decreasedAt{0};     //!< tick
    bool m_hasDecreased{false};   //!< there was a decrease
    double m_fastBytes{0};        //!< acknowledged in a row without delay
    int64_t m_adaptAt{0};         //!< end of the epoch of quick adapt; 0: none
    double m_achieved{0};         //!< bytes acknowledged in it
    bool m_lossInEpoch{false};    //!< a loss was noticed in it
    bool m_adaptedInEpoch{false}; //!< the window was replaced at its beginning
    double m_ignore{0};           //!< bytes in flight that were sent with the former window
};

} // namespace llm
} // namespace ns3

#endif // RDMA_NSCC_H
