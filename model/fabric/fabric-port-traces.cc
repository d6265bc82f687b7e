/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What people see of a port: attributes, trace sources, counters, frames as real bytes.

#include "fabric-channel.h"
#include "fabric-ecn-marker.h"
#include "fabric-loss-model.h"
#include "fabric-port.h"
#include "llm-fabric.h"
#include "roce-wire.h"

#include "ns3/boolean.h"
#include "ns3/names.h"
#include "ns3/node.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricPort);

const char*
ToString(DropReason reason)
{
    switch (reason)
    {
    case DropReason::BUFFER:
        return "buffer";
    case DropReason::HEADROOM:
        return "headroom";
    case DropReason::LOSS_MODEL:
        return "loss_model";
    case DropReason::NO_ROUTE:
        return "no_route";
    case DropReason::TTL:
        return "ttl";
    case DropReason::QUEUE:
        return "queue";
    case DropReason::PFC_STORM:
        return "pfc_storm";
    case DropReason::LINK_DOWN:
        return "link_down";
    }
    return "unknown";
}

TypeId
FabricPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricPort")
            .SetParent<NetDevice>()
            .SetGroupName("LlmTraining")
            .AddConstructor<FabricPort>()
            .AddAttribute("StrictClasses",
                          "Bit per traffic class with strict priority, the highest first; the "
                          "others share by deficit round robin.",
                          UintegerValue(0xC0),
                          MakeUintegerAccessor(&FabricPort::m_strictClasses),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute(
                "ClassWeights",
                "Shares of the link that classes 0 to 7 have in competition, if they "
                "are not strict: eight numbers, 1 to 1000, in proportion.",
                StringValue("1 1 1 1 1 1 1 1"),
                MakeStringAccessor(&FabricPort::ReadClassWeights, &FabricPort::WriteClassWeights),
                MakeStringChecker())
            .AddAttribute("EcnMarkAtDequeue",
                          "Mark when a frame leaves the queue instead of when it enters.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricPort::m_markAtDequeue),
                          MakeBooleanChecker())
            .AddAttribute("PauseQuanta",
                          "Timer value of the XOFF frames that this port sends, in quanta of 512 "
                          "bit times; refreshed when half of it has passed.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&FabricPort::m_pauseQuanta),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("PacketQueueLimit",
                          "Bytes of ordinary ns-3 packets that a host queues here before Send "
                          "refuses more.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&FabricPort::m_packetQueueLimit),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Mtu",
                          "Layer 3 MTU of the ordinary ns-3 stack, bytes.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&FabricPort::SetMtu, &FabricPort::GetMtu),
                          MakeUintegerChecker<uint16_t>(68, 9194))
            .AddTraceSource("PfcSent",
                            "A pause frame is sent from here (port, class, quanta; 0 is XON).",
                            MakeTraceSourceAccessor(&FabricPort::m_pfcSentTrace),
                            "ns3::llm::FabricPort::PfcTracedCallback")
            .AddTraceSource("PfcPause",
                            "A class of this transmitter is paused (port, class, quanta).",
                            MakeTraceSourceAccessor(&FabricPort::m_pfcPauseTrace),
                            "ns3::llm::FabricPort::PfcTracedCallback")
            .AddTraceSource("PfcResume",
                            "A class of this transmitter may send again (port, class, 0).",
                            MakeTraceSourceAccessor(&FabricPort::m_pfcResumeTrace),
                            "ns3::llm::FabricPort::PfcTracedCallback")
            .AddTraceSource("EcnMark",
                            "A frame is marked CE here (port, frame).",
                            MakeTraceSourceAccessor(&FabricPort::m_ecnMarkTrace),
                            "ns3::llm::FabricPort::FrameTracedCallback")
            .AddTraceSource("FrameDrop",
                            "A frame is dropped here (port, frame, reason).",
                            MakeTraceSourceAccessor(&FabricPort::m_dropTrace),
                            "ns3::llm::FabricPort::DropTracedCallback")
            .AddTraceSource("FrameTrim",
                            "A frame was trimmed to its headers on its way here (port, frame, "
                            "payload that it had).",
                            MakeTraceSourceAccessor(&FabricPort::m_trimTrace),
                            "ns3::llm::FabricPort::TrimTracedCallback")
            .AddTraceSource("PfcStorm",
                            "The PFC watchdog found a class of this transmitter paused for too "
                            "long, or lets it return to normal (port, class, whether it begins).",
                            MakeTraceSourceAccessor(&FabricPort::m_stormTrace),
                            "ns3::llm::FabricPort::StormTracedCallback")
            .AddTraceSource("QueueBytes",
                            "An egress queue changed (port, class, bytes queued).",
                            MakeTraceSourceAccessor(&FabricPort::m_queueTrace),
                            "ns3::llm::FabricPort::QueueTracedCallback")
            .AddTraceSource("MacTx",
                            "A frame leaves this port, with real header bytes.",
                            MakeTraceSourceAccessor(&FabricPort::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of the ordinary stack is refused by the transmit queue.",
                            MakeTraceSourceAccessor(&FabricPort::m_macTxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A frame arrived at this port.",
                            MakeTraceSourceAccessor(&FabricPort::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacPromiscRx",
                            "A frame arrived at this port.",
                            MakeTraceSourceAccessor(&FabricPort::m_macPromiscRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "A frame's first bit leaves.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyTxBeginTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "A frame's last bit leaves; fired with its first bit, since nothing "
                            "can stop it.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyTxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "A frame's last bit arrived.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyRxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A frame was dropped at this port, for whatever reason.",
                            MakeTraceSourceAccessor(&FabricPort::m_phyRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "Every frame sent or received here (non-promiscuous sniffer).",
                            MakeTraceSourceAccessor(&FabricPort::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "Every frame sent or received here (promiscuous sniffer).",
                            MakeTraceSourceAccessor(&FabricPort::m_promiscSnifferTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

FabricPortCounters
FabricPort::GetCounters() const
{
    FabricPortCounters counters = m_counters;
    const FabricPortCounters& sent = m_peer->m_counters;
    counters.rxFrames = sent.txFrames;
    counters.rxBytes = sent.txBytes;
    counters.rxDataFrames = sent.txDataFrames - m_counters.lostDataFrames;
    counters.rxDataBytes = sent.txDataBytes - m_counters.lostDataBytes;
    counters.rxDataPayload = sent.txDataPayload - m_counters.lostDataPayload;
    for (const Frame* frame = m_wire.Front(); frame; frame = frame->next)
    {
        // Still on its way.
        --counters.rxFrames;
        counters.rxBytes -= frame->bytes;
        if (frame->kind <= FrameKind::READ_RESPONSE)
        {
            --counters.rxDataFrames;
            counters.rxDataBytes -= frame->bytes;
            counters.rxDataPayload -= frame->payload;
        }
    }
    return counters;
}

uint64_t
FabricPort::GetQueueBytes() const
{
    uint64_t sum = 0;
    for (const ClassQueue& queue : m_queues)
    {
        sum += queue.bytes;
    }
    return sum;
}

std::string
FabricPort::GetLabel() const
{
    if (!m_node)
    {
        return "port " + std::to_string(m_portNumber);
    }
    const std::string name = Names::FindName(m_node);
    return (name.empty() ? "node" + std::to_string(m_node->GetId()) : name) + ":" +
           std::to_string(m_ifIndex);
}

void
FabricPort::NotifyDrop(const Frame& frame, DropReason reason)
{
    ++m_counters.drops;
    if (frame.kind <= FrameKind::READ_RESPONSE)
    {
        m_counters.dropPayload += frame.payload;
    }
    m_dropTrace(this, frame, reason);
    if (m_phyRxDropTrace.IsConnected())
    {
        m_phyRxDropTrace(MakeWirePacket(frame, *m_fabric, false, m_address));
    }
}

void
FabricPort::Drop(Frame* frame, DropReason reason)
{
    NotifyDrop(*frame, reason);
    if (frame->kind == FrameKind::PACKET)
    {
        frame->packet->Unref();
    }
    m_fabric->GetFramePool().Free(frame);
}

void
FabricPort::TraceTransmit(const Frame& frame)
{
    Ptr<const Packet> packet = MakeWirePacket(frame, *m_fabric, false, m_address);
    m_macTxTrace(packet);
    m_promiscSnifferTrace(packet);
    m_snifferTrace(packet);
    m_phyTxBeginTrace(packet);
    m_phyTxEndTrace(packet);
}

void
FabricPort::TraceReceive(const Frame& frame)
{
    Ptr<const Packet> packet = MakeWirePacket(frame, *m_fabric, false, m_peer->m_address);
    m_phyRxEndTrace(packet);
    m_promiscSnifferTrace(packet);
    m_snifferTrace(packet);
    m_macPromiscRxTrace(packet);
    m_macRxTrace(packet);
}

} // namespace llm
} // namespace ns3
