/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-json-text.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr int DEEPEST = 64; //!< levels; no scenario and no model file has ten

/** Watches the parser: refuses doubled keys and endless nesting. */
class ParseWatch
{
  public:
    explicit ParseWatch(const std::string& source)
        : m_source(source)
    {
    }

    void See(int depth, Json::parse_event_t event, const Json& parsed)
    {
        switch (event)
        {
        case Json::parse_event_t::object_start:
        case Json::parse_event_t::array_start:
            if (depth >= DEEPEST)
            {
                throw ConfigError(m_source,
                                  GetPath(),
                                  "is nested more than " + std::to_string(DEEPEST) +
                                      " levels deep");
            }
            m_open.emplace_back();
            break;
        case Json::parse_event_t::object_end:
        case Json::parse_event_t::array_end:
            m_open.pop_back();
            break;
        case Json::parse_event_t::key:
            m_open.back().key = parsed.get<std::string>();
            if (!m_open.back().seen.insert(m_open.back().key).second)
            {
                throw ConfigError(m_source, GetPath(), "the key stands here twice");
            }
            break;
        case Json::parse_event_t::value:
            break;
        }
    }

  private:
    /** An open object or array. */
    struct Level
    {
        std::set<std::string> seen; //!< keys so far
        std::string key;            //!< the last of them
    };

    std::string GetPath() const
    {
        std::string path;
        for (const auto& level : m_open)
        {
            path += (path.empty() || level.key.empty() ? "" : ".") + level.key;
        }
        return path.substr(0, 80);
    }

    std::string m_source;      //!< for errors
    std::vector<Level> m_open; //!< from the outermost
};

/** @return what the library says, without its own prefix and in one line. */
std::string
GetReason(const std::string& what, const std::string& end)
{
    const auto at = what.find(end);
    std::string reason = at == std::string::npos ? what : what.substr(at + end.size());
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    return reason;
}

} // namespace

std::string
ReadTextFile(const std::string& fileName, const std::string& what)
{
    errno = 0;
    std::ifstream file(fileName, std::ios::binary);
    std::ostringstream text;
    // Copying nothing fails the target only: an empty file is read well, a folder is not.
    const bool good = file && (file.peek() == std::ifstream::traits_type::eof()
                                   ? !file.bad() && errno == 0
                                   : static_cast<bool>(text << file.rdbuf()));
    if (!good)
    {
        throw ConfigError(fileName,
                          "",
                          what + " cannot be read" +
                              (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
    }
    return text.str();
}

nlohmann::ordered_json
ParseJsonText(const std::string& text, const std::string& source)
{
    ParseWatch watch(source);
    try
    {
        return Json::parse(
            text,
            [&watch](int depth, Json::parse_event_t event, Json& parsed) {
                watch.See(depth, event, parsed);
                return true;
            },
            true,
            true);
    }
    catch (const Json::parse_error& error)
    {
        const std::size_t at = std::min<std::size_t>(error.byte, text.size());
        const std::size_t end = at == 0 ? 0 : at - 1;
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
        throw ConfigError(source,
                          "line " + std::to_string(line),
                          "no valid JSON: " + GetReason(error.what(), ": "));
    }
    catch (const Json::out_of_range& error) // a number such as 1e999
    {
        throw ConfigError(source, "", "no valid JSON: " + GetReason(error.what(), "] "));
    }
}

} // namespace llm
} // namespace ns3
