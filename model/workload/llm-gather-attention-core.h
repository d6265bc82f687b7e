/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_GATHER_ATTENTION_CORE_H
#define LLM_GATHER_ATTENTION_CORE_H

#include "llm-attention-core.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * All-gather of keys and values ahead of the core, reduce-scatter of their gradients behind its
 * backward (Llama 3, s.3.3.2). The gathered ones are kept for backward; Transformer Engine gathers
 * them again.
 */
class GatherAttentionCore : public AttentionCore
{
  public:
    /** @param context of the recipe. */
    explicit GatherAttentionCore(const RecipeContext& context);

    void ChainForward(RecipeWriter& writer, int64_t durationPs) const override;
    void ChainBackward(RecipeWriter& writer, int64_t durationPs) const override;

  private:
    /** @return bytes of the keys and values of all ranks. */
    uint64_t GetAllBytes() const;
};

} // namespace llm
} // namespace ns3

#endif // LLM_GATHER_ATTENTION_CORE_H
