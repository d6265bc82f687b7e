/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PASS_WRITER_H
#define LLM_PASS_WRITER_H

#include "llm-data-parallel-writer.h"
#include "llm-operation-writer.h"
#include "llm-pipeline-schedule.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Writes one pass of a microbatch through a stage: receive, parts, send. Its operations form one
 * chain, each recipe waiting for the exits of the one before, as they do on the compute stream of
 * a GPU. The pass comes in segments, each up to and including a compute operation, so that two
 * passes can be written in turns.
 */
class PassWriter
{
  public:
    /**
     * Writes the receive, if there is one.
     * @param step what is trained.
     * @param writer gets the operations.
     * @param data gathers parameters and reduces gradients beside the pass.
     * @param pass which.
     * @param entry what it waits for.
     */
    PassWriter(const TrainingStep& step,
               OperationWriter& writer,
               DataParallelWriter& data,
               const PipelinePass& pass,
               const OperationLinks& entry);

    /** @param others what is written from now on waits for these as well. */
    void Await(const OperationLinks& others);
    /** Writes the next segment. @return false if only the send is left to write. */
    bool WriteSegment();
    /** All segments are written: send, and reduce what waits for the end of the pass. */
    void Finish();

    /** @return what waits for the pass, as far as it is written. */
    const OperationLinks& GetChain() const;

    /** @return operations of such a pass, without those of DataParallelWriter. @param step what is
     *  trained. @param rank global rank. @param kind, chunk of the pass. */
    static uint64_t Count(const TrainingStep& step, uint32_t rank, PassKind kind, uint32_t chunk);

  private:
    static const PartRecipe& SelectRecipe(const PartRecipes& recipes, PassKind kind);

    /** Make the next part the current one. */
    void BeginPart();
    /** Write a step of it. @return whether it is a compute operation. */
    bool WriteStep();
    /** Its last step is written. */
    void EndPart();
    void SetLabels(bool setup);
    void Receive();
    void Send();
    uint64_t MakeTag(const PipelinePlace& from, const PipelinePlace& to) const;

    const TrainingStep& m_step;              //!< what is trained
    OperationWriter& m_writer;               //!< gets the operations
    DataParallelWriter& m_data;              //!< runs beside
    PipelinePass m_pass;                     //!< which
    DataParallelWriter::Progress m_progress; //!< of what runs beside
    PipelinePlace m_place;                   //!< where
    const StageWork& m_stage;                //!< the layers there
    uint32_t m_expertRank;                   //!< coordinate on the EP axis
    std::size_t m_partsLeft;                 //!< not ended
    const PartRecipe* m_recipe{nullptr};     //!< of the current part; null between parts
    std::size_t m_part{0};                   //!< index of the current part
    int64_t m_layer{-1};                     //!< label of the current part
    bool m_setup{false};                     //!< label of the current part
    OperationLinks m_written;                //!< steps of it so far
    OperationLinks m_entry;                  //!< what its steps after the entry wait for
    OperationLinks m_chain;                  //!< what the next part waits for
    OperationLinks m_lastCompute;            //!< latest compute: gradients are there after it
};

} // namespace llm
} // namespace ns3

#endif // LLM_PASS_WRITER_H
