/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DYNAMIC_THRESHOLD_H
#define LLM_DYNAMIC_THRESHOLD_H

#include "fabric-buffer-policy.h"

namespace ns3
{
namespace llm
{

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

#endif // LLM_DYNAMIC_THRESHOLD_H
