/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-field-text.h"

#include "ns3/llm-units.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::ordered_json;
using Type = ScenarioFieldType;

Json FieldToJson(const ScenarioField& field, const void* object);

/** Turns a slot into JSON. */
struct ToJson
{
    const ScenarioField& field;

    Json operator()(const bool* value) const
    {
        return *value;
    }

    Json operator()(const uint32_t* value) const
    {
        return *value;
    }

    Json operator()(const uint64_t* value) const
    {
        switch (field.type)
        {
        case Type::BYTES:
            return *value == 0 ? Json(0) : Json(FormatBytes(*value));
        case Type::RATE:
            return FormatBitRate(*value);
        default:
            return *value;
        }
    }

    Json operator()(const int64_t* value) const
    {
        return FormatDurationPs(*value);
    }

    Json operator()(const std::string* value) const
    {
        return field.type == Type::MODEL && value->substr(0, 1) == "{" ? Json::parse(*value)
                                                                       : Json(*value);
    }

    Json operator()(ScenarioListSlot slot) const
    {
        Json array = Json::array();
        for (std::size_t i = 0; i < field.list->GetSize(slot); ++i)
        {
            const std::set<std::string>& given = field.list->GetGiven(slot, i);
            Json element = Json::object();
            for (const ScenarioField& member : field.list->GetFields())
            {
                if (!member.inherited || given.count(member.path) > 0)
                {
                    std::string pointer = "/" + member.path;
                    std::replace(pointer.begin(), pointer.end(), '.', '/');
                    element[Json::json_pointer(pointer)] =
                        FieldToJson(member, field.list->GetElement(slot, i));
                }
            }
            array.push_back(element);
        }
        return array;
    }

    template <typename T>
    Json operator()(const T* value) const
    {
        return *value;
    }
};

/** @return a field's value. */
Json
FieldToJson(const ScenarioField& field, const void* object)
{
    // A slot is a place to write to; here it is only read.
    return std::visit(ToJson{field}, field.slot(const_cast<void*>(object)));
}

/** @return the part of a path before the last dot. */
std::string
Section(const std::string& path)
{
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? "" : path.substr(0, dot);
}

/** Breaks text at blanks so that lines have at most @p width columns, each after @p indent. */
std::string
Wrap(const std::string& text, std::size_t width, const std::string& indent)
{
    std::istringstream words(text);
    std::string word;
    std::string line = indent;
    std::string result;
    while (words >> word)
    {
        if (line.size() > indent.size() && line.size() + 1 + word.size() > width)
        {
            result += line + "\n";
            line = indent;
        }
        line += (line.size() > indent.size() ? " " : "") + word;
    }
    return result + line + "\n";
}

/** @return how a value is written, for people. */
std::string
DescribeForm(const ScenarioField& field)
{
    if (field.choices.empty())
    {
        return ToString(field.type);
    }
    std::string text;
    for (const auto& choice : field.choices)
    {
        text += (text.empty() ? "" : ", ") + choice;
    }
    return text;
}

/** Calls back for every field that is described, with its own path before it. */
template <typename F>
void
ForEach(const std::vector<ScenarioField>& fields,
        const void* defaults,
        const std::string& prefix,
        const F& visit)
{
    for (const ScenarioField& field : fields)
    {
        if (field.inherited)
        {
            continue;
        }
        visit(field, prefix, defaults);
    }
    for (const ScenarioField& field : fields)
    {
        if (field.list && !field.inherited)
        {
            const std::shared_ptr<void> element = field.list->MakeElement();
            ForEach(field.list->GetFields(), element.get(), prefix + field.path + "[].", visit);
        }
    }
}

} // namespace

std::string
FormatFieldValue(const ScenarioField& field, const void* object)
{
    return FieldToJson(field, object).dump();
}

std::string
FormatFieldsHelp(const std::vector<ScenarioField>& fields, const void* defaults)
{
    std::string text;
    ForEach(fields,
            defaults,
            "",
            [&](const ScenarioField& field, const std::string& prefix, const void* object) {
                text += "\n" + prefix + field.path +
                        (field.required ? "" : " = " + FormatFieldValue(field, object)) + "\n";
                text += Wrap(field.doc + " (" + DescribeForm(field) +
                                 (field.required ? ", needed)" : ")"),
                             80,
                             "    ");
            });
    return text;
}

std::string
FormatFieldsManual(const std::vector<ScenarioField>& fields, const void* defaults)
{
    std::string text;
    std::string section = "-";
    ForEach(fields,
            defaults,
            "",
            [&](const ScenarioField& field, const std::string& prefix, const void* object) {
                // The fields of an element are one table, whatever their sections.
                const std::string own =
                    prefix.empty() ? Section(field.path) : prefix.substr(0, prefix.size() - 1);
                if (own != section)
                {
                    section = own;
                    text += "\n.. list-table:: " +
                            (section.empty() ? std::string("Top level") : "``" + section + "``") +
                            "\n   :header-rows: 1\n   :widths: 28 14 14 44\n\n   * - Field\n"
                            "     - Form\n     - Default\n     - Meaning\n";
                }
                const std::string key = prefix.empty() && !section.empty()
                                            ? field.path.substr(section.size() + 1)
                                            : field.path;
                const std::string value =
                    field.required ? "needed" : "``" + FormatFieldValue(field, object) + "``";
                text += "   * - ``" + key + "``\n     - " + DescribeForm(field) + "\n     - " +
                        value + "\n     - " + field.doc + "\n";
            });
    return text;
}

} // namespace llm
} // namespace ns3
