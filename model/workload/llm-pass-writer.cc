/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pass-writer.h"

namespace ns3
{
namespace llm
{

namespace
{

/** @return where a pass takes place. */
PipelinePlace
GetPlace(const TrainingStep& step, uint32_t rank, uint32_t chunk)
{
    return {step.GetLayout().GetCoordinate(rank, ParallelAxis::PP), chunk};
}

/** @return whether a pass gets something from another stage. */
bool
HasSource(const TrainingStep& step, const PipelinePlace& place, PassKind kind)
{
    const PipelinePlacement& placement = step.GetPlacement();
    return kind == PassKind::FORWARD
               ? !placement.IsFirst(place)
               : kind != PassKind::BACKWARD_WEIGHT && !placement.IsLast(place);
}

/** @return whether a pass gives something to another stage. */
bool
HasSink(const TrainingStep& step, const PipelinePlace& place, PassKind kind)
{
    const PipelinePlacement& placement = step.GetPlacement();
    return kind == PassKind::FORWARD
               ? !placement.IsLast(place)
               : kind != PassKind::BACKWARD_WEIGHT && !placement.IsFirst(place);
}

/** @return the place before or after; there must be one. */
PipelinePlace
GetNeighbour(const TrainingStep& step, const PipelinePlace& place, bool next)
{
    return next ? step.GetPlacement().GetNext(place) : step.GetPlacement().GetPrevious(place);
}

/** @return the rank of the same coordinates in another place. */
uint32_t
GetRankAt(const TrainingStep& step, uint32_t rank, const PipelinePlace& place)
{
    ParallelCoordinates coordinates = step.GetLayout().GetCoordinates(rank);
    coordinates[static_cast<std::size_t>(ParallelAxis::PP)] = place.rank;
    return step.GetLayout().GetRank(coordinates);
}

} // namespace

PassWriter::PassWriter(const TrainingStep& step,
                       OperationWriter& writer,
                       DataParallelWriter& data,
                       const PipelinePass& pass,
                       const OperationLinks& entry)
    : m_step(step),
      m_writer(writer),
      m_data(data),
      m_pass(pass),
      m_place(GetPlace(step, writer.GetRank(), pass.chunk)),
      m_stage(step.GetStage(step.GetPlacement().GetStage(m_place))),
      m_expertRank(step.GetLayout().GetCoordinate(writer.GetRank(), ParallelAxis::EP)),
      m_partsLeft(m_stage.parts.size()),
      m_chain(entry)
{
    SetLabels(false);
    m_progress = m_data.BeginPass(m_pass, m_chain);
    Receive();
    m_lastCompute = m_chain;
}

const OperationLinks&
PassWriter::GetChain() const
{
    return m_chain;
}

const PartRecipe&
PassWriter::SelectRecipe(const PartRecipes& recipes, PassKind kind)
{
    switch (kind)
    {
    case PassKind::FORWARD:
        return recipes.forward;
    case PassKind::BACKWARD:
        return recipes.backward;
    case PassKind::BACKWARD_INPUT:
        return recipes.backwardInput;
    case PassKind::BACKWARD_WEIGHT:
        break;
    }
    return recipes.backwardWeight;
}

void
PassWriter::Await(const OperationLinks& others)
{
    m_chain.insert(m_chain.end(), others.begin(), others.end());
}

bool
PassWriter::WriteSegment()
{
    while (m_partsLeft > 0)
    {
        if (m_recipe == nullptr)
        {
            BeginPart();
        }
        bool computes = false;
        while (!computes && m_written.size() < m_recipe->steps.size())
        {
            computes = WriteStep();
        }
        if (m_written.size() == m_recipe->steps.size())
        {
            EndPart();
        }
        if (computes && m_partsLeft > 0)
        {
            return true;
        }
    }
    return false;
}

void
PassWriter::BeginPart()
{
    const std::size_t index =
        m_pass.kind == PassKind::FORWARD ? m_stage.parts.size() - m_partsLeft : m_partsLeft - 1;
    const StagePart& part = m_stage.parts[index];
    SetLabels(false);
    m_data.BeginPart(m_pass, m_progress, index, m_chain);
    m_recipe = &SelectRecipe(part.GetRecipes(m_expertRank), m_pass.kind);
    m_layer = part.layer;
    m_entry = m_chain;
    m_written.clear();
    m_setup = part.setup;
    m_part = index;
}

bool
PassWriter::WriteStep()
{
    const RecipeStep& step = m_recipe->steps[m_written.size()];
    OperationLinks waits;
    if (step.afterEntry)
    {
        waits = m_entry;
    }
    for (const uint32_t earlier : step.after)
    {
        waits.push_back(m_written[earlier]);
    }
    SetLabels(m_setup);
    m_written.push_back(m_writer.Write(step, waits, m_layer));
    const bool computes = step.kind == OperationKind::COMPUTE;
    if (computes)
    {
        m_lastCompute = {m_written.back()};
    }
    return computes;
}

void
PassWriter::EndPart()
{
    if (!m_recipe->exits.empty())
    {
        m_chain.clear();
        for (const uint32_t exit : m_recipe->exits)
        {
            m_chain.push_back(m_written[exit]);
        }
    }
    m_recipe = nullptr;
    --m_partsLeft;
    m_data.EndPart(m_pass, m_progress, m_part, m_lastCompute);
}

void
PassWriter::SetLabels(bool setup)
{
    const StepPhase phase =
        m_pass.kind == PassKind::FORWARD ? StepPhase::FORWARD : StepPhase::BACKWARD;
    m_writer.SetLabels(setup ? StepPhase::SETUP : phase, static_cast<int32_t>(m_pass.microbatch));
}

uint64_t
PassWriter::MakeTag(const PipelinePlace& from, const PipelinePlace& to) const
{
    const PipelinePlacement& placement = m_step.GetPlacement();
    const bool forward = m_pass.kind == PassKind::FORWARD;
    const uint32_t boundary = placement.GetStage(forward ? from : to);
    return (m_pass.microbatch * placement.GetStageCount() + boundary) * 2 + (forward ? 0 : 1);
}

void
PassWriter::Receive()
{
    if (!HasSource(m_step, m_place, m_pass.kind))
    {
        return;
    }
    const bool forward = m_pass.kind == PassKind::FORWARD;
    const PipelinePlace from = GetNeighbour(m_step, m_place, !forward);
    if (from.rank == m_place.rank)
    {
        return;
    }
    SetLabels(false);
    Operation& operation =
        m_writer.Append(OperationKind::RECV,
                        forward ? OperationStream::RECV_FORWARD : OperationStream::RECV_BACKWARD,
                        {});
    operation.dimension = ParallelDimension::PIPELINE;
    operation.bytes = m_step.GetPipelineBytes();
    operation.peer = GetRankAt(m_step, m_writer.GetRank(), from);
    operation.tag = MakeTag(from, m_place);
    m_chain.push_back({operation.id, operation.stream});
}

void
PassWriter::Finish()
{
    Send();
    m_data.EndPass(m_pass, m_chain);
}

void
PassWriter::Send()
{
    if (!HasSink(m_step, m_place, m_pass.kind))
    {
        return;
    }
    const bool forward = m_pass.kind == PassKind::FORWARD;
    const PipelinePlace to = GetNeighbour(m_step, m_place, forward);
    if (to.rank == m_place.rank)
    {
        return;
    }
    SetLabels(false);
    Operation& operation =
        m_writer.Append(OperationKind::SEND,
                        forward ? OperationStream::SEND_FORWARD : OperationStream::SEND_BACKWARD,
                        m_chain);
    operation.dimension = ParallelDimension::PIPELINE;
    operation.bytes = m_step.GetPipelineBytes();
    operation.peer = GetRankAt(m_step, m_writer.GetRank(), to);
    operation.tag = MakeTag(m_place, to);
    if (!m_step.GetTraining().overlap_p2p_comm)
    {
        m_chain.push_back({operation.id, operation.stream});
    }
}

uint64_t
PassWriter::Count(const TrainingStep& step, uint32_t rank, PassKind kind, uint32_t chunk)
{
    const PipelinePlace place = GetPlace(step, rank, chunk);
    const uint32_t expertRank = step.GetLayout().GetCoordinate(rank, ParallelAxis::EP);
    uint64_t count = 0;
    for (const auto& part : step.GetStage(step.GetPlacement().GetStage(place)).parts)
    {
        count += SelectRecipe(part.GetRecipes(expertRank), kind).steps.size();
    }
    const bool forward = kind == PassKind::FORWARD;
    const auto elsewhere = [&](bool next) {
        return GetNeighbour(step, place, next).rank != place.rank;
    };
    count += HasSource(step, place, kind) && elsewhere(!forward) ? 1 : 0;
    count += HasSink(step, place, kind) && elsewhere(forward) ? 1 : 0;
    return count;
}

} // namespace llm
} // namespace ns3
