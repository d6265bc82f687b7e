/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SOCKET_TRANSPORT_H
#define LLM_SOCKET_TRANSPORT_H

#include "llm-message-transport.h"

#include "ns3/address.h"
#include "ns3/ptr.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

class Node;
class Socket;

namespace llm
{

/**
 * @ingroup llm-training
 *
 * Messages over ns-3 stream sockets (TCP), on the nodes, stacks and devices of any existing ns-3
 * network.
 *
 * Every (from, to, channel) has one connection, opened by its first message and kept for the life
 * of the transport. Payload is virtual: only byte counts are written, no header is added. A
 * stream keeps order and sizes are known here, so that bytes need no marks to be told apart. As
 * with NCCL's socket transport, a send is over when its last byte is in the socket's send buffer;
 * it is delivered when the receiver has read its last byte. (Waiting for the last acknowledgement
 * would add the receiver's delayed-ACK timer, 200 ms in ns-3, to every message.) An empty message
 * behind others is delivered with the last of them, else at once.
 *
 * Ranks on one node talk over its loopback device. A connection that cannot be made or breaks
 * fails its messages; nothing is repeated. Whatever TCP itself does (segment size, buffers,
 * congestion control) is set on ns3::TcpSocket.
 *
 * The event queue is the transport's own.
 */
class SocketTransport : public MessageTransport
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    SocketTransport();
    ~SocketTransport() override;

    /**
     * Make a rank known and listen for connections to it.
     * @param rank new.
     * @param node has the socket factory, i.e. an Internet stack.
     * @param address by which other nodes reach it: Ipv4Address or Ipv6Address for any free port,
     *        InetSocketAddress or Inet6SocketAddress to name the port.
     * @throw ConfigError if the rank is known, the node has no such sockets or no stack for such an
     *        address, the address is of another kind or the port is taken.
     */
    void AddRank(uint32_t rank, Ptr<Node> node, const Address& address);

    void Send(const Message& message) override;
    FabricEventQueue& GetEventQueue() override;
    TransportTotals GetTotals() const override;
    void DescribeOpen(std::vector<std::string>& lines, std::size_t most) const override;

    /** @return connections opened so far. */
    std::size_t GetConnections() const
    {
        return m_connections.size();
    }

  protected:
    void DoDispose() override;

  private:
    struct Endpoint;
    struct Connection;

    /** @param rank which. @return its endpoint, or nullptr. */
    const Endpoint* FindEndpoint(uint32_t rank) const;
    /** @return index of the connection, new if there is none. */
    uint32_t GetConnection(const Message& message);
    /** On the sender's node: connect if need be, write what fits. @param index connection. */
    void Pump(uint32_t index);
    /** Open the socket of a connection. */
    void Open(uint32_t index);
    /** Write what fits. */
    void Write(Connection& connection, int64_t now);
    /** The connection stands. */
    void HandleConnected(uint32_t index);
    /** The connection is over. @param index which. @param reason one line. */
    void HandleBroken(uint32_t index, const std::string& reason);
    /** A connection came in. @param rank who listened. @param socket new. @param from peer. */
    void HandleAccept(uint32_t rank, Ptr<Socket> socket, const Address& from);
    /** Bytes can be read. */
    void HandleRead(uint32_t index, Ptr<Socket> socket);
    /** Deliver what is complete. */
    void Deliver(Connection& connection, int64_t now);

    TypeId m_factory;                                       //!< attribute
    std::unique_ptr<FabricEventQueue> m_queue;              //!< event core
    std::vector<std::unique_ptr<Endpoint>> m_endpoints;     //!< by rank, null where unknown
    std::vector<std::unique_ptr<Connection>> m_connections; //!< in order of opening
    /** By sending rank: (to, channel) -> connection; looked up, never iterated. */
    std::vector<std::unordered_map<uint64_t, uint32_t>> m_index;
    /** Connections under way: (listening rank, peer address) -> connection. */
    std::map<std::pair<uint32_t, std::string>, uint32_t> m_expected;
    TransportTotals m_totals; //!< counters
};

} // namespace llm
} // namespace ns3

#endif // LLM_SOCKET_TRANSPORT_H
