/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_STORED_WORKLOAD_H
#define LLM_STORED_WORKLOAD_H

#include "llm-imported-workload.h"
#include "llm-operation-store.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * An imported workload whose file lists every operation, so that they are kept as they were read.
 * All iterations are alike.
 */
class StoredWorkload : public ImportedWorkload
{
  public:
    uint32_t GetWorldSize() const override;
    const std::vector<ProcessGroup>& GetGroups() const override;
    /** The program refers to this object, which must outlive it. */
    std::unique_ptr<StepProgram> CreateProgram(uint32_t rank, uint32_t iteration) const override;
    uint64_t CountOperations(uint32_t rank) const override;
    uint32_t GetChannelCount() const override;

  protected:
    using ImportedWorkload::ImportedWorkload;

    /**
     * Append the operations of a rank, in an order in which each comes behind what it waits for:
     * that of the list wherever possible.
     * @param rank whose.
     * @param operations waits and startWaits are places in this list; ids are ignored.
     * @return a place on a circle of waits if there is one (then nothing is appended), else
     *         operations.size().
     */
    std::size_t StoreOrdered(uint32_t rank, std::vector<Operation>& operations);

    /** @return "12 operations: 3 all_reduce (4096 B), ...", all ranks. */
    std::string SummariseOperations() const;

    std::vector<OperationStore> m_ranks;                     //!< operations by rank
    std::vector<ProcessGroup> m_groups;                      //!< all groups
    std::vector<std::unique_ptr<ExchangeBytes>> m_exchanges; //!< of uneven all-to-alls
    uint32_t m_channels{1};                                  //!< see GetChannelCount
};

} // namespace llm
} // namespace ns3

#endif // LLM_STORED_WORKLOAD_H
