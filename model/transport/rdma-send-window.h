/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SEND_WINDOW_H
#define RDMA_SEND_WINDOW_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What a requester knows of each packet from the oldest unacknowledged to the newest sent: two bits
 * of state and the payload, 16 bits a packet, in a ring that doubles when it is full.
 */
class RdmaSendWindow
{
  public:
    /** State of a packet. */
    enum class State : uint8_t
    {
        FLYING, //!< sent once, or so long ago again that it counts as such
        LOST,   //!< to be sent again
        AGAIN,  //!< sent again
        ARRIVED //!< acknowledged by itself
    };

    /** @param psn of the first packet. */
    void Start(uint64_t psn);

    /** @return oldest packet that is not acknowledged by all before it. */
    uint64_t GetBase() const
    {
        return m_base;
    }

    /** @return one past the newest packet that was sent. */
    uint64_t GetEnd() const
    {
        return m_end;
    }

    /** @return one past the newest packet that has arrived by itself; at most GetBase(): none. */
    uint64_t GetArrivedEnd() const
    {
        return m_arrivedEnd;
    }

    /** @return true if a packet has arrived and one before it has not, as far as is known. */
    bool HasHoles() const
    {
        return m_arrivedEnd > m_base;
    }

    /** @return packets to be sent again. */
    uint64_t GetLostPackets() const
    {
        return m_lostPackets;
    }

    /** @return payload that is not in flight: arrived by itself, or to be sent again. */
    uint64_t GetGrounded() const
    {
        return m_arrivedBytes + m_lostBytes;
    }

    /** @return packets that fit without growing. */
    uint64_t GetCapacity() const
    {
        return m_ring.size();
    }

    /** @param psn from base to end. @return its state. */
    State GetState(uint64_t psn) const
    {
        return static_cast<State>(m_ring[psn & (m_ring.size() - 1)] & 3);
    }

    /** @param psn from base to end. @return its payload, bytes. */
    uint32_t GetPayload(uint64_t psn) const
    {
        return m_ring[psn & (m_ring.size() - 1)] >> 2;
    }

    /** The next packet is sent. @param payload of it, at most 16383 bytes. */
    void Push(uint32_t payload);

    /**
     * All packets below one are acknowledged.
     * @param psn at most the end.
     * @return payload of those among them that had not arrived by themselves.
     */
    uint64_t Advance(uint64_t psn);

    /** A packet has arrived. @param psn from base to end. @return its payload; 0: known before. */
    uint32_t MarkArrived(uint64_t psn);

    /**
     * A packet is to be sent again.
     * @param psn from base to end.
     * @return true if it was in flight.
     */
    bool MarkLost(uint64_t psn);

    /** A packet that was sent again may be found lost as any other. @param psn from base to end. */
    void Forget(uint64_t psn);

    /** @return the oldest packet to be sent again, which is now; there must be one. */
    uint64_t TakeLost();

  private:
    /** @param psn packet. @param state of it from now on. */
    void SetState(uint64_t psn, State state)
    {
        uint16_t& entry = m_ring[psn & (m_ring.size() - 1)];
        entry = static_cast<uint16_t>((entry & ~3U) | static_cast<uint32_t>(state));
    }

    std::vector<uint16_t> m_ring; //!< payload << 2 | state, a power of two long
    uint64_t m_base{0};           //!< oldest
    uint64_t m_end{0};            //!< one past the newest
    uint64_t m_arrivedEnd{0};     //!< one past the newest that has arrived by itself
    uint64_t m_lostFrom{0};       //!< no packet below is to be sent again
    uint64_t m_lostPackets{0};    //!< to be sent again
    uint64_t m_lostBytes{0};      //!< to be sent again
    uint64_t m_arrivedBytes{0};   //!< arrived by themselves
};

} // namespace llm
} // namespace ns3

#endif // RDMA_SEND_WINDOW_H
