/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TROUBLE_RECORD_H
#define LLM_TROUBLE_RECORD_H

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/** What a TroubleSchedule did, or what routing made of it. */
struct TroubleRecord
{
    int64_t tick;       //!< when
    std::string kind;   //!< "link_down", ..., or "routes" when they were computed anew
    std::string target; //!< as the event named it; "fabric" for routes
    std::string effect; //!< in words, without commas
};

} // namespace llm
} // namespace ns3

#endif // LLM_TROUBLE_RECORD_H
