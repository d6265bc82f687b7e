/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PIPELINE_TRAFFIC_H
#define LLM_PIPELINE_TRAFFIC_H

#include "llm-traffic-uses.h"

namespace ns3
{
namespace llm
{

/**
 * What a stage sends to its neighbours: for each microbatch activations to the next and gradients
 * to the previous one, unless these are on the same rank.
 * @param at a stage.
 * @param uses get it.
 */
void AddPipelineTraffic(const StageTraffic& at, TrafficUses& uses);

/**
 * What is sent once per iteration between stages, or by all of them: the gradient of an embedding
 * that first and last stage share, the loss, the gradient norm and, with fp16, the overflow flag.
 * @param step what is trained.
 * @param stages those of one pipeline rank.
 * @param uses get it.
 */
void AddIterationTraffic(const TrainingStep& step,
                         const std::vector<StageTraffic>& stages,
                         TrafficUses& uses);

} // namespace llm
} // namespace ns3

#endif // LLM_PIPELINE_TRAFFIC_H
