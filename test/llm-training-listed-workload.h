/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_LISTED_WORKLOAD_H
#define LLM_TRAINING_LISTED_WORKLOAD_H

#include "ns3/llm-step-program.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llm
{

/** Programs given as lists. */
class ListedWorkload : public WorkloadSource
{
  public:
    explicit ListedWorkload(uint32_t ranks)
        : m_programs(ranks)
    {
    }

    /** @param rank whose. @param operation next; its id is filled in. @return it. */
    Operation& Add(uint32_t rank, OperationKind kind, uint64_t bytes)
    {
        Operation operation;
        operation.id = m_programs.at(rank).size();
        operation.kind = kind;
        operation.bytes = bytes;
        m_programs[rank].push_back(operation);
        return m_programs[rank].back();
    }

    /** Adds a SEND or RECV. */
    Operation& AddPeer(uint32_t rank,
                       OperationKind kind,
                       uint64_t bytes,
                       uint32_t peer,
                       uint64_t tag)
    {
        Operation& operation = Add(rank, kind, bytes);
        operation.peer = peer;
        operation.tag = tag;
        return operation;
    }

    uint32_t GetWorldSize() const override
    {
        return static_cast<uint32_t>(m_programs.size());
    }

    const std::vector<ProcessGroup>& GetGroups() const override
    {
        return groups;
    }

    std::unique_ptr<StepProgram> CreateProgram(uint32_t rank, uint32_t) const override
    {
        return std::make_unique<Program>(m_programs.at(rank));
    }

    uint64_t CountOperations(uint32_t) const override
    {
        return announced;
    }

    std::vector<ProcessGroup> groups; //!< process groups
    uint64_t announced{0};            //!< length of each program, 0: unknown

  private:
    class Program : public StepProgram
    {
      public:
        explicit Program(const std::vector<Operation>& operations)
            : m_operations(operations)
        {
        }

        bool Next(Operation& operation) override
        {
            if (m_next == m_operations.size())
            {
                return false;
            }
            operation = m_operations[m_next++];
            return true;
        }

      private:
        const std::vector<Operation>& m_operations;
        std::size_t m_next{0};
    };

    std::vector<std::vector<Operation>> m_programs;
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_LISTED_WORKLOAD_H
