/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-routed-transport.h"

#include "ns3/llm-config-error.h"
#include "ns3/pointer.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RoutedTransport);

TypeId
RoutedTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RoutedTransport")
                            .SetParent<MessageTransport>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<RoutedTransport>()
                            .AddAttribute("ScaleUp",
                                          "Transport within servers.",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&RoutedTransport::m_scaleUp),
                                          MakePointerChecker<MessageTransport>())
                            .AddAttribute("Network",
                                          "Transport between servers.",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&RoutedTransport::m_network),
                                          MakePointerChecker<MessageTransport>());
    return tid;
}

RoutedTransport::RoutedTransport() = default;
RoutedTransport::~RoutedTransport() = default;

void
RoutedTransport::DoDispose()
{
    for (const auto& transport : {m_scaleUp, m_network})
    {
        if (transport)
        {
            transport->SetListener(nullptr);
        }
    }
    m_scaleUp = nullptr;
    m_network = nullptr;
    MessageTransport::DoDispose();
}

void
RoutedTransport::SetRoutes(Ptr<MessageTransport> scaleUp,
                           Ptr<MessageTransport> network,
                           std::vector<uint32_t> serverOf)
{
    if (&scaleUp->GetEventQueue() != &network->GetEventQueue())
    {
        throw ConfigError("RoutedTransport",
                          "",
                          "the two transports work on different event queues; give the scale-up "
                          "transport that of the network");
    }
    m_scaleUp = scaleUp;
    m_network = network;
    m_serverOf = std::move(serverOf);
    m_scaleUp->SetListener(this);
    m_network->SetListener(this);
}

void
RoutedTransport::Send(const Message& message)
{
    if (message.from >= m_serverOf.size() || message.to >= m_serverOf.size() ||
        (message.from == message.to && message.inNetwork == InNetwork::NONE))
    {
        throw ConfigError("RoutedTransport",
                          "",
                          "message from rank " + std::to_string(message.from) + " to rank " +
                              std::to_string(message.to) + "; two different ranks below " +
                              std::to_string(m_serverOf.size()) + " are needed");
    }
    Message started = message;
    started.start = GetEventQueue().Now();
    NotifyStart(started, started.start);
    const bool inside = m_serverOf[message.from] == m_serverOf[message.to];
    (inside ? m_scaleUp : m_network)->Send(started);
}

void
RoutedTransport::Announce(const Message& expected)
{
    const bool inside = m_serverOf[expected.from] == m_serverOf[expected.to];
    (inside ? m_scaleUp : m_network)->Announce(expected);
}

FabricEventQueue&
RoutedTransport::GetEventQueue()
{
    return m_network->GetEventQueue();
}

TransportTotals
RoutedTransport::GetTotals() const
{
    TransportTotals sum = m_network->GetTotals();
    sum += m_scaleUp->GetTotals();
    return sum;
}

void
RoutedTransport::DescribeOpen(std::vector<std::string>& lines, std::size_t most) const
{
    m_scaleUp->DescribeOpen(lines, most);
    m_network->DescribeOpen(lines, most);
}

void
RoutedTransport::MessageDelivered(const Message& message, int64_t now)
{
    NotifyDelivered(message, now);
}

void
RoutedTransport::MessageSent(const Message& message, int64_t now)
{
    NotifySent(message, now);
}

void
RoutedTransport::MessageFailed(const Message& message, const std::string& reason)
{
    NotifyFailed(message, reason);
}

} // namespace llm
} // namespace ns3
