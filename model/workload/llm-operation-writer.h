/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_OPERATION_WRITER_H
#define LLM_OPERATION_WRITER_H

#include "llm-part-recipe.h"
#include "llm-training-step.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/** An operation that others wait for. */
struct OperationLink
{
    uint64_t id{0};                                   //!< of the operation
    OperationStream stream{OperationStream::COMPUTE}; //!< where it queues
};

/** Several of them. */
using OperationLinks = std::vector<OperationLink>;

/**
 * @ingroup llm-training
 *
 * Collects the operations of one rank: numbers them, labels them and finds groups and peers.
 */
class OperationWriter
{
  public:
    /** @param step what is trained; it must outlive this object. @param rank global rank. */
    OperationWriter(const TrainingStep& step, uint32_t rank);

    /** @return the rank. */
    uint32_t GetRank() const;
    /** @return operations that are written and not taken. */
    std::size_t GetSize() const;
    /** @param operation gets the oldest one. @return false if there is none. */
    bool Take(Operation& operation);

    /** Labels of what is written from now on. @param phase part of the step. @param microbatch
     *  number, -1: none. */
    void SetLabels(StepPhase phase, int32_t microbatch);

    /**
     * @param kind what.
     * @param stream where; the order of the stream takes the place of waits within it.
     * @param waits what it waits for.
     * @return the operation, valid until the next one is written.
     */
    Operation& Append(OperationKind kind, OperationStream stream, const OperationLinks& waits);

    /**
     * @param step of a recipe, or any other.
     * @param waits what it waits for.
     * @param layer label, -1: none.
     * @return a link to it.
     */
    OperationLink Write(const RecipeStep& step, const OperationLinks& waits, int64_t layer = -1);

  private:
    uint32_t FindGroup(const char* kind);
    void SetPeer(Operation& operation, const RecipeStep& step);

    const TrainingStep& m_step; //!< what is trained
    uint32_t m_rank;            //!< whose operations

    std::vector<Operation> m_written;    //!< written since all were taken
    std::size_t m_taken{0};              //!< how many of them are taken
    uint64_t m_nextId{0};                //!< of the next operation
    StepPhase m_phase{StepPhase::SETUP}; //!< label
    int32_t m_microbatch{-1};            //!< label
    /** Kinds of groups seen so far, and the index of the rank's group. */
    std::vector<std::pair<const char*, uint32_t>> m_groups;
};

} // namespace llm
} // namespace ns3

#endif // LLM_OPERATION_WRITER_H
