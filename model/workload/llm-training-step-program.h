/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_STEP_PROGRAM_H
#define LLM_TRAINING_STEP_PROGRAM_H

#include "llm-data-parallel-writer.h"
#include "llm-operation-writer.h"
#include "llm-pipeline-schedule.h"
#include "llm-training-step.h"

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
 * The program of one rank of a TrainingStep. It is written pass by pass (one microbatch forward or
 * backward through a stage), so that memory is bounded by the operations of one pass, or of two
 * that are paired.
 *
 * The passes form one chain, each waiting for the one before. Pipeline sends and receives and
 * gradient collectives hang off the chain and run beside it. Two paired passes hang off the same
 * end of the chain and are written in turns, up to the next compute operation each: while one
 * communicates the other computes. All collectives of one group are on one stream, so that they
 * start in the same order on each member.
 */
class TrainingStepProgram : public StepProgram
{
  public:
    /**
     * @param step what is trained; it must outlive this object.
     * @param rank global rank.
     */
    TrainingStepProgram(const TrainingStep& step, uint32_t rank);

    bool Next(Operation& operation) override;

    /**
     * @param step what is trained.
     * @param rank global rank.
     * @return length of its program; cost and memory do not grow with the microbatches.
     */
    static uint64_t Count(const TrainingStep& step, uint32_t rank);

  private:
    /** @param passes get the next one, or two that are paired; nothing at the end. */
    void TakePasses(std::vector<PipelinePass>& passes);
    void WritePass(const PipelinePass& pass);
    void WritePair(const PipelinePass& first, const PipelinePass& second);
    void WriteTail();
    void WriteTailCollective(const RecipeStep& step);
    void WriteOnce(const StageWork& stage);
    void WriteScalars();
    void WriteModelScalar(const char* group);

    const TrainingStep& m_step;                   //!< what is trained
    OperationWriter m_writer;                     //!< written, not yet given out
    std::unique_ptr<PipelineSchedule> m_schedule; //!< order of the passes
    DataParallelWriter m_data;                    //!< beside the passes
    std::vector<PipelinePass> m_passes;           //!< next to be written
    OperationLinks m_chain;                       //!< what the next pass waits for
    bool m_tailWritten{false};                    //!< end reached
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_STEP_PROGRAM_H
