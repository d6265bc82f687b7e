/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PACKET_SCALE_UP_TRANSPORT_H
#define LLM_PACKET_SCALE_UP_TRANSPORT_H

#include "llm-message-transport.h"

#include "ns3/llm-frame-port.h"
#include "ns3/llm-growing-fifo.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Scale-up domains with packets: messages as frames over ports of a lossless fabric of their own,
 * star or mesh. Frames of a pair of ranks keep their order; a port takes turns among the pairs that
 * send over it. There are neither acknowledgements nor retransmissions, as the links of a scale-up
 * domain repeat what was damaged themselves: delivery and acknowledgement are one instant.
 *
 * The switch does not reduce or multicast; only the analytic ScaleUpTransport does.
 */
class PacketScaleUpTransport final : public MessageTransport, private FabricEventHandler
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    PacketScaleUpTransport();
    ~PacketScaleUpTransport() override;

    /**
     * @param rank new; in order of rank.
     * @param ports of its accelerator, at least one; they serve this transport only.
     * @param nodeId ns-3 node id, context of events.
     * @throw ConfigError if the rank is known, or has no port.
     */
    void AddRank(uint32_t rank, const std::vector<FramePort*>& ports, uint32_t nodeId);

    void Send(const Message& message) override;
    FabricEventQueue& GetEventQueue() override;
    TransportTotals GetTotals() const override;
    void DescribeOpen(std::vector<std::string>& lines, std::size_t most) const override;

  protected:
    void DoDispose() override;

  private:
    class Port;

    /** A message that has not arrived. */
    struct Parcel
    {
        Message message;   //!< what
        uint64_t sent{0};  //!< bytes that were put into frames
        uint64_t there{0}; //!< bytes that have arrived
    };

    /** All messages from one rank to another. */
    struct Pair
    {
        uint32_t from{0};            //!< rank
        uint32_t to{0};              //!< rank
        Port* port{nullptr};         //!< of the sender
        GrowingFifo<Parcel> parcels; //!< oldest first
        std::size_t sending{0};      //!< parcel that is being sent, of parcels
        bool waiting{false};         //!< in its port's round
    };

    /** An accelerator. */
    struct Rank
    {
        std::vector<std::unique_ptr<Port>> ports; //!< empty: unknown
        uint32_t endpoint{0};                     //!< in the fabric
    };

    void HandleFabricEvent(FabricEventKind kind, int64_t now) override;
    /** @return ranks' pair, made if needed. @throw ConfigError if there is no way. */
    uint32_t FindPair(const Message& message);
    /** @return rank. @throw ConfigError if it is unknown. */
    Rank& GetRank(uint32_t rank);
    /** @return the next frame of a pair. */
    Frame* MakeFrame(uint32_t pair);
    /** A frame has arrived. */
    void Receive(Frame* frame, int64_t now);

    uint32_t m_payload{0};                              //!< attribute FramePayload
    uint32_t m_header{0};                               //!< attribute FrameHeader
    uint8_t m_trafficClass{3};                          //!< attribute TrafficClass
    FabricEventQueue* m_queue{nullptr};                 //!< event core
    uint32_t m_id{0};                                   //!< of events
    std::vector<Rank> m_ranks;                          //!< by rank
    std::deque<Pair> m_pairs;                           //!< in order of first use
    std::unordered_map<uint64_t, uint32_t> m_pairIndex; //!< by ranks; never iterated
    std::vector<Message> m_empty;                       //!< of 0 bytes, to deliver
    TransportTotals m_totals;                           //!< counters
};

} // namespace llm
} // namespace ns3

#endif // LLM_PACKET_SCALE_UP_TRANSPORT_H
