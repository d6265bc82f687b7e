/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SINGLE_PATH_H
#define RDMA_SINGLE_PATH_H

#include "rdma-path-selector.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * One source port per queue pair for life, 0xC000 to 0xFFFF, from a hash of the connection: all its
 * packets take one path under ECMP.
 */
class RdmaSinglePath final : public RdmaPathSelector
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    uint16_t ChooseInitial(const RdmaQueuePair& queuePair) override;
    bool IsPerPacket() const override;
    uint16_t Choose(const RdmaQueuePair& queuePair, uint64_t psn) override;
};

} // namespace llm
} // namespace ns3

#endif // RDMA_SINGLE_PATH_H
