/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DATA_PARALLEL_WRITER_H
#define LLM_DATA_PARALLEL_WRITER_H

#include "llm-operation-writer.h"
#include "llm-pipeline-schedule.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Writes what data parallelism does beside the passes of one rank: gradient buckets are reduced in
 * the last backward of their stage as they fill (overlap_grad_reduce), or after all passes.
 */
class DataParallelWriter
{
  public:
    /**
     * @param step what is trained; it must outlive this object.
     * @param writer gets the operations.
     * @param schedule of the rank, asked for counts.
     */
    DataParallelWriter(const TrainingStep& step,
                       OperationWriter& writer,
                       const PipelineSchedule& schedule);

    /** A pass begins. @param pass which. */
    void BeginPass(const PipelinePass& pass);
    /**
     * All of a part is written.
     * @param pass which.
     * @param part index in StageWork::parts.
     * @param lastCompute gradients are there after it.
     */
    void EndPart(const PipelinePass& pass, std::size_t part, const OperationLinks& lastCompute);
    /**
     * All passes are over: reduce what is not yet reduced.
     * @param chain the end of the passes; the latest reduction is added.
     */
    void EndPasses(OperationLinks& chain);
    /** Take all buckets as reduced: nothing is to be written any more. */
    void SkipPasses();

    /** @return operations of a rank per iteration. @param step what is trained. @param rank global
     *  rank. */
    static uint64_t Count(const TrainingStep& step, uint32_t rank);

  private:
    /** A chunk of the rank. */
    struct Chunk
    {
        uint32_t number{0};              //!< of the stage
        const StageWork* stage{nullptr}; //!< its layers
        uint64_t passesLeft{0};          //!< that make gradients and have not begun
        std::size_t nextBucket{0};       //!< first bucket that is not yet reduced
    };

    void Reduce(const StageBucket& bucket, const OperationLinks& waits);

    const TrainingStep& m_step;  //!< what is trained
    OperationWriter& m_writer;   //!< gets the operations
    std::vector<Chunk> m_chunks; //!< of the rank
    OperationLinks m_lastReduce; //!< latest reduction
};

} // namespace llm
} // namespace ns3

#endif // LLM_DATA_PARALLEL_WRITER_H
