/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_CHECK_H
#define LLM_TRAINING_CHECK_H

#include "llm-model-config.h"
#include "llm-parallel-layout.h"
#include "llm-training-config.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * Checks a training config against the model and the layout.
 * @param training what is wanted.
 * @param model shape, validated.
 * @param layout grid of ranks.
 * @param source name of the file, for errors.
 * @param path where in it the config stands.
 * @return the config with its defaults filled in: data types, sequence length, global batch.
 * @throw ConfigError if these do not fit together, or something is asked for that is not built.
 */
TrainingConfig ResolveTraining(const TrainingConfig& training,
                               const ModelConfig& model,
                               const ParallelLayout& layout,
                               const std::string& source,
                               const std::string& path);

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_CHECK_H
