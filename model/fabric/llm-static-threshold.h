/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_STATIC_THRESHOLD_H
#define LLM_STATIC_THRESHOLD_H

#include "fabric-buffer-policy.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Static threshold: every queue may use the same number of bytes, whatever the others do, as far as
 * the pool reaches.
 */
class StaticThreshold : public FabricBufferPolicy
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    StaticThreshold();
    ~StaticThreshold() override;
    uint64_t GetThreshold(uint64_t size, uint64_t used) const override;

  private:
    uint64_t m_bytes; //!< attribute Bytes
};

} // namespace llm
} // namespace ns3

#endif // LLM_STATIC_THRESHOLD_H
