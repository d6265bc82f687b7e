/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_ERROR_OF_H
#define LLM_TRAINING_ERROR_OF_H

#include "ns3/llm-config-error.h"

#include <functional>
#include <string>

namespace llmtest
{

/// @param action what should be refused @return what() of its ConfigError, or "no error"
inline std::string
ErrorOf(const std::function<void()>& action)
{
    try
    {
        action();
    }
    catch (const ns3::llm::ConfigError& error)
    {
        return error.what();
    }
    return "no error";
}

} // namespace llmtest

#endif // LLM_TRAINING_ERROR_OF_H
