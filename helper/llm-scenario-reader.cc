/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-reader.h"

#include "llm-json-text.h"
#include "llm-scenario-fields.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <cmath>
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

/** Value with its place, for errors. */
struct Place
{
    std::string source; //!< file or "command line"
    std::string path;   //!< JSON path
};

[[noreturn]] void
Fail(const Place& place, const std::string& message)
{
    throw ConfigError(place.source, place.path, message);
}

/** @return a value as it can stand in one line of an error. */
std::string
Show(const Json& value)
{
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 40)
    {
        text.resize(37);
        text += "...";
    }
    return text;
}

/** @return "must be a whole number, is "four" (string)". */
std::string
Mismatch(const std::string& wanted, const Json& value)
{
    return "must be " + wanted + ", is " + Show(value) + " (" + value.type_name() + ")";
}

/** @return a bound as the field's unit writes it. */
std::string
ShowBound(Type type, double bound)
{
    switch (type)
    {
    case Type::BYTES:
        return FormatBytes(static_cast<uint64_t>(bound));
    case Type::RATE:
        return FormatBitRate(static_cast<uint64_t>(bound));
    case Type::DURATION:
        return FormatDurationPs(static_cast<int64_t>(bound));
    default: {
        std::ostringstream text;
        text.precision(16); // 2^53 has as many
        text << bound;
        return text.str();
    }
    }
}

/** Checks a range. */
void
CheckRange(const Place& place, const ScenarioField& field, double value, const Json& json)
{
    if (!(value >= field.minimum && value <= field.maximum))
    {
        Fail(place,
             "must be from " + ShowBound(field.type, field.minimum) + " to " +
                 ShowBound(field.type, field.maximum) + ", is " + Show(json));
    }
}

/** @return a whole number >= 0. */
uint64_t
ReadCount(const Place& place, const Json& value)
{
    constexpr double EXACT = 9007199254740992.0; // 2^53
    if (value.is_number_unsigned())
    {
        return value.get<uint64_t>();
    }
    if (value.is_number_float())
    {
        const double number = value.get<double>();
        if (number >= 0 && number <= 1e18 && number == std::floor(number) &&
            (number <= EXACT || std::fmod(number, 1024) == 0))
        {
            return static_cast<uint64_t>(number);
        }
    }
    Fail(place, Mismatch("a whole number >= 0", value));
}

/** Reads JSON values into slots; one overload for each type of slot. */
struct Assign
{
    const Place& place;
    const ScenarioField& field;
    const Json& value;

    void operator()(bool* slot) const
    {
        if (!value.is_boolean())
        {
            Fail(place, Mismatch("true or false", value));
        }
        *slot = value.get<bool>();
    }

    void operator()(uint32_t* slot) const
    {
        *slot = static_cast<uint32_t>(ReadCountInRange());
    }

    void operator()(uint64_t* slot) const
    {
        if (field.type == Type::BYTES && value.is_string())
        {
            *slot = ParseBytes(value.get<std::string>(), place.source, place.path);
        }
        else if (field.type == Type::RATE)
        {
            if (!value.is_string())
            {
                Fail(place, Mismatch("a string with a rate and its unit, as \"400Gbps\"", value));
            }
            *slot = ParseBitRate(value.get<std::string>(), place.source, place.path);
        }
        else if (field.type == Type::BYTES && !value.is_number())
        {
            Fail(place, Mismatch("a whole number of bytes, or a string as \"16MiB\"", value));
        }
        else
        {
            *slot = ReadCountInRange();
        }
        CheckRange(place, field, static_cast<double>(*slot), value);
    }

    void operator()(int64_t* slot) const
    {
        if (!value.is_string() && value != 0)
        {
            Fail(place, Mismatch("a string with a time and its unit, as \"500ns\"", value));
        }
        *slot = value.is_string()
                    ? ParseDurationPs(value.get<std::string>(), place.source, place.path)
                    : 0;
        CheckRange(place, field, static_cast<double>(*slot), value);
    }

    void operator()(double* slot) const
    {
        if (!value.is_number())
        {
            Fail(place, Mismatch("a number", value));
        }
        *slot = value.get<double>();
        CheckRange(place, field, *slot, value);
    }

    void operator()(std::string* slot) const
    {
        if (field.type == Type::MODEL && value.is_object())
        {
            *slot = value.dump();
            return;
        }
        if (!value.is_string())
        {
            Fail(place,
                 Mismatch(field.type == Type::MODEL ? "a name, a file name or an object"
                                                    : "a string",
                          value));
        }
        const std::string text = value.get<std::string>();
        CheckChoice(text);
        *slot = text;
    }

    void operator()(std::vector<uint32_t>* slot) const
    {
        RequireArray();
        std::vector<uint32_t> list;
        for (std::size_t i = 0; i < value.size(); ++i)
        {
            const Place at{place.source, place.path + "[" + std::to_string(i) + "]"};
            const uint64_t number = ReadCount(at, value[i]);
            CheckRange(at, field, static_cast<double>(number), value[i]);
            list.push_back(static_cast<uint32_t>(number));
        }
        *slot = list;
    }

    void operator()(std::vector<std::string>* slot) const
    {
        RequireArray();
        std::vector<std::string> list;
        for (std::size_t i = 0; i < value.size(); ++i)
        {
            if (!value[i].is_string())
            {
                Fail({place.source, place.path + "[" + std::to_string(i) + "]"},
                     Mismatch("a string", value[i]));
            }
            const std::string text = value[i].get<std::string>();
            if (std::find(list.begin(), list.end(), text) != list.end())
            {
                Fail({place.source, place.path + "[" + std::to_string(i) + "]"},
                     Show(value[i]) + " stands in the list twice");
            }
            list.push_back(text);
        }
        *slot = list;
    }

    void operator()(std::map<std::string, std::string>* slot) const
    {
        if (!value.is_object())
        {
            Fail(place, Mismatch("an object", value));
        }
        slot->clear();
        for (const auto& item : value.items())
        {
            (*slot)[item.key()] =
                item.value().is_string() ? item.value().get<std::string>() : item.value().dump();
        }
    }

  private:
    uint64_t ReadCountInRange() const
    {
        const uint64_t number = ReadCount(place, value);
        CheckRange(place, field, static_cast<double>(number), value);
        CheckChoice(std::to_string(number));
        return number;
    }

    void CheckChoice(const std::string& text) const
    {
        const auto& choices = field.choices;
        if (choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end())
        {
            return;
        }
        std::string list;
        for (std::size_t i = 0; i < choices.size(); ++i)
        {
            list += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
        }
        Fail(place, "must be " + list + ", is " + Show(value));
    }

    void RequireArray() const
    {
        if (!value.is_array())
        {
            Fail(place, Mismatch("an array", value));
        }
    }
};

/** @return the field of that path, or nullptr. */
const ScenarioField*
FindField(const std::string& path)
{
    for (const auto& field : GetScenarioFields())
    {
        if (field.path == path)
        {
            return &field;
        }
    }
    return nullptr;
}

/** @return true if some field lies below that path. */
bool
IsSection(const std::string& path)
{
    const auto& fields = GetScenarioFields();
    return std::any_of(fields.begin(), fields.end(), [&](const ScenarioField& field) {
        return field.path.compare(0, path.size() + 1, path + ".") == 0;
    });
}

/** Complains of a path that is no field, with the nearest that is. */
[[noreturn]] void
FailUnknown(const Place& place)
{
    const auto dot = place.path.rfind('.');
    const std::string section = dot == std::string::npos ? "" : place.path.substr(0, dot + 1);
    std::vector<std::string> namesakes; // right name, wrong section
    std::vector<std::string> siblings;
    std::vector<std::string> all;
    for (const auto& field : GetScenarioFields())
    {
        // Of "fabric.host_rate", the top level sees "fabric", the section "fabric.host_rate".
        const auto next = field.path.find('.', section.size());
        if (field.path.compare(0, section.size(), section) == 0)
        {
            siblings.push_back(field.path.substr(0, next));
        }
        if (field.path.substr(field.path.rfind('.') + 1) == place.path.substr(section.size()))
        {
            namesakes.push_back(field.path);
        }
        all.push_back(field.path);
    }
    const std::string nearest = NearestName(place.path,
                                            !namesakes.empty() ? namesakes
                                            : siblings.empty() ? all
                                                               : siblings);
    Fail(place, "unknown key; did you mean '" + nearest + "'?");
}

/** Puts one value where it belongs. */
void
Set(Scenario& scenario, const ScenarioField& field, const Place& place, const Json& value)
{
    std::visit(Assign{place, field, value}, field.slot(scenario));
    scenario.given.insert(field.path);
}

/** Walks an object of the file. */
void
Visit(Scenario& scenario, const std::string& source, const std::string& path, const Json& object)
{
    for (const auto& item : object.items())
    {
        const Place place{source, path.empty() ? item.key() : path + "." + item.key()};
        if (const ScenarioField* field = FindField(place.path))
        {
            Set(scenario, *field, place, item.value());
        }
        else if (!IsSection(place.path))
        {
            FailUnknown(place);
        }
        else if (!item.value().is_object())
        {
            Fail(place, Mismatch("an object", item.value()));
        }
        else
        {
            Visit(scenario, source, place.path, item.value());
        }
    }
}

/**
 * @return the value of an override: JSON if it is, else the text itself.
 */
Json
ParseOverride(const std::string& text, const Place& place)
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
        Fail(place, error.GetMessage());
    }
}

/** Applies "path=value". */
void
Override(Scenario& scenario, const std::string& text)
{
    const auto equals = text.find('=');
    const Place place{"command line", text.substr(0, equals)};
    if (equals == std::string::npos || equals == 0)
    {
        throw ConfigError("command line", "", "--set needs PATH=VALUE, got '" + text + "'");
    }
    const std::string rest = text.substr(equals + 1);
    if (const ScenarioField* field = FindField(place.path))
    {
        // Text that looks like a number or a list is still text where text is wanted.
        const bool wantsText = field->type == Type::TEXT || field->type == Type::CHOICE;
        const Json value = ParseOverride(rest, place);
        Set(scenario, *field, place, wantsText && !value.is_string() ? Json(rest) : value);
        return;
    }
    // Entries of maps: everything behind the map's own path is the entry's name.
    for (const auto& field : GetScenarioFields())
    {
        const std::string prefix = field.path + ".";
        if (field.type == Type::MAP && place.path.size() > prefix.size() &&
            place.path.compare(0, prefix.size(), prefix) == 0)
        {
            auto* map = std::get<std::map<std::string, std::string>*>(field.slot(scenario));
            const Json value = ParseOverride(rest, place);
            scenario.given.insert(field.path);
            (*map)[place.path.substr(prefix.size())] =
                value.is_string() ? value.get<std::string>() : rest;
            return;
        }
    }
    if (IsSection(place.path))
    {
        const Json value = ParseOverride(rest, place);
        if (!value.is_object())
        {
            Fail(place, Mismatch("an object, or name one of its fields", value));
        }
        Visit(scenario, place.source, place.path, value);
        return;
    }
    FailUnknown(place);
}

} // namespace

Scenario
ScenarioReader::ReadFile(const std::string& fileName, const std::vector<std::string>& overrides)
{
    Scenario scenario = ParseText(ReadTextFile(fileName, "the scenario"), fileName, overrides);
    const auto slash = fileName.rfind('/');
    scenario.directory = slash == std::string::npos ? "" : fileName.substr(0, slash + 1);
    return scenario;
}

Scenario
ScenarioReader::ParseText(const std::string& text,
                          const std::string& source,
                          const std::vector<std::string>& overrides)
{
    const Json json = ParseJsonText(text, source);
    if (!json.is_object())
    {
        throw ConfigError(source, "", Mismatch("a JSON object", json));
    }
    Scenario scenario;
    scenario.source = source;
    Visit(scenario, source, "", json);
    for (const auto& text : overrides)
    {
        Override(scenario, text);
    }
    return scenario;
}

} // namespace llm
} // namespace ns3
