/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_JOURNEY_TENSORS_H
#define LLM_JOURNEY_TENSORS_H

#include "llm-journey-text.h"
#include "llm-report-document.h"

#include "ns3/llm-training-step.h"

namespace ns3
{
namespace llm
{

/**
 * The second part of a journey: embedding, the tensors of a layer, the whole model, on one
 * accelerator that could do it alone.
 * @param document gets the chapters.
 * @param text what comes in.
 * @param model its shape, as it stands in its file.
 * @param step any layout of it.
 */
void TellTensors(ReportDocument& document,
                 const JourneyText& text,
                 const ModelConfig& model,
                 const TrainingStep& step);

} // namespace llm
} // namespace ns3

#endif // LLM_JOURNEY_TENSORS_H
