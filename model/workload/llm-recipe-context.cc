/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-recipe-context.h"

namespace ns3
{
namespace llm
{

uint32_t
RecipeContext::GetTensorSize() const
{
    return layout.GetSize(ParallelAxis::TP);
}

uint64_t
RecipeContext::CountOnRank(const ParameterTensor& tensor) const
{
    return tensor.GetElementsOnRank(GetTensorSize(),
                                    paddedVocabSize,
                                    layout.GetSize(ParallelAxis::EP),
                                    layout.GetSize(ParallelAxis::ETP));
}

void
ChainTensorCollective(RecipeWriter& writer,
                      const RecipeContext& context,
                      OperationKind kind,
                      uint64_t bytes)
{
    if (context.GetTensorSize() == 1)
    {
        return;
    }
    RecipeStep step;
    step.kind = kind;
    step.stream = OperationStream::TENSOR;
    step.dimension = ParallelDimension::TENSOR;
    step.group = "tp";
    step.bytes = bytes;
    writer.Chain(step);
}

void
ChainSequenceGather(RecipeWriter& writer, const RecipeContext& context)
{
    if (context.sequenceParallel)
    {
        ChainTensorCollective(writer, context, OperationKind::ALL_GATHER, context.activationBytes);
    }
}

void
ChainSequenceReduce(RecipeWriter& writer, const RecipeContext& context)
{
    ChainTensorCollective(writer,
                          context,
                          context.sequenceParallel ? OperationKind::REDUCE_SCATTER
                                                   : OperationKind::ALL_REDUCE,
                          context.activationBytes);
}

} // namespace llm
} // namespace ns3
