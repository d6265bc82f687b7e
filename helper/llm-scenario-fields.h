/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_FIELDS_H
#define LLM_SCENARIO_FIELDS_H

#include "llm-scenario.h"

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{
namespace llm
{

/** Where a field of a Scenario is kept. */
using ScenarioSlot = std::variant<bool*,
                                  uint32_t*,
                                  uint64_t*,
                                  int64_t*,
                                  double*,
                                  std::string*,
                                  std::vector<uint32_t>*,
                                  std::vector<std::string>*,
                                  std::map<std::string, std::string>*>;

/** How a field is written in JSON. */
enum class ScenarioFieldType
{
    BOOLEAN,    //!< true, false
    COUNT,      //!< whole number
    NUMBER,     //!< number
    TEXT,       //!< string
    CHOICE,     //!< one of several strings
    BYTES,      //!< whole number, or "16MiB"
    RATE,       //!< "400Gbps"
    DURATION,   //!< "500ns"
    COUNT_LIST, //!< array of whole numbers
    TEXT_LIST,  //!< array of strings
    MAP,        //!< object with names that are not known here
    MODEL       //!< string, or an object in the form of a model file
};

/** @param type which. @return "whole number", "string", ... */
const char* ToString(ScenarioFieldType type);

/**
 * @ingroup llm-training
 *
 * One field of a scenario. What parses it, what the help prints and what the manual's table says
 * all come from here.
 */
struct ScenarioField
{
    std::string path;                            //!< "fabric.host_rate"
    ScenarioFieldType type;                      //!< form in JSON
    std::function<ScenarioSlot(Scenario&)> slot; //!< where its value goes
    std::string doc;                             //!< one sentence
    double minimum{0};                           //!< numbers, bytes, rates (bit/s), times (ps)
    double maximum{9.0e18};                      //!< see minimum
    std::vector<std::string> choices;            //!< CHOICE: allowed; COUNT: if not empty, too
};

/** @return every field, in the order of the manual. */
const std::vector<ScenarioField>& GetScenarioFields();

/** @param field which. @param scenario whose. @return its value as JSON text. */
std::string FormatScenarioValue(const ScenarioField& field, const Scenario& scenario);

/** @return every field with its default and description, for a terminal of 80 columns. */
std::string FormatScenarioHelp();

/** @return the same as reStructuredText tables, one per section. */
std::string FormatScenarioManual();

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_FIELDS_H
