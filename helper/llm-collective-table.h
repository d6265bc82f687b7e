/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COLLECTIVE_TABLE_H
#define LLM_COLLECTIVE_TABLE_H

#include "llm-collective-sweep.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * @param decision how a collective is done.
 * @return "ring, LL, 1 channel, slices of 32 KiB".
 */
std::string FormatDecision(const CollectiveDecision& decision);

/**
 * What nccl-tests print: the same lines and columns, so that both can be read by the same scripts
 * and eyes. There are no buffers here, so that in place and out of place are the same figures, and
 * nothing that could be wrong: "N/A". Behind each table, which algorithm was used for which sizes
 * and why, as comments; behind several tables, their busbw side by side.
 * @param result of a sweep.
 * @return lines.
 */
std::string FormatCollectiveTables(const CollectiveSweepResult& result);

/**
 * @param result of a sweep.
 * @param path of a CSV file that gets a row per size and algorithm, replaced if it exists.
 * @throw ConfigError naming the path if it cannot be written.
 */
void WriteCollectiveCsv(const CollectiveSweepResult& result, const std::string& path);

/** @param result of a sweep. @return the same as JSON, names with units, reasons included. */
std::string FormatCollectiveJson(const CollectiveSweepResult& result);

} // namespace llm
} // namespace ns3

#endif // LLM_COLLECTIVE_TABLE_H
