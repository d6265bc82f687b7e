/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-transport.h"

#include "rdma-dcqcn.h"

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <string>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmRdmaTransport");
NS_OBJECT_ENSURE_REGISTERED(RdmaTransport);

TypeId
RdmaTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaTransport>()
            .AddAttribute("PathMtu",
                          "Payload bytes per packet: 256, 512, 1024, 2048 or 4096; at most the "
                          "fabric's.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RdmaTransport::m_pathMtu),
                          MakeUintegerChecker<uint32_t>(1, 9000))
            .AddAttribute("AckInterval",
                          "Data packets per requested acknowledgement; the last packet of a "
                          "message always asks for one.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaTransport::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("InitialPsn",
                          "Number of the first packet of a queue pair, both directions; the low 24 "
                          "bits are on the wire.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaTransport::m_initialPsn),
                          MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 48))
            .AddAttribute("CnpClass",
                          "Traffic class of CNPs, 0 to 7.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&RdmaTransport::m_cnpClass),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("CnpInterval",
                          "Least time between two CNPs for one queue pair.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaTransport::m_cnpInterval),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("EcnCapable",
                          "Send data as ECN-capable transport, ECT(0).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaTransport::m_ecnCapable),
                          MakeBooleanChecker())
            .AddAttribute("RetransmissionTimeout",
                          "Local ACK timeout. The default is 4.096 us * 2^14 (InfiniBand timeout "
                          "14).",
                          TimeValue(MicroSeconds(67109)),
                          MakeTimeAccessor(&RdmaTransport::m_timeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("RetryCount",
                          "Timeouts without progress before the queue pair fails.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RdmaTransport::m_retryCount),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("MaxWriteBytes",
                          "Longest RDMA WRITE; longer messages are sent as several. At most 2^31.",
                          UintegerValue(uint64_t{1} << 30),
                          MakeUintegerAccessor(&RdmaTransport::m_maxWorkBytes),
                          MakeUintegerChecker<uint64_t>(1, uint64_t{1} << 31))
            .AddAttribute("WriteWithImmediate",
                          "The last packet of a message carries 4 bytes of immediate data, by "
                          "which NCCL's receiver learns of it.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaTransport::m_writeWithImmediate),
                          MakeBooleanChecker())
            .AddAttribute("CongestionControl",
                          "TypeId of the RdmaCongestionOps that every queue pair gets an instance "
                          "of.",
                          TypeIdValue(RdmaDcqcn::GetTypeId()),
                          MakeTypeIdAccessor(&RdmaTransport::m_congestionType),
                          MakeTypeIdChecker())
            .AddAttribute("Reliability",
                          "Loss recovery; RdmaGoBackN if not set.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaTransport::m_reliability),
                          MakePointerChecker<RdmaReliability>())
            .AddAttribute("PathSelector",
                          "Entropy of data packets; RdmaSinglePath if not set.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaTransport::m_paths),
                          MakePointerChecker<RdmaPathSelector>());
    return tid;
}

RdmaTransport::RdmaTransport()
    : m_classFactories(8),
      m_hasClassFactory(8, 0)
{
}

RdmaTransport::~RdmaTransport() = default;

void
RdmaTransport::DoDispose()
{
    for (const auto& nic : m_nics)
    {
        // Not Dispose, which would dispose the node that the NIC is aggregated to.
        nic->Shutdown();
    }
    m_nics.clear();
    m_queuePairs.clear();
    m_reliability = nullptr;
    m_paths = nullptr;
    m_pathQuery = nullptr;
    MessageTransport::DoDispose();
}

void
RdmaTransport::SetPathQuery(PathQuery query)
{
    m_pathQuery = std::move(query);
}

RdmaNicConfig
RdmaTransport::MakeConfig() const
{
    RdmaNicConfig config;
    config.pathMtu = m_pathMtu;
    config.ackInterval = m_ackInterval;
    config.initialPsn = m_initialPsn;
    config.cnpClass = m_cnpClass;
    config.cnpIntervalTicks = m_cnpInterval.GetTimeStep();
    config.timeoutTicks = m_timeout.GetTimeStep();
    config.retryCount = m_retryCount;
    config.ecnCapable = m_ecnCapable;
    config.maxWorkBytes = m_maxWorkBytes;
    config.writeWithImmediate = m_writeWithImmediate;
    return config;
}

void
RdmaTransport::AddRank(uint32_t rank, FramePort* port, Ptr<Node> node)
{
    if (rank >= m_nicOfRank.size())
    {
        m_nicOfRank.resize(rank + 1, NO_NIC);
    }
    if (m_nicOfRank[rank] != NO_NIC)
    {
        throw ConfigError("RdmaTransport",
                          "rank " + std::to_string(rank),
                          "exists already; every rank has one endpoint");
    }
    if (!m_reliability)
    {
        m_reliability = CreateObject<RdmaGoBackN>();
    }
    if (!m_paths)
    {
        m_paths = CreateObject<RdmaSinglePath>();
    }
    Ptr<RdmaNic> nic = CreateObject<RdmaNic>();
    nic->Attach(port, node->GetId(), MakeConfig(), m_reliability, m_paths, this);
    if (!node->GetObject<RdmaNic>())
    {
        node->AggregateObject(nic);
    }
    m_nicOfRank[rank] = static_cast<uint32_t>(m_nics.size());
    m_nics.push_back(nic);
}

void
RdmaTransport::SetCongestionControl(uint8_t trafficClass, const ObjectFactory& factory)
{
    m_classFactories.at(trafficClass) = factory;
    m_hasClassFactory.at(trafficClass) = 1;
}

void
RdmaTransport::SetCongestionControl(const ObjectFactory& factory)
{
    m_factory = factory;
    m_hasFactory = true;
}

RdmaNic&
RdmaTransport::GetNic(uint32_t rank) const
{
    if (rank >= m_nicOfRank.size() || m_nicOfRank[rank] == NO_NIC)
    {
        throw ConfigError("RdmaTransport",
                          "rank " + std::to_string(rank),
                          "is unknown; there are " + std::to_string(m_nics.size()) +
                              " ranks; call AddRank first");
    }
    return *m_nics[m_nicOfRank[rank]];
}

uint64_t
RdmaTransport::MakeKey(uint32_t from, uint32_t to, uint16_t channel)
{
    return (static_cast<uint64_t>(from) << 40) | (static_cast<uint64_t>(to) << 16) | channel;
}

void
RdmaTransport::ConnectSide(RdmaQueuePair* local, RdmaQueuePair* peer, uint8_t trafficClass)
{
    const FramePort* port = local->GetNic()->GetPort();
    const uint32_t wireBytes = m_pathMtu + wire::ROCE_BASE + wire::PREAMBLE_IFG;
    RdmaPathInfo path;
    if (m_pathQuery)
    {
        path = m_pathQuery(port->GetEndpointIndex(),
                           peer->GetNic()->GetPort()->GetEndpointIndex(),
                           wireBytes);
    }
    path.lineRate = DataRate(port->GetBitRate());
    path.mtu = m_pathMtu;
    path.wireBytes = wireBytes;
    path.bdp = static_cast<uint64_t>(static_cast<double>(port->GetBitRate()) / 8 *
                                     path.baseRtt.GetSeconds());
    ObjectFactory factory;
    if (m_hasClassFactory[trafficClass])
    {
        factory = m_classFactories[trafficClass];
    }
    else if (m_hasFactory)
    {
        factory = m_factory;
    }
    else
    {
        factory.SetTypeId(m_congestionType);
    }
    local->GetNic()->Connect(local, peer, trafficClass, factory.Create<RdmaCongestionOps>(), path);
}

RdmaQueuePair*
RdmaTransport::GetQueuePair(const Message& message)
{
    const uint64_t key = MakeKey(message.from, message.to, message.channel);
    const auto found = m_queuePairs.find(key);
    if (found != m_queuePairs.end())
    {
        return found->second;
    }
    if (message.from == message.to)
    {
        throw ConfigError("RdmaTransport",
                          "rank " + std::to_string(message.from),
                          "cannot send to itself");
    }
    if (message.inNetwork != InNetwork::NONE)
    {
        throw ConfigError(
            "RdmaTransport",
            "rank " + std::to_string(message.from),
            "the network reduces and multicasts nothing; only a scale-up domain does");
    }
    RdmaNic& nic = GetNic(message.from);
    RdmaNic& remote = GetNic(message.to);
    RdmaQueuePair* local = nic.CreateQueuePair(message.from, message.to, message.channel);
    RdmaQueuePair* peer = remote.CreateQueuePair(message.to, message.from, message.channel);
    m_queuePairs[key] = local;
    m_queuePairs[MakeKey(message.to, message.from, message.channel)] = peer;
    ConnectSide(local, peer, message.trafficClass & 7);
    ConnectSide(peer, local, message.trafficClass & 7);
    return local;
}

void
RdmaTransport::Send(const Message& message)
{
    FabricEntry entry(GetEventQueue());
    const int64_t now = GetEventQueue().Now();
    Message copy = message;
    copy.start = now;
    RdmaQueuePair* qp = GetQueuePair(copy);
    ++m_totals.messagesStarted;
    m_totals.bytesStarted += copy.bytes;
    NotifyStart(copy, now);
    GetNic(copy.from).Post(qp, copy, now);
}

FabricEventQueue&
RdmaTransport::GetEventQueue()
{
    if (m_nics.empty())
    {
        throw ConfigError("RdmaTransport", "", "has no ranks; call AddRank first");
    }
    return m_nics.front()->GetPort()->GetEventQueue();
}

void
RdmaTransport::WorkDelivered(const RdmaWork& work, int64_t now)
{
    if (work.lastOfMessage)
    {
        ++m_totals.messagesDelivered;
        m_totals.bytesDelivered += work.message.bytes;
        NotifyDelivered(work.message, now);
    }
}

void
RdmaTransport::WorkAcknowledged(const RdmaWork& work, int64_t now)
{
    if (work.lastOfMessage)
    {
        NotifySent(work.message, now);
    }
}

void
RdmaTransport::WorkFailed(const RdmaQueuePair& queuePair,
                          const RdmaWork& work,
                          const std::string& reason)
{
    NotifyFailed(work.message,
                 "queue pair of rank " + std::to_string(queuePair.GetLocalRank()) + " to rank " +
                     std::to_string(queuePair.GetRemoteRank()) + ": " + reason);
}

TransportTotals
RdmaTransport::GetTotals() const
{
    TransportTotals totals = m_totals;
    for (const auto& nic : m_nics)
    {
        for (const auto& qp : nic->GetQueuePairs())
        {
            const RdmaQueuePairCounters& from = qp->GetCounters();
            totals.payloadSent += from.payloadSent;
            totals.payloadRetransmitted += from.payloadRetransmitted;
            totals.payloadDuplicate += from.payloadDuplicate;
            totals.payloadOutOfOrder += from.payloadOutOfOrder;
            totals.payloadReceived += from.payloadReceived;
            totals.dataPackets += from.dataPackets;
            totals.acksSent += from.acksSent;
            totals.naksSent += from.naksSent;
            totals.cnpsSent += from.cnpsSent;
            totals.cnpsReceived += from.cnpsReceived;
            totals.timeouts += from.timeouts;
        }
    }
    return totals;
}

void
RdmaTransport::DescribeOpen(std::vector<std::string>& lines, std::size_t most) const
{
    for (const auto& nic : m_nics)
    {
        for (const auto& qp : nic->GetQueuePairs())
        {
            const RdmaWork* work = qp->GetFirstWork();
            if (!work)
            {
                continue;
            }
            if (lines.size() >= most)
            {
                return;
            }
            const uint64_t done =
                qp->GetAckedBytes() > work->offset ? qp->GetAckedBytes() - work->offset : 0;
            std::string line = "rank " + std::to_string(qp->GetLocalRank()) + " -> rank " +
                               std::to_string(qp->GetRemoteRank()) + " channel " +
                               std::to_string(qp->GetChannel()) + ": message of " +
                               std::to_string(work->message.bytes) + " B, tag " +
                               std::to_string(work->message.tag) + ": " + std::to_string(done) +
                               " of " + std::to_string(work->bytes) + " B acknowledged";
            const uint8_t paused = nic->GetPort()->GetPausedClasses();
            if ((paused >> qp->GetTrafficClass()) & 1)
            {
                line += ", class " + std::to_string(qp->GetTrafficClass()) + " paused at its port";
            }
            if (qp->GetTimeoutAt() != RdmaQueuePair::NEVER)
            {
                line += ", retransmission timer set";
            }
            lines.push_back(line);
        }
    }
}

const std::vector<Ptr<RdmaNic>>&
RdmaTransport::GetNics() const
{
    return m_nics;
}

uint32_t
RdmaTransport::GetPathMtu() const
{
    return m_pathMtu;
}

uint64_t
RdmaTransport::GetQueuePairCount() const
{
    uint64_t count = 0;
    for (const auto& nic : m_nics)
    {
        count += nic->GetQueuePairs().size();
    }
    return count;
}

const RdmaQueuePair*
RdmaTransport::FindQueuePair(uint32_t from, uint32_t to, uint16_t channel) const
{
    const auto found = m_queuePairs.find(MakeKey(from, to, channel));
    return found == m_queuePairs.end() ? nullptr : found->second;
}

} // namespace llm
} // namespace ns3
