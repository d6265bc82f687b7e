/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-traffic-report.h"

#include "llm-report-text.h"

#include "ns3/llm-units.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace llm
{

namespace
{

/** @return value that so many percent of the sorted ones do not exceed. */
double
Percentile(const std::vector<double>& sorted, uint64_t percent)
{
    if (sorted.empty())
    {
        return 0;
    }
    const uint64_t rank = (percent * sorted.size() + 99) / 100;
    return sorted[rank == 0 ? 0 : rank - 1];
}

/** @return three decimals. */
std::string
ShowFactor(double factor)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.3f", factor);
    return text;
}

/** @return "12.34 Gb/s". */
std::string
ShowRate(double bitsPerSecond)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.2f Gb/s", bitsPerSecond * 1e-9);
    return text;
}

/** @return "to 10 kB", "longer". */
std::string
ShowSize(uint64_t most)
{
    if (most == UINT64_MAX)
    {
        return "longer";
    }
    return "to " + (most >= 1000000 ? std::to_string(most / 1000000) + " MB"
                                    : std::to_string(most / 1000) + " kB");
}

/** @return the flows that are not longer than @p most. */
FlowBucket
MakeBucket(uint64_t most, const std::vector<const FlowRecord*>& flows)
{
    FlowBucket bucket;
    bucket.most = most;
    bucket.count = flows.size();
    std::vector<double> slowdowns;
    double sum = 0;
    for (const FlowRecord* flow : flows)
    {
        sum += static_cast<double>(flow->ticks);
        if (flow->idealTicks > 0)
        {
            slowdowns.push_back(static_cast<double>(flow->ticks) /
                                static_cast<double>(flow->idealTicks));
        }
    }
    std::sort(slowdowns.begin(), slowdowns.end());
    bucket.meanTicks = static_cast<int64_t>(sum / static_cast<double>(flows.size()));
    bucket.slowdownMedian = Percentile(slowdowns, 50);
    bucket.slowdown95 = Percentile(slowdowns, 95);
    bucket.slowdown99 = Percentile(slowdowns, 99);
    bucket.slowdownWorst = Percentile(slowdowns, 100);
    return bucket;
}

/** @return what became of flows. */
std::string
DescribeFlows(const TrafficReport& report)
{
    std::string text = report.description + ": " + ShowCount(report.flows, "flow") + " of " +
                       KeepTogether(FormatBytesRounded(report.bytes));
    if (report.offeredLoad > 0)
    {
        text += ", offered load " + ShowFactor(report.offeredLoad);
    }
    text += report.arrived == report.flows ? ", all arrived"
                                           : ", " + std::to_string(report.arrived) + " arrived";
    return text + (report.failed > 0 ? ", " + std::to_string(report.failed) + " FAILED" : "");
}

} // namespace

std::vector<FlowBucket>
SortFlows(const std::vector<FlowRecord>& flows)
{
    constexpr std::array<uint64_t, 6> LIMITS{1000, 10000, 100000, 1000000, 10000000, UINT64_MAX};
    std::array<std::vector<const FlowRecord*>, LIMITS.size()> bins;
    for (const FlowRecord& flow : flows)
    {
        const auto limit = std::lower_bound(LIMITS.begin(), LIMITS.end(), flow.bytes);
        bins[static_cast<std::size_t>(limit - LIMITS.begin())].push_back(&flow);
    }
    std::vector<FlowBucket> buckets;
    for (std::size_t i = 0; i < bins.size(); ++i)
    {
        if (!bins[i].empty())
        {
            buckets.push_back(MakeBucket(LIMITS[i], bins[i]));
        }
    }
    return buckets;
}

std::string
FormatTraffic(const std::vector<TrafficReport>& reports)
{
    std::string text;
    for (const TrafficReport& report : reports)
    {
        text += text.empty() ? "\nTraffic beside the jobs\n" : "";
        if (report.kind == "tcp" || report.kind == "udp")
        {
            AddReportFact(text,
                          "  " + report.kind,
                          report.name + ", " + report.description + ": " +
                              KeepTogether(FormatBytesRounded(report.bytesReceived)) +
                              " received in " + KeepTogether(ShowTicks(report.ticks)) +
                              ", goodput " + KeepTogether(ShowRate(report.goodput)));
            continue;
        }
        AddReportFact(text, "  " + report.kind, report.name + ", " + DescribeFlows(report));
        if (!report.buckets.empty())
        {
            text += "    flow size" + PadLeft("flows", 10) + PadLeft("mean time", 12) +
                    PadLeft("slowdown: 50 %", 17) + PadLeft("95 %", 8) + PadLeft("99 %", 8) +
                    PadLeft("worst", 9) + "\n";
        }
        for (const FlowBucket& bucket : report.buckets)
        {
            const std::string size = ShowSize(bucket.most);
            text += PadRight("    " + size, 13) + PadLeft(std::to_string(bucket.count), 10) +
                    PadLeft(ShowTicks(bucket.meanTicks), 12) +
                    PadLeft(ShowFactor(bucket.slowdownMedian), 17) +
                    PadLeft(ShowFactor(bucket.slowdown95), 8) +
                    PadLeft(ShowFactor(bucket.slowdown99), 8) +
                    PadLeft(ShowFactor(bucket.slowdownWorst), 9) + "\n";
        }
    }
    return text;
}

nlohmann::ordered_json
TrafficToJson(const TrafficReport& report)
{
    nlohmann::ordered_json json;
    json["kind"] = report.kind;
    json["name"] = report.name;
    json["description"] = report.description;
    json["sent_bytes"] = report.bytes;
    if (report.kind == "tcp" || report.kind == "udp")
    {
        json["received_bytes"] = report.bytesReceived;
        json["duration_ps"] = Time(report.ticks).GetPicoSeconds();
        json["goodput_bits_per_s"] = report.goodput;
        return json;
    }
    json["flows"] = report.flows;
    json["arrived_flows"] = report.arrived;
    json["failed_flows"] = report.failed;
    json["failure"] = report.failure;
    json["offered_load"] = report.offeredLoad;
    json["sizes"] = nlohmann::ordered_json::array();
    for (const FlowBucket& bucket : report.buckets)
    {
        nlohmann::ordered_json most;
        if (bucket.most != UINT64_MAX)
        {
            most = bucket.most;
        }
        json["sizes"].push_back({{"up_to_bytes", most},
                                 {"flows", bucket.count},
                                 {"mean_completion_ps", Time(bucket.meanTicks).GetPicoSeconds()},
                                 {"slowdown_median", bucket.slowdownMedian},
                                 {"slowdown_95", bucket.slowdown95},
                                 {"slowdown_99", bucket.slowdown99},
                                 {"slowdown_worst", bucket.slowdownWorst}});
    }
    return json;
}

} // namespace llm
} // namespace ns3
