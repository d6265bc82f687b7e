/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-packet-scale-up-transport.h"

#include "ns3/llm-config-error.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmPacketScaleUpTransport");
NS_OBJECT_ENSURE_REGISTERED(PacketScaleUpTransport);

namespace
{
constexpr uint8_t HOP_LIMIT = 64; //!< of frames
} // namespace

/** One port of an accelerator: the pairs that send over it take turns. */
class PacketScaleUpTransport::Port : public FrameEndpoint
{
  public:
    /** @param owner whose. @param port below. */
    Port(PacketScaleUpTransport& owner, FramePort* port)
        : m_owner(owner),
          m_port(port)
    {
        port->SetEndpoint(this);
    }

    /** @return port below. */
    FramePort& GetFramePort() const
    {
        return *m_port;
    }

    /** A pair has something to send. @param pair index. @param now tick. */
    void Activate(uint32_t pair, int64_t now)
    {
        m_round.Push(pair);
        m_port->DataReady(static_cast<uint8_t>(1U << m_owner.m_trafficClass), now);
    }

    Frame* PullFrame(uint8_t, int64_t, bool& more) override
    {
        Frame* frame = nullptr;
        if (!m_round.IsEmpty())
        {
            const uint32_t pair = m_round.Front();
            m_round.Pop();
            frame = m_owner.MakeFrame(pair);
            if (m_owner.m_pairs[pair].waiting)
            {
                m_round.Push(pair);
            }
        }
        more = !m_round.IsEmpty();
        return frame;
    }

    void ReceiveFrame(Frame* frame, int64_t now) override
    {
        m_owner.Receive(frame, now);
    }

  private:
    PacketScaleUpTransport& m_owner; //!< whose
    FramePort* m_port;               //!< below
    GrowingFifo<uint32_t> m_round;   //!< pairs with something to send
};

TypeId
PacketScaleUpTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::PacketScaleUpTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("LlmTraining")
            .AddConstructor<PacketScaleUpTransport>()
            .AddAttribute("FramePayload",
                          "Payload bytes of a full frame.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&PacketScaleUpTransport::m_payload),
                          MakeUintegerChecker<uint32_t>(1, 9000))
            .AddAttribute("FrameHeader",
                          "Bytes of a frame beside its payload, and beside the 20 B of time that "
                          "every frame takes on a link.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PacketScaleUpTransport::m_header),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("TrafficClass",
                          "Class of all frames; it must be lossless.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&PacketScaleUpTransport::m_trafficClass),
                          MakeUintegerChecker<uint8_t>(0, 7));
    return tid;
}

PacketScaleUpTransport::PacketScaleUpTransport() = default;

PacketScaleUpTransport::~PacketScaleUpTransport() = default;

void
PacketScaleUpTransport::DoDispose()
{
    m_ranks.clear();
    m_pairs.clear();
    m_pairIndex.clear();
    MessageTransport::DoDispose();
}

void
PacketScaleUpTransport::AddRank(uint32_t rank,
                                const std::vector<FramePort*>& ports,
                                uint32_t nodeId)
{
    if (rank >= m_ranks.size())
    {
        m_ranks.resize(rank + 1);
    }
    Rank& entry = m_ranks[rank];
    if (!entry.ports.empty() || ports.empty())
    {
        throw ConfigError("PacketScaleUpTransport",
                          "rank " + std::to_string(rank),
                          ports.empty() ? "has no port" : "exists already");
    }
    for (FramePort* port : ports)
    {
        entry.ports.push_back(std::make_unique<Port>(*this, port));
    }
    entry.endpoint = ports.front()->GetEndpointIndex();
    if (!m_queue)
    {
        m_queue = &ports.front()->GetEventQueue();
        m_id = m_queue->Register(FabricEventKind::SCALE_UP, this, nodeId);
    }
}

PacketScaleUpTransport::Rank&
PacketScaleUpTransport::GetRank(uint32_t rank)
{
    if (rank >= m_ranks.size() || m_ranks[rank].ports.empty())
    {
        throw ConfigError("PacketScaleUpTransport",
                          "rank " + std::to_string(rank),
                          "is unknown; call AddRank first");
    }
    return m_ranks[rank];
}

uint32_t
PacketScaleUpTransport::FindPair(const Message& message)
{
    const uint64_t key = (static_cast<uint64_t>(message.from) << 32) | message.to;
    const auto [found, isNew] = m_pairIndex.emplace(key, static_cast<uint32_t>(m_pairs.size()));
    if (!isNew)
    {
        return found->second;
    }
    const uint32_t endpoint = GetRank(message.to).endpoint;
    for (const auto& port : GetRank(message.from).ports)
    {
        if (port->GetFramePort().CanReach(endpoint))
        {
            m_pairs.emplace_back();
            m_pairs.back().from = message.from;
            m_pairs.back().to = message.to;
            m_pairs.back().port = port.get();
            return found->second;
        }
    }
    m_pairIndex.erase(found);
    throw ConfigError("PacketScaleUpTransport",
                      "rank " + std::to_string(message.from),
                      "has no scale-up link to rank " + std::to_string(message.to) +
                          ": they are in different domains");
}

void
PacketScaleUpTransport::Send(const Message& message)
{
    if (message.inNetwork != InNetwork::NONE)
    {
        throw ConfigError(
            "PacketScaleUpTransport",
            "rank " + std::to_string(message.from),
            "the packet-level scale-up domain reduces and multicasts nothing; use the "
            "analytic one for NVLS");
    }
    if (message.from == message.to)
    {
        throw ConfigError("PacketScaleUpTransport",
                          "rank " + std::to_string(message.from),
                          "cannot send to itself");
    }
    GetRank(message.from);
    const uint32_t index = FindPair(message);
    FabricEntry entry(*m_queue);
    const int64_t now = m_queue->Now();
    Parcel parcel;
    parcel.message = message;
    parcel.message.start = now;
    ++m_totals.messagesStarted;
    m_totals.bytesStarted += message.bytes;
    NotifyStart(parcel.message, now);
    if (message.bytes == 0)
    {
        m_empty.push_back(parcel.message);
        m_queue->ScheduleAt(now, FabricEventKind::SCALE_UP, m_id);
        return;
    }
    Pair& pair = m_pairs[index];
    pair.parcels.Push(parcel);
    if (!pair.waiting)
    {
        pair.waiting = true;
        pair.port->Activate(index, now);
    }
}

void
PacketScaleUpTransport::HandleFabricEvent(FabricEventKind, int64_t now)
{
    std::vector<Message> empty;
    empty.swap(m_empty);
    for (const Message& message : empty)
    {
        ++m_totals.messagesDelivered;
        NotifyDelivered(message, now);
        NotifySent(message, now);
    }
}

Frame*
PacketScaleUpTransport::MakeFrame(uint32_t index)
{
    Pair& pair = m_pairs[index];
    Parcel& parcel = pair.parcels[pair.sending];
    const uint64_t left = parcel.message.bytes - parcel.sent;
    const auto payload = static_cast<uint32_t>(std::min<uint64_t>(m_payload, left));
    FramePort& port = pair.port->GetFramePort();
    Frame* frame = port.GetFramePool().Allocate();
    frame->offset = parcel.sent;
    frame->source = m_ranks[pair.from].endpoint;
    frame->destination = m_ranks[pair.to].endpoint;
    frame->queuePair = index;
    frame->psn = 0;
    frame->messageBytes = 0;
    frame->bytes = static_cast<uint16_t>(payload + m_header);
    frame->payload = static_cast<uint16_t>(payload);
    frame->entropy = 0;
    frame->ingress = 0;
    frame->kind = FrameKind::WRITE;
    frame->trafficClass = m_trafficClass;
    frame->flags = 0;
    frame->ttl = HOP_LIMIT;
    parcel.sent += payload;
    ++m_totals.dataPackets;
    m_totals.payloadSent += payload;
    if (parcel.sent == parcel.message.bytes)
    {
        ++pair.sending;
        pair.waiting = pair.sending < pair.parcels.Size();
    }
    return frame;
}

void
PacketScaleUpTransport::Receive(Frame* frame, int64_t now)
{
    Pair& pair = m_pairs[frame->queuePair];
    Parcel& parcel = pair.parcels.Front();
    parcel.there += frame->payload;
    m_totals.payloadReceived += frame->payload;
    m_ranks[pair.to].ports.front()->GetFramePort().GetFramePool().Free(frame);
    if (parcel.there < parcel.message.bytes)
    {
        return;
    }
    const Message message = parcel.message;
    pair.parcels.Pop();
    --pair.sending;
    ++m_totals.messagesDelivered;
    m_totals.bytesDelivered += message.bytes;
    NotifyDelivered(message, now);
    NotifySent(message, now);
}

FabricEventQueue&
PacketScaleUpTransport::GetEventQueue()
{
    if (!m_queue)
    {
        throw ConfigError("PacketScaleUpTransport", "", "has no ranks; call AddRank first");
    }
    return *m_queue;
}

TransportTotals
PacketScaleUpTransport::GetTotals() const
{
    return m_totals;
}

void
PacketScaleUpTransport::DescribeOpen(std::vector<std::string>& lines, std::size_t most) const
{
    for (const Pair& pair : m_pairs)
    {
        if (pair.parcels.IsEmpty())
        {
            continue;
        }
        if (lines.size() >= most)
        {
            return;
        }
        const Parcel& parcel = pair.parcels.Front();
        const uint8_t paused = pair.port->GetFramePort().GetPausedClasses();
        lines.push_back(
            "scale-up: rank " + std::to_string(pair.from) + " -> rank " + std::to_string(pair.to) +
            ": message of " + std::to_string(parcel.message.bytes) + " B, tag " +
            std::to_string(parcel.message.tag) + ": " + std::to_string(parcel.there) +
            " B have arrived, " + std::to_string(pair.parcels.Size() - 1) + " messages behind it" +
            ((paused >> m_trafficClass) & 1 ? ", paused at its port" : ""));
    }
}

} // namespace llm
} // namespace ns3
