/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_STEP_PROGRAM_H
#define LLM_STEP_PROGRAM_H

#include "llm-exchange-bytes.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** What a communication serves. */
enum class ParallelDimension : uint8_t
{
    TENSOR,
    CONTEXT,
    EXPERT,
    DATA,
    PIPELINE,
    EMBEDDING, //!< tied embeddings of first and last stage
    SCALAR,    //!< loss, gradient norm, flags
    COUNT
};

/** @param dimension which. @return "tensor", "data", ... */
const char* ToString(ParallelDimension dimension);

/** What an operation does. */
enum class OperationKind : uint8_t
{
    COMPUTE,    //!< keep the accelerator busy for durationPs
    ALL_REDUCE, //!< collectives: over group, bytes as in nccl-tests
    ALL_GATHER,
    REDUCE_SCATTER,
    BROADCAST,
    REDUCE,
    ALL_TO_ALL,
    SEND, //!< point to point: to rank peer; over when the last byte is acknowledged
    RECV  //!< point to point: from rank peer; over when the last byte has arrived
};

/** @param kind which. @return "compute", "all_reduce", "send", ... */
const char* ToString(OperationKind kind);

/** Part of the step, for labels. */
enum class StepPhase : uint8_t
{
    FORWARD,
    BACKWARD,
    GRADIENT,  //!< gradient reduction
    OPTIMIZER, //!< after the last gradient
    SETUP      //!< batch input, scalars before the first forward
};

/** @param phase which. @return "forward", ... */
const char* ToString(StepPhase phase);

/** In-order queues of a rank, as CUDA streams. Operations of one stream run one after the other. */
enum class OperationStream : uint8_t
{
    COMPUTE,
    TENSOR,
    DATA,
    SEND_FORWARD, //!< pipeline activations to the next stage
    RECV_FORWARD,
    SEND_BACKWARD, //!< pipeline gradients to the previous stage
    RECV_BACKWARD,
    CONTEXT,
    EXPERT,
    OTHER, //!< scalars, tied embeddings
    /** No queue: an operation starts when its waits are over, whatever came before it. Only
     *  computations of one lane run one after the other, as they become ready. For imported graphs;
     *  a program is UNORDERED throughout or not at all. */
    UNORDERED,
    COUNT
};

/** @param stream which. @return "compute", "tensor", ... */
const char* ToString(OperationStream stream);

/**
 * @ingroup llm-training
 *
 * One operation of a rank's step program. It starts when its predecessor on the same stream and
 * all operations in waits are over. Sends never wait for the receiver to post its receive.
 *
 * Matching: the n-th collective that a rank issues on a group matches the n-th of every other
 * member and must agree in kind, bytes and root; the n-th SEND from a to b with a tag matches the
 * n-th RECV at b from a with that tag and must agree in bytes.
 */
struct Operation
{
    uint64_t id{0};                                   //!< position in the rank's program, from 0
    OperationKind kind{OperationKind::COMPUTE};       //!< what
    OperationStream stream{OperationStream::COMPUTE}; //!< where it queues
    ParallelDimension dimension{ParallelDimension::DATA}; //!< communication: what for
    StepPhase phase{StepPhase::FORWARD};                  //!< label
    int32_t layer{-1};                                    //!< label: global layer, -1 none
    int32_t microbatch{-1};                               //!< label: microbatch, -1 none
    int64_t durationPs{0};                                //!< COMPUTE: picoseconds
    uint64_t bytes{0};                                    //!< communication: size
    uint32_t group{0};                                    //!< collective: index in the group table
    uint32_t root{0};                                     //!< BROADCAST, REDUCE: group rank
    /** ALL_TO_ALL of uneven parts; null: even. Every member names the same object, which lives as
     *  long as the WorkloadSource. */
    const ExchangeBytes* exchange{nullptr};
    uint32_t peer{0};            //!< SEND, RECV: global rank
    uint64_t tag{0};             //!< SEND, RECV: matches the two sides
    std::vector<uint64_t> waits; //!< ids of earlier operations of this rank
    /** UNORDERED: ids of earlier operations that must have started. */
    std::vector<uint64_t> startWaits;
    uint16_t channel{0}; //!< SEND: which connection of the pair and dimension
    /** SEND: traffic class, 0 .. 7; above: the one that the job has for the dimension. */
    uint8_t trafficClass{255};
    uint8_t lane{0}; //!< UNORDERED: computations of one lane exclude each other; of operations
                     //!< that become ready at once the lowest lane goes first, then the lowest id
};

/**
 * @ingroup llm-training
 *
 * The operations of one rank for one iteration, in program order, produced lazily: memory does not
 * grow with the number of microbatches.
 */
class StepProgram
{
  public:
    virtual ~StepProgram() = default;
    /** @param operation gets the next one. @return false at the end of the iteration. */
    virtual bool Next(Operation& operation) = 0;
};

/** A process group: global ranks, in group-rank order. */
struct ProcessGroup
{
    ParallelDimension dimension{ParallelDimension::DATA}; //!< what it serves
    std::string name;                                     //!< e.g. "tp", "dp", "embd"
    std::vector<uint32_t> ranks;                          //!< global ranks
};

/** @param group any. @return for messages: "group \"dp\" of ranks 0, 8, 16, ...". */
std::string DescribeGroup(const ProcessGroup& group);

/**
 * @ingroup llm-training
 *
 * A job's work: how many ranks, which groups, and each rank's program. Implemented by the training
 * step of a model and a layout, and by importers.
 */
class WorkloadSource
{
  public:
    virtual ~WorkloadSource() = default;
    /** @return number of ranks. */
    virtual uint32_t GetWorldSize() const = 0;
    /** @return every process group; Operation::group indexes it. */
    virtual const std::vector<ProcessGroup>& GetGroups() const = 0;
    /**
     * @param rank global rank.
     * @param iteration from 0.
     * @return the rank's operations.
     */
    virtual std::unique_ptr<StepProgram> CreateProgram(uint32_t rank, uint32_t iteration) const = 0;
    /** @param rank global rank. @return operations per iteration, for progress; 0 if unknown. */
    virtual uint64_t CountOperations(uint32_t rank) const = 0;

    /** @return connections per pair and dimension that its sends ask for: above every
     *  Operation::channel. */
    virtual uint32_t GetChannelCount() const
    {
        return 1;
    }
};

} // namespace llm
} // namespace ns3

#endif // LLM_STEP_PROGRAM_H
