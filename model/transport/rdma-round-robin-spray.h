/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ROUND_ROBIN_SPRAY_H
#define RDMA_ROUND_ROBIN_SPRAY_H

#include "rdma-path-selector.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The next of N source ports for each packet, every queue pair from a place of its own ("oblivious"
 * in UEC's terms). Switches that hash spread them over paths, evenly only if N is large.
 */
class RdmaRoundRobinSpray final : public RdmaPathSelector
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaRoundRobinSpray();
    ~RdmaRoundRobinSpray() override;
    uint32_t AddQueuePair(const RdmaQueuePair& queuePair) override;
    uint16_t ChooseInitial(const RdmaQueuePair& queuePair) override;
    bool IsPerPacket() const override;
    uint16_t Choose(const RdmaQueuePair& queuePair, uint64_t psn) override;

  private:
    uint32_t m_entropies;         //!< attribute Entropies
    std::vector<uint32_t> m_next; //!< next of them, by slot
};

} // namespace llm
} // namespace ns3

#endif // RDMA_ROUND_ROBIN_SPRAY_H
