/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_WORKLOAD_EXPECT_H
#define LLM_TRAINING_WORKLOAD_EXPECT_H

#include "ns3/llm-config-error.h"

#include <functional>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @param call what should be refused.
 * @return the message of the ConfigError, or "nothing thrown".
 */
inline std::string
MessageOf(const std::function<void()>& call)
{
    try
    {
        call();
    }
    catch (const ConfigError& error)
    {
        return error.what();
    }
    return "nothing thrown";
}

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_WORKLOAD_EXPECT_H
