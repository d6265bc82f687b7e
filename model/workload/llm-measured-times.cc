/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-measured-times.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::json;

constexpr double PS_PER_US = 1e6;
/** An hour; no sum of a step's parts overflows. */
constexpr double LONGEST_US = 3.6e9;

/** Reads the times of one part. */
class PartReader
{
  public:
    PartReader(const Json& object, std::string source, std::string path)
        : m_object(object),
          m_source(std::move(source)),
          m_path(std::move(path))
    {
        if (!m_object.is_object())
        {
            throw ConfigError(m_source, m_path, "must be an object with the key \"forward\"");
        }
        for (const auto& [key, value] : m_object.items())
        {
            if (key != "forward" && key != "backward" && key != "weight")
            {
                Fail(key, "unknown key; known: forward, backward, weight");
            }
        }
    }

    [[noreturn]] void Fail(const std::string& key, const std::string& message) const
    {
        throw ConfigError(m_source, m_path + "." + key, message);
    }

    bool Has(const std::string& key) const
    {
        return m_object.contains(key);
    }

    int64_t GetPs(const std::string& key) const
    {
        if (!Has(key))
        {
            Fail(key, "is missing; it must be a time in microseconds");
        }
        const Json& value = m_object.at(key);
        if (!value.is_number() || !(value.get<double>() >= 0) || value.get<double>() > LONGEST_US)
        {
            Fail(key, "must be microseconds between 0 and 3.6e9 (an hour), is " + value.dump());
        }
        return std::llround(value.get<double>() * PS_PER_US);
    }

  private:
    const Json& m_object;
    std::string m_source;
    std::string m_path;
};

PassTimes
ReadPart(const std::string& name, const PartReader& reader)
{
    PassTimes times;
    times.forwardPs = reader.GetPs("forward");
    if (name == "optimizer")
    {
        if (reader.Has("backward") || reader.Has("weight"))
        {
            reader.Fail(reader.Has("backward") ? "backward" : "weight",
                        "the optimizer has \"forward\" only");
        }
        return times;
    }
    const int64_t backwardPs =
        reader.Has("backward") ? reader.GetPs("backward") : 2 * times.forwardPs;
    times.backwardWeightPs = name == "embedding" ? backwardPs : backwardPs / 2;
    if (reader.Has("weight"))
    {
        times.backwardWeightPs = reader.GetPs("weight");
        if (times.backwardWeightPs > backwardPs)
        {
            reader.Fail("weight",
                        std::to_string(times.backwardWeightPs) + " ps are above the " +
                            std::to_string(backwardPs) + " ps of all of backward");
        }
    }
    times.backwardInputPs = backwardPs - times.backwardWeightPs;
    return times;
}

} // namespace

const std::vector<std::string>&
MeasuredTimes::GetPartNames()
{
    static const std::vector<std::string> names{"embedding",
                                                "attention",
                                                "mlp",
                                                "router",
                                                "experts",
                                                "shared_experts",
                                                "combine",
                                                "mtp_projection",
                                                "head",
                                                "optimizer"};
    return names;
}

MeasuredTimes
MeasuredTimes::ParseText(const std::string& text,
                         const std::string& source,
                         const std::string& path)
{
    Json root;
    try
    {
        root = Json::parse(text);
    }
    catch (const Json::exception& error)
    {
        // The library's text repeats its own exception id in brackets; keep what follows.
        const std::string what = error.what();
        const auto bracket = what.find("] ");
        throw ConfigError(source,
                          path,
                          "not valid JSON: " +
                              (bracket == std::string::npos ? what : what.substr(bracket + 2)));
    }
    if (!root.is_object())
    {
        throw ConfigError(source, path, "must be a JSON object from part to times");
    }
    const auto& names = GetPartNames();
    MeasuredTimes times;
    for (const auto& [name, value] : root.items())
    {
        const std::string place = path.empty() ? name : path + "." + name;
        if (std::find(names.begin(), names.end(), name) == names.end())
        {
            std::string known;
            for (const auto& candidate : names)
            {
                known += (known.empty() ? "" : ", ") + candidate;
            }
            throw ConfigError(source, place, "unknown part; known: " + known);
        }
        times.m_parts[name] = ReadPart(name, PartReader(value, source, place));
    }
    return times;
}

MeasuredTimes
MeasuredTimes::ReadFile(const std::string& fileName)
{
    std::ifstream file(fileName);
    std::stringstream text;
    text << file.rdbuf();
    if (!file || !text) // copying nothing, as from a folder, fails the target only
    {
        throw ConfigError(fileName, "", "cannot be read or is empty; it should hold times in JSON");
    }
    return ParseText(text.str(), fileName);
}

const PassTimes*
MeasuredTimes::Find(const std::string& part) const
{
    const auto found = m_parts.find(part);
    return found == m_parts.end() ? nullptr : &found->second;
}

bool
MeasuredTimes::IsEmpty() const
{
    return m_parts.empty();
}

} // namespace llm
} // namespace ns3
