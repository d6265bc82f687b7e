/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCALE_UP_TRANSPORT_H
#define LLM_SCALE_UP_TRANSPORT_H

#include "llm-message-transport.h"

#include "ns3/data-rate.h"
#include "ns3/llm-growing-fifo.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Scale-up domains (NVLink) as an analytic link model: latency, bandwidth and the serialisation of
 * each accelerator's port, no packets.
 *
 * A message leaves through the egress of its sender, first come first served, at Bandwidth; its
 * first byte reaches the receiver Latency later and it is drained by the receiver's ingress, again
 * first come first served at Bandwidth, cut through. So a message that meets nobody takes Latency
 * plus its serialisation time, and n messages into one accelerator take n times that time. The
 * crossbar between has no limits of its own and holds what an ingress has not drained; it does not
 * push back on senders. Delivery and acknowledgement are one instant.
 *
 * The switch of a domain reduces and multicasts (InNetwork). Shares of a sum leave the egress of
 * each member; the sum reaches the receiver's ingress when the first byte of the last share would,
 * and is drained there once. A multicast leaves one egress once and is drained by every ingress.
 *
 * Times are exact: a busy port carries the fraction of a tick from message to message and never
 * drifts; what is told is rounded up to a tick. At equal time the sender with the lower port goes
 * first; ports count in the order of AddRank.
 *
 * Source of the defaults: NVLink 4 (H100), 450 GB/s per direction and accelerator, NVIDIA H100
 * architecture white paper, 2022; about 1 us from NCCL's small-message latencies.
 */
class ScaleUpTransport : public MessageTransport
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    ScaleUpTransport();
    ~ScaleUpTransport() override;

    /** @param queue that events go through; outlives this. Before any AddRank. */
    void SetEventQueue(FabricEventQueue& queue);

    /**
     * @param rank new.
     * @param domain number of the scale-up domain; messages stay inside one.
     * @param nodeId ns-3 node id, context of its events.
     * @throw ConfigError if the rank is known or no event queue was set.
     */
    void AddRank(uint32_t rank, uint32_t domain, uint32_t nodeId);

    /** @param a one rank. @param b another. @return true if both are in one domain. */
    bool IsConnected(uint32_t a, uint32_t b) const;

    void Send(const Message& message) override;
    FabricEventQueue& GetEventQueue() override;
    TransportTotals GetTotals() const override;
    void DescribeOpen(std::vector<std::string>& lines, std::size_t most) const override;

  protected:
    void DoDispose() override;

  private:
    /** One direction of a port: when it is free, to a fraction of a tick. */
    class Line
    {
      public:
        /**
         * @param now tick at which the message is there.
         * @param bytes length.
         * @param bitsPerSecond rate.
         * @param ticksPerSecond resolution of time.
         * @return tick when its last byte is through, rounded up.
         */
        int64_t Occupy(int64_t now, uint64_t bytes, uint64_t bitsPerSecond, int64_t ticksPerSecond);

        /** @return tick from which it is free, rounded up. */
        int64_t GetFree() const
        {
            return m_free + (m_fraction > 0 ? 1 : 0);
        }

      private:
        int64_t m_free{0};      //!< tick from which it is free, rounded down
        uint64_t m_fraction{0}; //!< rest, in 1/rate ticks
    };

    class Port;

    /** A message that has left its sender's port. */
    struct Flight
    {
        int64_t tick{0};    //!< first byte arrives, or last byte is drained
        uint32_t port{0};   //!< of the sender
        uint64_t number{0}; //!< of the sender's messages
        Message message;    //!< what
    };

    /** Receiver or sender of the one message, channel, tag, part. */
    using SwitchKey = std::tuple<uint32_t, uint16_t, uint64_t, uint32_t>;

    /** A sum in the making. */
    struct Reduction
    {
        Flight last;                 //!< the share that comes last
        std::vector<Message> shares; //!< that have left their senders
    };

    /** A message that is being copied. */
    struct Multicast
    {
        Message message;     //!< as it was sent
        std::size_t open{0}; //!< copies not yet delivered
    };

    /** @return order of arrival: (tick, sender's port, number). */
    static bool IsLater(const Flight& a, const Flight& b);
    /** @throw ConfigError if not all members are in the sender's domain. */
    void CheckMembers(const Message& message) const;
    /** A share has left its sender. */
    void Reduce(const Flight& share);
    /** A message to be copied has left its sender. */
    void Copy(const Flight& flight);
    /** A message, sum or copy is drained. */
    void Deliver(const Message& message, int64_t now);
    /** @return the message's place among those that the switch works on. */
    static SwitchKey KeyOf(const Message& message);

    /** @param rank which. @return its port, or nullptr. */
    Port* FindPort(uint32_t rank) const;

    DataRate m_bandwidth;                        //!< attribute
    Time m_latency;                              //!< attribute
    FabricEventQueue* m_queue{nullptr};          //!< event core
    std::vector<std::unique_ptr<Port>> m_ports;  //!< in order of AddRank
    std::vector<uint32_t> m_portOf;              //!< by rank; 0xffffffff none
    TransportTotals m_totals;                    //!< counters
    std::map<SwitchKey, Reduction> m_reductions; //!< sums not yet delivered
    std::map<SwitchKey, Multicast> m_multicasts; //!< messages not yet delivered to all
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCALE_UP_TRANSPORT_H
