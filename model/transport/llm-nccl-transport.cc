/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-nccl-transport.h"

#include "ns3/boolean.h"
#include "ns3/llm-byte-split.h"
#include "ns3/llm-config-error.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmNcclTransport");
NS_OBJECT_ENSURE_REGISTERED(NcclTransport);

namespace
{
constexpr uint8_t DELIVERED = 1;    //!< end of a flight at the receiver
constexpr uint8_t ACKNOWLEDGED = 2; //!< end of a flight at the sender
} // namespace

/** Messages of a rank whose last byte is here, until the library has seen them. */
class NcclTransport::Inbox : public FabricEventHandler
{
  public:
    /** @param owner whose. @param nodeId context of events. */
    Inbox(NcclTransport& owner, uint32_t nodeId)
        : m_owner(owner),
          m_id(owner.GetEventQueue().Register(FabricEventKind::PROTOCOL, this, nodeId))
    {
    }

    /** @param connection whose oldest message is delivered @param tick then. */
    void Plan(Connection& connection, int64_t tick)
    {
        m_entries.push_back({tick, m_count++, &connection});
        std::push_heap(m_entries.begin(), m_entries.end(), IsLater);
        m_owner.GetEventQueue().ScheduleAt(tick, FabricEventKind::PROTOCOL, m_id);
    }

    void HandleFabricEvent(FabricEventKind, int64_t now) override
    {
        while (!m_entries.empty() && m_entries.front().tick <= now)
        {
            std::pop_heap(m_entries.begin(), m_entries.end(), IsLater);
            Connection* connection = m_entries.back().connection;
            m_entries.pop_back();
            m_owner.Deliver(*connection, now);
        }
    }

  private:
    /** A delivery to come. */
    struct Entry
    {
        int64_t tick;           //!< when
        uint64_t number;        //!< in order of planning
        Connection* connection; //!< whose oldest message
    };

    /** Heap order: earliest first, then as planned. */
    static bool IsLater(const Entry& a, const Entry& b)
    {
        return a.tick != b.tick ? a.tick > b.tick : a.number > b.number;
    }

    NcclTransport& m_owner;       //!< whose
    uint32_t m_id;                //!< in the event queue
    uint64_t m_count{0};          //!< planned so far
    std::vector<Entry> m_entries; //!< heap
};

TypeId
NcclTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::NcclTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("LlmTraining")
            .AddConstructor<NcclTransport>()
            .AddAttribute("SimpleLatency",
                          "Time between the last byte of a message and its use, protocol Simple.",
                          TimeValue(MicroSeconds(6)),
                          MakeTimeAccessor(&NcclTransport::m_latencySimple),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("LlLatency",
                          "The same of protocol LL.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&NcclTransport::m_latencyLl),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("Ll128Latency",
                          "The same of protocol LL128.",
                          TimeValue(MicroSeconds(2)),
                          MakeTimeAccessor(&NcclTransport::m_latencyLl128),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("QpsPerConnection",
                          "Queue pairs of a connection (NCCL_IB_QPS_PER_CONNECTION).",
                          UintegerValue(1),
                          MakeUintegerAccessor(&NcclTransport::m_queuePairs),
                          MakeUintegerChecker<uint32_t>(1, 128))
            .AddAttribute(
                "SplitDataOnQps",
                "Every message goes over all queue pairs, an equal part each; false: over "
                "one of them in turn (NCCL_IB_SPLIT_DATA_ON_QPS).",
                BooleanValue(false),
                MakeBooleanAccessor(&NcclTransport::m_split),
                MakeBooleanChecker())
            .AddAttribute("ClearToSend",
                          "Messages of collectives wait for a record of their receiver.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&NcclTransport::m_clearToSend),
                          MakeBooleanChecker())
            .AddAttribute("ClearToSendBytes",
                          "Length of that record (ncclIbSendFifo).",
                          UintegerValue(64),
                          MakeUintegerAccessor(&NcclTransport::m_clearToSendBytes),
                          MakeUintegerChecker<uint32_t>(1, 4096));
    return tid;
}

NcclTransport::NcclTransport() = default;
NcclTransport::~NcclTransport() = default;

void
NcclTransport::DoDispose()
{
    if (m_transport)
    {
        m_transport->SetListener(nullptr);
        m_transport = nullptr;
    }
    MessageTransport::DoDispose();
}

void
NcclTransport::SetTransport(Ptr<MessageTransport> transport,
                            const std::vector<uint32_t>& nodeOfRank)
{
    m_transport = transport;
    m_transport->SetListener(this);
    for (const uint32_t node : nodeOfRank)
    {
        m_inboxes.push_back(std::make_unique<Inbox>(*this, node));
    }
}

FabricEventQueue&
NcclTransport::GetEventQueue()
{
    return m_transport->GetEventQueue();
}

TransportTotals
NcclTransport::GetTotals() const
{
    TransportTotals totals = m_transport->GetTotals();
    totals.messagesStarted = m_totals.messagesStarted;
    totals.messagesDelivered = m_totals.messagesDelivered;
    totals.bytesStarted = m_totals.bytesStarted;
    totals.bytesDelivered = m_totals.bytesDelivered;
    totals.protocolBytesStarted += m_totals.protocolBytesStarted;
    totals.protocolBytesDelivered += m_totals.protocolBytesDelivered;
    totals.clearToSends += m_totals.clearToSends;
    return totals;
}

uint16_t
NcclTransport::GetInnerChannel(uint16_t channel, uint32_t queuePair) const
{
    const uint32_t stride = m_queuePairs + (m_clearToSend ? 1 : 0);
    const uint32_t inner = channel * stride + queuePair;
    if (inner > UINT16_MAX)
    {
        throw ConfigError("NcclTransport",
                          "QpsPerConnection",
                          "channel " + std::to_string(channel) + " with " + std::to_string(stride) +
                              " queue pairs is beyond the 65536 connections of a pair of ranks; "
                              "use fewer channels or queue pairs");
    }
    return static_cast<uint16_t>(inner);
}

NcclTransport::Connection&
NcclTransport::GetConnection(const Message& message)
{
    if (message.from >= m_inboxes.size() || message.to >= m_inboxes.size() ||
        message.from == message.to)
    {
        throw ConfigError("NcclTransport",
                          "",
                          "message from rank " + std::to_string(message.from) + " to rank " +
                              std::to_string(message.to) + "; two different ranks below " +
                              std::to_string(m_inboxes.size()) + " are needed");
    }
    const uint64_t key = (static_cast<uint64_t>(message.from) << 40) |
                         (static_cast<uint64_t>(message.to) << 16) | message.channel;
    Connection*& connection = m_connectionOf[key];
    if (!connection)
    {
        m_connections.push_back(std::make_unique<Connection>());
        connection = m_connections.back().get();
        connection->pattern = message;
    }
    return *connection;
}

uint64_t
NcclTransport::AllocateFlight()
{
    if (m_freeTags.empty())
    {
        m_flights.emplace_back();
        return m_flights.size() - 1;
    }
    const uint64_t index = m_freeTags.back();
    m_freeTags.pop_back();
    m_flights[index] = Flight();
    return index;
}

void
NcclTransport::EndFlight(uint64_t index)
{
    if (m_flights[index].ends == (DELIVERED | ACKNOWLEDGED))
    {
        m_freeTags.push_back(index);
    }
}

int64_t
NcclTransport::GetLatency(uint8_t protocol) const
{
    switch (static_cast<NcclProtocol>(protocol))
    {
    case NcclProtocol::SIMPLE:
        return m_latencySimple.GetTimeStep();
    case NcclProtocol::LL:
        return m_latencyLl.GetTimeStep();
    case NcclProtocol::LL128:
        return m_latencyLl128.GetTimeStep();
    case NcclProtocol::NONE:
        break;
    }
    return 0;
}

bool
NcclTransport::NeedsLeave(const Message& message) const
{
    return m_clearToSend && message.protocol != 0;
}

void
NcclTransport::Send(const Message& message)
{
    FabricEntry entry(GetEventQueue());
    const int64_t now = GetEventQueue().Now();
    Message started = message;
    started.start = now;
    if (started.inNetwork != InNetwork::NONE)
    {
        ++m_totals.messagesStarted;
        m_totals.bytesStarted += started.bytes;
        NotifyStart(started, now);
        m_transport->Send(started);
        return;
    }
    Connection& connection = GetConnection(started);
    ++m_totals.messagesStarted;
    m_totals.bytesStarted += started.bytes;
    NotifyStart(started, now);
    if (started.bytes == 0)
    {
        const uint64_t tag = AllocateFlight();
        m_flights[tag].isEmpty = true;
        m_flights[tag].message = started;
        Message inner = started;
        inner.channel = GetInnerChannel(started.channel, 0);
        inner.tag = tag;
        m_transport->Send(inner);
        return;
    }
    Parcel parcel;
    parcel.message = started;
    connection.parcels.Push(parcel);
    Pump(connection);
}

void
NcclTransport::Pump(Connection& connection)
{
    while (connection.nextToSend < connection.firstNumber + connection.parcels.Size())
    {
        const uint64_t number = connection.nextToSend;
        Parcel& parcel = connection.Get(number);
        if (NeedsLeave(parcel.message))
        {
            if (connection.leaves == 0)
            {
                return;
            }
            --connection.leaves;
        }
        ++connection.nextToSend;
        Launch(connection, parcel, number);
    }
}

void
NcclTransport::Launch(Connection& connection, Parcel& parcel, uint64_t number)
{
    const auto protocol = static_cast<NcclProtocol>(parcel.message.protocol);
    const uint64_t wire = GetNcclWireBytes(protocol, parcel.message.bytes);
    m_totals.protocolBytesStarted += wire - parcel.message.bytes;
    const auto parts = static_cast<uint32_t>(m_split ? std::min<uint64_t>(m_queuePairs, wire) : 1);
    parcel.toArrive = parts;
    parcel.toSend = parts;
    const uint32_t first = connection.nextQp;
    if (!m_split)
    {
        connection.nextQp = (connection.nextQp + 1) % m_queuePairs;
    }
    for (uint32_t part = 0; part < parts; ++part)
    {
        LaunchPart(connection,
                   parcel,
                   number,
                   m_split ? part : first,
                   SplitBytes(wire, parts, part).bytes);
    }
}

void
NcclTransport::LaunchPart(Connection& connection,
                          const Parcel& parcel,
                          uint64_t number,
                          uint32_t queuePair,
                          uint64_t bytes)
{
    const uint64_t tag = AllocateFlight();
    m_flights[tag].connection = &connection;
    m_flights[tag].number = number;
    Message inner = parcel.message;
    inner.channel = GetInnerChannel(inner.channel, queuePair);
    inner.bytes = bytes;
    inner.tag = tag;
    m_transport->Send(inner);
}

void
NcclTransport::Announce(const Message& expected)
{
    if (!NeedsLeave(expected))
    {
        return;
    }
    FabricEntry entry(GetEventQueue());
    Connection& connection = GetConnection(expected);
    connection.wanted.Push(expected);
    Grant(connection);
}

void
NcclTransport::Grant(Connection& connection)
{
    while (!connection.wanted.IsEmpty())
    {
        const Message expected = connection.wanted.Front();
        const uint32_t slots =
            GetNcclSlots(static_cast<NcclProtocol>(expected.protocol), expected.bytes);
        if (connection.slotsInUse + slots > NCCL_SLOTS)
        {
            return;
        }
        Message record;
        record.from = expected.to;
        record.to = expected.from;
        record.channel = GetInnerChannel(expected.channel, m_queuePairs);
        record.trafficClass = expected.trafficClass;
        record.dimension = expected.dimension;
        record.bytes = m_clearToSendBytes;
        connection.wanted.Pop();
        connection.granted.Push(slots);
        connection.slotsInUse += slots;
        const uint64_t tag = AllocateFlight();
        m_flights[tag].connection = &connection;
        m_flights[tag].isClearToSend = true;
        record.tag = tag;
        ++m_totals.clearToSends;
        m_totals.protocolBytesStarted += record.bytes;
        m_transport->Send(record);
    }
}

void
NcclTransport::MessageDelivered(const Message& message, int64_t now)
{
    if (message.inNetwork != InNetwork::NONE)
    {
        ++m_totals.messagesDelivered;
        m_totals.bytesDelivered += message.bytes;
        NotifyDelivered(message, now);
        return;
    }
    const uint64_t tag = message.tag;
    Flight& flight = m_flights[tag];
    flight.ends |= DELIVERED;
    if (flight.isEmpty)
    {
        const Message whole = flight.message;
        EndFlight(tag);
        ++m_totals.messagesDelivered;
        NotifyDelivered(whole, now);
        return;
    }
    Connection& connection = *flight.connection;
    const uint64_t number = flight.number;
    const bool isClearToSend = flight.isClearToSend;
    EndFlight(tag);
    if (isClearToSend)
    {
        m_totals.protocolBytesDelivered += message.bytes;
        ++connection.leaves;
        Pump(connection);
        return;
    }
    --connection.Get(number).toArrive;
    Arrange(connection, now);
}

void
NcclTransport::Arrange(Connection& connection, int64_t now)
{
    while (connection.nextToPlan < connection.nextToSend)
    {
        const Parcel& parcel = connection.Get(connection.nextToPlan);
        if (parcel.toArrive > 0)
        {
            return;
        }
        const int64_t latency = GetLatency(parcel.message.protocol);
        const int64_t tick = std::max(now + latency, connection.lastDelivery);
        ++connection.nextToPlan;
        connection.lastDelivery = tick;
        if (tick > now)
        {
            m_inboxes[connection.pattern.to]->Plan(connection, tick);
        }
        else
        {
            Deliver(connection, now);
        }
    }
}

void
NcclTransport::Deliver(Connection& connection, int64_t now)
{
    const Message message = connection.Get(connection.nextToDeliver).message;
    ++connection.nextToDeliver;
    Trim(connection);
    const auto protocol = static_cast<NcclProtocol>(message.protocol);
    ++m_totals.messagesDelivered;
    m_totals.bytesDelivered += message.bytes;
    m_totals.protocolBytesDelivered += GetNcclWireBytes(protocol, message.bytes) - message.bytes;
    if (NeedsLeave(message))
    {
        connection.slotsInUse -= connection.granted.Front();
        connection.granted.Pop();
        Grant(connection);
    }
    NotifyDelivered(message, now);
}

void
NcclTransport::MessageSent(const Message& message, int64_t now)
{
    if (message.inNetwork != InNetwork::NONE)
    {
        NotifySent(message, now);
        return;
    }
    const uint64_t tag = message.tag;
    Flight& flight = m_flights[tag];
    flight.ends |= ACKNOWLEDGED;
    if (flight.isEmpty)
    {
        const Message whole = flight.message;
        EndFlight(tag);
        NotifySent(whole, now);
        return;
    }
    Connection& connection = *flight.connection;
    const uint64_t number = flight.number;
    const bool isClearToSend = flight.isClearToSend;
    EndFlight(tag);
    if (isClearToSend)
    {
        return;
    }
    Parcel& parcel = connection.Get(number);
    if (--parcel.toSend > 0)
    {
        return;
    }
    parcel.acknowledged = true;
    const Message whole = parcel.message;
    Trim(connection);
    NotifySent(whole, now);
}

void
NcclTransport::Trim(Connection& connection)
{
    while (connection.firstNumber < connection.nextToDeliver &&
           connection.parcels.Front().acknowledged)
    {
        connection.parcels.Pop();
        ++connection.firstNumber;
    }
}

void
NcclTransport::MessageFailed(const Message& message, const std::string& reason)
{
    if (message.inNetwork != InNetwork::NONE)
    {
        NotifyFailed(message, reason);
        return;
    }
    const Flight& flight = m_flights[message.tag];
    if (flight.isEmpty)
    {
        NotifyFailed(flight.message, reason);
        return;
    }
    if (flight.isClearToSend)
    {
        NotifyFailed(flight.connection->pattern, "clear-to-send: " + reason);
        return;
    }
    NotifyFailed(flight.connection->Get(flight.number).message, reason);
}

void
NcclTransport::DescribeOpen(std::vector<std::string>& lines, std::size_t most) const
{
    for (const auto& connection : m_connections)
    {
        const uint64_t waiting =
            connection->firstNumber + connection->parcels.Size() - connection->nextToSend;
        if (waiting > 0 && lines.size() < most)
        {
            lines.push_back("rank " + std::to_string(connection->pattern.from) + " -> rank " +
                            std::to_string(connection->pattern.to) + " channel " +
                            std::to_string(connection->pattern.channel) + ": " +
                            std::to_string(waiting) + " messages wait for clear-to-send, " +
                            std::to_string(connection->wanted.Size()) +
                            " announced ones wait for slots");
        }
    }
    m_transport->DescribeOpen(lines, most);
}

} // namespace llm
} // namespace ns3
