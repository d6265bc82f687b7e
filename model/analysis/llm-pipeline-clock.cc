/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pipeline-clock.h"

#include <algorithm>
#include <deque>
#include <memory>

namespace ns3
{
namespace llm
{

namespace
{

constexpr std::array<PassKind, 4> ALL_KINDS{PassKind::FORWARD,
                                            PassKind::BACKWARD,
                                            PassKind::BACKWARD_INPUT,
                                            PassKind::BACKWARD_WEIGHT};

const PartRecipe&
GetRecipe(const PartRecipes& recipes, PassKind kind)
{
    switch (kind)
    {
    case PassKind::FORWARD:
        return recipes.forward;
    case PassKind::BACKWARD:
        return recipes.backward;
    case PassKind::BACKWARD_INPUT:
        return recipes.backwardInput;
    default:
        return recipes.backwardWeight;
    }
}

int64_t
SumCompute(const PartRecipe& recipe)
{
    int64_t sumPs = 0;
    for (const auto& step : recipe.steps)
    {
        sumPs += step.kind == OperationKind::COMPUTE ? step.durationPs : 0;
    }
    return sumPs;
}

int64_t
SumCompute(const StageWork& work, PassKind kind)
{
    int64_t sumPs = 0;
    for (const auto& part : work.parts)
    {
        // Ranks that share experts wait for the slowest of them in each layer.
        int64_t slowestPs = 0;
        for (const auto& recipes : *part.recipes)
        {
            slowestPs = std::max(slowestPs, SumCompute(GetRecipe(recipes, kind)));
        }
        sumPs += slowestPs;
    }
    return sumPs;
}

/** One run of all schedules. */
class PassExecutor
{
  public:
    PassExecutor(const TrainingStep& step, const PipelineClock& clock)
        : m_clock(clock),
          m_placement(step.GetPlacement()),
          m_ranks(m_placement.GetRankCount()),
          m_inputs(m_ranks.size() * m_placement.GetChunkCount())
    {
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            m_ranks[rank].schedule = step.CreateSchedule(rank);
            Fetch(rank);
            m_ready.push_back(rank);
        }
    }

    int64_t Run()
    {
        while (!m_ready.empty())
        {
            const uint32_t rank = m_ready.front();
            m_ready.pop_front();
            while (!m_ranks[rank].block.empty() && RunBlock(rank))
            {
            }
        }
        int64_t endPs = 0;
        for (const auto& rank : m_ranks)
        {
            endPs = std::max(endPs, rank.freePs);
        }
        return endPs;
    }

  private:
    struct Rank
    {
        std::unique_ptr<PipelineSchedule> schedule;
        std::vector<PipelinePass> block; //!< a pass, or a pair
        int64_t freePs{0};
    };

    /** When inputs of a place are there. They are used in the order in which they come. */
    struct Inputs
    {
        std::deque<int64_t> forward;
        std::deque<int64_t> backward;
    };

    Inputs& GetInputs(const PipelinePlace& place)
    {
        return m_inputs[place.rank * m_placement.GetChunkCount() + place.chunk];
    }

    void Fetch(uint32_t rank)
    {
        std::vector<PipelinePass>& block = m_ranks[rank].block;
        block.clear();
        PipelinePass pass;
        do
        {
            if (!m_ranks[rank].schedule->Next(pass))
            {
                return;
            }
            block.push_back(pass);
        } while (pass.pairsWithNext);
    }

    /** @return the queue that a pass takes its input from; null: it needs none. */
    std::deque<int64_t>* FindInput(const PipelinePlace& place, const PipelinePass& pass)
    {
        if (pass.kind == PassKind::FORWARD)
        {
            return m_placement.IsFirst(place) ? nullptr : &GetInputs(place).forward;
        }
        return pass.IsBackward() && !m_placement.IsLast(place) ? &GetInputs(place).backward
                                                               : nullptr;
    }

    bool RunBlock(uint32_t rank)
    {
        Rank& state = m_ranks[rank];
        int64_t endPs = state.freePs;
        for (const auto& pass : state.block)
        {
            const std::deque<int64_t>* input = FindInput({rank, pass.chunk}, pass);
            if (input != nullptr && input->empty())
            {
                return false;
            }
            endPs = input != nullptr ? std::max(endPs, input->front()) : endPs;
        }
        for (const auto& pass : state.block)
        {
            endPs += m_clock.GetPassPs(m_placement.GetStage({rank, pass.chunk}), pass.kind);
        }
        for (const auto& pass : state.block)
        {
            std::deque<int64_t>* input = FindInput({rank, pass.chunk}, pass);
            if (input != nullptr)
            {
                input->pop_front();
            }
            Give({rank, pass.chunk}, pass, endPs);
        }
        state.freePs = endPs;
        Fetch(rank);
        return true;
    }

    void Give(const PipelinePlace& place, const PipelinePass& pass, int64_t endPs)
    {
        const bool forward = pass.kind == PassKind::FORWARD;
        const bool gives =
            forward ? !m_placement.IsLast(place) : pass.IsBackward() && !m_placement.IsFirst(place);
        if (!gives)
        {
            return;
        }
        const PipelinePlace to =
            forward ? m_placement.GetNext(place) : m_placement.GetPrevious(place);
        (forward ? GetInputs(to).forward : GetInputs(to).backward).push_back(endPs);
        if (to.rank != place.rank)
        {
            m_ready.push_back(to.rank);
        }
    }

    const PipelineClock& m_clock;         //!< times of passes
    const PipelinePlacement& m_placement; //!< of the stages
    std::vector<Rank> m_ranks;            //!< by coordinate on the axis PP
    std::vector<Inputs> m_inputs;         //!< by place
    std::deque<uint32_t> m_ready;         //!< ranks that may go on
};

} // namespace

PipelineClock::PipelineClock(const TrainingStep& step)
    : m_step(step)
{
    for (uint32_t stage = 0; stage < step.GetStageCount(); ++stage)
    {
        m_stageTimes.emplace_back();
        for (const PassKind kind : ALL_KINDS)
        {
            m_stageTimes.back()[static_cast<std::size_t>(kind)] =
                SumCompute(step.GetStage(stage), kind);
        }
    }
}

int64_t
PipelineClock::GetPassPs(uint32_t stage, PassKind kind) const
{
    return m_stageTimes.at(stage)[static_cast<std::size_t>(kind)];
}

int64_t
PipelineClock::GetComputePs(uint32_t pipelineRank) const
{
    const PipelinePlacement& placement = m_step.GetPlacement();
    const auto schedule = m_step.CreateSchedule(pipelineRank);
    int64_t sumPs = 0;
    for (uint32_t chunk = 0; chunk < placement.GetChunkCount(); ++chunk)
    {
        const uint32_t stage = placement.GetStage({pipelineRank, chunk});
        for (const PassKind kind : ALL_KINDS)
        {
            sumPs += static_cast<int64_t>(schedule->Count(kind, chunk)) * GetPassPs(stage, kind);
        }
    }
    return sumPs;
}

int64_t
PipelineClock::GetPassesPs() const
{
    return PassExecutor(m_step, *this).Run();
}

double
PipelineClock::GetPublishedBubble() const
{
    const ParallelConfig& config = m_step.GetLayout().GetConfig();
    const auto p = static_cast<double>(config.pipeline_model_parallel_size);
    const auto v = static_cast<double>(config.virtual_pipeline_model_parallel_size);
    const auto m = static_cast<double>(m_step.GetMicrobatchCount());
    if (config.pipeline_schedule != "zb_h1" && config.pipeline_schedule != "dualpipe")
    {
        return (p - 1) / (m * v);
    }
    double forward = 0;
    double input = 0;
    double weight = 0;
    for (uint32_t stage = 0; stage < m_step.GetStageCount(); ++stage)
    {
        forward += static_cast<double>(GetPassPs(stage, PassKind::FORWARD)) / p;
        input += static_cast<double>(GetPassPs(stage, PassKind::BACKWARD_INPUT)) / p;
        weight += static_cast<double>(GetPassPs(stage, PassKind::BACKWARD_WEIGHT)) / p;
    }
    const double all = forward + input + weight;
    if (!(all > 0))
    {
        return 0;
    }
    if (config.pipeline_schedule == "dualpipe")
    {
        return (p / 2 - 1) * (forward + 2 * input - weight) / (m * all);
    }
    return (p - 1) * std::max({forward, input, forward + input - weight}) / (m * all);
}

uint64_t
PipelineClock::GetPeakBytes(uint32_t pipelineRank, const std::vector<uint64_t>& chunkBytes) const
{
    const auto schedule = m_step.CreateSchedule(pipelineRank);
    uint64_t held = 0;
    uint64_t peak = 0;
    PipelinePass pass;
    while (schedule->Next(pass))
    {
        if (pass.kind == PassKind::FORWARD)
        {
            held += chunkBytes.at(pass.chunk);
            peak = std::max(peak, held);
        }
        else if (pass.kind != PassKind::BACKWARD_INPUT)
        {
            held -= chunkBytes.at(pass.chunk);
        }
    }
    return peak;
}

} // namespace llm
} // namespace ns3
