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

namespace
{

/** @return a collective over the tensor-parallel group. */
RecipeStep
MakeTensorStep(OperationKind kind, uint64_t bytes)
{
    RecipeStep step;
    step.kind = kind;
    step.stream = OperationStream::TENSOR;
    step.dimension = ParallelDimension::TENSOR;
    step.group = "tp";
    step.bytes = bytes;
    return step;
}

} // namespace

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

bool
RecipeContext::OverlapsTensor() const
{
    return training.tp_comm_overlap && sequenceParallel;
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
    writer.Chain(MakeTensorStep(kind, bytes));
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

void
ChainGatherBeside(RecipeWriter& writer, const RecipeContext& context, int64_t durationPs)
{
    const uint32_t gather =
        writer.Beside(MakeTensorStep(OperationKind::ALL_GATHER, context.activationBytes));
    writer.Compute(durationPs);
    if (durationPs > 0)
    {
        writer.Join(gather);
    }
    else
    {
        writer.GoBack(RecipeEnd{{gather}, false});
    }
}

void
ChainReduceBeside(RecipeWriter& writer, const RecipeContext& context, int64_t durationPs)
{
    const uint32_t reduction =
        writer.Beside(MakeTensorStep(OperationKind::REDUCE_SCATTER, context.activationBytes));
    writer.Compute(durationPs);
    if (durationPs > 0)
    {
        writer.Join(reduction);
    }
    else
    {
        writer.GoBack(RecipeEnd{{reduction}, false});
    }
}

} // namespace llm
} // namespace ns3
