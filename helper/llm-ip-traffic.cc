/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-ip-traffic.h"

#include "fabric-ip-helper.h"

#include "ns3/bulk-send-application.h"
#include "ns3/data-rate.h"
#include "ns3/inet-socket-address.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/llm-units.h"
#include "ns3/names.h"
#include "ns3/onoff-application.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

/**
 * An application that can be told to stop; ns-3's only know a time that is set before they start,
 * and keep the function that stops them to themselves. So each gets an event for its stop, far
 * away if no time was set, and has it happen early.
 */
template <typename T>
class StoppableApplication : public T
{
  public:
    /** Stop as at the time that was set, from the next tick on. */
    void StopNow()
    {
        Simulator::Remove(this->m_startEvent); // if it has not started
        Simulator::Schedule(TimeStep(1), [this] {
            if (!this->m_stopEvent.IsExpired())
            {
                this->m_stopEvent.PeekEventImpl()->Invoke();
                Simulator::Remove(this->m_stopEvent);
            }
        });
    }

  protected:
    void DoInitialize() override
    {
        if (this->m_stopTime.IsZero())
        {
            this->m_stopTime = TimeStep(INT64_MAX / 2);
        }
        T::DoInitialize();
    }
};

/** Address with a type of service, where addresses have one (until ns-3.40). */
template <typename T>
auto
SetTypeOfService(T& address, uint8_t tos, int) -> decltype(address.SetTos(tos))
{
    address.SetTos(tos);
}

template <typename T>
void
SetTypeOfService(T&, uint8_t, long)
{
}

/** Application with a type of service, where applications have one (from ns-3.41 on). */
void
SetTypeOfService(Application& application, uint8_t tos)
{
    TypeId::AttributeInformation info;
    if (application.GetInstanceTypeId().LookupAttributeByName("Tos", &info))
    {
        application.SetAttribute("Tos", UintegerValue(tos));
    }
}

/** @return type of service with the DSCP of a class. */
uint8_t
GetTypeOfService(uint32_t trafficClass)
{
    return static_cast<uint8_t>(trafficClass << 5);
}

/** @return TypeId of a congestion control. @throw ConfigError if there is none. */
TypeId
FindCongestionControl(const Scenario& scenario, const std::string& path, const std::string& name)
{
    TypeId tid = TcpCubic::GetTypeId();
    if (name != "default" && (!TypeId::LookupByNameFailSafe(name, &tid) ||
                              !tid.IsChildOf(TcpCongestionOps::GetTypeId())))
    {
        throw ConfigError(scenario.source,
                          path + ".congestion_control",
                          "'" + name +
                              "' is no TypeId derived from ns3::TcpCongestionOps; for "
                              "example ns3::TcpCubic or ns3::TcpDctcp");
    }
    return tid;
}

} // namespace

/** Counts what a sink receives. */
class IpTraffic::Meter
{
  public:
    /** @param node that receives. @param port there. @param protocol socket factory. */
    Meter(Ptr<Node> node, uint16_t port, const std::string& protocol)
    {
        auto sink = CreateObject<PacketSink>();
        sink->SetAttribute("Protocol", TypeIdValue(TypeId::LookupByName(protocol)));
        sink->SetAttribute("Local", AddressValue(InetSocketAddress(Ipv4Address::GetAny(), port)));
        node->AddApplication(sink);
        sink->SetStartTime(Time(0));
        sink->TraceConnectWithoutContext("Rx", MakeCallback(&Meter::Receive, this));
    }

    uint64_t bytes{0}; //!< received
    int64_t last{0};   //!< tick of the last ones

  private:
    /** Sink of Rx. */
    void Receive(Ptr<const Packet> packet, const Address&)
    {
        bytes += packet->GetSize();
        last = Simulator::Now().GetTimeStep();
    }
};

IpTraffic::IpTraffic(const Scenario& scenario,
                     const Scenario::IpTraffic& entry,
                     const std::string& path,
                     bool udp,
                     uint16_t port,
                     const FabricNetwork& network)
    : m_scenario(scenario),
      m_entry(entry),
      m_path(path),
      m_udp(udp),
      m_port(port),
      m_network(network)
{
    const auto& from = m_entry.from;
    const auto& to = m_entry.to;
    if (from.empty() || (to.size() != 1 && to.size() != from.size()))
    {
        throw ConfigError(scenario.source,
                          path + ".to",
                          "names " + std::to_string(to.size()) + " hosts for " +
                              std::to_string(from.size()) +
                              " senders; one for each is needed, or one for all");
    }
    if (m_entry.stop_ps > 0 && m_entry.stop_ps <= m_entry.start_ps)
    {
        throw ConfigError(scenario.source,
                          path + ".stop",
                          "is " + FormatDurationPs(m_entry.stop_ps) + ", not after start, " +
                              FormatDurationPs(m_entry.start_ps));
    }
    network.fabric->SetTrafficClass(static_cast<uint8_t>(m_entry.traffic_class << 3),
                                    static_cast<uint8_t>(m_entry.traffic_class));
    const std::string protocol = udp ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory";
    std::vector<InetSocketAddress> addresses;
    for (std::size_t i = 0; i < to.size(); ++i)
    {
        const uint32_t endpoint = FindHost(to[i], "to", i);
        m_meters.push_back(
            std::make_unique<Meter>(network.endpoints.Get(endpoint), port, protocol));
        addresses.emplace_back(FabricIpHelper::GetAddress(endpoint), port);
        SetTypeOfService(addresses.back(), GetTypeOfService(m_entry.traffic_class), 0);
    }
    for (std::size_t i = 0; i < from.size(); ++i)
    {
        const std::size_t target = to.size() == 1 ? 0 : i;
        if (FindHost(from[i], "from", i) == FindHost(to[target], "to", target))
        {
            throw ConfigError(scenario.source,
                              path + ".from[" + std::to_string(i) + "]",
                              "'" + from[i] + "' would send to itself");
        }
        AddSender(from[i], addresses[target]);
    }
}

IpTraffic::~IpTraffic() = default;

uint32_t
IpTraffic::FindHost(const std::string& name, const std::string& list, std::size_t index) const
{
    std::vector<std::string> known;
    for (uint32_t endpoint = 0; endpoint < m_network.endpoints.GetN(); ++endpoint)
    {
        const std::string host = Names::FindName(m_network.endpoints.Get(endpoint));
        if (host == name)
        {
            return endpoint;
        }
        known.push_back(host);
    }
    throw ConfigError(m_scenario.source,
                      m_path + "." + list + "[" + std::to_string(index) + "]",
                      "there is no host '" + name + "'; did you mean '" + NearestName(name, known) +
                          "'?");
}

void
IpTraffic::AddSender(const std::string& from, const Address& to)
{
    const Ptr<Node> node = m_network.endpoints.Get(FindHost(from, "from", 0));
    Ptr<Application> sender;
    if (!m_udp && m_entry.rate == 0)
    {
        auto bulk = CreateObject<StoppableApplication<BulkSendApplication>>();
        bulk->SetAttribute("Protocol", StringValue("ns3::TcpSocketFactory"));
        m_stops.emplace_back([bulk] { bulk->StopNow(); });
        sender = bulk;
    }
    else
    {
        auto onOff = CreateObject<StoppableApplication<OnOffApplication>>();
        onOff->SetAttribute("Protocol",
                            StringValue(m_udp ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory"));
        onOff->SetAttribute("DataRate", DataRateValue(DataRate(m_entry.rate)));
        onOff->SetAttribute("PacketSize", UintegerValue(m_entry.packet_bytes));
        onOff->SetAttribute("OnTime", StringValue("ns3::ConstantRandomVariable[Constant=1]"));
        onOff->SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        m_stops.emplace_back([onOff] { onOff->StopNow(); });
        sender = onOff;
    }
    sender->SetAttribute("Remote", AddressValue(to));
    sender->SetAttribute("MaxBytes", UintegerValue(m_entry.bytes));
    SetTypeOfService(*sender, GetTypeOfService(m_entry.traffic_class));
    sender->TraceConnectWithoutContext("Tx", MakeCallback(&IpTraffic::Sent, this));
    node->AddApplication(sender);
    sender->SetStartTime(PicoSeconds(m_entry.start_ps));
    if (m_entry.stop_ps > 0)
    {
        sender->SetStopTime(PicoSeconds(m_entry.stop_ps));
    }
    if (!m_udp)
    {
        const TypeId tid = FindCongestionControl(m_scenario, m_path, m_entry.congestion_control);
        node->GetObject<TcpL4Protocol>()->SetAttribute("SocketType", TypeIdValue(tid));
    }
    m_senders.push_back(sender);
}

void
IpTraffic::Sent(Ptr<const Packet> packet)
{
    m_sent += packet->GetSize();
}

void
IpTraffic::Stop()
{
    if (m_entry.stop_ps == 0 && m_entry.bytes == 0)
    {
        for (const auto& stop : m_stops)
        {
            stop();
        }
    }
}

TrafficReport
IpTraffic::Collect() const
{
    TrafficReport report;
    report.kind = m_udp ? "udp" : "tcp";
    report.name = m_entry.name.empty() ? m_path : m_entry.name;
    report.description = std::to_string(m_entry.from.size()) +
                         (m_entry.from.size() == 1 ? " sender" : " senders") + ", class " +
                         std::to_string(m_entry.traffic_class);
    if (m_entry.rate > 0)
    {
        report.description += ", " + FormatBitRate(m_entry.rate) + " each";
    }
    const int64_t start = PicoSeconds(m_entry.start_ps).GetTimeStep();
    int64_t last = start;
    for (const auto& meter : m_meters)
    {
        report.bytesReceived += meter->bytes;
        last = std::max(last, meter->last);
    }
    report.flows = m_senders.size();
    report.bytes = m_sent;
    report.ticks = last - start;
    report.goodput = last > start ? static_cast<double>(report.bytesReceived) * 8 /
                                        TimeStep(last - start).GetSeconds()
                                  : 0;
    return report;
}

} // namespace llm
} // namespace ns3
