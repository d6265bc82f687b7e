/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-class-names.h"

#include "llm-config-error.h"
#include "llm-nearest-name.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{
namespace llm
{

ClassNames::ClassNames(const std::string& what,
                       TypeId (*base)(),
                       const std::vector<ShortName>& shortNames)
    : m_what(what),
      m_base(base),
      m_shortNames(shortNames)
{
}

bool
ClassNames::IsOne(TypeId tid) const
{
    return tid.IsChildOf(m_base()) && tid.HasConstructor();
}

TypeId
ClassNames::Lookup(const std::string& name,
                   const std::string& source,
                   const std::string& path) const
{
    for (const auto& shortName : m_shortNames)
    {
        if (name == shortName.name)
        {
            return shortName.typeId();
        }
    }
    TypeId tid;
    if (TypeId::LookupByNameFailSafe(name, &tid) && IsOne(tid))
    {
        return tid;
    }
    const std::vector<std::string> names = GetNames();
    std::string list;
    for (const auto& known : names)
    {
        list += (list.empty() ? "" : ", ") + known;
    }
    throw ConfigError(source,
                      path,
                      "no " + m_what + " '" + name + "'; did you mean '" +
                          NearestName(name, names) + "'? Known: " + list);
}

std::vector<std::string>
ClassNames::GetNames() const
{
    std::vector<std::string> names;
    for (const auto& shortName : m_shortNames)
    {
        names.emplace_back(shortName.name);
    }
    const auto shortCount = static_cast<std::ptrdiff_t>(names.size());
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (IsOne(tid))
        {
            names.push_back(tid.GetName());
        }
    }
    // The order of registration is the linker's.
    std::sort(names.begin() + shortCount, names.end());
    return names;
}

} // namespace llm
} // namespace ns3
