/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-transport.h"

#include "fabric-ip-helper.h"
#include "llm-attribute-map.h"
#include "llm-error-context.h"
#include "llm-scenario-paths.h"
#include "llm-scenario-workload.h"
#include "rdma-transport-helper.h"
#include "scale-up-topology.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nccl-transport.h"
#include "ns3/llm-packet-scale-up-transport.h"
#include "ns3/llm-scale-up-transport.h"
#include "ns3/llm-socket-transport.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-names.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-reliability-names.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint32_t TCP_HEADERS = 72;       //!< IPv4, TCP and its options, bytes
constexpr uint32_t HPCC_DATA_HEADERS = 48; //!< of a packet in the HPCC family, link time
constexpr uint32_t HPCC_ACK = 60;          //!< of an acknowledgement there, link time
constexpr uint32_t TCP_BUFFER = 4U << 20;  //!< send and receive buffers, bytes

/** @return true if frames shall be as long as in the HPCC family. */
bool
HasShortHeaders(const Scenario& scenario)
{
    return scenario.transport.headers == "hpcc";
}

/** @return nodes of the ranks. */
NodeContainer
GetNodes(const FabricNetwork& network, const std::vector<uint32_t>& endpoints)
{
    NodeContainer nodes;
    for (const uint32_t endpoint : endpoints)
    {
        nodes.Add(network.endpoints.Get(endpoint));
    }
    return nodes;
}

/** Queue pair that nothing is sent over. */
class IdleHost : public RdmaCongestionHost
{
  public:
    void ArmTimer(uint32_t, Time) override
    {
    }

    void CancelTimer(uint32_t) override
    {
    }

    void ControlChanged() override
    {
    }
};

/** Has a congestion control say now, not when ranks first talk, that it cannot work so. */
void
TryCongestionControl(const Scenario& scenario, TypeId tid)
{
    ObjectFactory factory;
    factory.SetTypeId(tid);
    for (const auto& [name, value] : scenario.transport.congestion_control_attributes)
    {
        factory.Set(name, StringValue(value));
    }
    RdmaPathInfo path;
    path.lineRate = DataRate(scenario.fabric.host_rate);
    path.baseRtt = PicoSeconds(scenario.fabric.host_delay_ps);
    path.mtu = scenario.fabric.path_mtu;
    path.wireBytes = scenario.fabric.path_mtu;
    path.hops = 1;
    path.bdp = path.mtu;
    WithContext(scenario.source, "transport.congestion_control", [&] {
        IdleHost host;
        const Ptr<RdmaCongestionOps> ops = factory.Create<RdmaCongestionOps>();
        ops->SetHost(&host);
        ops->Init(path);
    });
}

/** Loss recovery and its timers. */
void
SetReliability(const Scenario::Transport& wanted, RdmaTransportHelper& helper, TypeId tid)
{
    helper.SetReliability(tid.GetName());
    if (wanted.timers != "default")
    {
        helper.SetTimers(wanted.timers);
    }
    if (wanted.timeout > 0)
    {
        helper.SetAckTimeout(wanted.timeout);
    }
    helper.SetAttribute("RetryCount", UintegerValue(wanted.retry_count));
    for (const auto& [name, value] : wanted.reliability_attributes)
    {
        helper.SetReliabilityAttribute(name, StringValue(value));
    }
}

Ptr<MessageTransport>
MakeRdma(const Scenario& scenario, const FabricNetwork& network, const NodeContainer& nodes)
{
    const Scenario::Transport& wanted = scenario.transport;
    const TypeId congestion = RdmaCongestionNames::Lookup(GetRdmaCongestionName(scenario),
                                                          scenario.source,
                                                          "transport.congestion_control");
    CheckAttributes(congestion,
                    wanted.congestion_control_attributes,
                    scenario.source,
                    "transport.congestion_control_attributes");
    const TypeId reliability = GetRdmaReliabilityNames().Lookup(wanted.reliability,
                                                                scenario.source,
                                                                "transport.reliability");
    CheckAttributes(reliability,
                    wanted.reliability_attributes,
                    scenario.source,
                    "transport.reliability_attributes");
    CheckAttributes(RdmaTransport::GetTypeId(),
                    wanted.attributes,
                    scenario.source,
                    "transport.attributes");
    TryCongestionControl(scenario, congestion);
    RdmaTransportHelper helper;
    helper.SetAttribute("PathMtu", UintegerValue(scenario.fabric.path_mtu));
    helper.SetAttribute("AckInterval", UintegerValue(wanted.ack_interval));
    if (HasShortHeaders(scenario))
    {
        // What a link carries of a frame is 20 B longer, see Frame::WireBytes.
        helper.SetAttribute("PacketHeader", UintegerValue(HPCC_DATA_HEADERS - wire::PREAMBLE_IFG));
        helper.SetAttribute("FirstPacketHeader", UintegerValue(0));
        helper.SetAttribute("AckBytes", UintegerValue(HPCC_ACK - wire::PREAMBLE_IFG));
    }
    helper.SetAttribute("PaceAtLineRate", BooleanValue(!scenario.fabric.floor_ns));
    SetReliability(wanted, helper, reliability);
    helper.SetAttribute("Verb", StringValue(wanted.verb));
    helper.SetAttribute("MaxReads", UintegerValue(wanted.max_reads));
    helper.SetAttribute("PortSelection", StringValue(wanted.port_selection));
    helper.SetAttribute("TransmitDelay", TimeValue(PicoSeconds(wanted.transmit_delay_ps)));
    helper.SetAttribute("ReceiveDelay", TimeValue(PicoSeconds(wanted.receive_delay_ps)));
    helper.SetAttribute("AckDelay", TimeValue(PicoSeconds(wanted.ack_delay_ps)));
    helper.SetAttribute("CnpDelay", TimeValue(PicoSeconds(wanted.cnp_delay_ps)));
    for (const auto& [name, value] : wanted.attributes)
    {
        helper.SetAttribute(name, StringValue(value));
    }
    if (wanted.attributes.count("PathSelector") == 0)
    {
        helper.SetPathSelector(MakeScenarioPathSelector(scenario, nodes.GetN()));
    }
    helper.SetCongestionControl(congestion.GetName());
    for (const auto& [name, value] : wanted.congestion_control_attributes)
    {
        helper.SetCongestionAttribute(name, StringValue(value));
    }
    Ptr<MessageTransport> transport;
    WithContext(scenario.source, "transport", [&] {
        transport = helper.Install(network.fabric, nodes);
    });
    return transport;
}

/** Checks what TCP cannot have, and the congestion control. @return its type. */
TypeId
CheckTcp(const Scenario& scenario)
{
    const Scenario::Transport& wanted = scenario.transport;
    if (!wanted.congestion_control_attributes.empty())
    {
        throw ConfigError(scenario.source,
                          "transport.congestion_control_attributes",
                          "only rdma has them; set defaults of ns-3's TCP classes in C++");
    }
    CheckAttributes(TcpSocket::GetTypeId(),
                    wanted.attributes,
                    scenario.source,
                    "transport.attributes");
    TypeId tid = TcpCubic::GetTypeId();
    const std::string& name = wanted.congestion_control;
    if (name != "default" && (!TypeId::LookupByNameFailSafe(name, &tid) ||
                              !tid.IsChildOf(TcpCongestionOps::GetTypeId())))
    {
        throw ConfigError(scenario.source,
                          "transport.congestion_control",
                          "'" + name +
                              "' is no TypeId derived from ns3::TcpCongestionOps, as tcp needs; "
                              "for example ns3::TcpCubic or ns3::TcpDctcp");
    }
    return tid;
}

Ptr<MessageTransport>
MakeTcp(const Scenario& scenario, const FabricNetwork& network, const NodeContainer& nodes)
{
    const TypeId congestion = CheckTcp(scenario);
    PrepareScenarioIp(scenario, network);
    for (const auto& [name, value] : scenario.transport.attributes)
    {
        Config::SetDefault("ns3::TcpSocket::" + name, StringValue(value));
    }
    Ptr<SocketTransport> transport = CreateObject<SocketTransport>();
    for (uint32_t rank = 0; rank < nodes.GetN(); ++rank)
    {
        const Ptr<Node> node = nodes.Get(rank);
        node->GetObject<TcpL4Protocol>()->SetAttribute("SocketType", TypeIdValue(congestion));
        transport->AddRank(rank,
                           node,
                           FabricIpHelper::GetAddress(network.fabric->GetEndpoint(node)));
    }
    return transport;
}

/** @return whether any collective may use a protocol of NCCL. */
bool
MayUseProtocol(const Scenario::Collectives& collectives)
{
    const std::string& protocol = collectives.protocol;
    if (protocol != "auto")
    {
        return protocol != "none";
    }
    return std::any_of(
        SCENARIO_COLLECTIVES.begin(),
        SCENARIO_COLLECTIVES.end(),
        [&](CollectiveKind kind) { return GetAlgorithmName(collectives, kind) == "nccl"; });
}

/** @return transport over a fabric of its own within servers. */
Ptr<MessageTransport>
MakePacketScaleUp(const Scenario& scenario,
                  const FabricNetwork& network,
                  const std::vector<uint32_t>& endpoints,
                  FabricEventQueue& queue,
                  uint64_t bitsPerSecond,
                  Ptr<Fabric>& fabric)
{
    const Scenario::Collectives& wanted = scenario.collectives;
    for (const std::string* name : {&wanted.all_reduce,
                                    &wanted.all_gather,
                                    &wanted.reduce_scatter,
                                    &wanted.broadcast,
                                    &wanted.reduce,
                                    &wanted.all_to_all})
    {
        if (*name == "nvls")
        {
            throw ConfigError(scenario.source,
                              "cluster.scale_up",
                              "is '" + scenario.cluster.scale_up +
                                  "', whose switch neither reduces nor multicasts; 'nvls' needs "
                                  "'analytic'");
        }
    }
    ScaleUpTopology::Settings settings;
    settings.kind = scenario.cluster.scale_up == "mesh" ? ScaleUpTopology::Kind::MESH
                                                        : ScaleUpTopology::Kind::SWITCH;
    settings.bandwidth = DataRate(bitsPerSecond);
    settings.latency = PicoSeconds(scenario.cluster.scale_up_latency_ps);
    WithContext(scenario.source, "cluster", [&] {
        fabric = ScaleUpTopology::Build(network, endpoints, settings, queue);
    });
    std::map<uint32_t, uint32_t> ranksOf;
    for (const uint32_t endpoint : endpoints)
    {
        ++ranksOf[network.serverOf[endpoint]];
    }
    Ptr<PacketScaleUpTransport> transport = CreateObject<PacketScaleUpTransport>();
    for (uint32_t rank = 0; rank < endpoints.size(); ++rank)
    {
        if (ranksOf[network.serverOf[endpoints[rank]]] < 2)
        {
            continue;
        }
        const Ptr<Node> node = network.endpoints.Get(endpoints[rank]);
        std::vector<FramePort*> ports;
        for (const auto& port : fabric->GetEndpointPorts(fabric->GetEndpoint(node)))
        {
            ports.push_back(PeekPointer(port));
        }
        transport->AddRank(rank, ports, node->GetId());
    }
    return transport;
}

} // namespace

std::string
DescribeScenarioTransport(const Scenario& scenario)
{
    if (scenario.transport.kind != "rdma")
    {
        return scenario.transport.kind;
    }
    return "rdma, " + GetRdmaCongestionName(scenario) + ", path MTU " +
           std::to_string(scenario.fabric.path_mtu) + ", PFC " +
           (scenario.fabric.pfc ? "on" : "off") + ", ECN " + (scenario.fabric.ecn ? "on" : "off");
}

void
PrepareScenarioIp(const Scenario& scenario, const FabricNetwork& network)
{
    const uint32_t mtu = scenario.fabric.ip_mtu;
    // Sockets are made when ranks first talk: what they start with can only be set as default.
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mtu - TCP_HEADERS));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(TCP_BUFFER));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(TCP_BUFFER));
    // A closed socket waits for two of these, which is a minute of simulated time otherwise.
    Config::SetDefaultFailSafe("ns3::TcpSocketBase::MaxSegLifetime", DoubleValue(0.001));
    FabricIpHelper ip;
    ip.SetMtu(static_cast<uint16_t>(mtu));
    ip.Install(network.fabric, network.endpoints);
}

Ptr<MessageTransport>
MakeScenarioTransport(const Scenario& scenario,
                      const FabricNetwork& network,
                      const std::vector<uint32_t>& endpoints)
{
    const NodeContainer nodes = GetNodes(network, endpoints);
    return scenario.transport.kind == "tcp" ? MakeTcp(scenario, network, nodes)
                                            : MakeRdma(scenario, network, nodes);
}

std::string
GetRdmaCongestionName(const Scenario& scenario)
{
    const std::string& name = scenario.transport.congestion_control;
    return name == "default" ? "dcqcn" : name;
}

std::unique_ptr<IdealCompletion>
MakeScenarioIdeal(const Scenario& scenario,
                  Ptr<Fabric> fabric,
                  const std::vector<uint32_t>& endpoints)
{
    IdealCompletion::Packets packets;
    if (scenario.transport.kind != "rdma")
    {
        packets.payload = scenario.fabric.ip_mtu - TCP_HEADERS;
        packets.header = TCP_HEADERS + wire::ETHERNET + wire::FCS + wire::PREAMBLE_IFG;
        packets.first = 0;
        packets.multiple = 1;
        return std::make_unique<IdealCompletion>(fabric, endpoints, packets);
    }
    packets.payload = scenario.fabric.path_mtu;
    packets.header =
        HasShortHeaders(scenario) ? HPCC_DATA_HEADERS : wire::ROCE_BASE + wire::PREAMBLE_IFG;
    packets.first = HasShortHeaders(scenario) ? 0 : wire::RETH;
    return std::make_unique<IdealCompletion>(fabric, endpoints, packets);
}

Ptr<MessageTransport>
MakeScenarioScaleUp(const Scenario& scenario,
                    const FabricNetwork& network,
                    const std::vector<uint32_t>& endpoints,
                    FabricEventQueue& queue,
                    uint64_t bitsPerSecond,
                    Ptr<Fabric>& fabric)
{
    fabric = nullptr;
    std::set<uint32_t> servers;
    for (const uint32_t endpoint : endpoints)
    {
        servers.insert(network.serverOf[endpoint]);
    }
    if (servers.size() == endpoints.size())
    {
        return nullptr;
    }
    if (scenario.cluster.scale_up != "analytic")
    {
        return MakePacketScaleUp(scenario, network, endpoints, queue, bitsPerSecond, fabric);
    }
    Ptr<ScaleUpTransport> transport = CreateObject<ScaleUpTransport>();
    transport->SetAttribute("Bandwidth", DataRateValue(DataRate(bitsPerSecond)));
    transport->SetAttribute("Latency",
                            TimeValue(PicoSeconds(scenario.cluster.scale_up_latency_ps)));
    transport->SetEventQueue(queue);
    for (uint32_t rank = 0; rank < endpoints.size(); ++rank)
    {
        transport->AddRank(rank,
                           network.serverOf[endpoints[rank]],
                           network.endpoints.Get(endpoints[rank])->GetId());
    }
    return transport;
}

Ptr<MessageTransport>
AddScenarioNccl(const Scenario& scenario,
                const FabricNetwork& network,
                const std::vector<uint32_t>& endpoints,
                Ptr<MessageTransport> transport,
                bool withinServers)
{
    const Scenario::Collectives& wanted = scenario.collectives;
    const bool protocols = MayUseProtocol(wanted);
    if (wanted.clear_to_send && !protocols)
    {
        throw ConfigError(scenario.source,
                          "collectives.clear_to_send",
                          "is true, but no collective has a protocol of NCCL; set "
                          "collectives.protocol to simple, ll, ll128 or nccl");
    }
    const bool pairs = !withinServers && wanted.qps_per_connection > 1;
    if (!transport || (!protocols && !pairs))
    {
        return transport;
    }
    const Ptr<NcclTransport> nccl = CreateObject<NcclTransport>();
    const auto set = [&nccl](const std::string& name, int64_t ps) {
        nccl->SetAttribute(name, TimeValue(PicoSeconds(ps)));
    };
    set("SimpleLatency",
        withinServers ? wanted.scale_up_simple_latency_ps : wanted.simple_latency_ps);
    set("LlLatency", withinServers ? wanted.scale_up_ll_latency_ps : wanted.ll_latency_ps);
    set("Ll128Latency", withinServers ? wanted.scale_up_ll128_latency_ps : wanted.ll128_latency_ps);
    if (!withinServers)
    {
        nccl->SetAttribute("QpsPerConnection", UintegerValue(wanted.qps_per_connection));
        nccl->SetAttribute("SplitDataOnQps", BooleanValue(wanted.split_data_on_qps));
        nccl->SetAttribute("ClearToSend", BooleanValue(wanted.clear_to_send));
    }
    std::vector<uint32_t> nodes;
    for (const uint32_t endpoint : endpoints)
    {
        nodes.push_back(network.endpoints.Get(endpoint)->GetId());
    }
    nccl->SetTransport(transport, nodes);
    return nccl;
}

} // namespace llm
} // namespace ns3
