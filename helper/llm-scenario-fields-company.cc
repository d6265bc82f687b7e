/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-field-section.h"
#include "llm-scenario-field-tables.h"
#include "llm-scenario-fields.h"

#include "ns3/llm-flow-size-distribution.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** @return whether a field of the scenario describes a job, so that each job may have its own. */
bool
IsOfJob(const std::string& path)
{
    static const std::vector<std::string> fields{"iterations",
                                                 "start_time",
                                                 "cluster.accelerators",
                                                 "cluster.placement_policy",
                                                 "cluster.placement"};
    static const std::vector<std::string> sections{"model.",
                                                   "workload.",
                                                   "parallelism.",
                                                   "training.",
                                                   "accelerator.",
                                                   "transport.",
                                                   "collectives.",
                                                   "watchdog."};
    return std::find(fields.begin(), fields.end(), path) != fields.end() ||
           std::any_of(sections.begin(), sections.end(), [&](const std::string& section) {
               return path.compare(0, section.size(), section) == 0;
           });
}

/** Fields that background and incasts have in common. */
template <typename T>
void
AddFlowFields(ScenarioFieldSection<T>& section)
{
    section.Count("traffic_class", &T::traffic_class).Range(0, 7).Doc("class of the flows");
    section.Text("congestion_control", &T::congestion_control)
        .Doc("as of transport.congestion_control; default: that of the transport section");
    section.Map("congestion_control_attributes", &T::congestion_control_attributes)
        .Doc("its ns-3 attributes");
}

/** Fields that tcp and udp have in common. */
void
AddIpFields(ScenarioFieldSection<Scenario::IpTraffic>& section)
{
    using T = Scenario::IpTraffic;
    section.Text("name", &T::name).Doc("for reports; empty: the path in the scenario");
    section.TextList("from", &T::from).Required().Doc("sending hosts, [\"host0\", \"host1\"]");
    section.TextList("to", &T::to)
        .Required()
        .Doc("receiving hosts: one for each sender, or one for all of them");
}

/** The other fields that tcp and udp have in common. */
void
AddIpTimes(ScenarioFieldSection<Scenario::IpTraffic>& section)
{
    using T = Scenario::IpTraffic;
    section.Count("traffic_class", &T::traffic_class)
        .Range(0, 7)
        .Doc("class of the packets, by DSCP 8 x class");
    section.Duration("start", &T::start_ps).Range(0, MAX_PS).Doc("simulated time of the start");
    section.Duration("stop", &T::stop_ps)
        .Range(0, MAX_PS)
        .Doc("simulated time of the end; 0: after bytes, or when all jobs are over");
}

} // namespace

void
AddCompanyFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection<Scenario> top(fields);
    top.List("jobs", &Scenario::jobs, GetJobFields)
        .Doc("several jobs instead of one, that share the fabric; each may have every field of "
             "model, workload, parallelism, training, accelerator, transport, collectives and "
             "watchdog, iterations, start_time, cluster.accelerators, cluster.placement_policy "
             "and cluster.placement; what it does not have is as here, outside of the list");
    top.List("background", &Scenario::background, GetBackgroundFields)
        .Doc("flows beside the jobs over RDMA, that begin at random");
    top.List("incasts", &Scenario::incasts, GetIncastFields)
        .Doc("flows beside the jobs over RDMA, from many hosts to one at a time");
    top.List("tcp", &Scenario::tcp, GetTcpFields)
        .Doc("ordinary ns-3 applications that send over TCP through the same ports and buffers");
    top.List("udp", &Scenario::udp, GetUdpFields)
        .Doc("ordinary ns-3 applications that send over UDP through the same ports and buffers");
}

const std::vector<ScenarioField>&
GetJobFields()
{
    static const std::vector<ScenarioField> table = [] {
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<Scenario> job(fields);
        job.Text("name", &Scenario::name)
            .Required()
            .Doc("of the job, letters, digits, '-', '_' and '.'; reports and files show it");
        for (ScenarioField field : GetScenarioFields())
        {
            if (IsOfJob(field.path))
            {
                field.inherited = true;
                fields.push_back(field);
            }
        }
        return fields;
    }();
    return table;
}

const std::vector<ScenarioField>&
GetBackgroundFields()
{
    static const std::vector<ScenarioField> table = [] {
        using T = Scenario::Background;
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<T> section(fields);
        std::vector<std::string> distributions = FlowSizeDistribution::GetNames();
        distributions.insert(distributions.end(), {"fixed", "file"});
        section.Text("name", &T::name).Doc("for reports; empty: the path in the scenario");
        section.Choice("distribution", &T::distribution)
            .Choices(distributions)
            .Doc("sizes of the flows");
        section.Text("file", &T::file)
            .Doc("distribution file: lines of bytes and percent, as HPCC's traffic generator reads "
                 "(relative to the scenario)");
        section.Bytes("bytes", &T::bytes).Range(0, 1e15).Doc("distribution fixed: of every flow");
        section.Number("load", &T::load)
            .Range(1e-9, 10)
            .Doc("payload offered, as a part of what the senders' links carry");
        section.CountList("sources", &T::sources)
            .Range(0, MAX_RANKS)
            .Doc("endpoints that send; empty: all");
        section.CountList("destinations", &T::destinations)
            .Range(0, MAX_RANKS)
            .Doc("endpoints that receive; empty: all");
        AddFlowFields(section);
        section.Duration("start", &T::start_ps)
            .Range(0, MAX_PS)
            .Doc("flows begin from this simulated time on");
        section.Duration("stop", &T::stop_ps)
            .Range(0, MAX_PS)
            .Doc("no flow begins from this simulated time on; 0: until all jobs are over");
        return fields;
    }();
    return table;
}

const std::vector<ScenarioField>&
GetIncastFields()
{
    static const std::vector<ScenarioField> table = [] {
        using T = Scenario::Incast;
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<T> section(fields);
        section.Text("name", &T::name).Doc("for reports; empty: the path in the scenario");
        section.CountList("receivers", &T::receivers)
            .Range(0, MAX_RANKS)
            .Required()
            .Doc("endpoints that receive, each from all senders or fan_in of them");
        section.CountList("senders", &T::senders)
            .Range(0, MAX_RANKS)
            .Doc("endpoints that send; empty: all others");
        section.Count("fan_in", &T::fan_in)
            .Range(0, MAX_RANKS)
            .Doc("senders to each receiver, drawn anew each time; 0: all");
        section.Bytes("bytes", &T::bytes).Range(1, 1e15).Doc("from each sender");
        section.Duration("at", &T::at_ps).Range(0, MAX_PS).Doc("simulated time of the first one");
        section.Duration("period", &T::period_ps).Range(1, MAX_PS).Doc("time from one to the next");
        section.Count("count", &T::count)
            .Range(0, MAX_COUNT)
            .Doc("how many; 0: until all jobs are over");
        AddFlowFields(section);
        return fields;
    }();
    return table;
}

const std::vector<ScenarioField>&
GetTcpFields()
{
    static const std::vector<ScenarioField> table = [] {
        using T = Scenario::IpTraffic;
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<T> section(fields);
        AddIpFields(section);
        section.Bytes("bytes", &T::bytes)
            .Range(0, 1e15)
            .Doc("that each sender sends; 0: until it stops");
        section.Rate("rate", &T::rate)
            .Range(0, 1e15)
            .Doc("of each sender (OnOffApplication); 0: as fast as it goes (BulkSendApplication)");
        section.Text("congestion_control", &T::congestion_control)
            .Doc("TypeId of a TcpCongestionOps; default: ns3::TcpCubic");
        AddIpTimes(section);
        return fields;
    }();
    return table;
}

const std::vector<ScenarioField>&
GetUdpFields()
{
    static const std::vector<ScenarioField> table = [] {
        using T = Scenario::IpTraffic;
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<T> section(fields);
        AddIpFields(section);
        section.Rate("rate", &T::rate).Range(1, 1e15).Required().Doc("of each sender");
        section.Bytes("bytes", &T::bytes)
            .Range(0, 1e15)
            .Doc("that each sender sends; 0: until it stops");
        section.Count("packet_bytes", &T::packet_bytes)
            .Range(1, 8972)
            .Doc("payload of each packet");
        AddIpTimes(section);
        return fields;
    }();
    return table;
}

} // namespace llm
} // namespace ns3
