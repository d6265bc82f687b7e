/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RANDOM_SPRAY_H
#define RDMA_RANDOM_SPRAY_H

#include "rdma-path-selector.h"

#include "ns3/llm-philox.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A random source port for each packet, which switches that hash turn into a random path. The n-th
 * choice of a queue pair follows from ns-3's seed and run, the connection and n alone.
 */
class RdmaRandomSpray final : public RdmaPathSelector
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaRandomSpray();
    ~RdmaRandomSpray() override;
    uint32_t AddQueuePair(const RdmaQueuePair& queuePair) override;
    uint16_t ChooseInitial(const RdmaQueuePair& queuePair) override;
    bool IsPerPacket() const override;
    uint16_t Choose(const RdmaQueuePair& queuePair, uint64_t psn) override;

  private:
    /** What one queue pair has drawn. */
    struct State
    {
        uint64_t object{0};        //!< high half of the counter: the connection
        uint64_t drawn{0};         //!< how many so far
        Philox::Numbers numbers{}; //!< of the last block
    };

    uint32_t m_entropies;        //!< attribute Entropies
    Philox m_philox;             //!< random numbers
    std::vector<State> m_states; //!< by slot
};

} // namespace llm
} // namespace ns3

#endif // RDMA_RANDOM_SPRAY_H
