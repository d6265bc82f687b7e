/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-attribute-map.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/llm-units.h"
#include "ns3/string.h"

#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

/** @return the attributes of a type and its parents. */
std::vector<std::string>
ListAttributes(TypeId tid)
{
    std::vector<std::string> names;
    for (;;)
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            names.push_back(tid.GetAttribute(i).name);
        }
        if (!tid.HasParent())
        {
            return names;
        }
        tid = tid.GetParent();
    }
}

} // namespace

void
CheckAttributes(TypeId tid,
                const std::map<std::string, std::string>& attributes,
                const std::string& source,
                const std::string& path)
{
    for (const auto& [name, value] : attributes)
    {
        TypeId::AttributeInformation info;
        if (!tid.LookupAttributeByName(name, &info))
        {
            throw ConfigError(source,
                              path + "." + name,
                              tid.GetName() + " has no such attribute; did you mean '" +
                                  NearestName(name, ListAttributes(tid)) + "'?");
        }
        if (info.checker->GetValueTypeName() == "ns3::TimeValue")
        {
            ParseDurationPs(value, source, path + "." + name); // ns3::Time would abort
        }
        if (!info.checker->CreateValidValue(StringValue(value)))
        {
            throw ConfigError(source,
                              path + "." + name,
                              "'" + value + "' is no valid " + info.checker->GetValueTypeName() +
                                  " for this attribute; its default is '" +
                                  info.initialValue->SerializeToString(info.checker) + "'");
        }
    }
}

} // namespace llm
} // namespace ns3
