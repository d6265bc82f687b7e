/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_BUFFER_POLICY_H
#define FABRIC_BUFFER_POLICY_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Decides how much of a shared pool one queue may use.
 */
class FabricBufferPolicy : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    /**
     * @param size bytes of the pool.
     * @param used bytes of the pool in use, <= size unless headroom spilled.
     * @return bytes that a queue may use now.
     */
    virtual uint64_t GetThreshold(uint64_t size, uint64_t used) const = 0;
};

/**
 * @ingroup llm-training
 *
 * Dynamic threshold (Choudhury and Hahne, 1998): T = alpha (size - used). n saturated queues get
 * alpha S / (1 + n alpha) each.
 */
class DynamicThreshold : public FabricBufferPolicy
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    DynamicThreshold();
    ~DynamicThreshold() override;
    uint64_t GetThreshold(uint64_t size, uint64_t used) const override;

  private:
    /** @param alpha share of the free pool. */
    void SetAlpha(double alpha);
    /** @return share of the free pool. */
    double GetAlpha() const;

    uint64_t m_alphaFixed; //!< alpha with 16 fractional bits
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_BUFFER_POLICY_H
