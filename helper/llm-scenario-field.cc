/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-field.h"

namespace ns3
{
namespace llm
{

const char*
ToString(ScenarioFieldType type)
{
    switch (type)
    {
    case ScenarioFieldType::BOOLEAN:
        return "true or false";
    case ScenarioFieldType::COUNT:
        return "whole number";
    case ScenarioFieldType::NUMBER:
        return "number";
    case ScenarioFieldType::TEXT:
    case ScenarioFieldType::CHOICE:
        return "string";
    case ScenarioFieldType::BYTES:
        return "bytes";
    case ScenarioFieldType::RATE:
        return "rate";
    case ScenarioFieldType::DURATION:
        return "time";
    case ScenarioFieldType::COUNT_LIST:
        return "list of whole numbers";
    case ScenarioFieldType::TEXT_LIST:
        return "list of strings";
    case ScenarioFieldType::MAP:
        return "object";
    case ScenarioFieldType::MODEL:
        return "string or object";
    case ScenarioFieldType::LIST:
        return "list of objects";
    }
    return "unknown";
}

ScenarioField&
ScenarioField::Doc(const std::string& text)
{
    doc = text;
    return *this;
}

ScenarioField&
ScenarioField::Range(double least, double most)
{
    minimum = least;
    maximum = most;
    return *this;
}

ScenarioField&
ScenarioField::Choices(const std::vector<std::string>& allowed)
{
    choices = allowed;
    return *this;
}

ScenarioField&
ScenarioField::Required()
{
    required = true;
    return *this;
}

} // namespace llm
} // namespace ns3
