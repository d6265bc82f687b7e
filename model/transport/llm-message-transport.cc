/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-message-transport.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(MessageTransport);

TransportTotals&
TransportTotals::operator+=(const TransportTotals& other)
{
    messagesStarted += other.messagesStarted;
    messagesDelivered += other.messagesDelivered;
    bytesStarted += other.bytesStarted;
    bytesDelivered += other.bytesDelivered;
    payloadSent += other.payloadSent;
    payloadRetransmitted += other.payloadRetransmitted;
    payloadDuplicate += other.payloadDuplicate;
    payloadOutOfOrder += other.payloadOutOfOrder;
    payloadReceived += other.payloadReceived;
    dataPackets += other.dataPackets;
    acksSent += other.acksSent;
    naksSent += other.naksSent;
    readRequests += other.readRequests;
    rnrNaksSent += other.rnrNaksSent;
    cnpsSent += other.cnpsSent;
    cnpsReceived += other.cnpsReceived;
    timeouts += other.timeouts;
    resentAfterTimeout += other.resentAfterTimeout;
    recoveries += other.recoveries;
    trimsReceived += other.trimsReceived;
    placedEarly += other.placedEarly;
    protocolBytesStarted += other.protocolBytesStarted;
    protocolBytesDelivered += other.protocolBytesDelivered;
    clearToSends += other.clearToSends;
    bytesReduced += other.bytesReduced;
    bytesMulticast += other.bytesMulticast;
    return *this;
}

TypeId
MessageTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::MessageTransport")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddTraceSource("MessageStart",
                            "A message was handed to the transport.",
                            MakeTraceSourceAccessor(&MessageTransport::m_messageStart),
                            "ns3::llm::MessageTransport::MessageTracedCallback")
            .AddTraceSource("MessageEnd",
                            "The last byte of a message has arrived, in order, at its receiver.",
                            MakeTraceSourceAccessor(&MessageTransport::m_messageEnd),
                            "ns3::llm::MessageTransport::MessageTracedCallback");
    return tid;
}

MessageTransport::MessageTransport() = default;
MessageTransport::~MessageTransport() = default;

void
MessageTransport::Announce(const Message&)
{
}

void
MessageTransport::SetListener(MessageListener* listener)
{
    m_listener = listener;
}

void
MessageTransport::DoDispose()
{
    m_listener = nullptr;
    Object::DoDispose();
}

void
MessageTransport::NotifyStart(const Message& message, int64_t now)
{
    m_messageStart(message, now);
}

void
MessageTransport::NotifyDelivered(const Message& message, int64_t now)
{
    m_messageEnd(message, now);
    if (m_listener)
    {
        m_listener->MessageDelivered(message, now);
    }
}

void
MessageTransport::NotifySent(const Message& message, int64_t now)
{
    if (m_listener)
    {
        m_listener->MessageSent(message, now);
    }
}

void
MessageTransport::NotifyFailed(const Message& message, const std::string& reason)
{
    if (m_listener)
    {
        m_listener->MessageFailed(message, reason);
    }
}

} // namespace llm
} // namespace ns3
