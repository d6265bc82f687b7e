/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REPS_H
#define RDMA_REPS_H

#include "rdma-path-selector.h"

#include "ns3/llm-philox.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * REPS, recycled entropy packet spraying (Bonato et al., "REPS: Recycled Entropy Packet Spraying
 * for Adaptive Load Balancing and Failure Mitigation", 2024): a source port whose packet was
 * acknowledged without a mark is kept in a small ring and used for one more packet, oldest first;
 * with none kept a packet explores a random one. After a timeout nothing is explored for
 * FreezeTime: what the ring holds, the last source ports that were good, is used over and over, and
 * acknowledgements go on to renew it; then ExplorePackets packets look for new ones.
 *
 * A queue pair's ring grows by one for each ACK, so every packet should be acknowledged (an
 * acknowledgement interval of 1). Congestion control works beside it.
 */
class RdmaReps final : public RdmaPathSelector
{
  public:
    /** What one queue pair remembers. */
    struct State
    {
        uint64_t object{0};         //!< high half of the counter: the connection
        uint64_t drawn{0};          //!< random source ports so far
        int64_t frozenUntil{0};     //!< tick, while frozen
        uint32_t head{0};           //!< place of the ring that is written next
        uint32_t fresh{0};          //!< kept and not used since
        uint32_t filled{0};         //!< places that were ever written
        uint32_t explore{0};        //!< packets that still explore
        bool frozen{false};         //!< after a timeout
        std::vector<uint16_t> ring; //!< source ports
    };

    /** @return type id. */
    static TypeId GetTypeId();
    RdmaReps();
    ~RdmaReps() override;
    uint32_t AddQueuePair(const RdmaQueuePair& queuePair) override;
    uint16_t ChooseInitial(const RdmaQueuePair& queuePair) override;
    bool IsPerPacket() const override;
    uint16_t Choose(const RdmaQueuePair& queuePair, uint64_t psn) override;
    bool WantsFeedback() const override;
    void Feedback(const RdmaQueuePair& queuePair, uint16_t entropy, RdmaPathEvent event) override;
    std::vector<std::pair<std::string, uint64_t>> GetCounters() const override;

    // The algorithm, apart from queue pairs and clocks, for tests.
    /** @param object number of a connection. @return its slot. */
    uint32_t AddState(uint64_t object);
    /** @param slot of a queue pair. @param now tick. @return source port of its next packet. */
    uint16_t Next(uint32_t slot, int64_t now);
    /** @param slot of a queue pair. @param entropy of Feedback. @param event of Feedback. @param
     * now tick. */
    void Hear(uint32_t slot, uint16_t entropy, RdmaPathEvent event, int64_t now);

    /** @param slot of a queue pair. @return what it remembers. */
    const State& GetState(uint32_t slot) const
    {
        return m_states[slot];
    }

    /** @return packets of all queue pairs that used a source port again. */
    uint64_t GetRecycled() const
    {
        return m_recycled;
    }

    /** @return packets of all queue pairs that took a random one. */
    uint64_t GetExplored() const
    {
        return m_explored;
    }

  private:
    /** @return a random source port. */
    uint16_t Explore(State& state);

    uint32_t m_buffer;           //!< attribute Buffer
    uint32_t m_entropies;        //!< attribute Entropies
    uint32_t m_explorePackets;   //!< attribute ExplorePackets
    Time m_freezeTime;           //!< attribute FreezeTime
    Philox m_philox;             //!< random numbers
    uint64_t m_recycled{0};      //!< packets
    uint64_t m_explored{0};      //!< packets
    std::vector<State> m_states; //!< by slot
};

} // namespace llm
} // namespace ns3

#endif // RDMA_REPS_H
