/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COLLECTIVE_OPERATION_H
#define LLM_COLLECTIVE_OPERATION_H

#include "llm-collective-algorithm.h"

#include "ns3/llm-step-program.h"

namespace ns3
{
namespace llm
{

/**
 * @param kind of an operation of a step program that is a collective.
 * @return the collective that it is.
 * @throw std::invalid_argument for compute, send and receive.
 */
CollectiveKind GetCollectiveKind(OperationKind kind);

} // namespace llm
} // namespace ns3

#endif // LLM_COLLECTIVE_OPERATION_H
