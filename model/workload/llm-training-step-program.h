/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_STEP_PROGRAM_H
#define LLM_TRAINING_STEP_PROGRAM_H

#include "llm-one-forward-one-backward.h"
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
 * backward), so that memory is bounded by the operations of one pass.
 *
 * Compute and tensor-parallel collectives form one chain, each waiting for the one before, as they
 * do on the compute stream of a GPU. Pipeline sends and receives and gradient collectives hang off
 * the chain and run beside it. All collectives of one group are on one stream, so that they start
 * in the same order on each member.
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
    /** An operation that others wait for. */
    struct Link
    {
        uint64_t id;
        OperationStream stream;
    };

    // Whole passes.
    void WriteForward(uint64_t microbatch);
    void WriteBackward(uint64_t microbatch);
    void WriteTail();

    // Parts of passes.
    void WriteForwardPart(ModelPart part, int64_t layer);
    void WriteBackwardPart(ModelPart part, int64_t layer);
    void WriteReadyBuckets(ModelPart part, int64_t layer);
    void WriteModelParallelScalars();

    // Single operations.
    Operation& Append(OperationKind kind, OperationStream stream, const std::vector<Link>& waits);
    void Compute(int64_t durationPs, int64_t layer);
    void TensorCollective(OperationKind kind, uint64_t bytes, int64_t layer);
    Operation& Collective(OperationKind kind,
                          OperationStream stream,
                          ParallelDimension dimension,
                          uint32_t group,
                          uint64_t bytes,
                          const std::vector<Link>& waits);
    void ReduceBucket(const GradientBucket& bucket, const std::vector<Link>& waits);
    void Send(bool forward, uint64_t microbatch);
    void Receive(bool forward, uint64_t microbatch);

    const TrainingStep& m_step;       //!< what is trained
    const StageWork& m_stage;         //!< this rank's share
    bool m_tensor;                    //!< t > 1
    bool m_sequence;                  //!< sequence parallelism
    bool m_data;                      //!< d > 1
    bool m_modelParallel;             //!< t p > 1
    uint32_t m_previous{0};           //!< rank of the previous stage
    uint32_t m_following{0};          //!< rank of the next stage
    uint32_t m_tensorGroup{0};        //!< index of the tensor-parallel group
    uint32_t m_dataGroup{0};          //!< index of the data-parallel group
    uint32_t m_modelGroup{0};         //!< index of the model-parallel group
    uint32_t m_embeddingGroup{0};     //!< index of the embedding group
    OneForwardOneBackward m_schedule; //!< order of the passes
    bool m_tailWritten{false};        //!< end reached

    std::vector<Operation> m_written;    //!< operations of the current pass
    std::size_t m_read{0};               //!< how many of them are given out
    uint64_t m_nextId{0};                //!< of the next operation
    StepPhase m_phase{StepPhase::SETUP}; //!< label of the current pass
    int32_t m_microbatch{-1};            //!< label of the current pass
    std::vector<Link> m_chain;           //!< what the next operation of the chain waits for
    std::vector<Link> m_lastCompute;     //!< latest compute: gradients are there after it
    std::vector<Link> m_lastReduce;      //!< latest gradient collective
    std::size_t m_nextBucket{0};         //!< first bucket that is not yet reduced
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_STEP_PROGRAM_H
