/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DROP_COUNTER_H
#define LLM_DROP_COUNTER_H

#include "ns3/llm-fabric.h"

#include <cstdint>
#include <map>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Counts dropped frames by reason, from the trace source FrameDrop of FabricPort. Must live as long
 * as the fabric runs.
 */
class DropCounter
{
  public:
    DropCounter() = default;
    DropCounter(const DropCounter&) = delete;
    DropCounter& operator=(const DropCounter&) = delete;

    /** @param fabric whose ports are watched. */
    void Connect(Ptr<Fabric> fabric);

    /** @return frames by reason; reasons that occurred. */
    const std::map<DropReason, uint64_t>& GetCounts() const
    {
        return m_counts;
    }

  private:
    /** Sink of FrameDrop. */
    void FrameDrop(const FabricPort* port, const Frame& frame, DropReason reason);

    std::map<DropReason, uint64_t> m_counts; //!< by reason
};

} // namespace llm
} // namespace ns3

#endif // LLM_DROP_COUNTER_H
