/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-traffic.h"

#include "llm-error-context.h"
#include "llm-scenario-transport.h"

#include "ns3/double.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-incast-traffic.h"
#include "ns3/llm-poisson-traffic.h"
#include "ns3/llm-units.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint16_t FIRST_PORT = 5000;     //!< of receivers over TCP and UDP
constexpr int64_t FIRST_STREAM = 1 << 20; //!< of random variables; below it are others'

/** @return the name of an entry, its path if it has none. */
std::string
NameEntry(const Scenario& scenario, const std::string& name, const std::string& path)
{
    if (name.find_first_of(",\"\n\r") != std::string::npos)
    {
        throw ConfigError(
            scenario.source,
            path + ".name",
            "has a comma, a quote or a line break, which files of results cannot hold");
    }
    return name.empty() ? path : name;
}

/** @return the sizes that an entry asks for. */
FlowSizeDistribution
MakeSizes(const Scenario& scenario, const Scenario::Background& entry, const std::string& path)
{
    const bool fromFile = entry.distribution == "file";
    const bool fixed = entry.distribution == "fixed";
    if (fromFile != !entry.file.empty())
    {
        throw ConfigError(scenario.source,
                          path + ".file",
                          fromFile ? "is empty, but distribution is file"
                                   : "is given, but distribution is " + entry.distribution);
    }
    if (fixed != (entry.bytes > 0))
    {
        throw ConfigError(scenario.source,
                          path + ".bytes",
                          fixed ? "is 0, but distribution is fixed"
                                : "is given, but distribution is " + entry.distribution);
    }
    if (fromFile)
    {
        return FlowSizeDistribution::ReadFile(
            entry.file.front() == '/' ? entry.file : scenario.directory + entry.file);
    }
    return fixed ? FlowSizeDistribution::Fixed(entry.bytes)
                 : FlowSizeDistribution::FromName(entry.distribution, scenario.source);
}

} // namespace

bool
ScenarioTraffic::IsWanted(const Scenario& scenario)
{
    return !scenario.background.empty() || !scenario.incasts.empty() || !scenario.tcp.empty() ||
           !scenario.udp.empty();
}

ScenarioTraffic::ScenarioTraffic(const Scenario& scenario,
                                 const FabricNetwork& network,
                                 bool hasJobs)
    : m_scenario(scenario),
      m_network(network),
      m_nextStream(FIRST_STREAM)
{
    if (!m_scenario.tcp.empty() || !m_scenario.udp.empty())
    {
        PrepareScenarioIp(m_scenario, m_network);
    }
    std::vector<uint32_t> endpoints(m_network.endpoints.GetN());
    std::iota(endpoints.begin(), endpoints.end(), 0);
    Scenario flows = m_scenario;
    flows.transport.kind = "rdma";
    m_ideal = MakeScenarioIdeal(flows, m_network.fabric, endpoints);
    uint16_t port = FIRST_PORT;
    for (const bool udp : {false, true})
    {
        const auto& entries = udp ? m_scenario.udp : m_scenario.tcp;
        for (std::size_t i = 0; i < entries.size(); ++i)
        {
            const std::string path = (udp ? "udp[" : "tcp[") + std::to_string(i) + "]";
            if (!hasJobs && entries[i].stop_ps == 0 && entries[i].bytes == 0)
            {
                throw ConfigError(m_scenario.source,
                                  path + ".stop",
                                  "is 0, but there is no job whose end would be its");
            }
            m_ip.push_back(
                std::make_unique<IpTraffic>(m_scenario, entries[i], path, udp, port++, m_network));
        }
    }
    for (std::size_t i = 0; i < m_scenario.background.size(); ++i)
    {
        AddBackground(i, hasJobs);
    }
    for (std::size_t i = 0; i < m_scenario.incasts.size(); ++i)
    {
        AddIncast(i, hasJobs);
    }
    if (!hasJobs)
    {
        Watch();
    }
}

ScenarioTraffic::~ScenarioTraffic()
{
    for (const Source& source : m_sources)
    {
        source.generator->Dispose();
    }
}

std::vector<uint32_t>
ScenarioTraffic::FindEndpoints(const std::vector<uint32_t>& list, const std::string& path) const
{
    const uint32_t count = m_network.endpoints.GetN();
    std::vector<uint32_t> endpoints = list;
    if (list.empty())
    {
        endpoints.resize(count);
        std::iota(endpoints.begin(), endpoints.end(), 0);
    }
    for (std::size_t i = 0; i < endpoints.size(); ++i)
    {
        if (endpoints[i] >= count)
        {
            throw ConfigError(m_scenario.source,
                              path + "[" + std::to_string(i) + "]",
                              "endpoint " + std::to_string(endpoints[i]) +
                                  " does not exist: the fabric has " + std::to_string(count) +
                                  ", counted from 0");
        }
    }
    return endpoints;
}

Ptr<MessageTransport>
ScenarioTraffic::MakeTransport(const std::string& congestionControl,
                               const std::map<std::string, std::string>& attributes,
                               const std::string& path) const
{
    Scenario flows = m_scenario;
    flows.transport.kind = "rdma";
    if (congestionControl != "default")
    {
        flows.transport.congestion_control = congestionControl;
        flows.transport.congestion_control_attributes = attributes;
    }
    else if (!attributes.empty())
    {
        flows.transport.congestion_control_attributes = attributes;
    }
    flows.transport.attributes["FreshQueuePairs"] = "true";
    std::vector<uint32_t> endpoints(m_network.endpoints.GetN());
    std::iota(endpoints.begin(), endpoints.end(), 0);
    try
    {
        return MakeScenarioTransport(flows, m_network, endpoints);
    }
    catch (const ConfigError& error)
    {
        throw ConfigError(m_scenario.source, path, error.GetMessage());
    }
}

void
ScenarioTraffic::Add(const Source& source,
                     const std::vector<uint32_t>& senders,
                     const std::vector<uint32_t>& receivers,
                     Ptr<MessageTransport> transport)
{
    const Ptr<FlowGenerator> generator = source.generator;
    generator->SetTransport(transport);
    generator->SetEndpoints(senders, receivers);
    generator->SetIdealTime([ideal = m_ideal](uint32_t from, uint32_t to, uint64_t bytes) {
        return ideal->GetTicks(from, to, bytes);
    });
    m_nextStream += generator->AssignStreams(m_nextStream);
    generator->SetIdleCallback(MakeCallback(&ScenarioTraffic::BecameIdle, this));
    generator->Start();
    m_sources.push_back(source);
}

void
ScenarioTraffic::AddBackground(std::size_t i, bool hasJobs)
{
    const Scenario::Background& entry = m_scenario.background[i];
    const std::string path = "background[" + std::to_string(i) + "]";
    if (!hasJobs && entry.stop_ps == 0)
    {
        throw ConfigError(m_scenario.source,
                          path + ".stop",
                          "is 0, but there is no job whose end would be its");
    }
    const std::vector<uint32_t> senders = FindEndpoints(entry.sources, path + ".sources");
    const std::vector<uint32_t> receivers =
        FindEndpoints(entry.destinations, path + ".destinations");
    const auto generator = CreateObject<PoissonTraffic>();
    generator->SetAttribute("Load", DoubleValue(entry.load));
    generator->SetAttribute("TrafficClass", UintegerValue(entry.traffic_class));
    generator->SetAttribute("StartTime", TimeValue(PicoSeconds(entry.start_ps)));
    generator->SetAttribute("StopTime", TimeValue(PicoSeconds(entry.stop_ps)));
    generator->SetSizes(MakeSizes(m_scenario, entry, path));
    uint64_t rate = 0;
    for (const uint32_t endpoint : senders)
    {
        rate += m_network.fabric->GetEndpointPort(endpoint)->GetBitRate();
    }
    generator->SetSendRate(rate);
    char load[32];
    std::snprintf(load, sizeof(load), "%g", entry.load);
    const Source source{NameEntry(m_scenario, entry.name, path),
                        "background",
                        entry.distribution + " at load " + load + ", " +
                            std::to_string(senders.size()) + " to " +
                            std::to_string(receivers.size()) + " hosts",
                        generator};
    WithContext(m_scenario.source, path, [&] {
        Add(source,
            senders,
            receivers,
            MakeTransport(entry.congestion_control, entry.congestion_control_attributes, path));
    });
}

void
ScenarioTraffic::AddIncast(std::size_t i, bool hasJobs)
{
    const Scenario::Incast& entry = m_scenario.incasts[i];
    const std::string path = "incasts[" + std::to_string(i) + "]";
    if (!hasJobs && entry.count == 0)
    {
        throw ConfigError(m_scenario.source,
                          path + ".count",
                          "is 0, but there is no job whose end would stop it");
    }
    const std::vector<uint32_t> senders = FindEndpoints(entry.senders, path + ".senders");
    const std::vector<uint32_t> receivers = FindEndpoints(entry.receivers, path + ".receivers");
    const auto generator = CreateObject<IncastTraffic>();
    generator->SetAttribute("FanIn", UintegerValue(entry.fan_in));
    generator->SetAttribute("Bytes", UintegerValue(entry.bytes));
    generator->SetAttribute("Period", TimeValue(PicoSeconds(entry.period_ps)));
    generator->SetAttribute("Count", UintegerValue(entry.count));
    generator->SetAttribute("TrafficClass", UintegerValue(entry.traffic_class));
    generator->SetAttribute("StartTime", TimeValue(PicoSeconds(entry.at_ps)));
    const Source source{NameEntry(m_scenario, entry.name, path),
                        "incast",
                        FormatBytes(entry.bytes) + " from " +
                            (entry.fan_in > 0 ? std::to_string(entry.fan_in) + " of " : "") +
                            std::to_string(senders.size()) + " hosts to " +
                            std::to_string(receivers.size()),
                        generator};
    WithContext(m_scenario.source, path, [&] {
        Add(source,
            senders,
            receivers,
            MakeTransport(entry.congestion_control, entry.congestion_control_attributes, path));
    });
}

void
ScenarioTraffic::Stop()
{
    for (const Source& source : m_sources)
    {
        source.generator->Stop();
    }
    for (const auto& ip : m_ip)
    {
        ip->Stop();
    }
    Watch();
}

bool
ScenarioTraffic::IsIdle() const
{
    return std::all_of(m_sources.begin(), m_sources.end(), [](const Source& source) {
        return source.generator->IsIdle();
    });
}

void
ScenarioTraffic::BecameIdle()
{
    if (IsIdle())
    {
        Simulator::Remove(m_watch); // a cancelled event would still move the clock
    }
}

void
ScenarioTraffic::Watch()
{
    if (IsIdle())
    {
        return;
    }
    uint64_t bytes = 0;
    bool open = false;
    for (const Source& source : m_sources)
    {
        const FlowGenerator& generator = *source.generator;
        bytes += generator.GetTransport()->GetTotals().payloadReceived;
        open = open || generator.GetStarted() > generator.GetFlows().size() + generator.GetFailed();
    }
    if (open && m_watching && m_watched == bytes)
    {
        m_stalled = true;
        Simulator::Stop();
        return;
    }
    m_watched = bytes;
    m_watching = true;
    m_watch = Simulator::Schedule(PicoSeconds(m_scenario.watchdog.stall_time_ps),
                                  &ScenarioTraffic::Watch,
                                  this);
}

std::vector<std::pair<std::string, Ptr<MessageTransport>>>
ScenarioTraffic::GetTransports() const
{
    std::vector<std::pair<std::string, Ptr<MessageTransport>>> transports;
    for (const Source& source : m_sources)
    {
        transports.emplace_back(source.name, source.generator->GetTransport());
    }
    return transports;
}

std::vector<TrafficReport>
ScenarioTraffic::Collect() const
{
    std::vector<TrafficReport> reports;
    for (const Source& source : m_sources)
    {
        const FlowGenerator& generator = *source.generator;
        TrafficReport report;
        report.kind = source.kind;
        report.name = source.name;
        report.description = source.description;
        report.flows = generator.GetStarted();
        report.bytes = generator.GetStartedBytes();
        report.arrived = generator.GetFlows().size();
        report.failed = generator.GetFailed();
        report.failure = generator.GetFailure();
        report.buckets = SortFlows(generator.GetFlows());
        if (const auto* poisson = dynamic_cast<const PoissonTraffic*>(&generator))
        {
            report.offeredLoad = poisson->GetOfferedLoad();
        }
        reports.push_back(report);
    }
    for (const auto& ip : m_ip)
    {
        reports.push_back(ip->Collect());
    }
    return reports;
}

std::vector<std::string>
ScenarioTraffic::GetFailure() const
{
    std::vector<std::string> lines;
    for (const Source& source : m_sources)
    {
        const FlowGenerator& generator = *source.generator;
        if (generator.GetFailed() > 0)
        {
            lines.push_back(source.name + ": " + std::to_string(generator.GetFailed()) +
                            " flows failed; " + generator.GetFailure());
        }
        else if (generator.GetFlows().size() < generator.GetStarted())
        {
            lines.push_back(source.name + ": " +
                            std::to_string(generator.GetStarted() - generator.GetFlows().size()) +
                            " flows are open" +
                            (m_stalled ? " and nothing has moved since the last look" : ""));
            generator.GetTransport()->DescribeOpen(lines, 8);
        }
    }
    return lines;
}

} // namespace llm
} // namespace ns3
