/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PARALLEL_LAYOUT_H
#define LLM_PARALLEL_LAYOUT_H

#include "llm-model-config.h"
#include "llm-parallel-config.h"
#include "llm-stage-split.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** An axis of the grid of ranks. TP, CP, DP and PP make the dense grid, ETP, EP, EDP and PP the
 *  expert grid of the same ranks. */
enum class ParallelAxis : uint8_t
{
    TP,
    CP,
    DP,
    PP,
    ETP, //!< tensor parallelism within an expert
    EP,  //!< expert parallelism
    EDP, //!< data parallelism of experts
    COUNT
};

/** Position of a rank on each axis, indexed by ParallelAxis. */
using ParallelCoordinates = std::array<uint32_t, static_cast<std::size_t>(ParallelAxis::COUNT)>;

/**
 * @ingroup llm-training
 *
 * The grid of ranks: which rank stands where, and which ranks share a process group, as
 * Megatron-Core's RankGenerator has it. Groups are computed, not stored.
 *
 * The ranks of a pipeline stage make a grid of t x c x d for the dense part of the model. A second
 * RankGenerator cuts them into et x e x edp for the experts, edp = t c d / (et e). Both follow the
 * rank order, in which "tp" stands for ETP and "dp" for EDP in the expert grid, "cp" is of the
 * dense grid alone and "ep" of the expert grid alone. Both must have the same pipeline groups,
 * which is sure if "pp" comes last.
 *
 * A kind of group is named by the axes of one grid along which its members differ:
 * - dense: "tp", "cp", "dp", "pp"; "dp-cp" (sums gradients), "tp-cp", "tp-pp" (model parallel) ...
 * - experts: "ep" (exchanges tokens), "etp", "edp" (sums gradients), "etp-ep", "etp-ep-pp" ...
 * - "embd": the first and the last rank of each "pp" group;
 * - "dp-cp-shard" and "dp-cp-replica", "edp-shard" and "edp-replica": the data-parallel group in
 *   num_distributed_optimizer_instances parts of neighbours (shard), and the ranks at the same
 *   place of each part (replica); HSDP shards within the first and sums over the second;
 * - "dist-opt": all ranks of such an instance, one model-parallel group after the other;
 * - "cp-a2a" and "cp-p2p": the context-parallel group in parts of
 *   hierarchical_context_parallel_size neighbours, and the ranks at the same place of each part.
 *
 * With the schedule dualpipe, ranks r and p-1-r of a pipeline hold the same stages. So whatever
 * varies along dp or edp, and not along pp, has the ranks of both.
 */
class ParallelLayout
{
  public:
    /**
     * @param config the sizes of the axes.
     * @param worldSize ranks; 0: the product of the sizes, with data_parallel_size at least 1.
     * @param source name of the file, for errors.
     * @param path where the config stands in it.
     * @throw ConfigError if the product is not the world size, the rank order is no permutation of
     *        the axes, the expert grid does not fit, or parts do not divide their group.
     */
    explicit ParallelLayout(const ParallelConfig& config,
                            uint32_t worldSize = 0,
                            const std::string& source = "ParallelConfig",
                            const std::string& path = "");

    /** @return the config, with data_parallel_size filled in. */
    const ParallelConfig& GetConfig() const;
    /** @return number of ranks. */
    uint32_t GetWorldSize() const;
    /** @param axis which. @return its size. */
    uint32_t GetSize(ParallelAxis axis) const;
    /** @param rank global rank. @return its position on the axes of both grids. */
    ParallelCoordinates GetCoordinates(uint32_t rank) const;
    /** @param rank global rank. @param axis which. @return its position on that axis. */
    uint32_t GetCoordinate(uint32_t rank, ParallelAxis axis) const;
    /** @param coordinates position; the axes of the expert grid are not looked at. @return the
     *  global rank there. */
    uint32_t GetRank(const ParallelCoordinates& coordinates) const;

    /** @param kind e.g. "tp". @return ranks per group of that kind. */
    uint32_t GetGroupSize(const std::string& kind) const;
    /** @param kind e.g. "tp". @return number of groups of that kind; 0 for "embd" with one stage.
     */
    uint32_t GetGroupCount(const std::string& kind) const;
    /**
     * @param kind e.g. "tp".
     * @param index 0 .. GetGroupCount(kind) - 1.
     * @return its members, ascending along the rank order.
     */
    std::vector<uint32_t> GetGroup(const std::string& kind, uint32_t index) const;
    /**
     * @param kind e.g. "tp".
     * @param rank global rank; for "embd" one of the first or last stage.
     * @return index of the group of that kind which the rank belongs to.
     */
    uint32_t GetGroupIndex(const std::string& kind, uint32_t rank) const;
    /** @param kind e.g. "tp". @param rank global rank. @return its position within its group. */
    uint32_t GetGroupRank(const std::string& kind, uint32_t rank) const;

    /**
     * Checks that each layer of a model can be cut this way: attention heads, key-value heads and
     * MLP by t, heads by c too if all-to-all spreads them, experts by e, their width by et.
     * @param model the model.
     * @throw ConfigError.
     */
    void CheckModel(const ModelConfig& model) const;

    /** @return what the length of a sequence must be a multiple of: c, and 2 c so that each rank
     *  has two chunks that balance causal attention, and t as well under sequence parallelism. */
    uint64_t GetSequenceDivisor() const;

    /**
     * Checks the model as CheckModel does, and cuts its layers as StageSplit does.
     * @param model the model.
     * @return the layers of each stage: p, or p v with v chunks per rank.
     * @throw ConfigError.
     */
    std::vector<StageLayers> SplitLayers(const ModelConfig& model) const;

    /** @param model the model. @return rows of its embedding after padding. */
    uint64_t GetPaddedVocabSize(const ModelConfig& model) const;

  private:
    static constexpr std::size_t AXES = static_cast<std::size_t>(ParallelAxis::COUNT);

    /** One cut of all ranks. */
    struct Grid
    {
        std::array<uint32_t, AXES> size{};     //!< by axis; 1 if not of this grid
        std::array<uint32_t, AXES> stride{};   //!< by axis: distance of neighbours
        std::array<std::size_t, AXES> order{}; //!< axes, fastest first
        std::size_t axes{0};                   //!< how many of them
    };

    /** Which ranks make a group of a kind. */
    struct GroupShape
    {
        const Grid* grid{nullptr};       //!< cut
        std::array<bool, AXES> varies{}; //!< axes along which members differ
        bool ends{false};                //!< only the first and the last of them
        bool twins{false};               //!< of the axis PP those that hold the same stages
        uint32_t part{0};                //!< 0: all of them; else parts of so many neighbours
        bool across{false};              //!< part > 0: not a part, but one of each part
        bool whole{false};               //!< part > 0: and all that do not vary, for each member
    };

    [[noreturn]] void Fail(const std::string& key, const std::string& message) const;
    void CheckSizes() const;
    void ResolveDataParallelSize(uint32_t worldSize);
    void ReadOrder();
    void MakeGrid(Grid& grid, const std::vector<ParallelAxis>& axes) const;
    void CheckExpertGrid() const;
    void CheckParts() const;
    GroupShape ParseKind(const std::string& kind) const;
    void CheckSplit(const char* key,
                    uint64_t parts,
                    const char* what,
                    const char* modelKey,
                    uint64_t number) const;
    void CheckExperts(const ModelConfig& model) const;
    void CheckContext(const ModelConfig& model) const;
    /** Mixed-radix number of the coordinates on the axes that vary, or that do not. */
    static uint32_t Number(uint32_t rank, const GroupShape& shape, bool varying);
    /** The rank with such a number on the axes that do not vary, and on those that do. */
    static uint32_t Place(uint32_t group, uint32_t member, const GroupShape& shape);
    static uint32_t CountMembers(const GroupShape& shape);

    ParallelConfig m_config;          //!< resolved
    std::string m_source;             //!< for errors
    std::string m_path;               //!< for errors
    std::vector<std::string> m_order; //!< names of axes, fastest first
    Grid m_dense;                     //!< t x c x d x p
    Grid m_expert;                    //!< et x e x edp x p
    uint32_t m_worldSize{0};          //!< product of the sizes
};

} // namespace llm
} // namespace ns3

#endif // LLM_PARALLEL_LAYOUT_H
