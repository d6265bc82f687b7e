/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-step-program.h"

#include "llm-pass-writer.h"

#include <array>

namespace ns3
{
namespace llm
{

namespace
{

/** @return an all-reduce. */
RecipeStep
MakeAllReduce(OperationStream stream,
              ParallelDimension dimension,
              const char* group,
              uint64_t bytes)
{
    RecipeStep step;
    step.kind = OperationKind::ALL_REDUCE;
    step.stream = stream;
    step.dimension = dimension;
    step.group = group;
    step.bytes = bytes;
    return step;
}

/** @return the coordinate of a rank along the pipeline. */
uint32_t
GetPipelineRank(const TrainingStep& step, uint32_t rank)
{
    return step.GetLayout().GetCoordinate(rank, ParallelAxis::PP);
}

} // namespace

TrainingStepProgram::TrainingStepProgram(const TrainingStep& step, uint32_t rank)
    : m_step(step),
      m_writer(step, rank),
      m_schedule(step.CreateSchedule(GetPipelineRank(step, rank))),
      m_data(step, m_writer, *m_schedule)
{
    TakePasses(m_passes);
}

void
TrainingStepProgram::TakePasses(std::vector<PipelinePass>& passes)
{
    passes.clear();
    PipelinePass pass;
    while (passes.size() < 2 && m_schedule->Next(pass))
    {
        passes.push_back(pass);
        if (!pass.pairsWithNext)
        {
            return;
        }
    }
}

bool
TrainingStepProgram::Next(Operation& operation)
{
    while (!m_writer.Take(operation))
    {
        if (!m_passes.empty())
        {
            const std::vector<PipelinePass> passes = m_passes;
            TakePasses(m_passes);
            m_data.SetNext(m_passes);
            passes.size() == 2 ? WritePair(passes[0], passes[1]) : WritePass(passes[0]);
        }
        else if (!m_tailWritten)
        {
            WriteTail();
            m_tailWritten = true;
        }
        else
        {
            return false;
        }
    }
    return true;
}

uint64_t
TrainingStepProgram::Count(const TrainingStep& step, uint32_t rank)
{
    constexpr std::array<PassKind, 4> kinds{PassKind::FORWARD,
                                            PassKind::BACKWARD,
                                            PassKind::BACKWARD_INPUT,
                                            PassKind::BACKWARD_WEIGHT};
    TrainingStepProgram program(step, rank);
    program.m_data.Silence();
    program.WriteTail();
    uint64_t count =
        program.m_writer.GetSize() + DataParallelWriter::Count(step, rank, *program.m_schedule);
    for (uint32_t chunk = 0; chunk < step.GetPlacement().GetChunkCount(); ++chunk)
    {
        for (const auto kind : kinds)
        {
            const uint64_t passes = program.m_schedule->Count(kind, chunk);
            count += passes > 0 ? passes * PassWriter::Count(step, rank, kind, chunk) : 0;
        }
    }
    return count;
}

void
TrainingStepProgram::WritePass(const PipelinePass& pass)
{
    PassWriter writer(m_step, m_writer, m_data, pass, m_chain);
    while (writer.WriteSegment())
    {
    }
    writer.Finish();
    m_chain = writer.GetChain();
}

void
TrainingStepProgram::WritePair(const PipelinePass& first, const PipelinePass& second)
{
    PassWriter one(m_step, m_writer, m_data, first, m_chain);
    PassWriter other(m_step, m_writer, m_data, second, m_chain);
    // The two are one unit (DeepSeek-V3 s.3.2.1): it begins with what both get and ends with what
    // both give.
    const auto meet = [&one, &other]() {
        const OperationLinks links = one.GetChain();
        one.Await(other.GetChain());
        other.Await(links);
    };
    meet();
    bool more = true;
    while (more)
    {
        more = one.WriteSegment();
        more = other.WriteSegment() || more;
    }
    meet();
    one.Finish();
    other.Finish();
    m_chain = one.GetChain();
    m_chain.insert(m_chain.end(), other.GetChain().begin(), other.GetChain().end());
}

void
TrainingStepProgram::WriteTail()
{
    m_writer.SetLabels(StepPhase::GRADIENT, -1);
    m_data.EndPasses(m_chain);
    const PipelinePlacement& placement = m_step.GetPlacement();
    int64_t optimizerPs = 0;
    for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
    {
        const StageWork& stage = m_step.GetStage(
            placement.GetStage({GetPipelineRank(m_step, m_writer.GetRank()), chunk}));
        WriteOnce(stage);
        optimizerPs += stage.optimizerPs;
    }
    m_writer.SetLabels(StepPhase::OPTIMIZER, -1);
    WriteScalars();
    if (optimizerPs > 0)
    {
        RecipeStep step;
        step.durationPs = optimizerPs;
        m_chain = {m_writer.Write(step, m_chain)};
    }
    m_data.EndStep(m_chain);
}

void
TrainingStepProgram::WriteTailCollective(const RecipeStep& step)
{
    m_chain = {m_writer.Write(step, m_chain)};
}

void
TrainingStepProgram::WriteOnce(const StageWork& stage)
{
    if (stage.last && m_step.GetLayout().GetGroupSize(TrainingStep::DATA_GROUP) > 1)
    {
        // Nothing waits for the mean loss: it is only printed.
        m_writer.Write(MakeAllReduce(OperationStream::DATA,
                                     ParallelDimension::SCALAR,
                                     TrainingStep::DATA_GROUP,
                                     TrainingStep::SCALAR_BYTES),
                       m_chain);
    }
    if (stage.normGradients > 0)
    {
        WriteTailCollective(
            MakeAllReduce(OperationStream::TENSOR,
                          ParallelDimension::TENSOR,
                          "tp",
                          stage.normGradients * GetBytesPerElement(m_step.GetGradientType())));
    }
    if (m_step.HasSharedEmbedding() && (stage.first || stage.last))
    {
        WriteTailCollective(MakeAllReduce(OperationStream::OTHER,
                                          ParallelDimension::EMBEDDING,
                                          "embd",
                                          m_step.GetEmbeddingGradientBytes()));
    }
}

void
TrainingStepProgram::WriteScalars()
{
    const bool lossScaling = m_step.GetParamsType() == DataType::FP16;
    for (int i = lossScaling ? 0 : 1; i < 2; ++i) // overflow flag, gradient norm
    {
        for (const char* const group :
             m_step.GetDataParallelPlan().GetNormGroups(m_step.HasExperts()))
        {
            WriteModelScalar(group);
        }
    }
}

void
TrainingStepProgram::WriteModelScalar(const char* group)
{
    if (m_step.GetLayout().GetGroupSize(group) > 1)
    {
        WriteTailCollective(MakeAllReduce(OperationStream::OTHER,
                                          ParallelDimension::SCALAR,
                                          group,
                                          TrainingStep::SCALAR_BYTES));
    }
}

} // namespace llm
} // namespace ns3
