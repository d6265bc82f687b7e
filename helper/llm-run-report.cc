/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-run-report.h"

#include "llm-report-text.h"
#include "llm-scenario-fields.h"
#include "llm-trouble-report.h"

#include "ns3/llm-units.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr std::size_t BOOK_WIDTH = 18; //!< columns of a figure of the books

/** Adds what tells a job from the others. */
void
AddJobHead(std::string& text, const JobReport& job)
{
    text += "\nJob " + job.name + "\n";
    for (const auto& [label, fact] : job.facts)
    {
        AddReportFact(text, label, fact);
    }
    for (std::size_t i = 0; i < job.placement.size(); ++i)
    {
        AddReportFact(text, i == 0 ? "placement" : "", job.placement[i]);
    }
    AddReportFact(text,
                  "ran",
                  job.start < 0 ? std::string("never")
                                : "from " + KeepTogether(ShowTicks(job.start)) +
                                      (job.end < 0 ? std::string(" on, without an end")
                                                   : " to " + KeepTogether(ShowTicks(job.end)) +
                                                         (job.complete ? "" : ", and FAILED")));
}

/** @return what loss recovery did beside timeouts, if anything. */
std::string
DescribeRecovery(const TransportTotals& network)
{
    std::string text;
    if (network.resentAfterTimeout > 0)
    {
        text += " (" + KeepTogether(FormatBytesRounded(network.resentAfterTimeout)) +
                " again after them)";
    }
    if (network.recoveries > 0)
    {
        text += ", " + std::to_string(network.recoveries) +
                (network.recoveries == 1 ? " loss" : " losses") + " noticed before one";
    }
    if (network.trimsReceived > 0)
    {
        text += ", " + ShowCount(network.trimsReceived, "packet") + " trimmed";
    }
    if (network.placedEarly > 0)
    {
        text += ", " + ShowCount(network.placedEarly, "packet") + " placed out of order";
    }
    return text;
}

void
AddNetwork(std::string& text, const RunReport& report)
{
    const FabricPortCounters& hosts = report.fabric.hosts;
    const FabricPortCounters& switches = report.fabric.switches;
    const uint64_t pauses = hosts.pauses + switches.pauses;
    text += "\nNetwork\n";
    // TCP keeps its counts to itself.
    const bool rdma = report.scenario.transport.kind == "rdma" || report.network.dataPackets > 0;
    AddReportFact(text,
                  "  messages",
                  std::to_string(report.flows.count) + "; completion time: " +
                      KeepTogether("median " + ShowTicks(report.flows.median) + ",") + " " +
                      KeepTogether("90 % " + ShowTicks(report.flows.p90) + ",") + " " +
                      KeepTogether("99 % " + ShowTicks(report.flows.p99) + ",") + " " +
                      KeepTogether("longest " + ShowTicks(report.flows.longest)));
    AddReportFact(
        text,
        "  packets",
        ShowCount(report.fabric.packetHops, "packet-hop") +
            (rdma ? ", " + ShowCount(report.network.dataPackets, "data packet") + ", " +
                        ShowCount(report.network.acksSent, "ACK") + ", " +
                        ShowCount(report.network.naksSent, "NAK") +
                        (report.network.readRequests > 0
                             ? ", " + ShowCount(report.network.readRequests, "READ request")
                             : "") +
                        (report.network.rnrNaksSent > 0
                             ? ", " + ShowCount(report.network.rnrNaksSent, "RNR NAK")
                             : "")
                  : ""));
    const uint64_t protocolBytes =
        report.network.protocolBytesStarted + report.scaleUp.protocolBytesStarted;
    if (protocolBytes > 0)
    {
        AddReportFact(text,
                      "  protocol",
                      KeepTogether(FormatBytesRounded(protocolBytes)) +
                          " of flags and clear-to-send beside the "
                          "payload, " +
                          ShowCount(report.network.clearToSends, "clear-to-send"));
    }
    AddReportFact(text,
                  "  PFC",
                  pauses == 0
                      ? "0 PFC events"
                      : ShowCount(pauses, "pause") + ", " +
                            KeepTogether(ShowTicks(hosts.pausedTicks + switches.pausedTicks)) +
                            " paused in all, of that hosts " +
                            KeepTogether(ShowTicks(hosts.pausedTicks)));
    if (switches.pfcStorms > 0)
    {
        AddReportFact(text,
                      "  watchdog",
                      ShowCount(switches.pfcStorms, "PFC storm") + " found, " +
                          std::to_string(switches.pfcStormsEnded) + " over; action " +
                          report.scenario.switches.pfc_watchdog);
    }
    AddReportFact(text,
                  "  ECN",
                  ShowCount(hosts.ecnMarks + switches.ecnMarks, "mark") +
                      (rdma ? ", " + ShowCount(report.network.cnpsSent, "CNP") + " sent, " +
                                  std::to_string(report.network.cnpsReceived) + " taken"
                            : ""));
    std::string reasons;
    for (const auto& [reason, count] : report.drops)
    {
        reasons +=
            (reasons.empty() ? " (" : ", ") + std::to_string(count) + " by " + ToString(reason);
    }
    AddReportFact(
        text,
        "  losses",
        ShowCount(hosts.drops + switches.drops, "drop") + reasons + (reasons.empty() ? "" : ")") +
            (rdma ? ", " + KeepTogether(FormatBytesRounded(report.network.payloadRetransmitted)) +
                        " retransmitted, " + ShowCount(report.network.timeouts, "timeout") +
                        DescribeRecovery(report.network)
                  : ""));
    if (switches.trims > 0)
    {
        AddReportFact(text,
                      "  trimmed",
                      ShowCount(switches.trims, "frame") + ", " +
                          KeepTogether(FormatBytesRounded(switches.trimPayload)) + " of payload");
    }
    AddReportFact(text,
                  "  buffers",
                  "at most " + KeepTogether(FormatBytesRounded(report.switchBufferPeak)) +
                      " in one switch, longest queue " +
                      KeepTogether(FormatBytesRounded(switches.queuePeak)));
}

void
AddPaths(std::string& text, const RunReport& report)
{
    std::string fact;
    for (const FabricUplinkBalance& uplinks : report.uplinks)
    {
        char factor[32];
        std::snprintf(factor, sizeof(factor), "%.2f", uplinks.GetUnevenness());
        fact += (fact.empty() ? "uplinks of tier " : "; of tier ") + std::to_string(uplinks.tier) +
                ": " + std::to_string(uplinks.used) + " of " + std::to_string(uplinks.ports) +
                " used, " + KeepTogether("busiest " + std::string(factor) + " x mean");
    }
    for (const auto& [name, count] : report.pathCounters)
    {
        std::string words = name;
        std::replace(words.begin(), words.end(), '_', ' ');
        fact += (fact.empty() ? "" : "; ") + KeepTogether(std::to_string(count) + " " + words);
    }
    if (!fact.empty())
    {
        AddReportFact(text, "  paths", fact);
    }
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
            AddReportFact(text,
                          PadLeft(std::to_string(entry.leftAmount) + " " + entry.unit, BOOK_WIDTH),
                          entry.left + " = " + entry.right,
                          BOOK_WIDTH + 2);
        }
        else
        {
            AddReportFact(text, PadLeft("DIFFERENT", BOOK_WIDTH), entry.Describe(), BOOK_WIDTH + 2);
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
    json["trimmed_frames"] = c.trims;
    json["trimmed_payload_bytes"] = c.trimPayload;
    json["pfc_storms"] = c.pfcStorms;
    json["pfc_storms_ended"] = c.pfcStormsEnded;
    json["pfc_pauses"] = c.pauses;
    json["pfc_paused_ps"] = ToPs(c.pausedTicks);
    json["longest_queue_bytes"] = c.queuePeak;
    return json;
}

/** @return a job among several: how it was described, what it did, its transports. */
Json
NamedJobToJson(const JobReport& job)
{
    Json json;
    json["name"] = job.name;
    for (const auto& [label, fact] : job.facts)
    {
        json["description"][label] = fact;
    }
    json["placement"] = job.placement;
    json["start_ps"] = job.start < 0 ? Json() : Json(ToPs(job.start));
    json["end_ps"] = job.end < 0 ? Json() : Json(ToPs(job.end));
    json.update(JobToJson(job));
    json["flows"] = FlowTimesToJson(job.flows);
    json["network_transport"] = TransportTotalsToJson(job.network);
    json["scale_up_transport"] = TransportTotalsToJson(job.scaleUp);
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

} // namespace

std::string
FormatRunReport(const RunReport& report)
{
    std::string text;
    for (const auto& [label, fact] : report.facts)
    {
        AddReportFact(text, label, fact);
    }
    for (std::size_t i = 0; i < report.placement.size(); ++i)
    {
        AddReportFact(text, i == 0 ? "placement" : "", report.placement[i]);
    }
    for (const JobReport& job : report.jobs)
    {
        if (!job.name.empty())
        {
            AddJobHead(text, job);
        }
        text += FormatJobReport(job);
    }
    text += FormatTraffic(report.traffic);
    text += FormatTrouble(report);
    AddNetwork(text, report);
    AddPaths(text, report);
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
    if (report.jobs.size() == 1 && report.jobs.front().name.empty())
    {
        json["placement"] = report.placement;
        json["job"] = JobToJson(report.jobs.front());
    }
    else
    {
        json["jobs"] = Json::array();
        for (const JobReport& job : report.jobs)
        {
            json["jobs"].push_back(NamedJobToJson(job));
        }
    }
    if (!report.trouble.empty())
    {
        json["trouble"] = Json::parse(FormatTroubleSummary(report));
    }
    for (const TrafficReport& traffic : report.traffic)
    {
        json["traffic_beside_the_jobs"].push_back(TrafficToJson(traffic));
    }
    json["flows"] = FlowTimesToJson(report.flows);
    json["network_transport"] = TransportTotalsToJson(report.network);
    json["scale_up_transport"] = TransportTotalsToJson(report.scaleUp);
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
    json["paths"]["uplinks"] = Json::array();
    for (const auto& uplinks : report.uplinks)
    {
        json["paths"]["uplinks"].push_back({{"tier", uplinks.tier},
                                            {"ports", uplinks.ports},
                                            {"used_ports", uplinks.used},
                                            {"sent_bytes", uplinks.sum},
                                            {"busiest_sent_bytes", uplinks.busiest}});
    }
    json["paths"]["counters"] = Json::object();
    for (const auto& [name, count] : report.pathCounters)
    {
        json["paths"]["counters"][name] = count;
    }
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
