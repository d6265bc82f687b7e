/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-value-reader.h"

#include "ns3/abort.h"
#include "ns3/llm-config-error.h"
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
CheckRange(const ScenarioPlace& place, const ScenarioField& field, double value, const Json& json)
{
    if (!(value >= field.minimum && value <= field.maximum))
    {
        FailAt(place,
               "must be from " + ShowBound(field.type, field.minimum) + " to " +
                   ShowBound(field.type, field.maximum) + ", is " + Show(json));
    }
}

/** @return a whole number >= 0. */
uint64_t
ReadCount(const ScenarioPlace& place, const Json& value)
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
    FailAt(place, DescribeMismatch("a whole number >= 0", value));
}

/** Reads JSON values into slots; one overload for each type of slot. */
struct Assign
{
    const ScenarioPlace& place;
    const ScenarioField& field;
    const Json& value;

    void operator()(bool* slot) const
    {
        if (!value.is_boolean())
        {
            FailAt(place, DescribeMismatch("true or false", value));
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
                FailAt(
                    place,
                    DescribeMismatch("a string with a rate and its unit, as \"400Gbps\"", value));
            }
            *slot = ParseBitRate(value.get<std::string>(), place.source, place.path);
        }
        else if (field.type == Type::BYTES && !value.is_number())
        {
            FailAt(place,
                   DescribeMismatch("a whole number of bytes, or a string as \"16MiB\"", value));
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
            FailAt(place,
                   DescribeMismatch("a string with a time and its unit, as \"500ns\"", value));
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
            FailAt(place, DescribeMismatch("a number", value));
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
            FailAt(place,
                   DescribeMismatch(field.type == Type::MODEL ? "a name, a file name or an object"
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
            const ScenarioPlace at{place.source, place.path + "[" + std::to_string(i) + "]"};
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
                FailAt({place.source, place.path + "[" + std::to_string(i) + "]"},
                       DescribeMismatch("a string", value[i]));
            }
            const std::string text = value[i].get<std::string>();
            if (std::find(list.begin(), list.end(), text) != list.end())
            {
                FailAt({place.source, place.path + "[" + std::to_string(i) + "]"},
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
            FailAt(place, DescribeMismatch("an object", value));
        }
        slot->clear();
        for (const auto& item : value.items())
        {
            (*slot)[item.key()] =
                item.value().is_string() ? item.value().get<std::string>() : item.value().dump();
        }
    }

    void operator()(ScenarioListSlot) const
    {
        NS_ABORT_MSG("a list of objects is for ScenarioObjectReader");
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
        FailAt(place, "must be " + list + ", is " + Show(value));
    }

    void RequireArray() const
    {
        if (!value.is_array())
        {
            FailAt(place, DescribeMismatch("an array", value));
        }
    }
};

} // namespace

void
FailAt(const ScenarioPlace& place, const std::string& message)
{
    throw ConfigError(place.source, place.path, message);
}

std::string
DescribeMismatch(const std::string& wanted, const Json& value)
{
    return "must be " + wanted + ", is " + Show(value) + " (" + value.type_name() + ")";
}

void
ReadScenarioValue(const ScenarioField& field,
                  ScenarioSlot slot,
                  const ScenarioPlace& place,
                  const Json& value)
{
    std::visit(Assign{place, field, value}, slot);
}

} // namespace llm
} // namespace ns3
