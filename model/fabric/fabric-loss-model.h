/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_LOSS_MODEL_H
#define FABRIC_LOSS_MODEL_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Decides which arriving frames are lost (corrupted on the link). One instance per port.
 */
class FabricLossModel : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    /** @param port identity of the port. @param key random key of the fabric. */
    virtual void Configure(uint32_t port, uint64_t key);
    /** @param frame that arrived. @return true to lose it. */
    virtual bool IsLost(const Frame& frame) = 0;
};

/**
 * @ingroup llm-training
 *
 * Loses each frame with a fixed probability, independently, by counter-based random numbers.
 */
class RandomLossModel : public FabricLossModel
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RandomLossModel();
    ~RandomLossModel() override;
    void Configure(uint32_t port, uint64_t key) override;
    bool IsLost(const Frame& frame) override;

  private:
    double m_probability; //!< attribute Probability
    uint32_t m_port{0};   //!< identity
    uint64_t m_key{0};    //!< random key
    uint64_t m_frames{0}; //!< frames seen, the counter of the random numbers
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_LOSS_MODEL_H
