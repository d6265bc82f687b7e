/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_VALUE_READER_H
#define LLM_SCENARIO_VALUE_READER_H

#include "llm-scenario-field.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ns3
{
namespace llm
{

/** Where a value stands, for errors. */
struct ScenarioPlace
{
    std::string source; //!< file or "command line"
    std::string path;   //!< JSON path, "events[2].at"
};

/** @param place of what is wrong. @param message what is. @throw ConfigError of both. */
[[noreturn]] void FailAt(const ScenarioPlace& place, const std::string& message);

/** @param wanted form. @param value that has another.
 *  @return "must be a whole number, is "four" (string)". */
std::string DescribeMismatch(const std::string& wanted, const nlohmann::ordered_json& value);

/**
 * Check a JSON value against its field, and keep it.
 * @param field what it must be; no list of objects.
 * @param slot where it is kept.
 * @param place where it stands.
 * @param value as read.
 * @throw ConfigError if form, range or spelling are wrong.
 */
void ReadScenarioValue(const ScenarioField& field,
                       ScenarioSlot slot,
                       const ScenarioPlace& place,
                       const nlohmann::ordered_json& value);

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_VALUE_READER_H
