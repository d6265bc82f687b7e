/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-attribute-map.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/llm-units.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <algorithm>
#include <locale>
#include <sstream>
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

/** @return true if a stream reads the whole text as a T. */
template <typename T>
bool
IsWhole(const std::string& text)
{
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    T value{};
    return static_cast<bool>(stream >> value) &&
           stream.peek() == std::istringstream::traits_type::eof();
}

/** @return empty if the text names a type that can be made, as "ns3::A[B=1|C=2]". */
std::string
CheckFactory(const std::string& value)
{
    const auto bracket = value.find('[');
    const std::string name = value.substr(0, bracket);
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(name, &tid) || !tid.HasConstructor())
    {
        return "'" + name + "' is no type that can be made";
    }
    if (bracket == std::string::npos)
    {
        return "";
    }
    if (value.back() != ']')
    {
        return "'" + value + "' lacks the ']' at its end";
    }
    std::istringstream list(value.substr(bracket + 1, value.size() - bracket - 2));
    std::string entry;
    while (std::getline(list, entry, '|'))
    {
        const auto equals = entry.find('=');
        if (equals == std::string::npos)
        {
            return "'" + entry + "' is not of the form Attribute=Value";
        }
        try
        {
            CheckAttribute(tid, entry.substr(0, equals), entry.substr(equals + 1), name, "");
        }
        catch (const ConfigError& error)
        {
            return error.what();
        }
    }
    return "";
}

/** @return false if ns-3 would abort when it reads such a text. */
bool
IsReadable(const std::string& type, const AttributeChecker& checker, const std::string& value)
{
    if (type == "DoubleValue")
    {
        return IsWhole<double>(value);
    }
    if (type == "IntegerValue")
    {
        return IsWhole<int64_t>(value);
    }
    if (type == "UintegerValue")
    {
        return value.substr(0, 1) != "-" && IsWhole<uint64_t>(value);
    }
    if (type == "TypeIdValue")
    {
        TypeId tid;
        return TypeId::LookupByNameFailSafe(value, &tid);
    }
    if (type == "EnumValue")
    {
        const std::string known = "|" + checker.GetUnderlyingTypeInformation() + "|";
        return known.find("|" + value + "|") != std::string::npos;
    }
    return true;
}

} // namespace

std::string
CheckAttributeText(const AttributeChecker& checker, const std::string& value)
{
    // Some of ns-3's value types give their names with the namespace, some without.
    const std::string full = checker.GetValueTypeName();
    const std::string type = full.substr(full.compare(0, 5, "ns3::") == 0 ? 5 : 0);
    if (type == "TimeValue")
    {
        try
        {
            ParseDurationPs(value, "", "");
        }
        catch (const ConfigError& error)
        {
            return error.GetMessage();
        }
    }
    if (type == "PointerValue" || type == "ObjectFactoryValue")
    {
        const std::string wrong = CheckFactory(value);
        if (!wrong.empty())
        {
            return wrong;
        }
    }
    if (!IsReadable(type, checker, value) || !checker.CreateValidValue(StringValue(value)))
    {
        const std::string form = checker.HasUnderlyingTypeInformation()
                                     ? " (" + checker.GetUnderlyingTypeInformation() + ")"
                                     : "";
        return "'" + value + "' is no valid " + type + form;
    }
    return "";
}

void
CheckAttribute(TypeId tid,
               const std::string& name,
               const std::string& value,
               const std::string& source,
               const std::string& path)
{
    TypeId::AttributeInformation info;
    if (!tid.LookupAttributeByName(name, &info))
    {
        const std::string nearest = NearestName(name, ListAttributes(tid));
        throw ConfigError(source,
                          path,
                          tid.GetName() + " has no attribute '" + name + "'" +
                              (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
    const std::string wrong = CheckAttributeText(*info.checker, value);
    if (!wrong.empty())
    {
        // Defaults of pointers are addresses or 0, of no use to anybody.
        const bool isPointer = DynamicCast<const PointerValue>(info.initialValue) != nullptr;
        throw ConfigError(
            source,
            path,
            wrong + (isPointer ? ""
                               : "; the default of " + tid.GetName() + "::" + name + " is '" +
                                     info.initialValue->SerializeToString(info.checker) + "'"));
    }
}

void
CheckAttributes(TypeId tid,
                const std::map<std::string, std::string>& attributes,
                const std::string& source,
                const std::string& path)
{
    for (const auto& [name, value] : attributes)
    {
        CheckAttribute(tid, name, value, source, path + "." + name);
    }
}

} // namespace llm
} // namespace ns3
