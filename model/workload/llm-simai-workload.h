/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SIMAI_WORKLOAD_H
#define LLM_SIMAI_WORKLOAD_H

#include "llm-imported-workload.h"
#include "llm-simai-file.h"

#include <array>
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
 * A workload of SimAI or AICB, run as SimAI runs it. Every rank goes through the same rows: forward
 * over all of them in order, each computation followed by its communication, for which the next row
 * waits; then backward in reverse order: input gradient, its communication beside the weight
 * gradient's computation, and the weight gradient's communication, for which nothing waits. AICB
 * writes the rows of every microbatch (ga) out, so that nothing is repeated here.
 *
 * Ranks (MockNcclGroup): TP groups are runs of tp ranks, DP group i is {i + j n / dp} with
 * dp = n / (tp pp), an EP group is one TP rank of ep consecutive TP groups, a DP_EP group one TP
 * rank of every ep-th TP group. Bare communication is over TP forward and for input gradients, over
 * DP for weight gradients; _EP and _DP_EP say otherwise in any column.
 *
 * Beyond SimAI's packet simulation: pp_comm is sent, from stage to stage around the rows of each
 * microbatch (which begin with embedding_layer), in the order of GPipe, unless there are EP groups,
 * which lie across stages in this layout; all checkpoints count.
 * Rows are turned into operations as they are needed: memory does not grow with ranks or steps.
 */
class SimaiWorkload : public ImportedWorkload
{
  public:
    /**
     * @param fileName the file.
     * @param ranks that there shall be; 0: as many as the file says.
     * @throw ConfigError naming file and line.
     */
    explicit SimaiWorkload(const std::string& fileName, uint32_t ranks = 0);
    /** Likewise. @param file that was read. @param ranks as above. @throw ConfigError. */
    explicit SimaiWorkload(const SimaiFile& file, uint32_t ranks = 0);

    uint32_t GetWorldSize() const override;
    const std::vector<ProcessGroup>& GetGroups() const override;
    /** The program refers to this object, which must outlive it. */
    std::unique_ptr<StepProgram> CreateProgram(uint32_t rank, uint32_t iteration) const override;
    uint64_t CountOperations(uint32_t rank) const override;

    /** @return what stands in the file. */
    const SimaiFile& GetFile() const;
    /** @param group which kind. @return ranks of such a group. */
    uint32_t GetGroupSize(SimaiGroup group) const;
    /** @param group which kind. @param rank a member. @return index in GetGroups(). Meaningless if
     *  such groups have one rank. */
    uint32_t GetGroupId(SimaiGroup group, uint32_t rank) const;
    /** @param rank which. @return its pipeline stage. */
    uint32_t GetStage(uint32_t rank) const;
    /** @return rows with which the rows of a microbatch begin; empty: no pipeline traffic. */
    const std::vector<uint32_t>& GetBlocks() const;

  private:
    static constexpr std::size_t GROUPS = static_cast<std::size_t>(SimaiGroup::DATA_EXPERT) + 1;

    [[noreturn]] void Fail(const std::string& message) const;
    void CheckSizes();
    void MakeGroups();
    void MakeBlocks();
    void Summarise();
    /** @return number of the group within its kind. @param rank a member. */
    uint32_t NumberOf(SimaiGroup group, uint32_t rank) const;

    SimaiFile m_file;                       //!< what stands in the file
    uint32_t m_ranks{0};                    //!< n
    uint32_t m_tensor{1};                   //!< tp
    uint32_t m_data{1};                     //!< dp
    std::vector<ProcessGroup> m_groups;     //!< of more than one rank
    std::array<uint32_t, GROUPS> m_first{}; //!< by kind: index of the first in m_groups
    std::vector<uint32_t> m_blocks;         //!< see GetBlocks
    uint64_t m_alone{0};                    //!< communications over groups of one rank
    std::vector<uint64_t> m_counts;         //!< operations by stage
};

} // namespace llm
} // namespace ns3

#endif // LLM_SIMAI_WORKLOAD_H
