/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BIT_ERROR_LOSS_MODEL_H
#define BIT_ERROR_LOSS_MODEL_H

#include "fabric-loss-model.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Independent bit errors: a frame of n bits, FCS included, survives with probability
 * (1 - BitErrorRate)^n, so that long frames suffer most. A frame with an error is lost; the FCS
 * always finds it. Forward error correction is not modelled: give the rate that is left behind it.
 *
 * Random numbers are counter-based, and the power is computed by multiplication alone, so that the
 * same frames are lost on every machine.
 */
class BitErrorLossModel final : public FabricLossModel
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    BitErrorLossModel();
    ~BitErrorLossModel() override;

    /** @param before asked first, for a port that has another model as well; nullptr: none. */
    void SetBefore(Ptr<FabricLossModel> before);
    /** @return that model, or nullptr. */
    Ptr<FabricLossModel> GetBefore() const;

    /**
     * @param bitErrorRate probability that a bit is wrong, 0 to 1.
     * @param bits number of bits.
     * @return probability that at least one of them is.
     */
    static double GetLossProbability(double bitErrorRate, uint64_t bits);

    void Configure(uint32_t port, uint64_t key) override;
    bool IsLost(const Frame& frame) override;

  protected:
    void DoDispose() override;

  private:
    double m_bitErrorRate;         //!< attribute BitErrorRate
    Ptr<FabricLossModel> m_before; //!< asked first
    uint32_t m_port{0};            //!< identity
    uint64_t m_key{0};             //!< random key
    uint64_t m_frames{0};          //!< frames seen, the counter of the random numbers
    uint32_t m_bytes{0};           //!< frame length that m_threshold is for
    uint64_t m_threshold{0};       //!< loss probability times 2^53
};

} // namespace llm
} // namespace ns3

#endif // BIT_ERROR_LOSS_MODEL_H
