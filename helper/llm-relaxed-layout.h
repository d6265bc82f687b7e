/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_RELAXED_LAYOUT_H
#define LLM_RELAXED_LAYOUT_H

#include "ns3/llm-model-config.h"
#include "ns3/llm-parallel-config.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Makes a layout countable that Megatron refuses to run: papers like to cut GPT-2 small, with its
 * 12 heads and 12 layers, by 8.
 *
 * Heads that tensor parallelism does not divide are replaced by more and narrower ones of the same
 * width in sum, so that every matrix and every message keeps its size; layers that the pipeline
 * does not divide are spread unevenly. What divides is left as it is.
 *
 * @param model its heads are changed where needed.
 * @param config its layers per stage are changed where needed.
 * @return what was changed and why, a sentence each; none if Megatron would run it.
 */
std::vector<std::string> RelaxLayout(ModelConfig& model, ParallelConfig& config);

} // namespace llm
} // namespace ns3

#endif // LLM_RELAXED_LAYOUT_H
