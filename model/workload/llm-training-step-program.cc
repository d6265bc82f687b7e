/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-step-program.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Tags tell the directions and the microbatches apart. */
uint64_t
MakeTag(bool forward, uint64_t microbatch)
{
    return 2 * microbatch + (forward ? 0 : 1);
}

uint32_t
FindNeighbour(const ParallelLayout& layout, uint32_t rank, bool next)
{
    ParallelCoordinates coordinates = layout.GetCoordinates(rank);
    uint32_t& stage = coordinates[static_cast<std::size_t>(ParallelAxis::PP)];
    const bool exists = next ? stage + 1 < layout.GetSize(ParallelAxis::PP) : stage > 0;
    if (!exists)
    {
        return rank;
    }
    stage = next ? stage + 1 : stage - 1;
    return layout.GetRank(coordinates);
}

} // namespace

TrainingStepProgram::TrainingStepProgram(const TrainingStep& step, uint32_t rank)
    : m_step(step),
      m_stage(step.GetStage(step.GetLayout().GetCoordinate(rank, ParallelAxis::PP))),
      m_tensor(step.GetLayout().GetSize(ParallelAxis::TP) > 1),
      m_sequence(step.HasSequenceParallel()),
      m_data(step.GetLayout().GetSize(ParallelAxis::DP) > 1),
      m_modelParallel(step.GetLayout().GetGroupSize("tp-pp") > 1),
      m_previous(FindNeighbour(step.GetLayout(), rank, false)),
      m_following(FindNeighbour(step.GetLayout(), rank, true)),
      m_tensorGroup(step.GetGroupId("tp", rank)),
      m_dataGroup(step.GetGroupId("dp", rank)),
      m_modelGroup(step.GetGroupId("tp-pp", rank)),
      m_embeddingGroup(step.GetGroupId("embd", rank)),
      m_schedule(step.GetLayout().GetCoordinate(rank, ParallelAxis::PP),
                 step.GetStageCount(),
                 step.GetMicrobatchCount())
{
}

bool
TrainingStepProgram::Next(Operation& operation)
{
    while (m_read == m_written.size())
    {
        m_written.clear();
        m_read = 0;
        PipelinePass pass;
        if (m_schedule.Next(pass))
        {
            pass.IsBackward() ? WriteBackward(pass.microbatch) : WriteForward(pass.microbatch);
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
    operation = std::move(m_written[m_read++]);
    return true;
}

uint64_t
TrainingStepProgram::Count(const TrainingStep& step, uint32_t rank)
{
    // All passes but the last backward are alike.
    TrainingStepProgram program(step, rank);
    const uint64_t microbatches = step.GetMicrobatchCount();
    program.WriteForward(0);
    const uint64_t forward = program.m_written.size();
    program.WriteBackward(microbatches - 1);
    program.WriteTail();
    const uint64_t once = program.m_written.size();
    if (microbatches == 1)
    {
        return once;
    }
    program.m_written.clear();
    program.WriteBackward(0);
    const uint64_t backward = program.m_written.size();
    return once + (microbatches - 1) * (forward + backward);
}

void
TrainingStepProgram::WriteForward(uint64_t microbatch)
{
    m_phase = StepPhase::FORWARD;
    m_microbatch = static_cast<int32_t>(microbatch);
    if (!m_stage.first)
    {
        Receive(true, microbatch);
    }
    if ((m_stage.first || m_stage.last) && m_tensor)
    {
        TensorCollective(OperationKind::BROADCAST, m_step.GetBatchBytes(), -1);
        m_written.back().phase = StepPhase::SETUP;
    }
    if (m_stage.first)
    {
        WriteForwardPart(ModelPart::EMBEDDING, -1);
    }
    for (uint64_t i = 0; i < m_stage.layers.count; ++i)
    {
        const auto layer = static_cast<int64_t>(m_stage.layers.first + i);
        WriteForwardPart(ModelPart::ATTENTION, layer);
        WriteForwardPart(ModelPart::MLP, layer);
    }
    if (m_stage.last)
    {
        WriteForwardPart(ModelPart::HEAD, -1);
    }
    else
    {
        Send(true, microbatch);
    }
}

void
TrainingStepProgram::WriteForwardPart(ModelPart part, int64_t layer)
{
    const uint64_t bytes = m_step.GetActivationBytes();
    const PartTimes& times = m_step.GetTimes();
    switch (part)
    {
    case ModelPart::EMBEDDING:
        Compute(times.embeddingForwardPs, layer);
        // Positions are added to the whole sequence, so that Megatron keeps the all-reduce then.
        TensorCollective(m_sequence && !m_step.GetModel().learned_positions
                             ? OperationKind::REDUCE_SCATTER
                             : OperationKind::ALL_REDUCE,
                         bytes,
                         layer);
        break;
    case ModelPart::ATTENTION:
    case ModelPart::MLP:
        if (m_sequence)
        {
            TensorCollective(OperationKind::ALL_GATHER, bytes, layer);
        }
        Compute(part == ModelPart::MLP ? times.mlpForwardPs : times.attentionForwardPs, layer);
        TensorCollective(m_sequence ? OperationKind::REDUCE_SCATTER : OperationKind::ALL_REDUCE,
                         bytes,
                         layer);
        break;
    case ModelPart::HEAD:
        if (m_sequence)
        {
            TensorCollective(OperationKind::ALL_GATHER, bytes, layer);
        }
        Compute(times.headForwardPs, layer);
        // Maximum of the logits, logit of the target, sum of the exponentials.
        for (int i = 0; i < 3; ++i)
        {
            TensorCollective(OperationKind::ALL_REDUCE, m_step.GetCrossEntropyBytes(), layer);
        }
        break;
    case ModelPart::MTP:
        break; // TrainingStep refuses models with modules
    }
}

void
TrainingStepProgram::WriteBackward(uint64_t microbatch)
{
    m_phase = StepPhase::BACKWARD;
    m_microbatch = static_cast<int32_t>(microbatch);
    const bool fillsBuckets = microbatch + 1 == m_step.GetMicrobatchCount() &&
                              m_step.GetTraining().overlap_grad_reduce && m_data;
    const auto write = [this, fillsBuckets](ModelPart part, int64_t layer) {
        WriteBackwardPart(part, layer);
        if (fillsBuckets)
        {
            WriteReadyBuckets(part, layer);
        }
    };
    if (m_stage.last)
    {
        write(ModelPart::HEAD, -1);
    }
    else
    {
        Receive(false, microbatch);
    }
    for (uint64_t i = m_stage.layers.count; i > 0; --i)
    {
        const auto layer = static_cast<int64_t>(m_stage.layers.first + i - 1);
        write(ModelPart::MLP, layer);
        write(ModelPart::ATTENTION, layer);
    }
    if (m_stage.first)
    {
        write(ModelPart::EMBEDDING, -1);
    }
    else
    {
        Send(false, microbatch);
    }
}

void
TrainingStepProgram::WriteBackwardPart(ModelPart part, int64_t layer)
{
    const uint64_t bytes = m_step.GetActivationBytes();
    const PartTimes& times = m_step.GetTimes();
    const auto gather = [this, bytes, layer]() {
        if (m_sequence)
        {
            TensorCollective(OperationKind::ALL_GATHER, bytes, layer);
        }
    };
    const auto reduce = m_sequence ? OperationKind::REDUCE_SCATTER : OperationKind::ALL_REDUCE;
    switch (part)
    {
    case ModelPart::EMBEDDING:
        gather(); // the gradient of the output
        Compute(times.embeddingBackwardPs, layer);
        break;
    case ModelPart::ATTENTION:
    case ModelPart::MLP:
        gather(); // the gradient of the output, for the row-parallel matrix
        gather(); // the input, kept in parts only, for the column-parallel matrix
        Compute(part == ModelPart::MLP ? times.mlpBackwardPs : times.attentionBackwardPs, layer);
        TensorCollective(reduce, bytes, layer);
        break;
    case ModelPart::HEAD:
        gather(); // the input, for the output layer's weights
        Compute(times.headBackwardPs, layer);
        TensorCollective(reduce, bytes, layer);
        break;
    case ModelPart::MTP:
        break; // TrainingStep refuses models with modules
    }
}

void
TrainingStepProgram::WriteReadyBuckets(ModelPart part, int64_t layer)
{
    while (m_nextBucket < m_stage.buckets.size() && m_stage.buckets[m_nextBucket].part == part &&
           m_stage.buckets[m_nextBucket].layer == layer)
    {
        ReduceBucket(m_stage.buckets[m_nextBucket].bucket, m_lastCompute);
        ++m_nextBucket;
    }
}

void
TrainingStepProgram::WriteTail()
{
    m_phase = StepPhase::GRADIENT;
    m_microbatch = -1;
    for (; m_data && m_nextBucket < m_stage.buckets.size(); ++m_nextBucket)
    {
        ReduceBucket(m_stage.buckets[m_nextBucket].bucket, m_chain);
    }
    m_chain.insert(m_chain.end(), m_lastReduce.begin(), m_lastReduce.end());
    if (m_data && m_stage.last)
    {
        // Nothing waits for the mean loss: it is only printed.
        Collective(OperationKind::ALL_REDUCE,
                   OperationStream::DATA,
                   ParallelDimension::SCALAR,
                   m_dataGroup,
                   TrainingStep::SCALAR_BYTES,
                   m_chain);
    }
    if (m_stage.normGradients > 0)
    {
        const uint64_t elementBytes = GetBytesPerElement(m_step.GetGradientType());
        TensorCollective(OperationKind::ALL_REDUCE, m_stage.normGradients * elementBytes, -1);
    }
    if (m_step.HasSharedEmbedding() && (m_stage.first || m_stage.last))
    {
        const Operation& operation = Collective(OperationKind::ALL_REDUCE,
                                                OperationStream::OTHER,
                                                ParallelDimension::EMBEDDING,
                                                m_embeddingGroup,
                                                m_step.GetEmbeddingGradientBytes(),
                                                m_chain);
        m_chain = {{operation.id, operation.stream}};
    }
    m_phase = StepPhase::OPTIMIZER;
    WriteModelParallelScalars();
    Compute(m_stage.optimizerPs, -1);
}

void
TrainingStepProgram::WriteModelParallelScalars()
{
    if (!m_modelParallel)
    {
        return;
    }
    const bool lossScaling = m_step.GetParamsType() == DataType::FP16;
    for (int i = lossScaling ? 0 : 1; i < 2; ++i) // overflow flag, gradient norm
    {
        const Operation& operation = Collective(OperationKind::ALL_REDUCE,
                                                OperationStream::OTHER,
                                                ParallelDimension::SCALAR,
                                                m_modelGroup,
                                                TrainingStep::SCALAR_BYTES,
                                                m_chain);
        m_chain = {{operation.id, operation.stream}};
    }
}

Operation&
TrainingStepProgram::Append(OperationKind kind,
                            OperationStream stream,
                            const std::vector<Link>& waits)
{
    m_written.emplace_back();
    Operation& operation = m_written.back();
    operation.id = m_nextId++;
    operation.kind = kind;
    operation.stream = stream;
    operation.phase = m_phase;
    operation.microbatch = m_microbatch;
    for (const auto& wait : waits)
    {
        // The order of the stream implies the rest.
        if (wait.stream != stream)
        {
            operation.waits.push_back(wait.id);
        }
    }
    return operation;
}

void
TrainingStepProgram::Compute(int64_t durationPs, int64_t layer)
{
    if (durationPs == 0)
    {
        return;
    }
    Operation& operation = Append(OperationKind::COMPUTE, OperationStream::COMPUTE, m_chain);
    operation.durationPs = durationPs;
    operation.layer = static_cast<int32_t>(layer);
    m_chain = {{operation.id, operation.stream}};
    m_lastCompute = m_chain;
}

Operation&
TrainingStepProgram::Collective(OperationKind kind,
                                OperationStream stream,
                                ParallelDimension dimension,
                                uint32_t group,
                                uint64_t bytes,
                                const std::vector<Link>& waits)
{
    Operation& operation = Append(kind, stream, waits);
    operation.dimension = dimension;
    operation.group = group;
    operation.bytes = bytes;
    return operation;
}

void
TrainingStepProgram::TensorCollective(OperationKind kind, uint64_t bytes, int64_t layer)
{
    if (!m_tensor)
    {
        return;
    }
    Operation& operation = Collective(kind,
                                      OperationStream::TENSOR,
                                      ParallelDimension::TENSOR,
                                      m_tensorGroup,
                                      bytes,
                                      m_chain);
    operation.layer = static_cast<int32_t>(layer);
    m_chain = {{operation.id, operation.stream}};
}

void
TrainingStepProgram::ReduceBucket(const GradientBucket& bucket, const std::vector<Link>& waits)
{
    Operation& operation = Collective(OperationKind::ALL_REDUCE,
                                      OperationStream::DATA,
                                      ParallelDimension::DATA,
                                      m_dataGroup,
                                      bucket.bytes,
                                      waits);
    operation.phase = StepPhase::GRADIENT;
    m_lastReduce = {{operation.id, operation.stream}};
}

void
TrainingStepProgram::Send(bool forward, uint64_t microbatch)
{
    Operation& operation =
        Append(OperationKind::SEND,
               forward ? OperationStream::SEND_FORWARD : OperationStream::SEND_BACKWARD,
               m_chain);
    operation.dimension = ParallelDimension::PIPELINE;
    operation.bytes = m_step.GetPipelineBytes();
    operation.peer = forward ? m_following : m_previous;
    operation.tag = MakeTag(forward, microbatch);
    if (!m_step.GetTraining().overlap_p2p_comm)
    {
        m_chain.push_back({operation.id, operation.stream});
    }
}

void
TrainingStepProgram::Receive(bool forward, uint64_t microbatch)
{
    Operation& operation =
        Append(OperationKind::RECV,
               forward ? OperationStream::RECV_FORWARD : OperationStream::RECV_BACKWARD,
               {});
    operation.dimension = ParallelDimension::PIPELINE;
    operation.bytes = m_step.GetPipelineBytes();
    operation.peer = forward ? m_previous : m_following;
    operation.tag = MakeTag(forward, microbatch);
    m_chain.push_back({operation.id, operation.stream});
}

} // namespace llm
} // namespace ns3
