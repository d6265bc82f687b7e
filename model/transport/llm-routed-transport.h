/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ROUTED_TRANSPORT_H
#define LLM_ROUTED_TRANSPORT_H

#include "llm-message-transport.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Sends messages between ranks of one server over the scale-up transport, all others over the
 * network's transport. Both must work on one event queue. Traces and totals are those of both
 * together; each of them keeps its own too.
 */
class RoutedTransport : public MessageTransport, private MessageListener
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RoutedTransport();
    ~RoutedTransport() override;

    /**
     * @param scaleUp inside servers.
     * @param network between servers.
     * @param serverOf number of the server of each rank.
     * @throw ConfigError if the two work on different event queues.
     */
    void SetRoutes(Ptr<MessageTransport> scaleUp,
                   Ptr<MessageTransport> network,
                   std::vector<uint32_t> serverOf);

    void Send(const Message& message) override;
    void Announce(const Message& expected) override;
    FabricEventQueue& GetEventQueue() override;
    TransportTotals GetTotals() const override;
    void DescribeOpen(std::vector<std::string>& lines, std::size_t most) const override;

  protected:
    void DoDispose() override;

  private:
    void MessageDelivered(const Message& message, int64_t now) override;
    void MessageSent(const Message& message, int64_t now) override;
    void MessageFailed(const Message& message, const std::string& reason) override;

    Ptr<MessageTransport> m_scaleUp;  //!< inside servers
    Ptr<MessageTransport> m_network;  //!< between servers
    std::vector<uint32_t> m_serverOf; //!< by rank
};

} // namespace llm
} // namespace ns3

#endif // LLM_ROUTED_TRANSPORT_H
