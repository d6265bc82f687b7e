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
 * Writes what data parallelism does beside the passes of one rank, see DataParallelPlan.
 *
 * Gradients: a bucket is reduced as soon as a backward pass has filled it (overlap_grad_reduce).
 * Else compute waits for the reduction of all buckets at the end of the pass, or, where gradients
 * are reduced once, after all passes.
 *
 * Parameters: a unit is gathered one ahead. Its all-gather begins when compute comes to the unit
 * before, in the same pass or in the one before, and compute waits for it.
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

    /** How far a pass has come. */
    struct Progress
    {
        bool gathers{false};               //!< it gathers parameters
        bool backward{false};              //!< it goes through the parts from the last to the first
        std::size_t issued{0};             //!< gathers begun
        std::size_t awaited{0};            //!< gathers that compute waits for
        std::size_t nextBucket{0};         //!< first bucket that is not reduced
        bool reduces{false};               //!< it reduces buckets as they fill
        std::vector<OperationLinks> links; //!< of the gathers begun
    };

    /** @param passes that come after the current one, or two; nothing at the end. */
    void SetNext(std::vector<PipelinePass> passes);
    /** @param pass begins. @param chain what it waits for. @return to be kept for the pass. */
    Progress BeginPass(const PipelinePass& pass, const OperationLinks& chain);
    /**
     * @param pass which.
     * @param progress of it.
     * @param part that begins: index in StageWork::parts.
     * @param chain what it waits for; gets the gathers of its parameters.
     */
    void BeginPart(const PipelinePass& pass,
                   Progress& progress,
                   std::size_t part,
                   OperationLinks& chain);
    /**
     * @param pass which.
     * @param progress of it.
     * @param part that is written: index in StageWork::parts.
     * @param lastCompute gradients are there after it.
     */
    void EndPart(const PipelinePass& pass,
                 Progress& progress,
                 std::size_t part,
                 const OperationLinks& lastCompute);
    /** @param pass is written. @param chain its end; gets reductions that compute waits for. */
    void EndPass(const PipelinePass& pass, OperationLinks& chain);
    /** All passes are written. @param chain their end; gets the latest reduction. */
    void EndPasses(OperationLinks& chain);
    /** The optimizer is written. @param chain what parameters wait for. */
    void EndStep(const OperationLinks& chain);

    /** Nothing more is to be written. */
    void Silence();

    /**
     * @param step what is trained.
     * @param rank global rank.
     * @param schedule of the rank.
     * @return operations of the rank per iteration.
     */
    static uint64_t Count(const TrainingStep& step,
                          uint32_t rank,
                          const PipelineSchedule& schedule);

  private:
    /** A chunk of the rank. */
    struct Chunk
    {
        uint32_t number{0};              //!< of the stage
        const StageWork* stage{nullptr}; //!< its layers
        uint64_t passesLeft{0};          //!< that make gradients and have not begun
        std::size_t nextBucket{0};       //!< where gradients are reduced once: as in Progress
        bool gathered{false};            //!< its first forward has begun
    };

    /** A gather that began before its pass. */
    struct Prefetched
    {
        PipelinePass pass;    //!< of it
        OperationLinks links; //!< the gather
    };

    /** The last stage first, as backward goes. Where another rank of the group holds the same
     *  stages in other chunks (DualPipe), both keep this order. */
    std::vector<Chunk*> SortChunks();
    bool Gathers(const PipelinePass& pass) const;
    const StageBucket& GetUnit(const PipelinePass& pass, std::size_t number) const;
    void Prefetch(const OperationLinks& chain);
    void IssueGather(const PipelinePass& pass, Progress& progress, const OperationLinks& chain);
    OperationLinks Write(const StageBucket& bucket, const OperationLinks& waits);
    void Reduce(const StageBucket& bucket, const OperationLinks& waits);

    const TrainingStep& m_step;           //!< what is trained
    const DataParallelPlan& m_plan;       //!< when
    OperationWriter& m_writer;            //!< gets the operations
    std::vector<Chunk> m_chunks;          //!< of the rank
    std::vector<PipelinePass> m_next;     //!< passes to prefetch for
    std::vector<Prefetched> m_prefetched; //!< done for them
    OperationLinks m_lastReduce;          //!< latest reduction
    bool m_silent{false};                 //!< write nothing
};

} // namespace llm
} // namespace ns3

#endif // LLM_DATA_PARALLEL_WRITER_H
