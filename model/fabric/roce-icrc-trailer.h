/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ICRC_TRAILER_H
#define ROCE_ICRC_TRAILER_H

#include "ns3/packet.h"
#include "ns3/trailer.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @param packet any bytes.
 * @return the Ethernet frame check sequence over them (IEEE 802.3 3.2.9); goes on the wire least
 *         significant byte first, as EthernetTrailer writes it.
 */
uint32_t ComputeFcs(Ptr<const Packet> packet);

/**
 * @ingroup llm-training
 *
 * Invariant CRC at the end of a RoCEv2 packet, 4 bytes (IBTA Annex A17.3.3). It covers what no
 * router changes: TOS, TTL, both checksums and the FECN/BECN byte count as ones.
 */
class RoceIcrcTrailer : public Trailer
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator end) const override;
    uint32_t Deserialize(Buffer::Iterator end) override;

    /**
     * @param packet from the IPv4 header, without options, to the end of the padding; its length
     *        fields count the ICRC already.
     * @return the ICRC.
     */
    static uint32_t Compute(Ptr<const Packet> packet);

    /** @param icrc value. */
    void SetIcrc(uint32_t icrc);
    /** @return value. */
    uint32_t GetIcrc() const;

  private:
    uint32_t m_icrc{0}; //!< on the wire least significant byte first
};

} // namespace llm
} // namespace ns3

#endif // ROCE_ICRC_TRAILER_H
