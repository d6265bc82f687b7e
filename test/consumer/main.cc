/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/llm-config-error.h"
#include "ns3/llm-training-module.h"

#include <iostream>

int
main()
{
    try
    {
        throw ns3::llm::ConfigError("consumer", "", "linked against an installed llm-training");
    }
    catch (const ns3::llm::ConfigError& error)
    {
        std::cout << error.what() << std::endl;
    }
    return 0;
}
