/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_MODEL_H
#define LLM_SCENARIO_MODEL_H

#include "llm-scenario.h"

#include "ns3/llm-model-config.h"

namespace ns3
{
namespace llm
{

/**
 * @param scenario whose model is wanted: a shipped one by name, a file, or given in place; with
 *        model.overrides.
 * @return its shape.
 * @throw ConfigError if it cannot be found or read, or an override names a key that it has not.
 */
ModelConfig ReadScenarioModel(const Scenario& scenario);

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_MODEL_H
