/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scale-up-transport.h"

#include "ns3/llm-config-error.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmScaleUpTransport");
NS_OBJECT_ENSURE_REGISTERED(ScaleUpTransport);

namespace
{
constexpr uint32_t NO_PORT = 0xffffffffU;     //!< the rank is not known
__extension__ typedef unsigned __int128 Wide; //!< bits times ticks per second
} // namespace

/** An accelerator's port: what waits to leave, what comes, what is being drained. */
class ScaleUpTransport::Port : public FabricEventHandler
{
  public:
    /** @param owner whose port. @param domain number. */
    Port(ScaleUpTransport& owner, uint32_t domain)
        : m_owner(owner),
          m_domain(domain)
    {
    }

    /** @param id for the event queue, and place among ports. */
    void SetId(uint32_t id)
    {
        m_id = id;
    }

    /** @return the domain's number. */
    uint32_t GetDomain() const
    {
        return m_domain;
    }

    /** @param message to send. @param now tick. */
    void Send(const Message& message, int64_t now)
    {
        m_waiting.Push(message);
        StartNext(now);
    }

    /** @param flight is on its way to this port. */
    void Expect(const Flight& flight)
    {
        m_coming.push_back(flight);
        std::push_heap(m_coming.begin(), m_coming.end(), IsLater);
        m_owner.m_queue->ScheduleAt(flight.tick, FabricEventKind::SCALE_UP, m_id);
    }

    void HandleFabricEvent(FabricEventKind, int64_t now) override
    {
        while (!m_draining.IsEmpty() && m_draining.Front().tick <= now)
        {
            const Message message = m_draining.Front().message;
            m_draining.Pop();
            m_owner.Deliver(message, now);
        }
        while (!m_coming.empty() && m_coming.front().tick <= now)
        {
            std::pop_heap(m_coming.begin(), m_coming.end(), IsLater);
            const Flight flight = m_coming.back();
            m_coming.pop_back();
            const int64_t end = m_ingress.Occupy(flight.tick,
                                                 flight.message.bytes,
                                                 m_owner.m_bandwidth.GetBitRate(),
                                                 Seconds(1).GetTimeStep());
            m_draining.Push({end, flight.port, flight.number, flight.message});
            m_owner.m_queue->ScheduleAt(end, FabricEventKind::SCALE_UP, m_id);
        }
        StartNext(now);
    }

    /** @param lines gets a line per open message to this port. @param most bound. */
    void Describe(std::vector<std::string>& lines, std::size_t most) const
    {
        for (std::size_t i = 0; i < m_waiting.Size() && lines.size() < most; ++i)
        {
            Say(lines, m_waiting[i], "waits for the egress port");
        }
        for (std::size_t i = 0; i < m_coming.size() && lines.size() < most; ++i)
        {
            Say(lines, m_coming[i].message, "is on its way");
        }
        for (std::size_t i = 0; i < m_draining.Size() && lines.size() < most; ++i)
        {
            Say(lines, m_draining[i].message, "is received");
        }
    }

  private:
    /** Put the next message on the egress if it is free. */
    void StartNext(int64_t now)
    {
        while (!m_waiting.IsEmpty() && m_egress.GetFree() <= now)
        {
            const Message message = m_waiting.Front();
            m_waiting.Pop();
            m_egress.Occupy(now,
                            message.bytes,
                            m_owner.m_bandwidth.GetBitRate(),
                            Seconds(1).GetTimeStep());
            m_owner.m_totals.payloadSent += message.bytes;
            Leave({now + m_owner.m_latency.GetTimeStep(), m_id, m_sent++, message});
        }
        if (!m_waiting.IsEmpty() && m_armed != m_egress.GetFree())
        {
            m_armed = m_egress.GetFree();
            m_owner.m_queue->ScheduleAt(m_armed, FabricEventKind::SCALE_UP, m_id);
        }
    }

    /** Send a message on its way to where it goes. */
    void Leave(const Flight& flight)
    {
        switch (flight.message.inNetwork)
        {
        case InNetwork::NONE:
            m_owner.FindPort(flight.message.to)->Expect(flight);
            break;
        case InNetwork::REDUCE:
            m_owner.Reduce(flight);
            break;
        case InNetwork::MULTICAST:
            m_owner.Copy(flight);
            break;
        }
    }

    /** Add a line about a message. */
    static void Say(std::vector<std::string>& lines, const Message& message, const char* what)
    {
        lines.push_back("scale-up message of " + std::to_string(message.bytes) + " B from rank " +
                        std::to_string(message.from) + " to rank " + std::to_string(message.to) +
                        " " + what);
    }

    ScaleUpTransport& m_owner;      //!< whose port
    const uint32_t m_domain;        //!< domain's number
    uint32_t m_id{0};               //!< for the event queue
    Line m_egress;                  //!< outbound
    Line m_ingress;                 //!< inbound
    GrowingFifo<Message> m_waiting; //!< for the egress
    std::vector<Flight> m_coming;   //!< heap of messages to this port, first byte not here
    GrowingFifo<Flight> m_draining; //!< messages to this port, in the ingress' order
    uint64_t m_sent{0};             //!< messages that have left
    int64_t m_armed{-1};            //!< tick for which the egress has an event
};

TypeId
ScaleUpTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::ScaleUpTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("LlmTraining")
            .AddConstructor<ScaleUpTransport>()
            .AddAttribute("Bandwidth",
                          "Payload rate of an accelerator's port, each direction.",
                          DataRateValue(DataRate("3600Gb/s")),
                          MakeDataRateAccessor(&ScaleUpTransport::m_bandwidth),
                          MakeDataRateChecker())
            .AddAttribute("Latency",
                          "From the first byte at the sender to the first byte at the receiver.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&ScaleUpTransport::m_latency),
                          MakeTimeChecker(TimeStep(1)));
    return tid;
}

ScaleUpTransport::ScaleUpTransport() = default;
ScaleUpTransport::~ScaleUpTransport() = default;

void
ScaleUpTransport::DoDispose()
{
    m_queue = nullptr;
    MessageTransport::DoDispose();
}

int64_t
ScaleUpTransport::Line::Occupy(int64_t now,
                               uint64_t bytes,
                               uint64_t bitsPerSecond,
                               int64_t ticksPerSecond)
{
    if (now > GetFree())
    {
        m_free = now;
        m_fraction = 0;
    }
    const Wide bitTicks =
        static_cast<Wide>(bytes) * 8 * static_cast<uint64_t>(ticksPerSecond) + m_fraction;
    m_free += static_cast<int64_t>(bitTicks / bitsPerSecond);
    m_fraction = static_cast<uint64_t>(bitTicks % bitsPerSecond);
    return GetFree();
}

void
ScaleUpTransport::SetEventQueue(FabricEventQueue& queue)
{
    m_queue = &queue;
}

void
ScaleUpTransport::AddRank(uint32_t rank, uint32_t domain, uint32_t nodeId)
{
    if (!m_queue)
    {
        throw ConfigError("ScaleUpTransport", "", "AddRank before SetEventQueue");
    }
    if (m_bandwidth.GetBitRate() == 0)
    {
        throw ConfigError("ScaleUpTransport", "Bandwidth", "is 0; it must be above");
    }
    if (FindPort(rank))
    {
        throw ConfigError("ScaleUpTransport", "", "rank " + std::to_string(rank) + " is there");
    }
    if (rank >= m_portOf.size())
    {
        m_portOf.resize(rank + 1, NO_PORT);
    }
    m_portOf[rank] = static_cast<uint32_t>(m_ports.size());
    m_ports.push_back(std::make_unique<Port>(*this, domain));
    m_ports.back()->SetId(
        m_queue->Register(FabricEventKind::SCALE_UP, m_ports.back().get(), nodeId));
}

ScaleUpTransport::Port*
ScaleUpTransport::FindPort(uint32_t rank) const
{
    return rank < m_portOf.size() && m_portOf[rank] != NO_PORT ? m_ports[m_portOf[rank]].get()
                                                               : nullptr;
}

bool
ScaleUpTransport::IsConnected(uint32_t a, uint32_t b) const
{
    const Port* from = FindPort(a);
    const Port* to = FindPort(b);
    return from && to && from->GetDomain() == to->GetDomain();
}

bool
ScaleUpTransport::IsLater(const Flight& a, const Flight& b)
{
    if (a.tick != b.tick)
    {
        return a.tick > b.tick;
    }
    return a.port != b.port ? a.port > b.port : a.number > b.number;
}

ScaleUpTransport::SwitchKey
ScaleUpTransport::KeyOf(const Message& message)
{
    const bool sum = message.inNetwork == InNetwork::REDUCE;
    return {sum ? message.to : message.from, message.channel, message.tag, message.part};
}

void
ScaleUpTransport::Reduce(const Flight& share)
{
    Reduction& reduction = m_reductions[KeyOf(share.message)];
    if (reduction.shares.empty() || IsLater(share, reduction.last))
    {
        reduction.last = share;
    }
    reduction.shares.push_back(share.message);
    if (reduction.shares.size() < share.message.members->size())
    {
        return;
    }
    Flight sum = reduction.last;
    sum.message.from = sum.message.to;
    sum.message.start = reduction.shares.front().start;
    m_totals.bytesReduced += sum.message.bytes * (reduction.shares.size() - 1);
    FindPort(sum.message.to)->Expect(sum);
}

void
ScaleUpTransport::Copy(const Flight& flight)
{
    const std::vector<uint32_t>& members = *flight.message.members;
    m_multicasts[KeyOf(flight.message)] = {flight.message, members.size()};
    m_totals.bytesMulticast += flight.message.bytes * (members.size() - 1);
    for (const uint32_t member : members)
    {
        Flight copy = flight;
        copy.message.to = member;
        FindPort(member)->Expect(copy);
    }
}

void
ScaleUpTransport::Deliver(const Message& message, int64_t now)
{
    m_totals.payloadReceived += message.bytes;
    m_totals.bytesDelivered += message.bytes;
    ++m_totals.messagesDelivered;
    NotifyDelivered(message, now);
    switch (message.inNetwork)
    {
    case InNetwork::NONE:
        NotifySent(message, now);
        break;
    case InNetwork::REDUCE: {
        const auto found = m_reductions.find(KeyOf(message));
        const std::vector<Message> shares = std::move(found->second.shares);
        m_reductions.erase(found);
        for (const Message& share : shares)
        {
            NotifySent(share, now);
        }
        break;
    }
    case InNetwork::MULTICAST: {
        const auto found = m_multicasts.find(KeyOf(message));
        if (--found->second.open == 0)
        {
            const Message sent = found->second.message;
            m_multicasts.erase(found);
            NotifySent(sent, now);
        }
        break;
    }
    }
}

void
ScaleUpTransport::CheckMembers(const Message& message) const
{
    for (const uint32_t member : *message.members)
    {
        if (member != message.from && !IsConnected(message.from, member))
        {
            throw ConfigError("ScaleUpTransport",
                              "",
                              "in-network message of rank " + std::to_string(message.from) +
                                  " with rank " + std::to_string(member) +
                                  "; all members must be in one scale-up domain");
        }
    }
}

void
ScaleUpTransport::Send(const Message& message)
{
    if (message.inNetwork != InNetwork::NONE)
    {
        CheckMembers(message);
    }
    else if (message.from == message.to || !IsConnected(message.from, message.to))
    {
        throw ConfigError("ScaleUpTransport",
                          "",
                          "message from rank " + std::to_string(message.from) + " to rank " +
                              std::to_string(message.to) +
                              "; both must be different ranks of one scale-up domain");
    }
    const int64_t now = m_queue->Now();
    Message started = message;
    started.start = now;
    ++m_totals.messagesStarted;
    m_totals.bytesStarted += message.bytes;
    NotifyStart(started, now);
    FindPort(message.from)->Send(started, now);
}

FabricEventQueue&
ScaleUpTransport::GetEventQueue()
{
    return *m_queue;
}

TransportTotals
ScaleUpTransport::GetTotals() const
{
    return m_totals;
}

void
ScaleUpTransport::DescribeOpen(std::vector<std::string>& lines, std::size_t most) const
{
    for (const auto& port : m_ports)
    {
        port->Describe(lines, most);
    }
    for (const auto& [key, reduction] : m_reductions)
    {
        const Message& share = reduction.last.message;
        const std::size_t members = share.members->size();
        if (reduction.shares.size() < members && lines.size() < most)
        {
            lines.push_back("scale-up sum of " + std::to_string(share.bytes) + " B for rank " +
                            std::to_string(share.to) + ": " +
                            std::to_string(reduction.shares.size()) + " of " +
                            std::to_string(members) + " ranks have given their share");
        }
    }
}

} // namespace llm
} // namespace ns3
