/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_NODE_EXCHANGE_H
#define LLM_NODE_EXCHANGE_H

#include "llm-exchange-bytes.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/** The two hops of tokens that cross the network once per node. */
enum class NodeHop : uint8_t
{
    BETWEEN, //!< to the rank at the same place of another node
    WITHIN   //!< from there to the ranks of its node
};

/**
 * @ingroup llm-training
 *
 * One hop of an exchange that goes once per node over the network and is fanned out within the
 * node, as DeepEP does it (DeepSeek-V3 s.3.2.2). The members of a node are neighbours in the
 * group.
 *
 * - BETWEEN: rank j of each node gives rank j of another node @p bytes[node]: one copy of each
 *   token that has something to do there. Its own node gets nothing this way.
 * - WITHIN: rank j of a node gives rank k of that node @p bytes[rank k] of each node's rank j,
 *   that is times the number of nodes, since it hands on what has come from all of them, its own
 *   tokens included.
 *
 * The reverse brings results back, summed within the node first.
 */
class NodeExchange : public ExchangeBytes
{
  public:
    /**
     * @param hop which.
     * @param bytes by node (BETWEEN) or by rank of the group (WITHIN).
     * @param ranksPerNode members of a node.
     * @param reverse whether results come back.
     */
    NodeExchange(NodeHop hop, std::vector<uint64_t> bytes, uint32_t ranksPerNode, bool reverse);

    uint32_t GetGroupSize() const override;
    uint64_t Get(uint32_t from, uint32_t to) const override;
    uint64_t GetSent(uint32_t from) const override;
    uint64_t GetReceived(uint32_t to) const override;

  private:
    /** @return bytes that a rank gives on the way there. */
    uint64_t GetGiven(uint32_t giver) const;
    /** @return bytes that a rank gets on the way there. */
    uint64_t GetGotten(uint32_t getter) const;

    NodeHop m_hop;                 //!< which
    std::vector<uint64_t> m_bytes; //!< by node or by rank
    uint32_t m_ranksPerNode;       //!< members of a node
    uint32_t m_nodes;              //!< in the group
    bool m_reverse;                //!< results come back
};

} // namespace llm
} // namespace ns3

#endif // LLM_NODE_EXCHANGE_H
