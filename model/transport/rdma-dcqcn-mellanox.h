/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCQCN_MELLANOX_H
#define RDMA_DCQCN_MELLANOX_H

#include "rdma-dcqcn-base.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * DCQCN as ConnectX-4 and later adapters do it, with the names of NVIDIA's parameters in brackets
 * (NVIDIA DOCA documentation, "DCQCN CC Parameters"). It differs from RdmaDcqcn in that alpha and
 * rate follow periodic checks, which the first CNP starts:
 *
 * - Every AlphaTimer [dce_tcp_rtt]: alpha becomes (1-g) alpha, plus g if a CNP came since the last
 *   update. The adapter's dce_tcp_g is what is kept, 1 - g.
 * - Every DecreasePeriod [rate_reduce_monitor_period], if a CNP came since the last check: the
 *   current rate is multiplied by 1 - alpha 2^(10 - AlphaToRateShift), which is 1 - alpha/2 by
 *   default, but by no less than MinDecreaseFactor. Before that the target becomes the current
 *   rate, if there was an increase since the last decrease or ClampTargetRate is set. A decrease
 *   starts the increase timer and the byte counter anew, and goes before an increase of the same
 *   instant.
 * - Every IncreaseTimer [rpg_time_reset], and every ByteCounter bytes [rpg_byte_reset]: with T and
 *   B such intervals done before since the last decrease, nothing is added to the target while both
 *   are below F (FastRecoverySteps, [rpg_threshold]), RateHai [rpg_hai_rate] if both are above F,
 *   else RateAi [rpg_ai_rate]. Then the current rate goes half the way to the target.
 *
 * The byte counter is off by default, as in simulators of the HPCC family: the adapter's 32767
 * bytes would mean an increase every few packets.
 *
 * Defaults are NVIDIA's. Other sets in use: HPCC's "dcqcn" is G 1/256, InitialAlpha 1, RateAi
 * 5 Mb/s and RateHai 50 Mb/s with AiReferenceRate 25 Gb/s, MinRate 1000 Mb/s, WindowBdp 0; with a
 * window of one bandwidth-delay product that follows the rate it is WindowBdp 1, VariableWindow
 * true.
 */
class RdmaDcqcnMellanox final : public RdmaDcqcnBase
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaDcqcnMellanox();
    ~RdmaDcqcnMellanox() override;
    void Init(const RdmaPathInfo& path) override;
    void OnCnp(Time now) override;
    void OnTimer(Time now, uint32_t id) override;
    double GetAlpha(Time now) const override;

  protected:
    double GetTargetStep(uint32_t lowest, uint32_t highest) const override;

  private:
    /** Timer id of decreases. */
    static constexpr uint32_t DECREASE_TIMER = 1;

    /** Bring alpha up to date. @param until tick of the last update to do. */
    void UpdateAlpha(int64_t until);
    /** A check found that a CNP came. @param now tick. */
    void DoDecrease(int64_t now);

    Time m_decreasePeriod;      //!< attribute DecreasePeriod
    DataRate m_rateOnFirstCnp;  //!< attribute RateOnFirstCnp
    double m_minDecreaseFactor; //!< attribute MinDecreaseFactor
    uint32_t m_alphaShift;      //!< attribute AlphaToRateShift
    bool m_clamp;               //!< attribute ClampTargetRate
    bool m_clampAfterTimer;     //!< attribute ClampTargetRateAfterTimeIncrease

    bool m_alphaCnp{false};      //!< a CNP came since the last update of alpha
    double m_alphaToRate{0.5};   //!< alpha's part in a decrease
    double m_alpha{0};           //!< estimate at m_alphaAt
    int64_t m_alphaAt{0};        //!< tick of the last update of alpha
    int64_t m_firstCnpAt{NEVER}; //!< tick of the first CNP, from which periods count
    int64_t m_decreasedAt{0};    //!< tick of the last decrease
    int64_t m_decreaseAt{NEVER}; //!< tick of the next check that has to decrease
};

} // namespace llm
} // namespace ns3

#endif // RDMA_DCQCN_MELLANOX_H
