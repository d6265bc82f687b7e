/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-collective-table.h"

#include "llm-csv-file.h"

#include "ns3/llm-units.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

/** @return formatted by printf's rules. */
template <typename... T>
std::string
Print(const char* format, const T&... values)
{
    char text[256];
    std::snprintf(text, sizeof(text), format, values...);
    return text;
}

/** @return a time as nccl-tests write it: fewer decimals the longer it is. */
std::string
PrintTime(double timeUs)
{
    return Print(timeUs >= 10000 ? "%7.0f" : timeUs >= 100 ? "%7.1f" : "%7.2f", timeUs);
}

/** @return the redop column. */
std::string
GetOperation(const CollectiveSweepConfig& config)
{
    const bool reduces = config.kind == CollectiveKind::ALL_REDUCE ||
                         config.kind == CollectiveKind::REDUCE_SCATTER ||
                         config.kind == CollectiveKind::REDUCE;
    return reduces ? config.operation : "none";
}

/** @return the root column. */
int
GetRoot(const CollectiveSweepConfig& config)
{
    const bool rooted =
        config.kind == CollectiveKind::BROADCAST || config.kind == CollectiveKind::REDUCE;
    return rooted ? static_cast<int>(config.root) : -1;
}

/** @return text as comments of at most 80 columns. */
std::string
Comment(const std::string& text)
{
    std::istringstream words(text);
    std::string lines;
    std::string line = "#";
    for (std::string word; words >> word;)
    {
        if (line.size() > 4 && line.size() + 1 + word.size() > 80)
        {
            lines += line + "\n";
            line = "#  ";
        }
        line += " " + word;
    }
    return lines + line + "\n";
}

std::string
PrintHead(const CollectiveSweepResult& result)
{
    const CollectiveSweepConfig& config = result.config;
    const bool factor = config.stepFactor > 1;
    std::string text = Comment(std::string("llm-training-collective ") + ToString(config.kind) +
                               ": nccl-tests' table from a simulation");
    text += "# nThread 1 nGpus " + std::to_string(result.ranks) + " minBytes " +
            std::to_string(config.minBytes) + " maxBytes " + std::to_string(config.maxBytes) +
            " step: " + std::to_string(factor ? config.stepFactor : config.stepBytes) +
            (factor ? "(factor)" : "(bytes)") + " warmup iters: " + std::to_string(config.warmups) +
            " iters: " + std::to_string(config.iterations) +
            " agg iters: 1 validation: 0 graph: 0\n#\n# Using fabric\n";
    text += Comment(" " + result.fabric);
    for (const std::string& line : result.placement)
    {
        text += "#  " + line + "\n";
    }
    return text;
}

std::string
PrintColumns()
{
    std::string text = "#\n";
    text += Print("# %10s  %12s  %8s  %6s  %6s           out-of-place                       "
                  "in-place          \n",
                  "",
                  "",
                  "",
                  "",
                  "");
    text += Print("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s %6s  %7s  %6s  %6s %6s\n",
                  "size",
                  "count",
                  "type",
                  "redop",
                  "root",
                  "time",
                  "algbw",
                  "busbw",
                  "#wrong",
                  "time",
                  "algbw",
                  "busbw",
                  "#wrong");
    text += Print("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %5s  %7s  %6s  %6s  %5s\n",
                  "(B)",
                  "(elements)",
                  "",
                  "",
                  "",
                  "(us)",
                  "(GB/s)",
                  "(GB/s)",
                  "",
                  "(us)",
                  "(GB/s)",
                  "(GB/s)",
                  "");
    return text;
}

std::string
PrintRow(const CollectiveSweepConfig& config, const CollectiveSweepRow& row)
{
    const std::string figures = Print("  %7s  %6.2f  %6.2f  %5s",
                                      PrintTime(row.timeUs).c_str(),
                                      row.algorithmGBps,
                                      row.busGBps,
                                      "N/A");
    return Print("%12llu  %12llu  %8s  %6s  %6i",
                 static_cast<unsigned long long>(row.bytes),
                 static_cast<unsigned long long>(row.count),
                 config.type.name.c_str(),
                 GetOperation(config).c_str(),
                 GetRoot(config)) +
           figures + figures + "\n";
}

/** @return whether two sizes were done alike. */
bool
IsAlike(const CollectiveDecision& a, const CollectiveDecision& b)
{
    return a.algorithm == b.algorithm && a.protocol == b.protocol && a.channels == b.channels &&
           a.sliceBytes == b.sliceBytes;
}

/** @return which algorithm for which sizes and why. */
std::string
PrintDecisions(const CollectiveSweepTable& table)
{
    std::string text;
    const auto& rows = table.rows;
    for (std::size_t first = 0, end = 0; first < rows.size(); first = end)
    {
        while (end < rows.size() && IsAlike(rows[first].decision, rows[end].decision))
        {
            ++end;
        }
        const CollectiveSweepRow& least = rows[first];
        const CollectiveSweepRow& most = rows[end - 1];
        std::string sizes = FormatBytesRounded(least.bytes);
        if (end - first > 1)
        {
            sizes += " to " + FormatBytesRounded(most.bytes);
        }
        const bool same = least.decision.reason == most.decision.reason;
        text += Comment(sizes + ": " + FormatDecision(most.decision) + "; " +
                        (same ? "" : "of the largest: ") + most.decision.reason);
    }
    return text;
}

/** @return nccl-tests' last line: the mean of all busbw, in and out of place. */
std::string
PrintAverage(const CollectiveSweepTable& table)
{
    double sum = 0;
    for (const CollectiveSweepRow& row : table.rows)
    {
        sum += row.busGBps;
    }
    const double mean = table.rows.empty() ? 0 : sum / static_cast<double>(table.rows.size());
    return "# Out of bounds values : 0 OK\n" + Print("# Avg bus bandwidth    : %g \n", mean) +
           "#\n";
}

/** @return a column per table. */
std::string
PrintSideBySide(const CollectiveSweepResult& result)
{
    std::string text = "# busbw (GB/s) of all algorithms side by side\n#       size";
    std::string unit = "#        (B)";
    std::size_t rows = 0;
    for (const CollectiveSweepTable& table : result.tables)
    {
        const std::size_t width = std::max<std::size_t>(table.algorithm.size(), 8);
        text += "  " + std::string(width - table.algorithm.size(), ' ') + table.algorithm;
        unit += "  " + std::string(width - 6, ' ') + "(GB/s)";
        rows = std::max(rows, table.rows.size());
    }
    text += "\n" + unit + "\n";
    for (std::size_t i = 0; i < rows; ++i)
    {
        text +=
            Print("# %10llu", static_cast<unsigned long long>(result.tables.front().rows[i].bytes));
        for (const CollectiveSweepTable& table : result.tables)
        {
            const auto width = static_cast<int>(std::max<std::size_t>(table.algorithm.size(), 8));
            text += i < table.rows.size() ? Print("  %*.2f", width, table.rows[i].busGBps)
                                          : Print("  %*s", width, "-");
        }
        text += "\n";
    }
    return text + "#\n";
}

} // namespace

std::string
FormatDecision(const CollectiveDecision& decision)
{
    std::string text = decision.algorithm;
    if (decision.protocol != NcclProtocol::NONE)
    {
        text += std::string(", ") + ToString(decision.protocol);
    }
    text += ", " + std::to_string(decision.channels) +
            (decision.channels == 1 ? " channel" : " channels");
    if (decision.sliceBytes > 0)
    {
        text += ", slices of " + FormatBytesRounded(decision.sliceBytes);
    }
    return text;
}

std::string
FormatCollectiveTables(const CollectiveSweepResult& result)
{
    std::string text = PrintHead(result);
    for (const CollectiveSweepTable& table : result.tables)
    {
        if (result.tables.size() > 1)
        {
            text += "#\n# Algorithm " + table.algorithm + "\n";
        }
        text += PrintColumns();
        for (const CollectiveSweepRow& row : table.rows)
        {
            text += PrintRow(result.config, row);
        }
        text += PrintAverage(table) + PrintDecisions(table);
    }
    if (result.tables.size() > 1)
    {
        text += "#\n" + PrintSideBySide(result);
    }
    for (const std::string& skipped : result.skipped)
    {
        text += Comment("not run: " + skipped);
    }
    return text;
}

void
WriteCollectiveCsv(const CollectiveSweepResult& result, const std::string& path)
{
    CsvFile file(path,
                 "kind,size_bytes,count_elements,type,redop,root,ranks,algorithm,protocol,channels,"
                 "slice_bytes,time_us,algbw_gigabytes_per_s,busbw_gigabytes_per_s,"
                 "payload_sent_bytes,protocol_bytes,retransmitted_bytes,ecn_marked_frames,"
                 "pfc_pauses");
    for (const CollectiveSweepTable& table : result.tables)
    {
        for (const CollectiveSweepRow& row : table.rows)
        {
            file.Write(ToString(result.config.kind),
                       row.bytes,
                       row.count,
                       result.config.type.name,
                       GetOperation(result.config),
                       GetRoot(result.config),
                       result.ranks,
                       row.decision.algorithm,
                       ToString(row.decision.protocol),
                       row.decision.channels,
                       row.decision.sliceBytes,
                       row.timeUs,
                       row.algorithmGBps,
                       row.busGBps,
                       row.payloadBytes,
                       row.protocolBytes,
                       row.retransmitted,
                       row.ecnMarks,
                       row.pfcPauses);
        }
    }
}

std::string
FormatCollectiveJson(const CollectiveSweepResult& result)
{
    nlohmann::ordered_json json;
    json["kind"] = ToString(result.config.kind);
    json["ranks"] = result.ranks;
    json["type"] = result.config.type.name;
    json["redop"] = GetOperation(result.config);
    json["root"] = GetRoot(result.config);
    json["warmup_iterations"] = result.config.warmups;
    json["iterations"] = result.config.iterations;
    json["fabric"] = result.fabric;
    json["placement"] = result.placement;
    json["rows"] = nlohmann::ordered_json::array();
    for (const CollectiveSweepTable& table : result.tables)
    {
        for (const CollectiveSweepRow& row : table.rows)
        {
            json["rows"].push_back({{"size_bytes", row.bytes},
                                    {"count_elements", row.count},
                                    {"algorithm", row.decision.algorithm},
                                    {"protocol", ToString(row.decision.protocol)},
                                    {"channels", row.decision.channels},
                                    {"slice_bytes", row.decision.sliceBytes},
                                    {"reason", row.decision.reason},
                                    {"time_us", row.timeUs},
                                    {"algbw_gigabytes_per_s", row.algorithmGBps},
                                    {"busbw_gigabytes_per_s", row.busGBps},
                                    {"payload_sent_bytes", row.payloadBytes},
                                    {"protocol_bytes", row.protocolBytes},
                                    {"retransmitted_bytes", row.retransmitted},
                                    {"ecn_marked_frames", row.ecnMarks},
                                    {"pfc_pauses", row.pfcPauses}});
        }
    }
    json["not_run"] = result.skipped;
    return json.dump(2) + "\n";
}

} // namespace llm
} // namespace ns3
