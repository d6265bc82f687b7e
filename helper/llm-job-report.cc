/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-job-report.h"

#include "llm-collective-table.h"
#include "llm-report-text.h"

#include "ns3/llm-units.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::ordered_json;

void
AddIterations(std::string& text, const JobReport& report)
{
    text += "\nIteration" + PadLeft("time", 16) + PadLeft("start", 16) + PadLeft("end", 16) + "\n";
    for (std::size_t i = 0; i < report.iterations.size(); ++i)
    {
        const IterationRecord& record = report.iterations[i];
        if (record.begun > 0 && record.finished == record.begun)
        {
            text += PadLeft(std::to_string(i), 9) + PadLeft(ShowTicks(record.duration), 16) +
                    PadLeft(ShowTicks(record.start), 16) + PadLeft(ShowTicks(record.end), 16) +
                    "\n";
        }
        else
        {
            text += PadLeft(std::to_string(i), 9) + PadLeft("not finished", 16) + "\n";
        }
    }
}

void
AddUtilisation(std::string& text, const JobReport& report)
{
    if (report.mfu > 0)
    {
        char mfu[64];
        std::snprintf(mfu, sizeof(mfu), "%.1f %% of the accelerators' peak", 100 * report.mfu);
        AddReportFact(text, "MFU", KeepTogether(mfu));
    }
}

void
AddRankClasses(std::string& text, const JobReport& report)
{
    text += "\nTime of a rank" + PadLeft("ranks", 8) + PadLeft("compute", 19) +
            PadLeft("exposed comm.", 19) + PadLeft("bubble", 19) + "\n";
    for (const auto& c : report.rankClasses)
    {
        const int64_t whole = c.compute + c.exposed + c.bubble;
        const auto cell = [whole](int64_t part) {
            return PadLeft(ShowTicks(part), 11) + PadLeft(ShowPercent(part, whole), 8);
        };
        text += PadRight(c.name, 14) + PadLeft(std::to_string(c.ranks), 8) + cell(c.compute) +
                cell(c.exposed) + cell(c.bubble) + "\n";
    }
}

void
AddTraffic(std::string& text, const JobReport& report)
{
    text += "\nBytes sent  " + PadLeft("within servers", 20) + PadLeft("over the network", 20) +
            PadLeft("messages", 14) + "\n";
    for (const auto& t : report.traffic)
    {
        text += PadRight(ToString(t.dimension), 12) +
                PadLeft(FormatBytesRounded(t.scaleUpBytes), 20) +
                PadLeft(FormatBytesRounded(t.networkBytes), 20) +
                PadLeft(std::to_string(t.messages), 14) + "\n";
    }
    if (report.traffic.empty())
    {
        text += "none\n";
    }
}

void
AddCollectives(std::string& text, const JobReport& report)
{
    text += "\nCollectives    dimension " + PadLeft("count", 8) + PadLeft("mean size", 12) +
            PadLeft("mean time", 11) + PadLeft("busbw", 12) + PadLeft("best", 12) + "\n";
    for (const auto& c : report.collectives)
    {
        if (c.count == 0)
        {
            continue;
        }
        const auto count = static_cast<int64_t>(c.count);
        text += PadRight(ToString(c.kind), 15) + PadRight(ToString(c.dimension), 10) +
                PadLeft(std::to_string(c.count), 8) +
                PadLeft(FormatBytesRounded(c.bytes / c.count), 12) +
                PadLeft(ShowTicks(c.ticks / count), 11) +
                PadLeft(ShowBandwidth(c.GetBusBandwidth()), 12) +
                PadLeft(ShowBandwidth(c.bestBandwidth), 12) + "\n";
    }
    if (report.collectives.empty())
    {
        text += "none\n";
    }
}

/** @return whether two sizes of a collective are done alike. */
bool
IsAlike(const CollectiveDecision& a, const CollectiveDecision& b)
{
    return a.dimension == b.dimension && a.kind == b.kind && a.groupSize == b.groupSize &&
           a.ranksPerNode == b.ranksPerNode && a.algorithm == b.algorithm &&
           a.protocol == b.protocol && a.channels == b.channels && a.sliceBytes == b.sliceBytes;
}

void
AddDecisions(std::string& text, const JobReport& report)
{
    if (report.decisions.empty())
    {
        return;
    }
    text += "\nAlgorithms\n";
    for (std::size_t first = 0, end = 0; first < report.decisions.size(); first = end)
    {
        while (end < report.decisions.size() &&
               IsAlike(report.decisions[first], report.decisions[end]))
        {
            ++end;
        }
        const CollectiveDecision& least = report.decisions[first];
        const CollectiveDecision& most = report.decisions[end - 1];
        const bool sameReason = least.reason == most.reason;
        std::string fact =
            std::string(ToString(least.kind)) + " of " + ShowCount(least.groupSize, "rank") +
            (least.ranksPerNode > 1 ? " (" + std::to_string(least.ranksPerNode) + " to a server)"
                                    : "") +
            ", " + KeepTogether(FormatBytesRounded(least.bytes));
        if (end - first > 1)
        {
            fact += " to " + KeepTogether(FormatBytesRounded(most.bytes)) + " (" +
                    ShowCount(end - first, "size") + ")";
        }
        fact += ": " + FormatDecision(most) + "; " + (sameReason ? "" : "of the largest: ") +
                most.reason;
        AddReportFact(text, std::string("  ") + ToString(least.dimension), fact);
    }
}

} // namespace

std::string
FormatJobReport(const JobReport& report)
{
    std::string text;
    AddIterations(text, report);
    AddUtilisation(text, report);
    AddRankClasses(text, report);
    AddTraffic(text, report);
    AddCollectives(text, report);
    AddDecisions(text, report);
    return text;
}

nlohmann::ordered_json
JobToJson(const JobReport& report)
{
    Json job;
    job["complete"] = report.complete;
    job["failure"] = report.failure;
    job["operations_done"] = report.operationsDone;
    job["model_flops_utilisation"] = report.mfu;
    job["iterations"] = Json::array();
    for (const auto& i : report.iterations)
    {
        job["iterations"].push_back({{"start_ps", ToPs(i.start)},
                                     {"end_ps", ToPs(i.end)},
                                     {"duration_ps", ToPs(i.duration)},
                                     {"ranks_begun", i.begun},
                                     {"ranks_finished", i.finished}});
    }
    job["rank_classes"] = Json::array();
    for (const auto& c : report.rankClasses)
    {
        job["rank_classes"].push_back({{"name", c.name},
                                       {"ranks", c.ranks},
                                       {"compute_ps", ToPs(c.compute)},
                                       {"exposed_communication_ps", ToPs(c.exposed)},
                                       {"bubble_ps", ToPs(c.bubble)}});
    }
    job["traffic"] = Json::array();
    for (const auto& t : report.traffic)
    {
        job["traffic"].push_back({{"dimension", ToString(t.dimension)},
                                  {"within_servers_bytes", t.scaleUpBytes},
                                  {"over_network_bytes", t.networkBytes},
                                  {"messages", t.messages}});
    }
    job["collectives"] = Json::array();
    for (const auto& c : report.collectives)
    {
        job["collectives"].push_back({{"kind", ToString(c.kind)},
                                      {"dimension", ToString(c.dimension)},
                                      {"count", c.count},
                                      {"size_bytes", c.bytes},
                                      {"time_ps", ToPs(c.ticks)},
                                      {"longest_ps", ToPs(c.longest)},
                                      {"busbw_bytes_per_s", c.GetBusBandwidth()},
                                      {"best_busbw_bytes_per_s", c.bestBandwidth}});
    }
    job["algorithms"] = Json::array();
    for (const auto& d : report.decisions)
    {
        job["algorithms"].push_back({{"kind", ToString(d.kind)},
                                     {"dimension", ToString(d.dimension)},
                                     {"ranks", d.groupSize},
                                     {"ranks_per_server", d.ranksPerNode},
                                     {"size_bytes", d.bytes},
                                     {"algorithm", d.algorithm},
                                     {"protocol", ToString(d.protocol)},
                                     {"channels", d.channels},
                                     {"slice_bytes", d.sliceBytes},
                                     {"reason", d.reason}});
    }
    return job;
}

nlohmann::ordered_json
TransportTotalsToJson(const TransportTotals& t)
{
    Json json;
    json["messages_started"] = t.messagesStarted;
    json["messages_delivered"] = t.messagesDelivered;
    json["started_bytes"] = t.bytesStarted;
    json["delivered_bytes"] = t.bytesDelivered;
    json["sent_payload_bytes"] = t.payloadSent;
    json["retransmitted_payload_bytes"] = t.payloadRetransmitted;
    json["duplicate_payload_bytes"] = t.payloadDuplicate;
    json["out_of_order_payload_bytes"] = t.payloadOutOfOrder;
    json["received_payload_bytes"] = t.payloadReceived;
    json["data_packets"] = t.dataPackets;
    json["acks_sent"] = t.acksSent;
    json["naks_sent"] = t.naksSent;
    json["rnr_naks_sent"] = t.rnrNaksSent;
    json["read_requests"] = t.readRequests;
    json["cnps_sent"] = t.cnpsSent;
    json["cnps_received"] = t.cnpsReceived;
    json["timeouts"] = t.timeouts;
    json["retransmitted_after_timeout_payload_bytes"] = t.resentAfterTimeout;
    json["loss_recoveries"] = t.recoveries;
    json["trimmed_packets_received"] = t.trimsReceived;
    json["packets_placed_early"] = t.placedEarly;
    json["protocol_bytes"] = t.protocolBytesStarted;
    json["clear_to_sends"] = t.clearToSends;
    return json;
}

nlohmann::ordered_json
FlowTimesToJson(const FlowTimes& flows)
{
    return {{"messages", flows.count},
            {"completion_median_ps", ToPs(flows.median)},
            {"completion_p90_ps", ToPs(flows.p90)},
            {"completion_p99_ps", ToPs(flows.p99)},
            {"completion_longest_ps", ToPs(flows.longest)}};
}

} // namespace llm
} // namespace ns3
