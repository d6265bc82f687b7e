/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PARALLEL_LAYOUT_H
#define LLM_PARALLEL_LAYOUT_H

#include "llm-model-config.h"
#include "llm-parallel-config.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** An axis of the grid of ranks. */
enum class ParallelAxis : uint8_t
{
    TP,
    CP,
    EP,
    DP,
    PP,
    COUNT
};

/** Position of a rank on each axis, indexed by ParallelAxis. */
using ParallelCoordinates = std::array<uint32_t, static_cast<std::size_t>(ParallelAxis::COUNT)>;

/** Layers of a pipeline stage: [first, first + count). */
struct StageLayers
{
    uint64_t first{0}; //!< global number of its first layer
    uint64_t count{0}; //!< how many
};

/**
 * @ingroup llm-training
 *
 * The grid of ranks: which rank stands where, and which ranks share a process group, as
 * Megatron-Core's RankGenerator has it. Groups are computed, not stored.
 *
 * A kind of group is named by the axes along which its members differ: "tp", "dp", "pp", "tp-pp"
 * (the model-parallel group), "tp-dp". "embd" is the first and the last rank of each "pp" group.
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
     *        the axes, or a size is not supported.
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
    /** @param rank global rank. @return its position. */
    ParallelCoordinates GetCoordinates(uint32_t rank) const;
    /** @param rank global rank. @param axis which. @return its position on that axis. */
    uint32_t GetCoordinate(uint32_t rank, ParallelAxis axis) const;
    /** @param coordinates position. @return the global rank there. */
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
     * Checks that a model can be cut this way: attention heads, key-value heads, and the MLP by t,
     * layers by p.
     * @param model the model.
     * @return the layers of each stage.
     * @throw ConfigError.
     */
    std::vector<StageLayers> SplitLayers(const ModelConfig& model) const;

    /** @param model the model. @return rows of its embedding after padding. */
    uint64_t GetPaddedVocabSize(const ModelConfig& model) const;

  private:
    static constexpr std::size_t AXES = static_cast<std::size_t>(ParallelAxis::COUNT);

    /** Which axes vary within a group. */
    using AxisMask = std::array<bool, AXES>;

    [[noreturn]] void Fail(const std::string& key, const std::string& message) const;
    void ReadOrder();
    AxisMask ParseKind(const std::string& kind) const;
    void CheckSplit(const char* what, const char* key, uint64_t number) const;
    /** Mixed-radix number of the coordinates on the axes where mask equals wanted. */
    uint32_t Number(uint32_t rank, const AxisMask& mask, bool wanted) const;

    ParallelConfig m_config;                 //!< resolved
    std::string m_source;                    //!< for errors
    std::string m_path;                      //!< for errors
    std::array<uint32_t, AXES> m_size{};     //!< by axis
    std::array<uint32_t, AXES> m_stride{};   //!< by axis: distance of neighbours
    std::array<std::size_t, AXES> m_order{}; //!< axes, fastest first
    uint32_t m_worldSize{0};                 //!< product of the sizes
};

} // namespace llm
} // namespace ns3

#endif // LLM_PARALLEL_LAYOUT_H
