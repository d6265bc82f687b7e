/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_UNUSED_H
#define LLM_SCENARIO_UNUSED_H

#include "llm-scenario.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Fields that somebody set and that another field switches off: fabric.k of a leaf-spine network,
 * transport.ack_interval of TCP. No error, so that --set fabric.topology=fat-tree works on any
 * scenario, but the report says so.
 *
 * @param scenario as read.
 * @return "fabric.leaves, fabric.spines (fabric.topology is fat-tree)"; empty if all are used.
 */
std::string DescribeUnusedFields(const Scenario& scenario);

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_UNUSED_H
