/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-run-report.h"

#include "llm-collective-table.h"
#include "llm-scenario-fields.h"

#include "ns3/llm-units.h"
#include "ns3/nstime.h"

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

using Json = nlohmann::ordered_json;

/** @return picoseconds. */
int64_t
ToPs(int64_t ticks)
{
    return Time(ticks).GetPicoSeconds();
}

constexpr std::size_t BOOK_WIDTH = 18; //!< columns of a figure of the books

/** Stands for a blank between a number and its unit, where no line may be broken. */
constexpr char GLUE = '\1';

/** @return text with its blanks as GLUE. */
std::string
Glue(std::string text)
{
    std::replace(text.begin(), text.end(), ' ', GLUE);
    return text;
}

/** @return "12.346 ms". */
std::string
ShowTime(int64_t ticks)
{
    return FormatDurationRounded(ToPs(ticks));
}

/** @return text filled up with blanks on the left. */
std::string
Right(const std::string& text, std::size_t width)
{
    return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

/** @return text filled up with blanks on the right. */
std::string
Left(const std::string& text, std::size_t width)
{
    return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

/** @return "12.3 %" of the whole. */
std::string
Percent(int64_t part, int64_t whole)
{
    char text[32];
    std::snprintf(text,
                  sizeof(text),
                  "%.1f %%",
                  whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0);
    return text;
}

/** @return gigabytes per second. */
std::string
ShowBandwidth(double bytesPerSecond)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.2f GB/s", bytesPerSecond * 1e-9);
    return text;
}

/** @return "1 pause", "2 pauses". */
std::string
Count(uint64_t number, const std::string& noun)
{
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/** Adds "label   text", broken at blanks so that lines have at most 80 columns. */
void
AddFact(std::string& report,
        const std::string& label,
        const std::string& text,
        std::size_t indent = 14)
{
    std::istringstream words(text);
    std::string word;
    std::string line = Left(label, indent - 1);
    bool fresh = true;
    while (words >> word)
    {
        if (!fresh && line.size() + 1 + word.size() > 80)
        {
            report += line + "\n";
            line = std::string(indent - 1, ' ');
        }
        line += " " + word;
        fresh = false;
    }
    report += line + "\n";
    std::replace(report.begin(), report.end(), GLUE, ' ');
}

void
AddIterations(std::string& text, const RunReport& report)
{
    text += "\nIteration" + Right("time", 16) + Right("start", 16) + Right("end", 16) + "\n";
    for (std::size_t i = 0; i < report.iterations.size(); ++i)
    {
        const IterationRecord& record = report.iterations[i];
        if (record.begun > 0 && record.finished == record.begun)
        {
            text += Right(std::to_string(i), 9) + Right(ShowTime(record.duration), 16) +
                    Right(ShowTime(record.start), 16) + Right(ShowTime(record.end), 16) + "\n";
        }
        else
        {
            text += Right(std::to_string(i), 9) + Right("not finished", 16) + "\n";
        }
    }
}

void
AddUtilisation(std::string& text, const RunReport& report)
{
    if (report.mfu > 0)
    {
        char mfu[64];
        std::snprintf(mfu, sizeof(mfu), "%.1f %% of the accelerators' peak", 100 * report.mfu);
        AddFact(text, "MFU", Glue(mfu));
    }
}

void
AddRankClasses(std::string& text, const RunReport& report)
{
    text += "\nTime of a rank" + Right("ranks", 8) + Right("compute", 19) +
            Right("exposed comm.", 19) + Right("bubble", 19) + "\n";
    for (const auto& c : report.rankClasses)
    {
        const int64_t whole = c.compute + c.exposed + c.bubble;
        const auto cell = [whole](int64_t part) {
            return Right(ShowTime(part), 11) + Right(Percent(part, whole), 8);
        };
        text += Left(c.name, 14) + Right(std::to_string(c.ranks), 8) + cell(c.compute) +
                cell(c.exposed) + cell(c.bubble) + "\n";
    }
}

void
AddTraffic(std::string& text, const RunReport& report)
{
    text += "\nBytes sent  " + Right("within servers", 20) + Right("over the network", 20) +
            Right("messages", 14) + "\n";
    for (const auto& t : report.traffic)
    {
        text += Left(ToString(t.dimension), 12) + Right(FormatBytesRounded(t.scaleUpBytes), 20) +
                Right(FormatBytesRounded(t.networkBytes), 20) +
                Right(std::to_string(t.messages), 14) + "\n";
    }
    if (report.traffic.empty())
    {
        text += "none\n";
    }
}

void
AddCollectives(std::string& text, const RunReport& report)
{
    text += "\nCollectives    dimension " + Right("count", 8) + Right("mean size", 12) +
            Right("mean time", 11) + Right("busbw", 12) + Right("best", 12) + "\n";
    for (const auto& c : report.collectives)
    {
        if (c.count == 0)
        {
            continue;
        }
        const auto count = static_cast<int64_t>(c.count);
        text +=
            Left(ToString(c.kind), 15) + Left(ToString(c.dimension), 10) +
            Right(std::to_string(c.count), 8) + Right(FormatBytesRounded(c.bytes / c.count), 12) +
            Right(ShowTime(c.ticks / count), 11) + Right(ShowBandwidth(c.GetBusBandwidth()), 12) +
            Right(ShowBandwidth(c.bestBandwidth), 12) + "\n";
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
AddDecisions(std::string& text, const RunReport& report)
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
            std::string(ToString(least.kind)) + " of " + Count(least.groupSize, "rank") +
            (least.ranksPerNode > 1 ? " (" + std::to_string(least.ranksPerNode) + " to a server)"
                                    : "") +
            ", " + Glue(FormatBytesRounded(least.bytes));
        if (end - first > 1)
        {
            fact += " to " + Glue(FormatBytesRounded(most.bytes)) + " (" +
                    Count(end - first, "size") + ")";
        }
        fact += ": " + FormatDecision(most) + "; " + (sameReason ? "" : "of the largest: ") +
                most.reason;
        AddFact(text, std::string("  ") + ToString(least.dimension), fact);
    }
}

void
AddNetwork(std::string& text, const RunReport& report)
{
    const FabricPortCounters& hosts = report.fabric.hosts;
    const FabricPortCounters& switches = report.fabric.switches;
    const uint64_t pauses = hosts.pauses + switches.pauses;
    text += "\nNetwork\n";
    const bool rdma = report.scenario.transport.kind == "rdma"; // TCP keeps its counts to itself
    AddFact(text,
            "  messages",
            std::to_string(report.flows.count) +
                "; completion time: " + Glue("median " + ShowTime(report.flows.median) + ",") +
                " " + Glue("90 % " + ShowTime(report.flows.p90) + ",") + " " +
                Glue("99 % " + ShowTime(report.flows.p99) + ",") + " " +
                Glue("longest " + ShowTime(report.flows.longest)));
    AddFact(text,
            "  packets",
            Count(report.fabric.packetHops, "packet-hop") +
                (rdma ? ", " + Count(report.network.dataPackets, "data packet") + ", " +
                            Count(report.network.acksSent, "ACK") + ", " +
                            Count(report.network.naksSent, "NAK")
                      : ""));
    const uint64_t protocolBytes =
        report.network.protocolBytesStarted + report.scaleUp.protocolBytesStarted;
    if (protocolBytes > 0)
    {
        AddFact(text,
                "  protocol",
                Glue(FormatBytesRounded(protocolBytes)) +
                    " of flags and clear-to-send beside the "
                    "payload, " +
                    Count(report.network.clearToSends, "clear-to-send"));
    }
    AddFact(text,
            "  PFC",
            pauses == 0 ? "0 PFC events"
                        : Count(pauses, "pause") + ", " +
                              Glue(ShowTime(hosts.pausedTicks + switches.pausedTicks)) +
                              " paused in all, of that hosts " + Glue(ShowTime(hosts.pausedTicks)));
    AddFact(text,
            "  ECN",
            Count(hosts.ecnMarks + switches.ecnMarks, "mark") +
                (rdma ? ", " + Count(report.network.cnpsSent, "CNP") + " sent, " +
                            std::to_string(report.network.cnpsReceived) + " taken"
                      : ""));
    std::string reasons;
    for (const auto& [reason, count] : report.drops)
    {
        reasons +=
            (reasons.empty() ? " (" : ", ") + std::to_string(count) + " by " + ToString(reason);
    }
    AddFact(text,
            "  losses",
            Count(hosts.drops + switches.drops, "drop") + reasons + (reasons.empty() ? "" : ")") +
                (rdma ? ", " + Glue(FormatBytesRounded(report.network.payloadRetransmitted)) +
                            " retransmitted, " + Count(report.network.timeouts, "timeout")
                      : ""));
    AddFact(text,
            "  buffers",
            "at most " + Glue(FormatBytesRounded(report.switchBufferPeak)) +
                " in one switch, longest queue " + Glue(FormatBytesRounded(switches.queuePeak)));
}

void
AddBooks(std::string& text, const RunReport& report)
{
    text += "\nBooks         " +
            std::string(report.books.AreBalanced() ? "balanced to the byte" : "NOT BALANCED") +
            "\n";
    for (const auto& entry : report.books.GetEntries())
    {
        if (entry.IsBalanced())
        {
            AddFact(text,
                    Right(std::to_string(entry.leftAmount) + " " + entry.unit, BOOK_WIDTH),
                    entry.left + " = " + entry.right,
                    BOOK_WIDTH + 2);
        }
        else
        {
            AddFact(text, Right("DIFFERENT", BOOK_WIDTH), entry.Describe(), BOOK_WIDTH + 2);
        }
    }
}

Json
CountersToJson(const FabricPortCounters& c)
{
    Json json;
    json["tx_frames"] = c.txFrames;
    json["tx_bytes"] = c.txBytes;
    json["tx_data_frames"] = c.txDataFrames;
    json["tx_data_bytes"] = c.txDataBytes;
    json["tx_data_payload_bytes"] = c.txDataPayload;
    json["tx_retransmitted_payload_bytes"] = c.txRetransmitted;
    json["rx_frames"] = c.rxFrames;
    json["rx_bytes"] = c.rxBytes;
    json["rx_data_payload_bytes"] = c.rxDataPayload;
    json["dropped_frames"] = c.drops;
    json["dropped_payload_bytes"] = c.dropPayload;
    json["ecn_marked_frames"] = c.ecnMarks;
    json["pfc_xoff_frames"] = c.pfcXoffSent;
    json["pfc_xon_frames"] = c.pfcXonSent;
    json["pfc_pauses"] = c.pauses;
    json["pfc_paused_ps"] = ToPs(c.pausedTicks);
    json["longest_queue_bytes"] = c.queuePeak;
    return json;
}

Json
TotalsToJson(const TransportTotals& t)
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
    json["cnps_sent"] = t.cnpsSent;
    json["cnps_received"] = t.cnpsReceived;
    json["timeouts"] = t.timeouts;
    json["protocol_bytes"] = t.protocolBytesStarted;
    json["clear_to_sends"] = t.clearToSends;
    return json;
}

/** @return the scenario with every field, nested as in a scenario file. */
Json
ScenarioToJson(const Scenario& scenario)
{
    Json json = Json::object();
    for (const auto& field : GetScenarioFields())
    {
        if (field.path.compare(0, 7, "output.") == 0 || field.path == "simulator.event_queue")
        {
            continue; // where and how it ran does not belong to what came out
        }
        std::string pointer = "/" + field.path;
        for (auto& c : pointer)
        {
            c = c == '.' ? '/' : c;
        }
        json[Json::json_pointer(pointer)] = Json::parse(FormatScenarioValue(field, scenario));
    }
    return json;
}

Json
JobToJson(const RunReport& report)
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

} // namespace

std::string
FormatRunReport(const RunReport& report)
{
    std::string text;
    for (const auto& [label, fact] : report.facts)
    {
        AddFact(text, label, fact);
    }
    for (std::size_t i = 0; i < report.placement.size(); ++i)
    {
        AddFact(text, i == 0 ? "placement" : "", report.placement[i]);
    }
    AddIterations(text, report);
    AddUtilisation(text, report);
    AddRankClasses(text, report);
    AddTraffic(text, report);
    AddCollectives(text, report);
    AddDecisions(text, report);
    AddNetwork(text, report);
    AddBooks(text, report);
    return text;
}

std::string
FormatRunSummary(const RunReport& report)
{
    Json json;
    for (const auto& [label, fact] : report.facts)
    {
        json["description"][label] = fact;
    }
    json["placement"] = report.placement;
    json["job"] = JobToJson(report);
    json["flows"] = {{"messages", report.flows.count},
                     {"completion_median_ps", ToPs(report.flows.median)},
                     {"completion_p90_ps", ToPs(report.flows.p90)},
                     {"completion_p99_ps", ToPs(report.flows.p99)},
                     {"completion_longest_ps", ToPs(report.flows.longest)}};
    json["network_transport"] = TotalsToJson(report.network);
    json["scale_up_transport"] = TotalsToJson(report.scaleUp);
    json["drops_by_reason"] = Json::object();
    for (const auto& [reason, count] : report.drops)
    {
        json["drops_by_reason"][ToString(reason)] = count;
    }
    json["fabric"] = {{"packet_hops", report.fabric.packetHops},
                      {"buffered_bytes", report.fabric.bytesBuffered},
                      {"live_frames", report.fabric.framesLive},
                      {"switch_buffer_peak_bytes", report.switchBufferPeak},
                      {"host_ports", CountersToJson(report.fabric.hosts)},
                      {"switch_ports", CountersToJson(report.fabric.switches)}};
    json["books"]["balanced"] = report.books.AreBalanced();
    json["books"]["entries"] = Json::array();
    for (const auto& e : report.books.GetEntries())
    {
        json["books"]["entries"].push_back({{"left", e.left},
                                            {"left_amount", e.leftAmount},
                                            {"right", e.right},
                                            {"right_amount", e.rightAmount},
                                            {"unit", e.unit}});
    }
    json["scenario"] = ScenarioToJson(report.scenario);
    return json.dump(2) + "\n";
}

} // namespace llm
} // namespace ns3
