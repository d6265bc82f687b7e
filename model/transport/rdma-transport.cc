/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-transport.h"

#include "rdma-ack-timeout.h"
#include "rdma-dcqcn.h"
#include "rdma-go-back-n.h"
#include "rdma-nic-list.h"
#include "rdma-single-path.h"

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
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
                          "14). 0: the least 4.096 us * 2^t that is not below 64 base RTTs of the "
                          "path.",
                          TimeValue(RdmaAckTimeout::FromExponent(14)),
                          MakeTimeAccessor(&RdmaTransport::m_timeout),
                          MakeTimeChecker(Time(0)))
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
            .AddAttribute("Verb",
                          "How messages travel that do not say it: write, write_imm (the last "
                          "packet carries immediate data, by which NCCL's receiver learns of it), "
                          "send, send_imm, or read, by which the receiver asks for the data.",
                          MakeEnumValueCompat(RDMA_WRITE),
                          MakeEnumAccessorCompat<RdmaVerb>(&RdmaTransport::m_verb),
                          MakeEnumChecker(RDMA_WRITE,
                                          "write",
                                          RDMA_WRITE_IMM,
                                          "write_imm",
                                          RDMA_SEND,
                                          "send",
                                          RDMA_SEND_IMM,
                                          "send_imm",
                                          RDMA_READ,
                                          "read"))
            .AddAttribute("MaxReads",
                          "READs of a queue pair that may be under way (max_rd_atomic).",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaTransport::m_maxReads),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxSendRequests",
                          "Work requests of a queue pair that PostSend takes before the first is "
                          "complete (max_send_wr); 0: no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaTransport::m_maxSendRequests),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("PostedReceives",
                          "SENDs and immediate data need a receive that was posted, by PostReceive "
                          "or by Announce; without one they get an RNR NAK. False: there is always "
                          "one.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaTransport::m_postedReceives),
                          MakeBooleanChecker())
            .AddAttribute("RnrTimer",
                          "Code of the time that RNR NAKs ask to wait, 0 to 31 (min_rnr_timer): 1 "
                          "is 10 us, 12 is 640 us, 0 is 655 ms.",
                          UintegerValue(12),
                          MakeUintegerAccessor(&RdmaTransport::m_rnrTimer),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("RnrRetryCount",
                          "RNR NAKs for one packet before the queue pair fails, 0 to 7; 7: no "
                          "limit.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RdmaTransport::m_rnrRetryCount),
                          MakeUintegerChecker<uint32_t>(0, RdmaNic::INFINITE_RNR_RETRIES))
            .AddAttribute("TransmitDelay",
                          "Time from posting a work request, or from the arrival of a READ "
                          "request, until its first packet is ready.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&RdmaTransport::m_transmitDelay),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("ReceiveDelay",
                          "Time from a frame's last bit until the NIC acts on it.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&RdmaTransport::m_receiveDelay),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("AckDelay",
                          "Time until an ACK or NAK is ready.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&RdmaTransport::m_ackDelay),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("CnpDelay",
                          "Time until a CNP is ready.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&RdmaTransport::m_cnpDelay),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("FreshQueuePairs",
                          "Every message has queue pairs of its own, with congestion control and "
                          "entropy that start afresh; messages of a pair of ranks may overtake "
                          "each other. Queue pairs of the same ranks are used again: there are as "
                          "many as messages were open at the same time. False: they persist per "
                          "pair of ranks and channel, as with NCCL.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaTransport::m_fresh),
                          MakeBooleanChecker())
            .AddAttribute(
                "PortSelection",
                "How queue pairs are spread over the ports of a NIC with several: by a "
                "hash of ranks and channel, or one after the other.",
                MakeEnumValueCompat(PORT_HASH),
                MakeEnumAccessorCompat<RdmaPortSelection>(&RdmaTransport::m_portSelection),
                MakeEnumChecker(PORT_HASH, "hash", PORT_ROUND_ROBIN, "round_robin"))
            .AddAttribute(
                "PaceAtLineRate",
                "Pace a queue pair whose rate is the line rate, too. False: its port alone "
                "decides, whose times may be cut to whole nanoseconds.",
                BooleanValue(true),
                MakeBooleanAccessor(&RdmaTransport::m_paceAtLineRate),
                MakeBooleanChecker())
            .AddAttribute(
                "PacketHeader",
                "Bytes of a data packet beside its payload, without preamble and gap. Other "
                "than 62: to compare with simulators that count otherwise.",
                UintegerValue(wire::ROCE_BASE),
                MakeUintegerAccessor(&RdmaTransport::m_packetHeader),
                MakeUintegerChecker<uint32_t>(0, 128))
            .AddAttribute("FirstPacketHeader",
                          "Further bytes of the first packet of a WRITE, on the wire 16.",
                          UintegerValue(wire::RETH),
                          MakeUintegerAccessor(&RdmaTransport::m_firstPacketHeader),
                          MakeUintegerChecker<uint32_t>(0, 128))
            .AddAttribute("AckBytes",
                          "Bytes of an ACK or NAK without preamble and gap, on the wire 66.",
                          UintegerValue(wire::ACK_FRAME),
                          MakeUintegerAccessor(&RdmaTransport::m_ackBytes),
                          MakeUintegerChecker<uint32_t>(1, 256))
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
        nic->Leave(this);
    }
    m_nics.clear();
    m_queuePairs.clear();
    m_idle.clear();
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
    config.verb = m_verb;
    config.maxReads = m_maxReads;
    config.postedReceives = m_postedReceives;
    config.rnrTimer = m_rnrTimer;
    config.rnrRetryCount = m_rnrRetryCount;
    config.transmitDelayTicks = m_transmitDelay.GetTimeStep();
    config.delays.receiveTicks = m_receiveDelay.GetTimeStep();
    config.delays.ackTicks = m_ackDelay.GetTimeStep();
    config.delays.cnpTicks = m_cnpDelay.GetTimeStep();
    config.paceAtLineRate = m_paceAtLineRate;
    config.packetHeader = m_packetHeader;
    config.firstPacketHeader = m_firstPacketHeader;
    config.ackBytes = m_ackBytes;
    config.portSelection = m_portSelection;
    return config;
}

void
RdmaTransport::AddRank(uint32_t rank, FramePort* port, Ptr<Node> node)
{
    AddRank(rank, std::vector<FramePort*>{port}, node);
}

void
RdmaTransport::AddRank(uint32_t rank, const std::vector<FramePort*>& ports, Ptr<Node> node)
{
    if (ports.empty() || ports.size() > UINT8_MAX)
    {
        throw ConfigError("RdmaTransport",
                          "rank " + std::to_string(rank),
                          "has " + std::to_string(ports.size()) + " ports; 1 to 255 can be");
    }
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
    const Ptr<RdmaNic> nic = FindOrMakeNic(rank, ports, node);
    m_nicOfRank[rank] = static_cast<uint32_t>(m_nics.size());
    m_nics.push_back(nic);
}

Ptr<RdmaNic>
RdmaTransport::FindOrMakeNic(uint32_t rank, const std::vector<FramePort*>& ports, Ptr<Node> node)
{
    Ptr<RdmaNic> nic = RdmaNicList::Find(node, ports.front());
    if (nic)
    {
        if (std::find(m_nics.begin(), m_nics.end(), nic) != m_nics.end())
        {
            throw ConfigError("RdmaTransport",
                              "rank " + std::to_string(rank),
                              "is at the endpoint of another rank; every rank has one of its own");
        }
        CheckShared(rank, nic->GetConfig());
        const TypeId present = nic->GetReliability()->GetInstanceTypeId();
        if (m_reliability->GetInstanceTypeId() != present)
        {
            throw ConfigError("RdmaTransport",
                              "Reliability",
                              "is " + m_reliability->GetInstanceTypeId().GetName() + ", but " +
                                  present.GetName() + " at the NIC that rank " +
                                  std::to_string(rank) +
                                  " shares with another transport; give both the same");
        }
        nic->Join();
        return nic;
    }
    nic = CreateObject<RdmaNic>();
    nic->Attach(ports, node->GetId(), MakeConfig(), m_reliability);
    RdmaNicList::Add(node, nic);
    return nic;
}

void
RdmaTransport::CheckShared(uint32_t rank, const RdmaNicConfig& present) const
{
    const RdmaNicConfig wanted = MakeConfig();
    const auto check = [rank](const char* name, auto here, auto there) {
        if (here != there)
        {
            throw ConfigError("RdmaTransport",
                              name,
                              "is " + std::to_string(here) + ", but " + std::to_string(there) +
                                  " at the NIC that rank " + std::to_string(rank) +
                                  " shares with another transport; give both the same");
        }
    };
    check("PathMtu", wanted.pathMtu, present.pathMtu);
    check("AckInterval", wanted.ackInterval, present.ackInterval);
    check("InitialPsn", wanted.initialPsn, present.initialPsn);
    check("CnpClass", wanted.cnpClass, present.cnpClass);
    check("CnpInterval", wanted.cnpIntervalTicks, present.cnpIntervalTicks);
    check("RetransmissionTimeout", wanted.timeoutTicks, present.timeoutTicks);
    check("RetryCount", wanted.retryCount, present.retryCount);
    check("EcnCapable", wanted.ecnCapable, present.ecnCapable);
    check("MaxWriteBytes", wanted.maxWorkBytes, present.maxWorkBytes);
    check("MaxReads", wanted.maxReads, present.maxReads);
    check("PostedReceives", wanted.postedReceives, present.postedReceives);
    check("RnrTimer", +wanted.rnrTimer, +present.rnrTimer);
    check("RnrRetryCount", wanted.rnrRetryCount, present.rnrRetryCount);
    check("TransmitDelay", wanted.transmitDelayTicks, present.transmitDelayTicks);
    check("ReceiveDelay", wanted.delays.receiveTicks, present.delays.receiveTicks);
    check("AckDelay", wanted.delays.ackTicks, present.delays.ackTicks);
    check("CnpDelay", wanted.delays.cnpTicks, present.delays.cnpTicks);
    check("PortSelection", +wanted.portSelection, +present.portSelection);
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

RdmaPathInfo
RdmaTransport::DescribePath(const RdmaQueuePair& local, const RdmaQueuePair& peer) const
{
    const FramePort* port = local.GetNicPort()->GetPort();
    const uint32_t wireBytes = m_pathMtu + m_packetHeader + wire::PREAMBLE_IFG;
    RdmaPathInfo path;
    if (m_pathQuery)
    {
        path = m_pathQuery(port->GetEndpointIndex(),
                           peer.GetNic()->GetPort()->GetEndpointIndex(),
                           wireBytes);
    }
    path.lineRate = DataRate(port->GetBitRate());
    path.mtu = m_pathMtu;
    path.wireBytes = wireBytes;
    path.bdp = static_cast<uint64_t>(static_cast<double>(port->GetBitRate()) / 8 *
                                     path.baseRtt.GetSeconds());
    return path;
}

Ptr<RdmaCongestionOps>
RdmaTransport::MakeCongestionControl(const RdmaQueuePair& queuePair, uint8_t trafficClass) const
{
    for (auto chosen = m_chosenFactories.rbegin(); chosen != m_chosenFactories.rend(); ++chosen)
    {
        if (chosen->first(queuePair))
        {
            return chosen->second.Create<RdmaCongestionOps>();
        }
    }
    if (m_hasClassFactory[trafficClass])
    {
        return m_classFactories[trafficClass].Create<RdmaCongestionOps>();
    }
    if (m_hasFactory)
    {
        return m_factory.Create<RdmaCongestionOps>();
    }
    ObjectFactory factory;
    factory.SetTypeId(m_congestionType);
    return factory.Create<RdmaCongestionOps>();
}

void
RdmaTransport::CheckMessage(const Message& message)
{
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
}

RdmaQueuePair*
RdmaTransport::MakeConnection(const Message& message, uint16_t channel)
{
    CheckMessage(message);
    RdmaNic& nic = GetNic(message.from);
    RdmaNic& remote = GetNic(message.to);
    RdmaQueuePair* local = nic.CreateQueuePair(message.from, message.to, channel, this);
    RdmaQueuePair* peer = remote.CreateQueuePair(message.to, message.from, channel, this);
    nic.Bind(local, peer);
    remote.Bind(peer, local);
    const uint8_t trafficClass = message.trafficClass & 7;
    local->m_trafficClass = trafficClass;
    peer->m_trafficClass = trafficClass;
    nic.Connect(local,
                trafficClass,
                MakeCongestionControl(*local, trafficClass),
                DescribePath(*local, *peer),
                m_paths);
    remote.Connect(peer,
                   trafficClass,
                   MakeCongestionControl(*peer, trafficClass),
                   DescribePath(*peer, *local),
                   m_paths);
    return local;
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
    RdmaQueuePair* local = MakeConnection(message, message.channel);
    m_queuePairs[key] = local;
    m_queuePairs[MakeKey(message.to, message.from, message.channel)] = local->m_peer;
    return local;
}

RdmaQueuePair*
RdmaTransport::GetFreshQueuePair(const Message& message)
{
    std::vector<RdmaQueuePair*>& idle =
        m_idle[MakeKey(message.from, message.to, message.trafficClass & 7)];
    const uint16_t flow = m_flows++;
    if (idle.empty())
    {
        return MakeConnection(message, flow);
    }
    RdmaQueuePair* local = idle.back();
    idle.pop_back();
    local->GetNic()->Renew(local,
                           flow,
                           MakeCongestionControl(*local, local->GetTrafficClass()),
                           DescribePath(*local, *local->m_peer));
    return local;
}

void
RdmaTransport::Send(const Message& message)
{
    FabricEntry entry(GetEventQueue());
    const int64_t now = GetEventQueue().Now();
    Message copy = message;
    copy.start = now;
    copy.verb = copy.verb == RDMA_DEFAULT ? m_verb : copy.verb;
    RdmaQueuePair* qp = m_fresh ? GetFreshQueuePair(copy) : GetQueuePair(copy);
    if (copy.verb == RDMA_READ)
    {
        qp = qp->m_peer; // who wants the bytes asks for them
    }
    ++m_totals.messagesStarted;
    m_totals.bytesStarted += copy.bytes;
    NotifyStart(copy, now);
    qp->GetNic()->Post(qp, copy, now);
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
RdmaTransport::WorkDelivered(RdmaQueuePair& queuePair, const RdmaWork& work, int64_t now)
{
    if (!work.lastOfMessage)
    {
        return;
    }
    ++m_totals.messagesDelivered;
    m_totals.bytesDelivered += work.message.bytes;
    const bool receives = work.kind == FrameKind::SEND || work.immediate;
    const uint64_t receive = receives ? queuePair.GetNic()->TakeReceive(queuePair) : 0;
    if (work.origin == RdmaWorkOrigin::MESSAGE)
    {
        NotifyDelivered(work.message, now);
    }
    else if (receives)
    {
        CompleteReceive(queuePair, work, receive, now);
    }
}

void
RdmaTransport::WorkAcknowledged(RdmaQueuePair& queuePair, const RdmaWork& work, int64_t now)
{
    if (!work.lastOfMessage)
    {
        return;
    }
    if (work.origin != RdmaWorkOrigin::MESSAGE)
    {
        CompleteRequest(queuePair, work, RdmaCompletionStatus::SUCCESS, now);
        return;
    }
    NotifySent(work.message, now);
    if (m_fresh)
    {
        // Not before: what is sent from within NotifySent must not take it from under the NIC.
        const bool read = work.kind == FrameKind::READ_REQUEST;
        m_idle[MakeKey(work.message.from, work.message.to, queuePair.GetTrafficClass())].push_back(
            read ? queuePair.m_peer : &queuePair);
    }
}

void
RdmaTransport::WorkFailed(RdmaQueuePair& queuePair, const RdmaWork& work, const std::string& reason)
{
    if (work.origin != RdmaWorkOrigin::MESSAGE)
    {
        FailRequest(queuePair, work);
        return;
    }
    NotifyFailed(work.message,
                 "queue pair " + std::to_string(queuePair.GetNumber()) + " of rank " +
                     std::to_string(queuePair.GetLocalRank()) + " to queue pair " +
                     std::to_string(queuePair.GetPeer()->GetNumber()) + " of rank " +
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
            if (qp->GetListener() != this)
            {
                continue;
            }
            const RdmaQueuePairCounters& from = qp->GetCounters();
            totals.payloadSent += from.payloadSent;
            totals.payloadRetransmitted += from.payloadRetransmitted;
            totals.payloadDuplicate += from.payloadDuplicate;
            totals.payloadOutOfOrder += from.payloadOutOfOrder;
            totals.payloadReceived += from.payloadReceived;
            totals.dataPackets += from.dataPackets;
            totals.acksSent += from.acksSent;
            totals.naksSent += from.naksSent;
            totals.readRequests += from.readRequests;
            totals.rnrNaksSent += from.rnrNaksSent;
            totals.cnpsSent += from.cnpsSent;
            totals.cnpsReceived += from.cnpsReceived;
            totals.timeouts += from.timeouts;
            totals.resentAfterTimeout += from.resentAfterTimeout;
            totals.recoveries += from.recoveries;
            totals.trimsReceived += from.trimsReceived;
            totals.placedEarly += from.placedEarly;
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
            if (!work || qp->GetListener() != this)
            {
                continue;
            }
            if (lines.size() >= most)
            {
                return;
            }
            const bool read = work->kind == FrameKind::READ_REQUEST;
            const uint64_t done = read ? GetReadBytes(*qp, *work)
                                  : qp->GetAckedBytes() > work->offset
                                      ? qp->GetAckedBytes() - work->offset
                                      : 0;
            std::string line =
                "rank " + std::to_string(qp->GetLocalRank()) + (read ? " <- rank " : " -> rank ") +
                std::to_string(qp->GetRemoteRank()) + " channel " +
                std::to_string(qp->GetChannel()) + ": message of " +
                std::to_string(work->message.bytes) + " B, tag " +
                std::to_string(work->message.tag) + ": " + std::to_string(done) + " of " +
                (read ? std::to_string(work->message.bytes) + " B read"
                      : std::to_string(work->bytes) + " B acknowledged");
            const uint8_t paused = qp->GetNicPort()->GetPort()->GetPausedClasses();
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
        for (const auto& qp : nic->GetQueuePairs())
        {
            count += qp->GetListener() == this ? 1 : 0;
        }
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
