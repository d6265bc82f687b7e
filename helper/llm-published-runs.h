/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PUBLISHED_RUNS_H
#define LLM_PUBLISHED_RUNS_H

#include "llm-report-document.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The shipped scenarios of runs that papers tell of, analysed, with what they send in a step beside
 * the figures that were published: GPT-3 175B (TP 8, PP 8), Llama 3.1 405B (TP 8, CP 16, PP 16) and
 * DeepSeek-V3 (EP 64, PP 16).
 *
 * @return a section for each.
 * @throw ConfigError if a shipped file cannot be read.
 */
ReportDocument ReportPublishedRuns();

} // namespace llm
} // namespace ns3

#endif // LLM_PUBLISHED_RUNS_H
