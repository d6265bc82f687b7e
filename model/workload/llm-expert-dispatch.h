/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_EXPERT_DISPATCH_H
#define LLM_EXPERT_DISPATCH_H

#include "llm-exchange-bytes.h"
#include "llm-expert-routing.h"
#include "llm-recipe-context.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * How tokens get to experts on other ranks and back: the plug point of
 * moe_token_dispatcher_type. A dispatcher chains its communication to a recipe. It is first told a
 * layer, whose routing then holds.
 */
class ExpertDispatch
{
  public:
    /** Keeps what all-to-alls exchange, as long as the recipes live. */
    using Exchanges = std::vector<std::unique_ptr<ExchangeBytes>>;

    /**
     * @param context of the recipe; it must outlive the dispatcher.
     * @param exchanges gets what the recipes refer to.
     * @return the dispatcher that the training config names.
     */
    static std::unique_ptr<ExpertDispatch> Make(const RecipeContext& context, Exchanges& exchanges);

    virtual ~ExpertDispatch() = default;

    /** @param layer global number of a layer with experts: from now on its routing holds. */
    void SetLayer(uint64_t layer);

    /** @return T: tokens of a rank, 1/t of those of its tensor-parallel group. */
    uint64_t GetTokens() const;
    /** @return numbers of tokens. */
    const ExpertRouting& GetRouting() const;
    /** @return whether the experts of every rank get as many tokens. */
    bool IsEven() const;
    /** @param expertRank coordinate on the EP axis. @return token slots that the experts of that
     *  rank compute, of all ranks that share them by et and e. */
    uint64_t GetComputedSlots(uint32_t expertRank) const;

    /** What has to be known before: numbers of tokens per expert. @param writer gets it. */
    virtual void ChainCounts(RecipeWriter& writer) const = 0;
    /** Tokens, or in backward the gradients of the experts' outputs, to the experts.
     *  @param writer gets it. @param expertRank coordinate on the EP axis. */
    virtual void ChainDispatch(RecipeWriter& writer, uint32_t expertRank) const = 0;
    /** Outputs, or in backward the gradients of the experts' inputs, back to the tokens' ranks.
     *  @param writer gets it. @param expertRank coordinate on the EP axis. */
    virtual void ChainCombine(RecipeWriter& writer, uint32_t expertRank) const = 0;

  protected:
    /** @param context of the recipe. @param exchanges see Make. */
    ExpertDispatch(const RecipeContext& context, Exchanges& exchanges);

    /** The layer has changed: make what its all-to-alls exchange. */
    virtual void Prepare() = 0;

    /** @return slots of each rank for the experts of each coordinate on the EP axis. */
    const std::vector<uint64_t>& GetRankSlots() const;
    /** @return bytes of a token on its way to an expert. */
    uint64_t GetDispatchBytes() const;
    /** @return bytes of a token on its way back. */
    uint64_t GetCombineBytes() const;
    /** @param exchange to keep. @return it. */
    const ExchangeBytes* Keep(std::unique_ptr<ExchangeBytes> exchange) const;
    /** Chains a collective; nothing over one rank. @param writer gets it. @param kind, group,
     *  bytes of it. @param exchange or null. */
    void Chain(RecipeWriter& writer,
               OperationKind kind,
               const char* group,
               uint64_t bytes,
               const ExchangeBytes* exchange = nullptr) const;

    const RecipeContext& m_context; //!< shape
    uint32_t m_expertSize;          //!< e
    uint32_t m_expertTensorSize;    //!< et
    uint64_t m_layer{0};            //!< whose routing holds

  private:
    Exchanges& m_exchanges;            //!< kept
    ExpertRouting m_routing;           //!< numbers of tokens
    std::vector<uint64_t> m_rankSlots; //!< by coordinate on the EP axis
};

} // namespace llm
} // namespace ns3

#endif // LLM_EXPERT_DISPATCH_H
