/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRANSFER_REPLAY_H
#define LLM_TRANSFER_REPLAY_H

#include "llm-replay-links.h"

#include "ns3/llm-collective-algorithm.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The time of a collective on alpha-beta links, by working through the transfers of all its ranks
 * as a job does: the recursion over slices that stands behind closed forms of pipelined
 * algorithms. No packets, no simulator. All ranks begin at 0; ranks of a node talk over scale-up
 * links, whose ports keep the order of messages, others over the network, by other ports.
 *
 * Time grows with the number of transfers, memory with those under way.
 */
class TransferReplay
{
  public:
    /** How messages share a network port. */
    enum class Sharing : uint8_t
    {
        IN_ORDER, //!< one after the other, OrderedReplayLinks
        FAIR,     //!< connections at a time, FairReplayLinks: as queue pairs share a NIC
        BUFFERED  //!< senders fair, receivers in order, BufferedReplayLinks: a quiet packet fabric
    };

    /**
     * @param algorithm how; it can do @p spec.
     * @param spec what.
     * @param links of each rank.
     * @param sharing of network ports.
     */
    TransferReplay(const CollectiveAlgorithm& algorithm,
                   const CollectiveSpec& spec,
                   const CollectiveLinks& links,
                   Sharing sharing);
    ~TransferReplay();

    /**
     * Once.
     * @return when the last byte arrives, in picoseconds.
     * @throw ConfigError if ranks wait for transfers that never come.
     */
    double Run();

    /** @param rank group rank. @return when its last receive ended; 0: it has none. */
    double GetRankPs(uint32_t rank) const;

  private:
    struct Channel;

    /** Do whatever can be done in a channel of a rank. */
    void Progress(uint32_t rank, uint32_t channel, double nowPs);
    /** Take transfers from the program. @return true if there was any. */
    bool Pull(Channel& state);
    /** Start what may start. @return true if there was any. */
    bool Emit(uint32_t rank, uint32_t channel, double nowPs);
    /** A message is complete. */
    void Deliver(const ReplayMessage& message, double nowPs);

    const CollectiveSpec m_spec;            //!< what
    std::unique_ptr<ReplayLinks> m_network; //!< between nodes
    std::unique_ptr<ReplayLinks> m_scaleUp; //!< within
    std::vector<Channel> m_channels;        //!< rank by rank
    std::vector<double> m_rankPs;           //!< by rank
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRANSFER_REPLAY_H
