/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_STAGE_SPLIT_H
#define LLM_STAGE_SPLIT_H

#include "llm-parallel-config.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** Layers of a pipeline stage: [first, first + count). */
struct StageLayers
{
    uint64_t first{0}; //!< global number of its first layer
    uint64_t count{0}; //!< how many
};

/**
 * @ingroup llm-training
 *
 * Cuts the layers of a model into pipeline stages: p, or p v where each rank has v chunks. Stage s
 * is chunk s / p of rank s mod p.
 *
 * Evenly; or with decoder_first_ and decoder_last_pipeline_num_layers on the first and the last
 * rank, which spread them evenly over their chunks, as Megatron-Core does; or as
 * pipeline_model_parallel_layout says.
 */
class StageSplit
{
  public:
    /** Throws a ConfigError. Arguments: key of the field, what is wrong. */
    using Fail = std::function<void(const std::string&, const std::string&)>;

    /**
     * @param config sizes; its schedule is checked.
     * @param layers of the model, without those of multi-token prediction.
     * @param fail throws.
     */
    StageSplit(const ParallelConfig& config, uint64_t layers, Fail fail);

    /** @return the layers of each stage. @throw ConfigError if they cannot be cut so. */
    std::vector<StageLayers> Split() const;

    /**
     * Reads pipeline_model_parallel_layout: layers per stage ("4,4,4,3"), or Megatron-Core's
     * letters, a stage between bars: E embedding, t layer, m multi-token prediction, L output
     * layer; "*3" repeats the letter or the parenthesis before it, commas mean nothing:
     * "Et*3|(tt|)*29,tmL".
     * @param text the layout.
     * @return layers per stage.
     * @throw ConfigError if it cannot be read, or E does not open the first stage, L close the last
     *        or m not stand just before it: that is where they are, here.
     */
    std::vector<uint64_t> ReadLayout(const std::string& text) const;

  private:
    std::vector<uint64_t> SplitEvenly() const;
    std::vector<uint64_t> FollowLayout() const;
    std::vector<uint64_t> ReadNumbers(const std::string& text) const;
    std::vector<uint64_t> ReadLetters(const std::string& text) const;
    std::string Expand(const std::string& text) const;
    void FailLayout(const std::string& message) const;

    const ParallelConfig& m_config; //!< sizes
    uint64_t m_layers;              //!< to be cut
    Fail m_fail;                    //!< throws
};

} // namespace llm
} // namespace ns3

#endif // LLM_STAGE_SPLIT_H
