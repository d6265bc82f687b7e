/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nic.h"

#include "rdma-ack-timeout.h"

#include "ns3/llm-config-error.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaNic")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaNic>()
            .AddTraceSource("CnpSent",
                            "The responder of a queue pair sends a CNP.",
                            MakeTraceSourceAccessor(&RdmaNic::m_cnpSentTrace),
                            "ns3::llm::RdmaNic::QueuePairTracedCallback")
            .AddTraceSource("CnpReceived",
                            "A CNP has arrived for the requester of a queue pair.",
                            MakeTraceSourceAccessor(&RdmaNic::m_cnpReceivedTrace),
                            "ns3::llm::RdmaNic::QueuePairTracedCallback")
            .AddTraceSource("RetransmissionTimeout",
                            "The oldest unacknowledged packet of a queue pair timed out.",
                            MakeTraceSourceAccessor(&RdmaNic::m_timeoutTrace),
                            "ns3::llm::RdmaNic::QueuePairTracedCallback")
            .AddTraceSource("Rate",
                            "Congestion control changed the rate of a queue pair, bit/s.",
                            MakeTraceSourceAccessor(&RdmaNic::m_rateTrace),
                            "ns3::llm::RdmaNic::ValueTracedCallback")
            .AddTraceSource("Window",
                            "Congestion control changed the window of a queue pair, bytes.",
                            MakeTraceSourceAccessor(&RdmaNic::m_windowTrace),
                            "ns3::llm::RdmaNic::ValueTracedCallback");
    return tid;
}

RdmaNic::RdmaNic() = default;

RdmaNic::~RdmaNic() = default;

void
RdmaNic::Shutdown()
{
    for (const auto& qp : m_queuePairs)
    {
        if (qp->m_congestion)
        {
            qp->m_congestion->SetHost(nullptr);
            qp->m_congestion = nullptr;
        }
    }
    m_delayedPosts.clear();
    m_queuePairs.clear();
    m_workSlabs.clear();
    m_reliabilityPtr = nullptr;
}

void
RdmaNic::Join()
{
    ++m_users;
}

void
RdmaNic::Leave(const RdmaWorkListener* listener)
{
    if (--m_users == 0)
    {
        Shutdown();
        return;
    }
    for (const auto& qp : m_queuePairs)
    {
        if (qp->m_listener == listener)
        {
            qp->m_listener = nullptr;
        }
    }
    m_emptyMessages.erase(std::remove_if(m_emptyMessages.begin(),
                                         m_emptyMessages.end(),
                                         [](const EmptyMessage& empty) {
                                             return empty.queuePair->m_listener == nullptr;
                                         }),
                          m_emptyMessages.end());
}

void
RdmaNic::DoDispose()
{
    Shutdown();
    Object::DoDispose();
}

void
RdmaNic::Attach(const std::vector<FramePort*>& ports,
                uint32_t nodeId,
                const RdmaNicConfig& config,
                Ptr<RdmaReliability> reliability)
{
    m_events = &ports.front()->GetEventQueue();
    m_pool = &ports.front()->GetFramePool();
    m_config = config;
    m_reliabilityPtr = reliability;
    m_reliability = PeekPointer(reliability);
    m_goBack = dynamic_cast<RdmaGoBack*>(m_reliability);
    m_selective = dynamic_cast<RdmaSelectiveReliability*>(m_reliability);
    if (m_selective && config.postedReceives)
    {
        throw ConfigError("RdmaTransport",
                          "PostedReceives",
                          "is true, but " + reliability->GetInstanceTypeId().GetName() +
                              " takes packets before their turn, which an RNR NAK cannot take "
                              "back; use go-back-N or go-back-0");
    }
    if (!m_goBack && !m_selective)
    {
        throw ConfigError("RdmaTransport",
                          "Reliability",
                          reliability->GetInstanceTypeId().GetName() +
                              " is neither RdmaGoBack nor RdmaSelectiveReliability");
    }
    m_laterBytes = reliability->GetAddressBytes();
    ++m_users;
    m_ticksPerSecond = static_cast<uint64_t>(Seconds(1).GetTimeStep());
    m_eventId = m_events->Register(FabricEventKind::NIC_TIMER, this, nodeId);
    // The longest packet, so that every turn is good for one.
    const uint32_t quantum =
        config.pathMtu + wire::ROCE_BASE + wire::RETH + wire::IMMDT + wire::PREAMBLE_IFG;
    m_firstPort = ports.front();
    const bool delays =
        config.delays.receiveTicks + config.delays.ackTicks + config.delays.cnpTicks > 0;
    for (FramePort* port : ports)
    {
        if (delays)
        {
            m_delayPorts.push_back(std::make_unique<RdmaDelayPort>(port, nodeId, config.delays));
            port = m_delayPorts.back().get();
        }
        m_ports.push_back(std::make_unique<RdmaNicPort>(this, port, static_cast<int32_t>(quantum)));
    }
    m_arrival = m_ports.front().get();
}

RdmaQueuePair*
RdmaNic::CreateQueuePair(uint32_t localRank,
                         uint32_t remoteRank,
                         uint16_t channel,
                         RdmaWorkListener* listener)
{
    const auto number = static_cast<uint32_t>(m_queuePairs.size()) + FIRST_NUMBER;
    m_queuePairs.push_back(
        std::make_unique<RdmaQueuePair>(this, number, localRank, remoteRank, channel, listener));
    RdmaQueuePair* qp = m_queuePairs.back().get();
    qp->m_nextPsn = m_config.initialPsn;
    qp->m_unackedPsn = m_config.initialPsn;
    qp->m_highPsn = m_config.initialPsn;
    qp->m_endPsn = m_config.initialPsn;
    qp->m_receiver.expectedPsn = m_config.initialPsn;
    qp->m_receiver.messageStart = m_config.initialPsn;
    if (m_selective)
    {
        qp->m_special |= RdmaQueuePair::SELECTIVE;
        qp->m_selective = std::make_unique<RdmaSelectiveSender>();
        qp->m_selective->window.Start(m_config.initialPsn);
        qp->m_receiver.early = std::make_unique<RdmaReceiveWindow>();
    }
    return qp;
}

void
RdmaNic::Connect(RdmaQueuePair* local,
                 uint8_t trafficClass,
                 Ptr<RdmaCongestionOps> ops,
                 const RdmaPathInfo& path,
                 Ptr<RdmaPathSelector> paths)
{
    local->m_trafficClass = trafficClass;
    local->m_paths = paths;
    local->m_perPacketPath = paths->IsPerPacket();
    local->m_pathSlot = paths->AddQueuePair(*local);
    SetControl(local, ops, path);
}

void
RdmaNic::Renew(RdmaQueuePair* local,
               uint16_t channel,
               Ptr<RdmaCongestionOps> ops,
               const RdmaPathInfo& path)
{
    local->m_congestion->SetHost(nullptr);
    local->m_channel = channel;
    local->m_ccTimerAt.fill(RdmaQueuePair::NEVER);
    local->m_idle = false;
    local->m_peer->m_nextCnpAt = INT64_MIN;
    local->m_lastWireBytes = 0; // no pacing after the other flow's last packet
    local->m_nextSendAt = 0;
    local->m_paceFraction = 0;
    SetControl(local, ops, path);
}

void
RdmaNic::SetControl(RdmaQueuePair* local, Ptr<RdmaCongestionOps> ops, const RdmaPathInfo& path)
{
    local->m_entropy = local->m_paths->ChooseInitial(*local);
    local->m_congestion = ops;
    local->m_ops = PeekPointer(ops);
    local->m_needs = ops->GetNeeds() | (local->m_paths->WantsFeedback() ? NEEDS_PATH_FEEDBACK : 0);
    local->m_ackInterval =
        local->m_needs & RdmaCongestionOps::NEEDS_ACK_PER_PACKET ? 1 : m_config.ackInterval;
    if (local->m_needs & RdmaCongestionOps::NEEDS_INT)
    {
        m_pool->RequireInt(std::max<uint32_t>(path.hops, 1));
        local->m_intBytesPerHop = ops->GetIntBytesPerHop();
    }
    local->m_timeoutTicks = m_config.timeoutTicks
                                ? m_config.timeoutTicks
                                : RdmaAckTimeout::Scale(path.baseRtt).GetTimeStep();
    if (m_selective)
    {
        m_selective->Connect(*local->m_selective, path, local->m_timeoutTicks);
        local->m_timeoutTicks = local->m_selective->timeoutTicks;
    }
    ops->SetHost(local);
    ops->Init(path);
    ReadControl(*local, m_events->Now());
}

RdmaWork*
RdmaNic::AllocateWork()
{
    if (!m_freeWork)
    {
        constexpr std::size_t SLAB = 16;
        m_workSlabs.emplace_back(new RdmaWork[SLAB]);
        for (std::size_t i = SLAB; i-- > 0;)
        {
            FreeWork(&m_workSlabs.back()[i]);
        }
    }
    RdmaWork* work = m_freeWork;
    m_freeWork = work->next;
    return work;
}

void
RdmaNic::FreeWork(RdmaWork* work)
{
    work->next = m_freeWork;
    m_freeWork = work;
}

} // namespace llm
} // namespace ns3
