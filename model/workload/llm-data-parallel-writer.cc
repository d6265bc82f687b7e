/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-data-parallel-writer.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** @return whether the gradients of the weights are there after such a pass. */
bool
MakesWeightGradients(PassKind kind)
{
    return kind == PassKind::BACKWARD || kind == PassKind::BACKWARD_WEIGHT;
}

} // namespace

DataParallelWriter::DataParallelWriter(const TrainingStep& step,
                                       OperationWriter& writer,
                                       const PipelineSchedule& schedule)
    : m_step(step),
      m_writer(writer)
{
    const PipelinePlacement& placement = step.GetPlacement();
    const uint32_t pipelineRank =
        step.GetLayout().GetCoordinate(writer.GetRank(), ParallelAxis::PP);
    for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
    {
        const uint32_t number = placement.GetStage({pipelineRank, chunk});
        m_chunks.push_back({number,
                            &step.GetStage(number),
                            schedule.Count(PassKind::BACKWARD, chunk) +
                                schedule.Count(PassKind::BACKWARD_WEIGHT, chunk),
                            0});
    }
}

void
DataParallelWriter::BeginPass(const PipelinePass& pass)
{
    if (MakesWeightGradients(pass.kind))
    {
        --m_chunks[pass.chunk].passesLeft;
    }
}

void
DataParallelWriter::EndPart(const PipelinePass& pass,
                            std::size_t part,
                            const OperationLinks& lastCompute)
{
    Chunk& chunk = m_chunks[pass.chunk];
    if (!MakesWeightGradients(pass.kind) || chunk.passesLeft > 0 ||
        !m_step.GetTraining().overlap_grad_reduce)
    {
        return;
    }
    m_writer.SetLabels(StepPhase::GRADIENT, static_cast<int32_t>(pass.microbatch));
    const auto& buckets = chunk.stage->buckets;
    while (chunk.nextBucket < buckets.size() && buckets[chunk.nextBucket].firstPart >= part)
    {
        Reduce(buckets[chunk.nextBucket++], lastCompute);
    }
}

void
DataParallelWriter::EndPasses(OperationLinks& chain)
{
    // The last stage first, as backward goes. Where another rank of the group holds the same stages
    // in other chunks (DualPipe), both keep this order.
    std::vector<Chunk*> chunks;
    for (auto& chunk : m_chunks)
    {
        chunks.push_back(&chunk);
    }
    std::sort(chunks.begin(), chunks.end(), [](const Chunk* one, const Chunk* other) {
        return one->number > other->number;
    });
    for (Chunk* const waiting : chunks)
    {
        Chunk& chunk = *waiting;
        const auto& buckets = chunk.stage->buckets;
        while (chunk.nextBucket < buckets.size())
        {
            Reduce(buckets[chunk.nextBucket++], chain);
        }
    }
    chain.insert(chain.end(), m_lastReduce.begin(), m_lastReduce.end());
}

void
DataParallelWriter::SkipPasses()
{
    for (auto& chunk : m_chunks)
    {
        chunk.nextBucket = chunk.stage->buckets.size();
    }
}

void
DataParallelWriter::Reduce(const StageBucket& bucket, const OperationLinks& waits)
{
    if (m_step.GetLayout().GetGroupSize(bucket.group) == 1)
    {
        return;
    }
    RecipeStep step;
    step.kind = OperationKind::ALL_REDUCE;
    step.stream = OperationStream::DATA;
    step.dimension = ParallelDimension::DATA;
    step.group = bucket.group;
    step.bytes = bucket.bucket.bytes;
    m_lastReduce = {m_writer.Write(step, waits)};
}

uint64_t
DataParallelWriter::Count(const TrainingStep& step, uint32_t rank)
{
    const PipelinePlacement& placement = step.GetPlacement();
    const uint32_t pipelineRank = step.GetLayout().GetCoordinate(rank, ParallelAxis::PP);
    uint64_t count = 0;
    for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
    {
        for (const auto& bucket : step.GetStage(placement.GetStage({pipelineRank, chunk})).buckets)
        {
            count += step.GetLayout().GetGroupSize(bucket.group) > 1 ? 1 : 0;
        }
    }
    return count;
}

} // namespace llm
} // namespace ns3
