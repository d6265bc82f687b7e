/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-flow-file.h"

#include "llm-token-lines.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

/** What both forms share: a flow's checks. */
class Collector
{
  public:
    Collector(const std::string& source, const std::vector<uint32_t>& numbers)
        : m_source(source)
    {
        list.source = source;
        for (std::size_t rank = 0; rank < numbers.size(); ++rank)
        {
            m_rankOf[numbers[rank]] = static_cast<uint32_t>(rank);
        }
    }

    /** @param from, to node ids. @param flow the rest. @param place in the file. */
    void Add(uint64_t from, uint64_t to, Flow flow, const std::string& place)
    {
        flow.from = FindRank(from, place);
        flow.to = FindRank(to, place);
        if (from == to)
        {
            throw ConfigError(m_source,
                              place,
                              "a flow from " + std::to_string(from) + " to itself");
        }
        list.ranks = std::max({list.ranks, flow.from + 1, flow.to + 1});
        m_disorder += !list.flows.empty() && flow.startPs < list.flows.back().startPs ? 1 : 0;
        list.flows.push_back(flow);
    }

    /** Add what is to be said of all. */
    void Finish()
    {
        if (m_disorder > 0)
        {
            list.notes.push_back(std::to_string(m_disorder) +
                                 " flows start before the one above them: sorted");
        }
    }

    FlowList list; //!< result

  private:
    uint32_t FindRank(uint64_t id, const std::string& place) const
    {
        if (m_rankOf.empty())
        {
            return static_cast<uint32_t>(id);
        }
        const auto found = m_rankOf.find(static_cast<uint32_t>(id));
        if (found == m_rankOf.end())
        {
            throw ConfigError(m_source,
                              place,
                              "node " + std::to_string(id) +
                                  " is no host of the topology, which has " +
                                  std::to_string(m_rankOf.size()) + " hosts");
        }
        return found->second;
    }

    std::string m_source;                  //!< for errors
    std::map<uint32_t, uint32_t> m_rankOf; //!< by node id; empty: alike
    uint64_t m_disorder{0};                //!< flows out of order
};

constexpr uint64_t MAX_NODE = (1U << 24) - 1;     //!< highest id
constexpr uint64_t MAX_BYTES = uint64_t{1} << 62; //!< of a flow

/** Reads rows of tokens. */
void
ReadTokens(const TokenLines& tokens, Collector& to)
{
    const uint64_t count = tokens.GetNumber(0, "the number of flows", UINT32_MAX);
    const std::size_t left = tokens.GetSize() - 1;
    std::size_t columns = 0;
    for (std::size_t i = 1; i < tokens.GetSize() && tokens.GetPlace(i) == tokens.GetPlace(1); ++i)
    {
        ++columns;
    }
    if (columns != 5 && columns != 6)
    {
        columns = count > 0 && left == 5 * count ? 5 : 6;
    }
    if (left != columns * count)
    {
        tokens.Fail(std::min(tokens.GetSize(), 1 + columns * count),
                    "the head says " + std::to_string(count) + " flows, the file has " +
                        std::to_string(left / columns) +
                        (left % columns > 0
                             ? " and " + std::to_string(left % columns) + " of the " +
                                   std::to_string(columns) + " fields of another"
                             : ""));
    }
    for (uint64_t i = 0; i < count; ++i)
    {
        const std::size_t at = 1 + i * columns;
        Flow flow;
        const uint64_t from = tokens.GetNumber(at, "the sender", MAX_NODE);
        const uint64_t destination = tokens.GetNumber(at + 1, "the receiver", MAX_NODE);
        flow.trafficClass = static_cast<uint8_t>(tokens.GetNumber(at + 2, "the priority group", 7));
        flow.bytes = tokens.GetNumber(at + columns - 2, "the size", MAX_BYTES);
        flow.startPs = tokens.GetDurationPs(at + columns - 1);
        if (columns == 6)
        {
            tokens.GetNumber(at + 3, "the destination port", UINT32_MAX);
        }
        to.Add(from, destination, flow, tokens.GetPlace(at));
    }
    to.list.kind = columns == 6 ? "HPCC flows" : "conweave flows";
    if (columns == 6)
    {
        to.list.notes.emplace_back("ignored: destination ports, RoCE has one");
    }
}

/** Reads CSV. */
class CsvReader
{
  public:
    CsvReader(const std::string& source, uint8_t trafficClass, Collector& to)
        : m_source(source),
          m_trafficClass(trafficClass),
          m_to(to)
    {
    }

    void Read(const std::string& text)
    {
        std::istringstream lines(text);
        std::string line;
        for (uint32_t number = 1; std::getline(lines, line); ++number)
        {
            m_place = "line " + std::to_string(number);
            const std::vector<std::string> cells = Split(line);
            if (cells.size() == 1 && (cells[0].empty() || cells[0].front() == '#'))
            {
                continue;
            }
            if (m_columns.empty())
            {
                ReadNames(cells);
            }
            else
            {
                ReadRow(cells);
            }
        }
        m_to.list.kind = "flows";
    }

  private:
    [[noreturn]] void Fail(const std::string& message) const
    {
        throw ConfigError(m_source, m_place, message);
    }

    /** @return the cells of a line, without blanks around them. */
    static std::vector<std::string> Split(const std::string& line)
    {
        std::vector<std::string> cells(1);
        for (const char c : line)
        {
            if (c == ',')
            {
                cells.emplace_back();
            }
            else if (!std::isspace(static_cast<unsigned char>(c)))
            {
                cells.back() += c;
            }
        }
        return cells;
    }

    void ReadNames(const std::vector<std::string>& cells)
    {
        const std::vector<std::string> known{"from",
                                             "to",
                                             "bytes",
                                             "class",
                                             "start",
                                             "start_s",
                                             "start_ms",
                                             "start_us",
                                             "start_ns"};
        for (const auto& cell : cells)
        {
            if (std::find(known.begin(), known.end(), cell) == known.end())
            {
                Fail("unknown column '" + cell + "'; did you mean '" + NearestName(cell, known) +
                     "'?");
            }
            const std::string role = cell.substr(0, 5) == "start" ? "start" : cell;
            if (!m_columns.emplace(role, m_columns.size()).second)
            {
                Fail("there are two columns for " + role);
            }
            m_unit = cell.size() > 6 ? cell.substr(6) : m_unit;
        }
        for (const char* needed : {"from", "to", "bytes"})
        {
            if (m_columns.count(needed) == 0)
            {
                Fail(std::string("column '") + needed + "' is missing");
            }
        }
    }

    void ReadRow(const std::vector<std::string>& cells)
    {
        if (cells.size() != m_columns.size())
        {
            Fail("has " + std::to_string(cells.size()) + " fields, the first row names " +
                 std::to_string(m_columns.size()));
        }
        const auto get = [&](const char* column) { return cells[m_columns.at(column)]; };
        Flow flow;
        flow.bytes = ParseBytes(get("bytes"), m_source, m_place);
        flow.trafficClass = m_trafficClass;
        if (m_columns.count("class") > 0)
        {
            const uint64_t trafficClass = ParseCount(get("class"), m_source, m_place);
            if (trafficClass > 7)
            {
                Fail("class " + std::to_string(trafficClass) + "; 0 to 7 exist");
            }
            flow.trafficClass = static_cast<uint8_t>(trafficClass);
        }
        if (m_columns.count("start") > 0)
        {
            flow.startPs = ParseDurationPs(get("start") + m_unit, m_source, m_place);
        }
        const uint64_t from = ParseCount(get("from"), m_source, m_place);
        const uint64_t to = ParseCount(get("to"), m_source, m_place);
        if (std::max(from, to) > MAX_NODE)
        {
            Fail("rank " + std::to_string(std::max(from, to)) + "; at most " +
                 std::to_string(MAX_NODE) + " is possible");
        }
        m_to.Add(from, to, flow, m_place);
    }

    std::string m_source;                         //!< for errors
    uint8_t m_trafficClass;                       //!< default
    Collector& m_to;                              //!< gets the flows
    std::string m_place;                          //!< present line
    std::map<std::string, std::size_t> m_columns; //!< index by role
    std::string m_unit;                           //!< of start times
};

} // namespace

FlowList
FlowFile::Read(const std::string& fileName,
               const std::vector<uint32_t>& numbers,
               uint8_t trafficClass)
{
    std::ifstream file(fileName, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
    {
        throw ConfigError(fileName,
                          "",
                          "the flows cannot be read: " + std::string(strerror(errno)));
    }
    return Parse(text.str(), fileName, numbers, trafficClass);
}

FlowList
FlowFile::Parse(const std::string& text,
                const std::string& source,
                const std::vector<uint32_t>& numbers,
                uint8_t trafficClass)
{
    Collector collector(source, numbers);
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && std::isdigit(static_cast<unsigned char>(text[first])) == 0)
    {
        CsvReader(source, trafficClass, collector).Read(text);
    }
    else
    {
        ReadTokens(TokenLines(text, source), collector);
    }
    collector.Finish();
    return collector.list;
}

} // namespace llm
} // namespace ns3
