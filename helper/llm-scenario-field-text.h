/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_FIELD_TEXT_H
#define LLM_SCENARIO_FIELD_TEXT_H

#include "llm-scenario-field.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @param field which.
 * @param object whose, of the type that the field's table describes.
 * @return its value as JSON text. Elements of lists have all their fields, of the inherited ones
 *         only those that somebody set.
 */
std::string FormatFieldValue(const ScenarioField& field, const void* object);

/**
 * @param fields a table.
 * @param defaults object with what the fields are where nobody sets them.
 * @return every field with its default and description, for a terminal of 80 columns; fields of
 *         the elements of lists as "events[].at", without those that are inherited.
 */
std::string FormatFieldsHelp(const std::vector<ScenarioField>& fields, const void* defaults);

/**
 * @param fields a table.
 * @param defaults object with what the fields are where nobody sets them.
 * @return the same as reStructuredText tables, one per section and list.
 */
std::string FormatFieldsManual(const std::vector<ScenarioField>& fields, const void* defaults);

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_FIELD_TEXT_H
