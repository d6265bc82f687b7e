/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-data-parallel-writer.h"

#include <algorithm>
#include <utility>

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

/** @return operations that reduce or gather all of these. */
uint64_t
CountSteps(const std::vector<StageBucket>& buckets)
{
    uint64_t count = 0;
    for (const auto& bucket : buckets)
    {
        count += bucket.steps.size();
    }
    return count;
}

} // namespace

DataParallelWriter::DataParallelWriter(const TrainingStep& step,
                                       OperationWriter& writer,
                                       const PipelineSchedule& schedule)
    : m_step(step),
      m_plan(step.GetDataParallelPlan()),
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
                            0,
                            false});
    }
}

void
DataParallelWriter::SetNext(std::vector<PipelinePass> passes)
{
    m_next = std::move(passes);
}

bool
DataParallelWriter::Gathers(const PipelinePass& pass) const
{
    const Chunk& chunk = m_chunks[pass.chunk];
    if (chunk.stage->gathers.empty())
    {
        return false;
    }
    switch (m_plan.GetGather())
    {
    case ParameterGather::FIRST_FORWARD:
        return pass.kind == PassKind::FORWARD && !chunk.gathered;
    case ParameterGather::EVERY_PASS:
        return pass.kind != PassKind::BACKWARD_WEIGHT;
    case ParameterGather::NEVER:
    case ParameterGather::AFTER_OPTIMIZER:
        break;
    }
    return false;
}

const StageBucket&
DataParallelWriter::GetUnit(const PipelinePass& pass, std::size_t number) const
{
    const auto& units = m_chunks[pass.chunk].stage->gathers;
    return units[pass.IsBackward() ? units.size() - 1 - number : number];
}

OperationLinks
DataParallelWriter::Write(const StageBucket& bucket, const OperationLinks& waits)
{
    OperationLinks links = waits;
    for (const auto& step : bucket.steps)
    {
        links = {m_writer.Write(step, links)};
    }
    return bucket.steps.empty() ? OperationLinks{} : links;
}

void
DataParallelWriter::IssueGather(const PipelinePass& pass,
                                Progress& progress,
                                const OperationLinks& chain)
{
    progress.links.push_back(Write(GetUnit(pass, progress.issued), chain));
    ++progress.issued;
}

DataParallelWriter::Progress
DataParallelWriter::BeginPass(const PipelinePass& pass, const OperationLinks& chain)
{
    Chunk& chunk = m_chunks[pass.chunk];
    Progress progress;
    progress.gathers = Gathers(pass);
    progress.backward = pass.IsBackward();
    if (pass.kind == PassKind::FORWARD)
    {
        chunk.gathered = true;
    }
    for (auto found = m_prefetched.begin(); found != m_prefetched.end(); ++found)
    {
        if (found->pass.kind == pass.kind && found->pass.chunk == pass.chunk &&
            found->pass.microbatch == pass.microbatch)
        {
            progress.issued = 1;
            progress.links.push_back(found->links);
            m_prefetched.erase(found);
            break;
        }
    }
    if (MakesWeightGradients(pass.kind))
    {
        --chunk.passesLeft;
        progress.reduces =
            m_plan.ReducesBeside() && (m_plan.ReducesEveryPass() || chunk.passesLeft == 0);
    }
    if (!progress.gathers)
    {
        Prefetch(chain);
    }
    return progress;
}

void
DataParallelWriter::Prefetch(const OperationLinks& chain)
{
    for (const auto& pass : std::exchange(m_next, {}))
    {
        if (Gathers(pass))
        {
            m_writer.SetLabels(pass.kind == PassKind::FORWARD ? StepPhase::FORWARD
                                                              : StepPhase::BACKWARD,
                               static_cast<int32_t>(pass.microbatch));
            m_prefetched.push_back({pass, Write(GetUnit(pass, 0), chain)});
        }
    }
}

void
DataParallelWriter::BeginPart(const PipelinePass& pass,
                              Progress& progress,
                              std::size_t part,
                              OperationLinks& chain)
{
    if (!progress.gathers)
    {
        return;
    }
    const std::size_t units = m_chunks[pass.chunk].stage->gathers.size();
    const OperationLinks before = chain;
    while (progress.awaited < units)
    {
        const StageBucket& unit = GetUnit(pass, progress.awaited);
        if (progress.backward ? unit.lastPart < part : unit.firstPart > part)
        {
            return;
        }
        if (progress.issued == progress.awaited)
        {
            IssueGather(pass, progress, before);
        }
        const OperationLinks& gather = progress.links[progress.awaited++];
        chain.insert(chain.end(), gather.begin(), gather.end());
        if (progress.awaited == units)
        {
            Prefetch(before);
        }
        else if (progress.issued == progress.awaited)
        {
            IssueGather(pass, progress, before);
        }
    }
}

void
DataParallelWriter::EndPart(const PipelinePass& pass,
                            Progress& progress,
                            std::size_t part,
                            const OperationLinks& lastCompute)
{
    if (!progress.reduces)
    {
        return;
    }
    m_writer.SetLabels(StepPhase::GRADIENT, static_cast<int32_t>(pass.microbatch));
    Chunk& chunk = m_chunks[pass.chunk];
    const auto& buckets = chunk.stage->buckets;
    std::size_t& next = m_plan.ReducesEveryPass() ? progress.nextBucket : chunk.nextBucket;
    while (next < buckets.size() && buckets[next].firstPart >= part)
    {
        Reduce(buckets[next++], lastCompute);
    }
}

void
DataParallelWriter::EndPass(const PipelinePass& pass, OperationLinks& chain)
{
    if (!MakesWeightGradients(pass.kind) || !m_plan.ReducesEveryPass() || m_plan.ReducesBeside())
    {
        return;
    }
    m_writer.SetLabels(StepPhase::GRADIENT, static_cast<int32_t>(pass.microbatch));
    const OperationLinks end = chain;
    for (const auto& bucket : m_chunks[pass.chunk].stage->buckets)
    {
        Reduce(bucket, end);
    }
    chain.insert(chain.end(), m_lastReduce.begin(), m_lastReduce.end());
}

std::vector<DataParallelWriter::Chunk*>
DataParallelWriter::SortChunks()
{
    std::vector<Chunk*> chunks;
    for (auto& chunk : m_chunks)
    {
        chunks.push_back(&chunk);
    }
    std::sort(chunks.begin(), chunks.end(), [](const Chunk* one, const Chunk* other) {
        return one->number > other->number;
    });
    return chunks;
}

void
DataParallelWriter::EndPasses(OperationLinks& chain)
{
    for (Chunk* const chunk : SortChunks())
    {
        const auto& buckets = chunk->stage->buckets;
        while (!m_silent && !m_plan.ReducesEveryPass() && chunk->nextBucket < buckets.size())
        {
            Reduce(buckets[chunk->nextBucket++], chain);
        }
    }
    chain.insert(chain.end(), m_lastReduce.begin(), m_lastReduce.end());
}

void
DataParallelWriter::EndStep(const OperationLinks& chain)
{
    if (m_silent || m_plan.GetGather() != ParameterGather::AFTER_OPTIMIZER)
    {
        return;
    }
    std::vector<Chunk*> chunks = SortChunks();
    std::reverse(chunks.begin(), chunks.end());
    for (const Chunk* const chunk : chunks)
    {
        for (const auto& unit : chunk->stage->gathers)
        {
            Write(unit, chain);
        }
    }
}

void
DataParallelWriter::Silence()
{
    m_silent = true;
}

void
DataParallelWriter::Reduce(const StageBucket& bucket, const OperationLinks& waits)
{
    const OperationLinks links = Write(bucket, waits);
    m_lastReduce = links.empty() ? m_lastReduce : links;
}

uint64_t
DataParallelWriter::Count(const TrainingStep& step, uint32_t rank, const PipelineSchedule& schedule)
{
    const DataParallelPlan& plan = step.GetDataParallelPlan();
    const PipelinePlacement& placement = step.GetPlacement();
    const uint32_t pipelineRank = step.GetLayout().GetCoordinate(rank, ParallelAxis::PP);
    uint64_t count = 0;
    for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
    {
        const StageWork& stage = step.GetStage(placement.GetStage({pipelineRank, chunk}));
        const uint64_t backwards = schedule.Count(PassKind::BACKWARD, chunk);
        const uint64_t reductions =
            plan.ReducesEveryPass() ? backwards + schedule.Count(PassKind::BACKWARD_WEIGHT, chunk)
                                    : 1;
        const uint64_t gathers = plan.GetGather() == ParameterGather::EVERY_PASS
                                     ? schedule.Count(PassKind::FORWARD, chunk) + backwards +
                                           schedule.Count(PassKind::BACKWARD_INPUT, chunk)
                                     : 1;
        count += reductions * CountSteps(stage.buckets) + gathers * CountSteps(stage.gathers);
    }
    return count;
}

} // namespace llm
} // namespace ns3
