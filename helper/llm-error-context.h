/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ERROR_CONTEXT_H
#define LLM_ERROR_CONTEXT_H

#include "ns3/llm-config-error.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * Do something on behalf of a scenario: an error of whoever knows nothing of scenarios gets the
 * place in the scenario that it comes from.
 * @param source file.
 * @param path JSON path.
 * @param action what to do.
 * @throw ConfigError of the action, with source and path.
 */
template <typename F>
void
WithContext(const std::string& source, const std::string& path, F action)
{
    try
    {
        action();
    }
    catch (const ConfigError& error)
    {
        if (error.GetSource() == source)
        {
            throw;
        }
        throw ConfigError(source, path, error.what());
    }
}

} // namespace llm
} // namespace ns3

#endif // LLM_ERROR_CONTEXT_H
