/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FLEX_DISPATCH_H
#define LLM_FLEX_DISPATCH_H

#include "llm-expert-dispatch.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * moe_token_dispatcher_type flex, as DeepEP does it: a token crosses to each node that has one of
 * its experts once, to the rank at the same place of that node, which hands it on to the ranks
 * with such experts (DeepSeek-V3 s.3.2.2). See NodeExchange. Not modelled: that DeepEP's hops work
 * on chunks and so overlap; counts and routing indices.
 */
class FlexDispatch : public ExpertDispatch
{
  public:
    /**
     * @param context, exchanges see ExpertDispatch. Throws ConfigError if groups do not have
     *        equally many members in each of their nodes.
     */
    FlexDispatch(const RecipeContext& context, Exchanges& exchanges);

    void ChainCounts(RecipeWriter& writer) const override;
    void ChainDispatch(RecipeWriter& writer, uint32_t expertRank) const override;
    void ChainCombine(RecipeWriter& writer, uint32_t expertRank) const override;

    /**
     * @param layout grid of ranks.
     * @param ranksPerNode neighbouring ranks that share a node.
     * @return members of an ep group in a node, neighbours in the group; 0 if the groups do not
     *         have equally many in each of their nodes.
     */
    static uint32_t CountMembersPerNode(const ParallelLayout& layout, uint32_t ranksPerNode);

  protected:
    void Prepare() override;

  private:
    /** What goes both ways over a hop. */
    struct Hop
    {
        const ExchangeBytes* there{nullptr}; //!< to the experts
        const ExchangeBytes* back{nullptr};  //!< from them
    };

    Hop MakeHop(bool within, const std::vector<uint64_t>& tokens) const;

    uint32_t m_membersPerNode; //!< of an ep group
    uint32_t m_nodes{0};       //!< of an ep group
    Hop m_between;             //!< over the network
    Hop m_within;              //!< in a node
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLEX_DISPATCH_H
