/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ATTRIBUTE_MAP_H
#define LLM_ATTRIBUTE_MAP_H

#include "ns3/type-id.h"

#include <map>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * Check ns-3 attributes that a user wrote down; ns-3 itself would abort.
 * @param tid of the object that gets them.
 * @param attributes values by name.
 * @param source, path where they stand, for the error.
 * @throw ConfigError for an unknown name, with the nearest known one, and for a value that the
 *        attribute does not take.
 */
void CheckAttributes(TypeId tid,
                     const std::map<std::string, std::string>& attributes,
                     const std::string& source,
                     const std::string& path);

/**
 * The same for one attribute.
 * @param tid of the object that gets it.
 * @param name, value of the attribute.
 * @param source, path where it stands, for the error.
 * @throw ConfigError see CheckAttributes.
 */
void CheckAttribute(TypeId tid,
                    const std::string& name,
                    const std::string& value,
                    const std::string& source,
                    const std::string& path);

/**
 * Check a value that ns-3 is to read: of a text that is no number, no time or no type ns-3 itself
 * would abort.
 * @param checker of the attribute or global value.
 * @param value text.
 * @return empty if it will be taken, else what is wrong with it, in a few words.
 */
std::string CheckAttributeText(const AttributeChecker& checker, const std::string& value);

} // namespace llm
} // namespace ns3

#endif // LLM_ATTRIBUTE_MAP_H
