/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-chakra-workload.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::json;

constexpr uint64_t NONE = UINT64_MAX;              //!< no fallback
constexpr uint64_t MOST_MICROS = 9223372036854ULL; //!< 106 days, what fits in picoseconds
constexpr uint64_t MOST_TAG = UINT64_MAX >> 1;     //!< tags have 63 bits
constexpr uint64_t MOST_COUNT = UINT64_MAX - 1;    //!< anything that is there
constexpr uint64_t MOST_GROUPS = 1U << 28;         //!< of our own files
constexpr int64_t PS_PER_US = 1000000;
constexpr uint64_t BARRIER_BYTES = 4; //!< a barrier is an all-reduce of one number
constexpr uint8_t HOST_LANE = 1;      //!< computations of the host
constexpr uint8_t MEMORY_LANE = 2;    //!< loads and stores
constexpr std::size_t MOST_NAMED = 6; //!< attributes named in the summary

/** Find the value whose name is @p text. @return false if there is none. */
template <typename T>
bool
FromText(const std::string& text, uint8_t count, T& value)
{
    for (uint8_t i = 0; i < count; ++i)
    {
        if (text == ToString(static_cast<T>(i)))
        {
            value = static_cast<T>(i);
            return true;
        }
    }
    return false;
}

/** @return "7" -> 7, or NONE. */
uint64_t
NumberOf(const std::string& text)
{
    if (text.empty() || text.size() > 9 ||
        text.find_first_not_of("0123456789") != std::string::npos)
    {
        return NONE;
    }
    return std::stoull(text);
}

} // namespace

/** Bytes of an uneven all-to-all; each member's file brings its own row. */
class ChakraWorkload::RowsExchange : public ExchangeBytes
{
  public:
    explicit RowsExchange(uint32_t members)
        : m_rows(members)
    {
    }

    uint32_t GetGroupSize() const override
    {
        return static_cast<uint32_t>(m_rows.size());
    }

    uint64_t Get(uint32_t from, uint32_t to) const override
    {
        return m_rows[from][to];
    }

    std::vector<std::vector<uint64_t>> m_rows; //!< by sender; empty: not read yet
};

ChakraWorkload::ChakraWorkload(const std::string& prefix,
                               const std::string& groupsFile,
                               const Accelerator& accelerator)
    : StoredWorkload(prefix),
      m_accelerator(accelerator)
{
    CountRanks(prefix);
    if (!groupsFile.empty())
    {
        ReadGroupsFile(groupsFile);
    }
    for (uint32_t rank = 0; rank < GetWorldSize(); ++rank)
    {
        ReadGroups(rank);
    }
    for (uint32_t rank = 0; rank < GetWorldSize(); ++rank)
    {
        ReadRank(rank);
    }
    CheckExchanges();
    Summarise();
}

void
ChakraWorkload::Fail(const Trace& trace, const ChakraNode& node, const std::string& message) const
{
    throw ConfigError(trace.fileName,
                      "node " + std::to_string(node.id) +
                          (node.name.empty() ? "" : " (" + node.name.substr(0, 60) + ")"),
                      message);
}

std::string
ChakraWorkload::FileOf(uint32_t rank) const
{
    return m_prefix + "." + std::to_string(rank) + ".et";
}

void
ChakraWorkload::CountRanks(std::string prefix)
{
    const std::string first = ".0.et";
    if (prefix.size() > first.size() &&
        prefix.compare(prefix.size() - first.size(), first.size(), first) == 0)
    {
        prefix.resize(prefix.size() - first.size());
    }
    m_prefix = prefix;
    const std::filesystem::path path(prefix);
    const std::string start = path.filename().string() + ".";
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::set<uint64_t> ranks;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    {
        const std::string name = entry.path().filename().string();
        if (name.size() > start.size() + 3 && name.compare(0, start.size(), start) == 0 &&
            name.compare(name.size() - 3, 3, ".et") == 0)
        {
            const uint64_t rank =
                NumberOf(name.substr(start.size(), name.size() - start.size() - 3));
            if (rank != NONE)
            {
                ranks.insert(rank);
            }
        }
    }
    if (ranks.empty())
    {
        throw ConfigError(prefix, "", "there is no file " + FileOf(0) + " nor of any other rank");
    }
    uint32_t expected = 0;
    for (const uint64_t rank : ranks)
    {
        if (rank != expected)
        {
            throw ConfigError(prefix,
                              "",
                              "there is " + FileOf(static_cast<uint32_t>(rank)) + ", but no " +
                                  FileOf(expected) + "; every rank needs its file");
        }
        ++expected;
    }
    m_ranks.resize(expected);
}

void
ChakraWorkload::ReadGroupsFile(const std::string& fileName)
{
    std::ifstream file(fileName, std::ios::binary);
    if (!file)
    {
        throw ConfigError(fileName, "", "the process groups cannot be read");
    }
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
    {
        throw ConfigError(fileName, "", "process groups must be a JSON object as {\"0\": [0, 1]}");
    }
    for (const auto& [name, ranks] : json.items())
    {
        AddGroups(Json::array({{{"pg_name", name}, {"ranks", ranks}}}).dump(), fileName, name);
    }
}

void
ChakraWorkload::ReadGroups(uint32_t rank)
{
    ChakraFileReader file(FileOf(rank));
    const auto format = file.GetHead().find("llm_format");
    if (format != file.GetHead().end())
    {
        const auto ranks = file.GetHead().find("llm_ranks");
        const auto channels = file.GetHead().find("llm_channels");
        const auto groups = file.GetHead().find("llm_groups");
        if (format->second.number != 1 || ranks == file.GetHead().end() ||
            channels == file.GetHead().end() || groups == file.GetHead().end() ||
            groups->second.number > MOST_GROUPS || channels->second.number > UINT16_MAX)
        {
            throw ConfigError(FileOf(rank),
                              "head",
                              "was written by another version of llm-training");
        }
        if (ranks->second.number != GetWorldSize())
        {
            throw ConfigError(FileOf(rank),
                              "head",
                              "is one of " + std::to_string(ranks->second.number) +
                                  " ranks, but there are files of " +
                                  std::to_string(GetWorldSize()));
        }
        m_channels = std::max(m_channels, static_cast<uint32_t>(channels->second.number));
        // Our groups are named by their number; those that nobody uses keep their place.
        for (uint64_t i = m_groups.size(); i < groups->second.number; ++i)
        {
            m_groupOf[std::to_string(i)] = static_cast<uint32_t>(i);
            m_groups.emplace_back();
        }
    }
    for (ChakraNode node; file.Next(node);)
    {
        if (node.type == static_cast<int32_t>(ChakraType::METADATA) && !node.inputs.empty())
        {
            AddGroups(node.inputs, FileOf(rank), "node " + std::to_string(node.id));
        }
    }
}

void
ChakraWorkload::AddGroups(const std::string& text,
                          const std::string& fileName,
                          const std::string& path)
{
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_array() || !std::all_of(json.begin(), json.end(), [](const Json& item) {
            return item.is_object() && item.contains("pg_name");
        }))
    {
        return; // metadata of another kind
    }
    for (const Json& item : json)
    {
        ProcessGroup group;
        const std::string name = item["pg_name"].is_string() ? item["pg_name"].get<std::string>()
                                                             : item["pg_name"].dump();
        const Json ranks = item.value("ranks", Json::array());
        if (!ranks.is_array())
        {
            throw ConfigError(fileName,
                              path,
                              "the ranks of process group '" + name + "' are no list");
        }
        for (const Json& rank : ranks)
        {
            if (!rank.is_number_unsigned() || rank.get<uint64_t>() >= GetWorldSize())
            {
                throw ConfigError(fileName,
                                  path,
                                  "process group '" + name + "' has rank " + rank.dump() +
                                      "; there are files of " + std::to_string(GetWorldSize()) +
                                      " ranks");
            }
            group.ranks.push_back(rank.get<uint32_t>());
        }
        for (uint32_t rank = 0; ranks.empty() && rank < GetWorldSize(); ++rank)
        {
            group.ranks.push_back(rank);
        }
        std::vector<uint32_t> sorted = group.ranks;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        {
            throw ConfigError(fileName, path, "process group '" + name + "' has a rank twice");
        }
        const Json description = item.value("pg_desc", Json());
        group.name = description.is_string() ? description.get<std::string>() : name;
        const Json dimension = item.value("llm_dimension", Json());
        if (dimension.is_string())
        {
            FromText(dimension.get<std::string>(),
                     static_cast<uint8_t>(ParallelDimension::COUNT),
                     group.dimension);
        }
        AddGroup(name, std::move(group), fileName, path);
    }
}

void
ChakraWorkload::AddGroup(const std::string& name,
                         ProcessGroup group,
                         const std::string& fileName,
                         const std::string& path)
{
    const auto known = m_groupOf.find(name);
    if (known == m_groupOf.end())
    {
        m_groupOf[name] = static_cast<uint32_t>(m_groups.size());
        m_groups.push_back(std::move(group));
    }
    else if (m_groups[known->second].ranks.empty())
    {
        m_groups[known->second] = std::move(group);
    }
    else if (m_groups[known->second].ranks != group.ranks)
    {
        throw ConfigError(fileName,
                          path,
                          "process group '" + name + "' has other ranks here (" +
                              std::to_string(group.ranks.size()) + ") than before (" +
                              std::to_string(m_groups[known->second].ranks.size()) + ")");
    }
}

const ChakraValue*
ChakraWorkload::FindAttribute(const ChakraNode& node, const std::string& name)
{
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : &found->second;
}

uint64_t
ChakraWorkload::GetInteger(const Trace& trace,
                           const ChakraNode& node,
                           const std::string& name,
                           uint64_t most,
                           uint64_t fallback) const
{
    const ChakraValue* value = FindAttribute(node, name);
    if (!value)
    {
        if (fallback == NONE)
        {
            Fail(trace, node, "has no attribute " + name);
        }
        return fallback;
    }
    if (value->kind != ChakraValue::Kind::INTEGER)
    {
        Fail(trace, node, "the attribute " + name + " is no integer");
    }
    if (value->negative || value->number > most)
    {
        Fail(trace,
             node,
             "the attribute " + name + " is " +
                 (value->negative ? std::to_string(static_cast<int64_t>(value->number))
                                  : std::to_string(value->number)) +
                 "; 0 to " + std::to_string(most) + " is possible");
    }
    return value->number;
}

std::string
ChakraWorkload::GetText(const Trace& trace, const ChakraNode& node, const std::string& name) const
{
    const ChakraValue* value = FindAttribute(node, name);
    if (!value || value->kind != ChakraValue::Kind::TEXT)
    {
        Fail(trace, node, "the attribute " + name + " is missing or no text");
    }
    return value->text;
}

void
ChakraWorkload::ReadRank(uint32_t rank)
{
    Trace trace;
    trace.rank = rank;
    trace.fileName = FileOf(rank);
    ChakraFileReader file(trace.fileName);
    trace.ours = file.GetHead().count("llm_format") > 0;
    m_ours = m_ours && trace.ours;
    for (ChakraNode node; file.Next(node);)
    {
        AddNode(trace, node);
    }
    Link(trace);
}

void
ChakraWorkload::AddNode(Trace& trace, const ChakraNode& node)
{
    if (!trace.places.emplace(node.id, trace.operations.size()).second)
    {
        Fail(trace, node, "there are two nodes of this id");
    }
    if (node.type == static_cast<int32_t>(ChakraType::METADATA))
    {
        trace.places[node.id] = NONE; // over before anything begins
        return;
    }
    Operation operation;
    operation.stream = OperationStream::UNORDERED;
    Translate(trace, node, operation);
    std::vector<uint64_t> dependencies = node.dataDependencies;
    std::vector<uint64_t> starts;
    if (trace.ours)
    {
        TakeOurs(trace, node, operation);
        const ChakraValue* list = FindAttribute(node, "llm_start_waits");
        starts = list ? list->integers : starts;
    }
    else
    {
        dependencies.insert(dependencies.end(),
                            node.controlDependencies.begin(),
                            node.controlDependencies.end());
        std::sort(dependencies.begin(), dependencies.end());
        dependencies.erase(std::unique(dependencies.begin(), dependencies.end()),
                           dependencies.end());
    }
    trace.operations.push_back(operation);
    trace.dependencies.push_back(std::move(dependencies));
    trace.starts.push_back(std::move(starts));
}

void
ChakraWorkload::Translate(const Trace& trace, const ChakraNode& node, Operation& operation)
{
    switch (static_cast<ChakraType>(node.type))
    {
    case ChakraType::MEMORY_LOAD:
    case ChakraType::MEMORY_STORE:
    case ChakraType::COMPUTE:
        TranslateCompute(trace, node, operation);
        break;
    case ChakraType::SEND:
    case ChakraType::RECEIVE:
    case ChakraType::COLLECTIVE: {
        const ChakraValue* host = FindAttribute(node, "is_cpu_op");
        if (host && host->number != 0)
        {
            ++m_launches;
            return; // the communication itself is another node
        }
        if (static_cast<ChakraType>(node.type) == ChakraType::COLLECTIVE)
        {
            TranslateCollective(trace, node, operation);
        }
        else
        {
            TranslatePair(trace, node, operation);
        }
        break;
    }
    default:
        Fail(trace,
             node,
             "is of type " + std::to_string(node.type) +
                 ", which cannot be run; types 1 (metadata) to 7 (collective) can");
    }
    static const std::set<std::string> used{"is_cpu_op",
                                            "comm_type",
                                            "comm_size",
                                            "comm_src",
                                            "comm_dst",
                                            "comm_tag",
                                            "pg_name",
                                            "num_ops",
                                            "tensor_size",
                                            "root_rank"};
    for (const auto& [name, value] : node.attributes)
    {
        if (used.count(name) == 0 && name.compare(0, 4, "llm_") != 0)
        {
            m_ignored.insert(name);
        }
    }
}

void
ChakraWorkload::TranslateCompute(const Trace& trace, const ChakraNode& node, Operation& operation)
{
    const bool memory = static_cast<ChakraType>(node.type) != ChakraType::COMPUTE;
    const ChakraValue* host = FindAttribute(node, "is_cpu_op");
    operation.lane = memory ? MEMORY_LANE : host && host->number != 0 ? HOST_LANE : 0;
    if (node.durationMicros > MOST_MICROS)
    {
        Fail(trace,
             node,
             "takes " + std::to_string(node.durationMicros) + " us; at most " +
                 std::to_string(MOST_MICROS));
    }
    operation.durationPs = static_cast<int64_t>(node.durationMicros) * PS_PER_US;
    const uint64_t flops = GetInteger(trace, node, "num_ops", MOST_COUNT, 0);
    const uint64_t bytes = GetInteger(trace, node, "tensor_size", MOST_COUNT, 0);
    if (operation.durationPs == 0 && operation.lane != HOST_LANE && flops + bytes > 0)
    {
        operation.durationPs =
            m_accelerator.GetDurationPs(static_cast<double>(flops), static_cast<double>(bytes));
        ++m_rooflines;
    }
}

void
ChakraWorkload::TranslatePair(const Trace& trace, const ChakraNode& node, Operation& operation)
{
    const bool send = static_cast<ChakraType>(node.type) == ChakraType::SEND;
    const char* own = send ? "comm_src" : "comm_dst";
    const uint64_t self = GetInteger(trace, node, own, UINT32_MAX, trace.rank);
    if (self != trace.rank)
    {
        Fail(trace,
             node,
             std::string(own) + " is " + std::to_string(self) + ", but this is the file of rank " +
                 std::to_string(trace.rank));
    }
    operation.kind = send ? OperationKind::SEND : OperationKind::RECV;
    const char* other = send ? "comm_dst" : "comm_src";
    operation.peer =
        static_cast<uint32_t>(GetInteger(trace, node, other, GetWorldSize() - 1, NONE));
    if (operation.peer == trace.rank)
    {
        Fail(trace, node, send ? "sends to itself" : "receives from itself");
    }
    operation.bytes = GetInteger(trace, node, "comm_size", MOST_COUNT, NONE);
    operation.tag = GetInteger(trace, node, "comm_tag", MOST_TAG, 0);
}

uint32_t
ChakraWorkload::FindGroup(const Trace& trace, const ChakraNode& node)
{
    const ChakraValue* value = FindAttribute(node, "pg_name");
    if (!value || (value->kind == ChakraValue::Kind::TEXT && value->text.empty()))
    {
        const std::string all; // no name of the file's is empty
        if (m_groupOf.count(all) == 0)
        {
            ProcessGroup group;
            group.name = "all";
            for (uint32_t rank = 0; rank < GetWorldSize(); ++rank)
            {
                group.ranks.push_back(rank);
            }
            AddGroup(all, std::move(group), trace.fileName, "");
        }
        return m_groupOf.at(all);
    }
    const std::string name =
        value->kind == ChakraValue::Kind::TEXT ? value->text : std::to_string(value->number);
    const auto found = m_groupOf.find(name);
    if (found == m_groupOf.end())
    {
        Fail(trace,
             node,
             "no metadata and no file of groups says which ranks are in process group '" + name +
                 "'");
    }
    const std::vector<uint32_t>& ranks = m_groups[found->second].ranks;
    if (std::find(ranks.begin(), ranks.end(), trace.rank) == ranks.end())
    {
        Fail(trace,
             node,
             "rank " + std::to_string(trace.rank) + " is not in process group '" + name + "'");
    }
    return found->second;
}

void
ChakraWorkload::SetCollectiveKind(const Trace& trace, const ChakraNode& node, Operation& operation)
{
    const uint64_t type = GetInteger(trace, node, "comm_type", MOST_COUNT, NONE);
    switch (static_cast<ChakraCollective>(type))
    {
    case ChakraCollective::ALL_REDUCE:
    case ChakraCollective::BARRIER:
        operation.kind = OperationKind::ALL_REDUCE;
        return;
    case ChakraCollective::REDUCE:
        operation.kind = OperationKind::REDUCE;
        return;
    case ChakraCollective::ALL_GATHER:
        operation.kind = OperationKind::ALL_GATHER;
        return;
    case ChakraCollective::BROADCAST:
        operation.kind = OperationKind::BROADCAST;
        return;
    case ChakraCollective::ALL_TO_ALL:
        operation.kind = OperationKind::ALL_TO_ALL;
        return;
    case ChakraCollective::REDUCE_SCATTER:
    case ChakraCollective::REDUCE_SCATTER_BLOCK:
        operation.kind = OperationKind::REDUCE_SCATTER;
        return;
    case ChakraCollective::GATHER:
    case ChakraCollective::SCATTER:
        break;
    }
    Fail(trace,
         node,
         "comm_type " + std::to_string(type) +
             (type <= static_cast<uint64_t>(ChakraCollective::BARRIER)
                  ? " (gather or scatter) has no counterpart among the collectives here"
                  : " is unknown"));
}

void
ChakraWorkload::TranslateCollective(const Trace& trace,
                                    const ChakraNode& node,
                                    Operation& operation)
{
    SetCollectiveKind(trace, node, operation);
    operation.group = FindGroup(trace, node);
    const ProcessGroup& group = m_groups[operation.group];
    operation.dimension = group.dimension;
    const bool barrier = GetInteger(trace, node, "comm_type", MOST_COUNT, NONE) ==
                         static_cast<uint64_t>(ChakraCollective::BARRIER);
    m_barriers += barrier ? 1 : 0;
    operation.bytes =
        barrier ? BARRIER_BYTES : GetInteger(trace, node, "comm_size", MOST_COUNT, NONE);
    if (operation.kind == OperationKind::ALL_GATHER && !trace.ours)
    {
        if (operation.bytes > UINT64_MAX / group.ranks.size())
        {
            Fail(trace,
                 node,
                 "gathers " + std::to_string(operation.bytes) + " B from each of " +
                     std::to_string(group.ranks.size()) + " ranks, which does not fit in 64 bits");
        }
        operation.bytes *= group.ranks.size();
    }
    if (operation.kind == OperationKind::BROADCAST || operation.kind == OperationKind::REDUCE)
    {
        m_roots += FindAttribute(node, "root_rank") ? 0 : 1;
        operation.root =
            static_cast<uint32_t>(GetInteger(trace, node, "root_rank", group.ranks.size() - 1, 0));
    }
}

void
ChakraWorkload::TakeOurs(Trace& trace, const ChakraNode& node, Operation& operation)
{
    const auto named = [&](const char* name, uint8_t count, auto& value) {
        const std::string text = GetText(trace, node, name);
        if (!FromText(text, count, value))
        {
            Fail(trace, node, std::string(name) + " '" + text + "' is unknown");
        }
    };
    named("llm_stream", static_cast<uint8_t>(OperationStream::COUNT), operation.stream);
    named("llm_phase", static_cast<uint8_t>(StepPhase::SETUP) + 1, operation.phase);
    named("llm_dimension", static_cast<uint8_t>(ParallelDimension::COUNT), operation.dimension);
    const auto label = [&](const char* name) {
        const uint64_t value = GetInteger(trace, node, name, INT32_MAX, MOST_COUNT);
        return value == MOST_COUNT ? -1 : static_cast<int32_t>(value);
    };
    operation.layer = label("llm_layer");
    operation.microbatch = label("llm_microbatch");
    operation.lane = static_cast<uint8_t>(GetInteger(trace, node, "llm_lane", UINT8_MAX, 0));
    operation.channel =
        static_cast<uint16_t>(GetInteger(trace, node, "llm_channel", UINT16_MAX, 0));
    if (operation.kind == OperationKind::COMPUTE)
    {
        operation.durationPs =
            static_cast<int64_t>(GetInteger(trace, node, "llm_duration_ps", INT64_MAX, NONE));
    }
    else if (operation.kind == OperationKind::SEND || operation.kind == OperationKind::RECV)
    {
        operation.tag = GetInteger(trace, node, "llm_tag", MOST_TAG, operation.tag);
    }
    else
    {
        operation.bytes = GetInteger(trace, node, "llm_bytes", MOST_COUNT, NONE);
        TakeExchange(trace, node, operation);
    }
}

void
ChakraWorkload::TakeExchange(Trace& trace, const ChakraNode& node, Operation& operation)
{
    ++trace.sequences[operation.group];
    const ChakraValue* first = FindAttribute(node, "llm_exchange_of");
    if (!first)
    {
        return;
    }
    const std::vector<uint32_t>& ranks = m_groups[operation.group].ranks;
    RowsExchange*& exchange = m_rows[{operation.group, first->number}];
    if (!exchange)
    {
        auto fresh = std::make_unique<RowsExchange>(static_cast<uint32_t>(ranks.size()));
        exchange = fresh.get();
        m_exchanges.push_back(std::move(fresh));
    }
    operation.exchange = exchange;
    const ChakraValue* row = FindAttribute(node, "llm_exchange");
    if (row)
    {
        if (row->integers.size() != ranks.size())
        {
            Fail(trace,
                 node,
                 "llm_exchange has " + std::to_string(row->integers.size()) +
                     " numbers for a group of " + std::to_string(ranks.size()));
        }
        const auto place = std::find(ranks.begin(), ranks.end(), trace.rank);
        exchange->m_rows[static_cast<std::size_t>(place - ranks.begin())] = row->integers;
    }
}

void
ChakraWorkload::CheckExchanges() const
{
    for (const auto& [use, exchange] : m_rows)
    {
        const std::vector<uint32_t>& ranks = m_groups[use.first].ranks;
        for (std::size_t i = 0; i < ranks.size(); ++i)
        {
            if (exchange->m_rows[i].size() != ranks.size())
            {
                throw ConfigError(FileOf(ranks[i]),
                                  "",
                                  "does not say what the rank gives in the uneven all-to-all " +
                                      std::to_string(use.second) + " of a group of " +
                                      std::to_string(ranks.size()));
            }
        }
    }
}

void
ChakraWorkload::Link(Trace& trace)
{
    std::vector<uint64_t> ids(trace.operations.size());
    for (const auto& [id, place] : trace.places)
    {
        if (place != NONE)
        {
            ids[place] = id;
        }
    }
    const auto add = [&](std::size_t place, uint64_t id, std::vector<uint64_t>& waits) {
        const auto found = trace.places.find(id);
        if (found == trace.places.end() && !trace.ours)
        {
            ++m_missing; // tracers leave nodes out that others name
            return;
        }
        if (found == trace.places.end() || found->second == place)
        {
            throw ConfigError(trace.fileName,
                              "node " + std::to_string(ids[place]),
                              found == trace.places.end()
                                  ? "depends on node " + std::to_string(id) +
                                        ", which is not in the file"
                                  : std::string("depends on itself"));
        }
        if (found->second != NONE)
        {
            waits.push_back(found->second);
        }
    };
    for (std::size_t i = 0; i < trace.operations.size(); ++i)
    {
        for (const uint64_t id : trace.dependencies[i])
        {
            add(i, id, trace.operations[i].waits);
        }
        for (const uint64_t id : trace.starts[i])
        {
            add(i, id, trace.operations[i].startWaits);
        }
    }
    const std::size_t circle = StoreOrdered(trace.rank, trace.operations);
    if (circle < trace.operations.size())
    {
        throw ConfigError(trace.fileName,
                          "node " + std::to_string(ids[circle]),
                          "depends on itself, by way of others");
    }
}

void
ChakraWorkload::Summarise()
{
    SetSummary("Chakra, " + std::to_string(GetWorldSize()) + " ranks, " +
               std::to_string(m_groups.size()) + " process groups, " + SummariseOperations());
    if (m_ours)
    {
        AddNote("exact times, streams and labels by attributes of llm-training");
    }
    if (m_launches > 0)
    {
        AddNote("ignored: " + std::to_string(m_launches) +
                " nodes of the host that only launch a communication");
    }
    if (m_missing > 0)
    {
        AddNote("ignored: " + std::to_string(m_missing) +
                " dependencies on nodes that are not in the files");
    }
    if (m_rooflines > 0)
    {
        AddNote(std::to_string(m_rooflines) +
                " computations without a duration take what the accelerator's roofline says");
    }
    if (m_barriers > 0)
    {
        AddNote(std::to_string(m_barriers) + " barriers run as all_reduce of 4 B");
    }
    if (m_roots > 0)
    {
        AddNote(std::to_string(m_roots) +
                " rooted collectives name no root_rank and take the group's first");
    }
    if (!m_ignored.empty())
    {
        std::string names;
        std::size_t count = 0;
        for (const auto& name : m_ignored)
        {
            names += count == 0 ? "" : count <= MOST_NAMED ? ", " : "";
            names += count < MOST_NAMED ? name : count == MOST_NAMED ? "..." : "";
            ++count;
        }
        AddNote("ignored: attributes that say nothing about time or bytes here: " + names);
    }
}

} // namespace llm
} // namespace ns3
