/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-latent-attention-recipe.h"

#include "llm-overlapped-recipe.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Bytes of what is gathered, of all that a tensor-parallel group has. */
struct LatentBytes
{
    uint64_t query{0};     //!< compressed, or the input
    uint64_t keyValue{0};  //!< compressed
    uint64_t positions{0}; //!< of keys
};

/** Writes the recipes. */
class LatentAttention
{
  public:
    LatentAttention(const RecipeContext& context, const AttentionCore& core, int64_t againPs);

    PartRecipes Make();

  private:
    /** A time of the matrices in front of the core, cut in two. */
    struct Columns
    {
        int64_t downPs{0}; //!< compress
        int64_t upPs{0};   //!< expand
    };

    Columns Cut(int64_t columnPs) const;
    void Tensor(OperationKind kind, uint64_t bytes);
    void GatherCompressed();
    void ReduceGradients();

    const RecipeContext& m_context; //!< shape
    const AttentionCore& m_core;    //!< between the matrices
    int64_t m_againPs;              //!< core's forward, again
    PartFlops m_flops;              //!< of attention
    double m_down;                  //!< part of the columns that compresses
    LatentBytes m_bytes;            //!< gathered
    RecipeWriter m_writer;          //!< of the recipe at hand
};

LatentAttention::LatentAttention(const RecipeContext& context,
                                 const AttentionCore& core,
                                 int64_t againPs)
    : m_context(context),
      m_core(core),
      m_againPs(againPs),
      m_flops(GetAttentionFlops(context))
{
    const ModelConfig& model = context.model;
    const double down =
        2 * static_cast<double>(model.hidden_size *
                                (model.q_lora_rank + model.kv_lora_rank + model.qk_rope_head_dim));
    m_down = down / m_flops.column;
    const uint64_t token = context.activationBytes / model.hidden_size;
    m_bytes.query = token * (model.q_lora_rank > 0 ? model.q_lora_rank : model.hidden_size);
    m_bytes.keyValue = token * model.kv_lora_rank;
    m_bytes.positions = token * model.qk_rope_head_dim;
}

LatentAttention::Columns
LatentAttention::Cut(int64_t columnPs) const
{
    const auto downPs = static_cast<int64_t>(static_cast<double>(columnPs) * m_down);
    return {downPs, columnPs - downPs};
}

void
LatentAttention::Tensor(OperationKind kind, uint64_t bytes)
{
    ChainTensorCollective(m_writer, m_context, kind, bytes);
}

void
LatentAttention::GatherCompressed()
{
    Tensor(OperationKind::ALL_GATHER, m_bytes.query);
    Tensor(OperationKind::ALL_GATHER, m_bytes.keyValue);
}

void
LatentAttention::ReduceGradients()
{
    Tensor(OperationKind::REDUCE_SCATTER, m_bytes.query);
    Tensor(OperationKind::REDUCE_SCATTER, m_bytes.keyValue);
    Tensor(OperationKind::REDUCE_SCATTER, m_bytes.positions);
}

PartRecipes
LatentAttention::Make()
{
    const auto [forward, input, weight] = CutTimes(m_context.times.attention, m_flops);
    const Columns ahead = Cut(forward.columnPs);
    const Columns behind = Cut(input.columnPs);
    const Columns weights = Cut(weight.columnPs);
    PartRecipes recipes;

    m_writer.Compute(ahead.downPs);
    GatherCompressed();
    Tensor(OperationKind::ALL_GATHER, m_bytes.positions);
    m_writer.Compute(ahead.upPs);
    m_core.ChainForward(m_writer, forward.corePs);
    m_writer.Compute(forward.rowPs);
    ChainSequenceReduce(m_writer, m_context);
    recipes.forward = m_writer.Take();

    ChainSequenceGather(m_writer, m_context);
    m_writer.Compute(input.rowPs + weight.rowPs);
    m_core.ChainBackwardAgain(m_writer, m_againPs, input.corePs);
    GatherCompressed();
    m_writer.Compute(behind.upPs + weights.upPs);
    ReduceGradients();
    m_writer.Compute(behind.downPs + weights.downPs);
    recipes.backward = m_writer.Take();

    ChainSequenceGather(m_writer, m_context);
    m_writer.Compute(input.rowPs);
    m_core.ChainBackwardAgain(m_writer, m_againPs, input.corePs);
    m_writer.Compute(behind.upPs);
    ReduceGradients();
    m_writer.Compute(behind.downPs);
    recipes.backwardInput = m_writer.Take();

    GatherCompressed();
    m_writer.Compute(weight.rowPs + weight.columnPs);
    recipes.backwardWeight = m_writer.Take();
    return recipes;
}

} // namespace

PartRecipes
MakeLatentAttentionRecipes(const RecipeContext& context, const AttentionCore& core, int64_t againPs)
{
    return LatentAttention(context, core, againPs).Make();
}

} // namespace llm
} // namespace ns3
