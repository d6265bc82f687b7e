/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-object-reader.h"

#include "llm-json-text.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::ordered_json;
using Type = ScenarioFieldType;

/** @return the value of an override: JSON if it is, else the text itself. */
Json
ParseOverride(const std::string& text, const ScenarioPlace& place)
{
    if (!Json::accept(text))
    {
        return Json(text);
    }
    try
    {
        return ParseJsonText(text, place.source);
    }
    catch (const ConfigError& error)
    {
        FailAt(place, error.GetMessage());
    }
}

/** @return index of the element "[12]" that stands at @p begin of a path; its end in @p end. */
std::size_t
ParseIndex(const std::string& path,
           std::size_t begin,
           std::size_t& end,
           std::size_t size,
           const ScenarioPlace& place)
{
    const auto close = path.find(']', begin);
    const std::string digits =
        close == std::string::npos ? "" : path.substr(begin + 1, close - begin - 1);
    if (digits.empty() || digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
    {
        FailAt(place, "an element of a list is written as '" + path.substr(0, begin) + "[0]'");
    }
    const std::size_t index = std::stoul(digits);
    if (index >= size)
    {
        FailAt(place,
               "the scenario has " + std::to_string(size) + " elements in " +
                   path.substr(0, begin) + ", numbered from 0; set '" + path.substr(0, begin) +
                   "' to a whole list instead");
    }
    end = close + 1;
    return index;
}

} // namespace

ScenarioObjectReader::ScenarioObjectReader(const std::vector<ScenarioField>& fields,
                                           void* object,
                                           std::set<std::string>& given,
                                           const std::string& prefix)
    : m_fields(fields),
      m_object(object),
      m_given(given),
      m_prefix(prefix)
{
}

const ScenarioField*
ScenarioObjectReader::FindField(const std::string& path) const
{
    const auto found = std::find_if(m_fields.begin(), m_fields.end(), [&](const auto& field) {
        return field.path == path;
    });
    return found == m_fields.end() ? nullptr : &*found;
}

bool
ScenarioObjectReader::IsSection(const std::string& path) const
{
    return std::any_of(m_fields.begin(), m_fields.end(), [&](const ScenarioField& field) {
        return field.path.compare(0, path.size() + 1, path + ".") == 0;
    });
}

ScenarioPlace
ScenarioObjectReader::MakePlace(const std::string& path, const std::string& source) const
{
    // Of "events[2]." alone, the dot belongs to what would follow.
    return {source,
            path.empty() && !m_prefix.empty() ? m_prefix.substr(0, m_prefix.size() - 1)
                                              : m_prefix + path};
}

void
ScenarioObjectReader::FailUnknown(const std::string& path, const std::string& source) const
{
    const auto dot = path.rfind('.');
    const std::string section = dot == std::string::npos ? "" : path.substr(0, dot + 1);
    std::vector<std::string> namesakes; // right name, wrong section
    std::vector<std::string> siblings;
    std::vector<std::string> all;
    for (const auto& field : m_fields)
    {
        // Of "fabric.host_rate", the top level sees "fabric", the section "fabric.host_rate".
        const auto next = field.path.find('.', section.size());
        if (field.path.compare(0, section.size(), section) == 0)
        {
            siblings.push_back(field.path.substr(0, next));
        }
        if (field.path.substr(field.path.rfind('.') + 1) == path.substr(section.size()))
        {
            namesakes.push_back(field.path);
        }
        all.push_back(field.path);
    }
    const std::string nearest = NearestName(path,
                                            !namesakes.empty() ? namesakes
                                            : siblings.empty() ? all
                                                               : siblings);
    FailAt(MakePlace(path, source), "unknown key; did you mean '" + m_prefix + nearest + "'?");
}

void
ScenarioObjectReader::Read(const Json& json, const std::string& source)
{
    const ScenarioPlace place = MakePlace("", source);
    if (!json.is_object())
    {
        FailAt(place, DescribeMismatch(m_prefix.empty() ? "a JSON object" : "an object", json));
    }
    Visit("", json, source);
    for (const ScenarioField& field : m_fields)
    {
        if (field.required && m_given.count(field.path) == 0)
        {
            FailAt(place, "needs '" + field.path + "': " + field.doc);
        }
    }
}

void
ScenarioObjectReader::Visit(const std::string& path, const Json& json, const std::string& source)
{
    for (const auto& item : json.items())
    {
        const std::string key = path.empty() ? item.key() : path + "." + item.key();
        if (const ScenarioField* field = FindField(key))
        {
            Set(*field, item.value(), source);
        }
        else if (!IsSection(key))
        {
            FailUnknown(key, source);
        }
        else if (!item.value().is_object())
        {
            FailAt(MakePlace(key, source), DescribeMismatch("an object", item.value()));
        }
        else
        {
            Visit(key, item.value(), source);
        }
    }
}

void
ScenarioObjectReader::Set(const ScenarioField& field, const Json& value, const std::string& source)
{
    if (field.type == Type::LIST)
    {
        SetList(field, value, source);
    }
    else
    {
        ReadScenarioValue(field, field.slot(m_object), MakePlace(field.path, source), value);
    }
    m_given.insert(field.path);
}

void
ScenarioObjectReader::SetList(const ScenarioField& field,
                              const Json& value,
                              const std::string& source)
{
    if (!value.is_array())
    {
        FailAt(MakePlace(field.path, source), DescribeMismatch("an array of objects", value));
    }
    const auto slot = std::get<ScenarioListSlot>(field.slot(m_object));
    field.list->Resize(slot, 0);
    field.list->Resize(slot, value.size());
    for (std::size_t i = 0; i < value.size(); ++i)
    {
        MakeElementReader(field, i).Read(value[i], source);
    }
}

ScenarioObjectReader
ScenarioObjectReader::MakeElementReader(const ScenarioField& field, std::size_t index)
{
    const auto slot = std::get<ScenarioListSlot>(field.slot(m_object));
    return ScenarioObjectReader(field.list->GetFields(),
                                field.list->GetElement(slot, index),
                                field.list->GetGiven(slot, index),
                                m_prefix + field.path + "[" + std::to_string(index) + "].");
}

void
ScenarioObjectReader::Override(const std::string& path,
                               const std::string& text,
                               const std::string& source)
{
    const ScenarioPlace place = MakePlace(path, source);
    if (const ScenarioField* field = FindField(path))
    {
        // Text that looks like a number or a list is still text where text is wanted.
        const bool wantsText = field->type == Type::TEXT || field->type == Type::CHOICE;
        const Json value = ParseOverride(text, place);
        Set(*field, wantsText && !value.is_string() ? Json(text) : value, source);
        return;
    }
    if (OverrideElement(path, text, source) || OverrideEntry(path, text, source))
    {
        return;
    }
    if (!IsSection(path))
    {
        FailUnknown(path, source);
    }
    const Json value = ParseOverride(text, place);
    if (!value.is_object())
    {
        FailAt(place, DescribeMismatch("an object, or name one of its fields", value));
    }
    Visit(path, value, source);
}

bool
ScenarioObjectReader::OverrideElement(const std::string& path,
                                      const std::string& text,
                                      const std::string& source)
{
    const auto bracket = path.find('[');
    const ScenarioField* field =
        bracket == std::string::npos ? nullptr : FindField(path.substr(0, bracket));
    if (!field)
    {
        return false;
    }
    const ScenarioPlace place = MakePlace(path, source);
    if (field->type != Type::LIST)
    {
        FailAt(place, "'" + field->path + "' is set as a whole (" + ToString(field->type) + ")");
    }
    const std::size_t size =
        field->list->GetSize(std::get<ScenarioListSlot>(field->slot(m_object)));
    std::size_t end = 0;
    const std::size_t index = ParseIndex(path, bracket, end, size, place);
    ScenarioObjectReader element = MakeElementReader(*field, index);
    if (end < path.size() && path[end] == '.')
    {
        element.Override(path.substr(end + 1), text, source);
    }
    else if (end < path.size())
    {
        FailUnknown(path, source);
    }
    else
    {
        element.Read(ParseOverride(text, place), source);
    }
    m_given.insert(field->path);
    return true;
}

bool
ScenarioObjectReader::OverrideEntry(const std::string& path,
                                    const std::string& text,
                                    const std::string& source)
{
    // Everything behind the map's own path is the entry's name.
    for (const auto& field : m_fields)
    {
        const std::string prefix = field.path + ".";
        if (field.type == Type::MAP && path.size() > prefix.size() &&
            path.compare(0, prefix.size(), prefix) == 0)
        {
            auto* map = std::get<std::map<std::string, std::string>*>(field.slot(m_object));
            const Json value = ParseOverride(text, MakePlace(path, source));
            m_given.insert(field.path);
            (*map)[path.substr(prefix.size())] =
                value.is_string() ? value.get<std::string>() : text;
            return true;
        }
    }
    return false;
}

} // namespace llm
} // namespace ns3
