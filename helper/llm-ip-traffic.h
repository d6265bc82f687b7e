/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_IP_TRAFFIC_H
#define LLM_IP_TRAFFIC_H

#include "fabric-topology.h"
#include "llm-scenario.h"
#include "llm-traffic-report.h"

#include "ns3/address.h"
#include "ns3/packet-sink.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Ordinary ns-3 applications of one entry of tcp or udp: a PacketSink on every receiving host, a
 * BulkSendApplication (TCP as fast as it goes) or an OnOffApplication (at a rate) on every sending
 * one. Their packets go through the same ports, queues and buffers as RDMA, in the class that their
 * DSCP asks for; what a receiver answers goes in class 0.
 */
class IpTraffic
{
  public:
    /**
     * @param scenario of the whole.
     * @param entry what is sent.
     * @param path of the entry in the scenario.
     * @param udp over UDP; false: over TCP.
     * @param port that receivers listen at.
     * @param network whose endpoints have IP stacks; see PrepareScenarioIp.
     * @throw ConfigError if a host is unknown, or the lists do not fit together.
     */
    IpTraffic(const Scenario& scenario,
              const Scenario::IpTraffic& entry,
              const std::string& path,
              bool udp,
              uint16_t port,
              const FabricNetwork& network);
    ~IpTraffic();
    IpTraffic(const IpTraffic&) = delete;
    IpTraffic& operator=(const IpTraffic&) = delete;

    /** Have the senders stop, unless they have a time or bytes of their own to do so. */
    void Stop();

    /** @return what was received. */
    TrafficReport Collect() const;

  private:
    class Meter;

    /** Sink of Tx. */
    void Sent(Ptr<const Packet> packet);
    /** Put a sender on a host. */
    void AddSender(const std::string& from, const Address& to);
    /** @return endpoint of a host. */
    uint32_t FindHost(const std::string& name, const std::string& list, std::size_t index) const;

    const Scenario& m_scenario;                   //!< of the whole
    Scenario::IpTraffic m_entry;                  //!< what is sent
    std::string m_path;                           //!< of the entry
    bool m_udp;                                   //!< over UDP
    uint16_t m_port;                              //!< of the receivers
    FabricNetwork m_network;                      //!< whose hosts
    std::vector<std::unique_ptr<Meter>> m_meters; //!< of receivers
    std::vector<std::function<void()>> m_stops;   //!< one per sender
    std::vector<Ptr<Application>> m_senders;      //!< applications
    uint64_t m_sent{0};                           //!< bytes handed to sockets
};

} // namespace llm
} // namespace ns3

#endif // LLM_IP_TRAFFIC_H
