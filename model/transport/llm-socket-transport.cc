/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-socket-transport.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-growing-fifo.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/socket-factory.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace llm
{

NS_LOG_COMPONENT_DEFINE("LlmSocketTransport");
NS_OBJECT_ENSURE_REGISTERED(SocketTransport);

namespace
{
constexpr uint64_t MAX_WRITE = 1U << 20; //!< bytes per packet handed to a socket

/** @param address of a socket or a host. @return port, 0 if it names none. */
uint16_t
PortOf(const Address& address)
{
    if (InetSocketAddress::IsMatchingType(address))
    {
        return InetSocketAddress::ConvertFrom(address).GetPort();
    }
    if (Inet6SocketAddress::IsMatchingType(address))
    {
        return Inet6SocketAddress::ConvertFrom(address).GetPort();
    }
    return 0;
}

/** @param address any. @return true if it is IPv4, with or without port. */
bool
IsIpv4(const Address& address)
{
    return Ipv4Address::IsMatchingType(address) || InetSocketAddress::IsMatchingType(address);
}

/** @param address any. @return true if it is IPv6, with or without port. */
bool
IsIpv6(const Address& address)
{
    return Ipv6Address::IsMatchingType(address) || Inet6SocketAddress::IsMatchingType(address);
}

/** @param node any. @param address IPv4 or IPv6.
 *  @return "node 3 has no IPv6 stack", or empty if it has the one that the address needs. */
std::string
WhyUnusable(const Ptr<Node>& node, const Address& address)
{
    const bool isIpv6 = IsIpv6(address);
    const bool usable =
        isIpv6 ? node->GetObject<Ipv6>() != nullptr : node->GetObject<Ipv4>() != nullptr;
    return usable ? ""
                  : "node " + std::to_string(node->GetId()) + " has no " +
                        (isIpv6 ? "IPv6" : "IPv4") + " stack";
}

/** @param address IPv4 or IPv6, with or without port. @param port replaces it.
 *  @return address of a socket. */
Address
WithPort(const Address& address, uint16_t port)
{
    if (InetSocketAddress::IsMatchingType(address))
    {
        return InetSocketAddress(InetSocketAddress::ConvertFrom(address).GetIpv4(), port);
    }
    if (Inet6SocketAddress::IsMatchingType(address))
    {
        return Inet6SocketAddress(Inet6SocketAddress::ConvertFrom(address).GetIpv6(), port);
    }
    if (Ipv6Address::IsMatchingType(address))
    {
        return Inet6SocketAddress(Ipv6Address::ConvertFrom(address), port);
    }
    return InetSocketAddress(Ipv4Address::ConvertFrom(address), port);
}

/** @param address of a socket. @return "10.1.1.1:49153", the same on both sides. */
std::string
Say(const Address& address)
{
    std::ostringstream text;
    if (Inet6SocketAddress::IsMatchingType(address))
    {
        text << '[' << Inet6SocketAddress::ConvertFrom(address).GetIpv6() << ']';
    }
    else
    {
        text << InetSocketAddress::ConvertFrom(address).GetIpv4();
    }
    text << ':' << PortOf(address);
    return text.str();
}
} // namespace

/** Where a rank is reached. */
struct SocketTransport::Endpoint
{
    Ptr<Node> node;       //!< its node
    Address address;      //!< address and port
    Address loopback;     //!< the same from its own node
    Ptr<Socket> listener; //!< waits for connections
};

/** One direction of a channel between two ranks. */
struct SocketTransport::Connection
{
    /** A message and where it ends in the stream. */
    struct Piece
    {
        Message message; //!< what
        uint64_t end{0}; //!< bytes of the stream up to and including it
    };

    uint32_t from{0};               //!< sending rank
    uint32_t to{0};                 //!< receiving rank
    uint16_t channel{0};            //!< which
    Ptr<Socket> sender;             //!< null before the first byte
    Ptr<Socket> receiver;           //!< null before it was accepted
    bool connected{false};          //!< bytes may be written
    bool pumping{false};            //!< Pump is scheduled
    std::string broken;             //!< why it is over; empty while it is not
    uint64_t queued{0};             //!< bytes of all messages
    uint64_t written{0};            //!< of them in the socket
    uint64_t received{0};           //!< of them read
    GrowingFifo<Piece> unwritten;   //!< messages not wholly in the socket
    GrowingFifo<Piece> undelivered; //!< messages not wholly read

    /** @return "rank 0 to rank 1, channel 0". */
    std::string GetName() const
    {
        return "rank " + std::to_string(from) + " to rank " + std::to_string(to) + ", channel " +
               std::to_string(channel);
    }
};

TypeId
SocketTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::SocketTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("LlmTraining")
            .AddConstructor<SocketTransport>()
            .AddAttribute("SocketFactory",
                          "Type of the socket factory on the nodes; its sockets are streams.",
                          TypeIdValue(TcpSocketFactory::GetTypeId()),
                          MakeTypeIdAccessor(&SocketTransport::m_factory),
                          MakeTypeIdChecker());
    return tid;
}

SocketTransport::SocketTransport()
    : m_queue(std::make_unique<FabricEventQueue>())
{
}

SocketTransport::~SocketTransport() = default;

void
SocketTransport::DoDispose()
{
    const auto forget = [](Ptr<Socket> socket) {
        if (socket)
        {
            socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                                       MakeNullCallback<void, Ptr<Socket>>());
            socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                      MakeNullCallback<void, Ptr<Socket>>());
            socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeNullCallback<void, Ptr<Socket>, const Address&>());
            socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
            socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        }
    };
    for (const auto& connection : m_connections)
    {
        forget(connection->sender);
        forget(connection->receiver);
        connection->sender = nullptr;
        connection->receiver = nullptr;
        connection->broken = "the transport is gone";
    }
    for (const auto& endpoint : m_endpoints)
    {
        if (endpoint)
        {
            forget(endpoint->listener);
        }
    }
    m_endpoints.clear();
    MessageTransport::DoDispose();
}

const SocketTransport::Endpoint*
SocketTransport::FindEndpoint(uint32_t rank) const
{
    return rank < m_endpoints.size() ? m_endpoints[rank].get() : nullptr;
}

void
SocketTransport::AddRank(uint32_t rank, Ptr<Node> node, const Address& address)
{
    const std::string path = "rank " + std::to_string(rank);
    if (FindEndpoint(rank))
    {
        throw ConfigError("SocketTransport", path, "was added before");
    }
    if (!IsIpv4(address) && !IsIpv6(address))
    {
        throw ConfigError("SocketTransport", path, "needs an IPv4 or IPv6 address");
    }
    if (!node->GetObject<SocketFactory>(m_factory))
    {
        throw ConfigError("SocketTransport",
                          path,
                          "node " + std::to_string(node->GetId()) + " has no " +
                              m_factory.GetName() + "; install an Internet stack on it");
    }
    const std::string unusable = WhyUnusable(node, address);
    if (!unusable.empty())
    {
        throw ConfigError("SocketTransport", path, unusable + ", as its address needs");
    }
    auto endpoint = std::make_unique<Endpoint>();
    endpoint->node = node;
    endpoint->listener = Socket::CreateSocket(node, m_factory);
    Address any = Ipv4Address::GetAny();
    Address loopback = Ipv4Address::GetLoopback();
    if (IsIpv6(address))
    {
        any = Ipv6Address::GetAny();
        loopback = Ipv6Address::GetLoopback();
    }
    if (endpoint->listener->Bind(WithPort(any, PortOf(address))) != 0 ||
        endpoint->listener->Listen() != 0)
    {
        throw ConfigError("SocketTransport",
                          path,
                          "cannot listen on port " + std::to_string(PortOf(address)) + " of node " +
                              std::to_string(node->GetId()) + "; another socket may use it");
    }
    Address bound;
    endpoint->listener->GetSockName(bound);
    endpoint->address = WithPort(address, PortOf(bound));
    endpoint->loopback = WithPort(loopback, PortOf(bound));
    endpoint->listener->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>(
            [this, rank](Ptr<Socket> socket, const Address& from) {
                HandleAccept(rank, socket, from);
            }));
    if (rank >= m_endpoints.size())
    {
        m_endpoints.resize(rank + 1);
        m_index.resize(rank + 1);
    }
    m_endpoints[rank] = std::move(endpoint);
}

uint32_t
SocketTransport::GetConnection(const Message& message)
{
    const uint64_t key = (static_cast<uint64_t>(message.to) << 16) | message.channel;
    const auto next = static_cast<uint32_t>(m_connections.size());
    const auto [it, isNew] = m_index[message.from].try_emplace(key, next);
    if (isNew)
    {
        auto connection = std::make_unique<Connection>();
        connection->from = message.from;
        connection->to = message.to;
        connection->channel = message.channel;
        m_connections.push_back(std::move(connection));
    }
    return it->second;
}

void
SocketTransport::Send(const Message& message)
{
    const Endpoint* from = FindEndpoint(message.from);
    if (!from || !FindEndpoint(message.to) || message.from == message.to)
    {
        throw ConfigError("SocketTransport",
                          "",
                          "message from rank " + std::to_string(message.from) + " to rank " +
                              std::to_string(message.to) +
                              "; two different ranks known by AddRank are needed");
    }
    if (message.inNetwork != InNetwork::NONE)
    {
        throw ConfigError(
            "SocketTransport",
            "",
            "the network reduces and multicasts nothing; only a scale-up domain does");
    }
    const int64_t now = m_queue->Now();
    Message started = message;
    started.start = now;
    ++m_totals.messagesStarted;
    m_totals.bytesStarted += message.bytes;
    NotifyStart(started, now);
    const uint32_t index = GetConnection(message);
    Connection& connection = *m_connections[index];
    if (!connection.broken.empty())
    {
        NotifyFailed(started, connection.broken);
        return;
    }
    connection.queued += message.bytes;
    connection.undelivered.Push({started, connection.queued});
    if (message.bytes == 0)
    {
        NotifySent(started, now);
        Deliver(connection, now);
        return;
    }
    connection.unwritten.Push({started, connection.queued});
    if (!connection.pumping)
    {
        // Sockets belong to their node: they are used in events of its context.
        connection.pumping = true;
        Simulator::ScheduleWithContext(from->node->GetId(),
                                       Time(0),
                                       &SocketTransport::Pump,
                                       Ptr<SocketTransport>(this),
                                       index);
    }
}

void
SocketTransport::Pump(uint32_t index)
{
    FabricEntry entry(*m_queue);
    Connection& connection = *m_connections[index];
    connection.pumping = false;
    if (!connection.broken.empty())
    {
        return;
    }
    if (!connection.sender)
    {
        Open(index);
    }
    else if (connection.connected)
    {
        Write(connection, m_queue->Now());
    }
}

void
SocketTransport::Open(uint32_t index)
{
    Connection& connection = *m_connections[index];
    const Endpoint& from = *m_endpoints[connection.from];
    const Endpoint& to = *m_endpoints[connection.to];
    const Address& peer = from.node == to.node ? to.loopback : to.address;
    NS_LOG_INFO(connection.GetName() << " connects to " << Say(peer));
    const std::string unusable = WhyUnusable(from.node, peer);
    if (!unusable.empty())
    {
        HandleBroken(index, unusable + " to reach " + Say(peer));
        return;
    }
    Ptr<Socket> socket = Socket::CreateSocket(from.node, m_factory);
    connection.sender = socket;
    socket->SetConnectCallback(
        Callback<void, Ptr<Socket>>([this, index](Ptr<Socket>) { HandleConnected(index); }),
        Callback<void, Ptr<Socket>>(
            [this, index](Ptr<Socket>) { HandleBroken(index, "no connection could be made"); }));
    socket->SetCloseCallbacks(Callback<void, Ptr<Socket>>([this, index](Ptr<Socket>) {
                                  HandleBroken(index, "the connection was closed");
                              }),
                              Callback<void, Ptr<Socket>>([this, index](Ptr<Socket>) {
                                  HandleBroken(index, "the connection broke");
                              }));
    socket->SetSendCallback(
        Callback<void, Ptr<Socket>, uint32_t>([this, index](Ptr<Socket>, uint32_t) {
            FabricEntry entry(*m_queue);
            if (m_connections[index]->connected)
            {
                Write(*m_connections[index], m_queue->Now());
            }
        }));
    const int bound = IsIpv6(peer) ? socket->Bind6() : socket->Bind();
    if (bound != 0 || socket->Connect(peer) != 0)
    {
        HandleBroken(index, "there is no route to " + Say(peer));
        return;
    }
    // The listener learns this address with the connection; nothing else tells whose it is.
    Address own;
    socket->GetSockName(own);
    m_expected[{connection.to, Say(own)}] = index;
}

void
SocketTransport::HandleConnected(uint32_t index)
{
    FabricEntry entry(*m_queue);
    Connection& connection = *m_connections[index];
    connection.connected = true;
    Write(connection, m_queue->Now());
}

void
SocketTransport::Write(Connection& connection, int64_t now)
{
    while (connection.written < connection.queued)
    {
        const uint64_t room = connection.sender->GetTxAvailable();
        const uint64_t bytes = std::min({connection.queued - connection.written, room, MAX_WRITE});
        if (bytes == 0)
        {
            break;
        }
        const int sent = connection.sender->Send(Create<Packet>(static_cast<uint32_t>(bytes)));
        if (sent <= 0)
        {
            break;
        }
        connection.written += static_cast<uint64_t>(sent);
        m_totals.payloadSent += static_cast<uint64_t>(sent);
    }
    while (!connection.unwritten.IsEmpty() &&
           connection.unwritten.Front().end <= connection.written)
    {
        const Message message = connection.unwritten.Front().message;
        connection.unwritten.Pop();
        NotifySent(message, now);
    }
}

void
SocketTransport::HandleBroken(uint32_t index, const std::string& reason)
{
    FabricEntry entry(*m_queue);
    Connection& connection = *m_connections[index];
    if (!connection.broken.empty())
    {
        return;
    }
    connection.broken = "connection from " + connection.GetName() + ": " + reason;
    connection.connected = false;
    NS_LOG_INFO(connection.broken);
    connection.unwritten.Clear();
    while (!connection.undelivered.IsEmpty())
    {
        const Message message = connection.undelivered.Front().message;
        connection.undelivered.Pop();
        NotifyFailed(message, connection.broken);
    }
}

void
SocketTransport::HandleAccept(uint32_t rank, Ptr<Socket> socket, const Address& from)
{
    FabricEntry entry(*m_queue);
    const auto it = m_expected.find({rank, Say(from)});
    if (it == m_expected.end())
    {
        NS_LOG_WARN("rank " << rank << " refuses a connection from " << Say(from)
                            << ", which no rank has opened");
        socket->Close();
        return;
    }
    const uint32_t index = it->second;
    m_expected.erase(it);
    m_connections[index]->receiver = socket;
    socket->SetRecvCallback(Callback<void, Ptr<Socket>>(
        [this, index](Ptr<Socket> reader) { HandleRead(index, reader); }));
    socket->SetCloseCallbacks(Callback<void, Ptr<Socket>>([this, index](Ptr<Socket>) {
                                  HandleBroken(index, "the connection was closed");
                              }),
                              Callback<void, Ptr<Socket>>([this, index](Ptr<Socket>) {
                                  HandleBroken(index, "the connection broke");
                              }));
    HandleRead(index, socket);
}

void
SocketTransport::HandleRead(uint32_t index, Ptr<Socket> socket)
{
    FabricEntry entry(*m_queue);
    Connection& connection = *m_connections[index];
    uint64_t bytes = 0;
    for (Ptr<Packet> packet = socket->Recv(); packet && packet->GetSize() > 0;
         packet = socket->Recv())
    {
        bytes += packet->GetSize();
    }
    connection.received += bytes;
    m_totals.payloadReceived += bytes;
    Deliver(connection, m_queue->Now());
}

void
SocketTransport::Deliver(Connection& connection, int64_t now)
{
    while (!connection.undelivered.IsEmpty() &&
           connection.undelivered.Front().end <= connection.received)
    {
        const Message message = connection.undelivered.Front().message;
        connection.undelivered.Pop();
        ++m_totals.messagesDelivered;
        m_totals.bytesDelivered += message.bytes;
        NotifyDelivered(message, now);
    }
}

FabricEventQueue&
SocketTransport::GetEventQueue()
{
    return *m_queue;
}

TransportTotals
SocketTransport::GetTotals() const
{
    return m_totals;
}

void
SocketTransport::DescribeOpen(std::vector<std::string>& lines, std::size_t most) const
{
    for (const auto& connection : m_connections)
    {
        for (std::size_t i = 0; i < connection->undelivered.Size() && lines.size() < most; ++i)
        {
            const Connection::Piece& piece = connection->undelivered[i];
            const uint64_t begin = piece.end - piece.message.bytes;
            const uint64_t done =
                std::min(connection->received - std::min(connection->received, begin),
                         piece.message.bytes);
            lines.push_back("socket " + connection->GetName() + ": " + std::to_string(done) +
                            " of " + std::to_string(piece.message.bytes) + " B received, " +
                            (connection->connected ? "connected" : "not connected"));
        }
    }
}

} // namespace llm
} // namespace ns3
