/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-transport-helper.h"

#include "fabric-path-loads.h"

#include "ns3/llm-config-error.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/rdma-ack-timeout.h"
#include "ns3/rdma-congestion-names.h"
#include "ns3/rdma-dctcp.h"
#include "ns3/rdma-nscc.h"
#include "ns3/rdma-path-names.h"
#include "ns3/rdma-pinned-path.h"
#include "ns3/rdma-reliability-names.h"
#include "ns3/rdma-selective-repeat.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

RdmaTransportHelper::RdmaTransportHelper()
{
    m_transport.SetTypeId(RdmaTransport::GetTypeId());
}

void
RdmaTransportHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_transport.Set(name, value);
}

void
RdmaTransportHelper::SetCongestionControl(const std::string& name)
{
    const TypeId tid = RdmaCongestionNames::Lookup(name, "RdmaTransportHelper");
    m_congestion = ObjectFactory();
    m_congestion.SetTypeId(tid);
    m_hasCongestion = true;
}

void
RdmaTransportHelper::SetReliability(const std::string& name)
{
    const TypeId tid = GetRdmaReliabilityNames().Lookup(name, "RdmaTransportHelper");
    m_reliability = ObjectFactory();
    m_reliability.SetTypeId(tid);
    m_hasReliability = true;
    UseOneTimeout();
}

void
RdmaTransportHelper::SetReliabilityAttribute(const std::string& name, const AttributeValue& value)
{
    m_reliability.Set(name, value);
}

void
RdmaTransportHelper::SetTimers(const std::string& preset)
{
    if (preset == "infiniband")
    {
        SetAckTimeout(RdmaAckTimeout::INFINIBAND_EXPONENT);
    }
    else if (preset == "nccl")
    {
        SetAckTimeout(RdmaAckTimeout::NCCL_EXPONENT);
    }
    else if (preset == "scaled")
    {
        m_transport.Set("RetransmissionTimeout", TimeValue(Time(0)));
        m_hasTimers = true;
        UseOneTimeout();
    }
    else
    {
        throw ConfigError("RdmaTransportHelper",
                          "SetTimers",
                          "no preset '" + preset + "'; known: infiniband, nccl, scaled");
    }
    m_transport.Set("RetryCount", UintegerValue(7));
}

void
RdmaTransportHelper::SetAckTimeout(uint32_t exponent)
{
    m_transport.Set("RetransmissionTimeout", TimeValue(RdmaAckTimeout::FromExponent(exponent)));
    m_hasTimers = true;
    UseOneTimeout();
}

void
RdmaTransportHelper::UseOneTimeout()
{
    if (m_hasTimers && m_hasReliability &&
        m_reliability.GetTypeId() == RdmaSelectiveRepeat::GetTypeId())
    {
        m_reliability.Set("LowTimeout", TimeValue(Time(0)));
        m_reliability.Set("HighTimeout", TimeValue(Time(0)));
    }
}

void
RdmaTransportHelper::SetMarking(const std::string& name, RedEcnMarker& marker)
{
    const TypeId tid = RdmaCongestionNames::Lookup(name, "RdmaTransportHelper");
    if (tid == RdmaDctcp::GetTypeId())
    {
        // One threshold, 30 kB per 10 Gb/s (Alizadeh et al., SIGCOMM 2010, s. 3.5, in proportion).
        marker.SetAttribute("KminTime", TimeValue(MicroSeconds(24)));
        marker.SetAttribute("KmaxTime", TimeValue(MicroSeconds(24)));
    }
    else if (tid == RdmaNscc::GetTypeId())
    {
        // 0.2 and 0.8 of the bandwidth-delay product of the reference RTT, 12 us (UET 1.0).
        marker.SetAttribute("KminTime", TimeValue(NanoSeconds(2400)));
        marker.SetAttribute("KmaxTime", TimeValue(NanoSeconds(9600)));
    }
}

void
RdmaTransportHelper::SetCongestionAttribute(const std::string& name, const AttributeValue& value)
{
    m_congestion.Set(name, value);
}

void
RdmaTransportHelper::SetPathSelector(const std::string& name)
{
    m_paths = ObjectFactory();
    m_paths.SetTypeId(GetRdmaPathNames().Lookup(name, "RdmaTransportHelper"));
    m_hasPaths = true;
    m_pathsPtr = nullptr;
}

void
RdmaTransportHelper::SetPathAttribute(const std::string& name, const AttributeValue& value)
{
    m_paths.Set(name, value);
}

void
RdmaTransportHelper::SetPathSelector(Ptr<RdmaPathSelector> paths)
{
    m_pathsPtr = paths;
}

void
RdmaTransportHelper::InstallPaths(RdmaTransport& transport, const Ptr<Fabric>& fabric) const
{
    if (m_pathsPtr || m_hasPaths)
    {
        const Ptr<RdmaPathSelector> made =
            m_pathsPtr ? m_pathsPtr : m_paths.Create<RdmaPathSelector>();
        transport.SetAttribute("PathSelector", PointerValue(made));
    }
    PointerValue value;
    transport.GetAttribute("PathSelector", value);
    const Ptr<RdmaPinnedPath> pinned = value.Get<RdmaPinnedPath>();
    if (pinned)
    {
        const Fabric* paths = PeekPointer(fabric);
        pinned->SetFinder([paths](const RdmaQueuePair& queuePair, uint32_t path) {
            return FindEntropyOfPath(*paths,
                                     queuePair.GetEndpoint(),
                                     queuePair.GetRemoteEndpoint(),
                                     queuePair.GetRemoteNumber(),
                                     queuePair.GetTrafficClass(),
                                     path);
        });
    }
}

Ptr<RdmaTransport>
RdmaTransportHelper::Install(Ptr<Fabric> fabric, const NodeContainer& ranks) const
{
    Ptr<RdmaTransport> transport = m_transport.Create<RdmaTransport>();
    if (m_hasReliability)
    {
        transport->SetAttribute("Reliability",
                                PointerValue(m_reliability.Create<RdmaReliability>()));
    }
    if (transport->GetPathMtu() > fabric->GetPathMtu())
    {
        throw ConfigError("RdmaTransport",
                          "PathMtu",
                          "is " + std::to_string(transport->GetPathMtu()) +
                              " B, but the fabric's headroom is computed for " +
                              std::to_string(fabric->GetPathMtu()) +
                              " B; raise Fabric::PathMtu or lower this one");
    }
    if (m_hasCongestion)
    {
        transport->SetCongestionControl(m_congestion);
    }
    InstallPaths(*transport, fabric);
    const Fabric* paths = PeekPointer(fabric);
    transport->SetPathQuery([paths](uint32_t a, uint32_t b, uint32_t wireBytes) {
        RdmaPathInfo info;
        info.hops = paths->GetHops(a, b);
        info.baseRtt = TimeStep(paths->GetPathTicks(a, b, wireBytes) +
                                paths->GetPathTicks(b, a, wire::ACK_FRAME + wire::PREAMBLE_IFG));
        return info;
    });
    for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
    {
        const Ptr<Node> node = ranks.Get(rank);
        std::vector<FramePort*> ports;
        for (const Ptr<FabricPort>& port : fabric->GetEndpointPorts(fabric->GetEndpoint(node)))
        {
            ports.push_back(PeekPointer(port));
        }
        transport->AddRank(rank, ports, node);
    }
    return transport;
}

} // namespace llm
} // namespace ns3
