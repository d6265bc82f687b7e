/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PFC_HEADER_H
#define PFC_HEADER_H

#include "ns3/header.h"
#include "ns3/mac48-address.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Priority-based flow control frame behind the EtherType, 20 bytes (IEEE 802.1Qbb, 802.3 Annex
 * 31D); Ethernet pads the frame to 64 bytes.
 */
class PfcHeader : public Header
{
  public:
    static constexpr uint16_t PROTOCOL = 0x8808; //!< EtherType of MAC control
    static constexpr uint16_t OPCODE = 0x0101;   //!< PFC among the MAC control frames
    static constexpr uint32_t SIZE = 20;         //!< opcode, vector, eight timers

    /** @return 01:80:C2:00:00:01, which no bridge forwards. */
    static Mac48Address GetDestination();

    /** @return type id. */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

    /**
     * The frame speaks for this class.
     * @param trafficClass 0..7.
     * @param quanta pause of so many times 512 bit times; 0: resume (XON).
     */
    void SetPause(uint8_t trafficClass, uint16_t quanta);
    /** @return class-enable vector, bit per class. */
    uint8_t GetClasses() const;
    /** @param trafficClass 0..7. @return quanta; 0 where the class is not enabled. */
    uint16_t GetQuanta(uint8_t trafficClass) const;
    /** @return false if what was read is another MAC control frame. */
    bool IsPfc() const;

  private:
    uint16_t m_opcode{OPCODE};          //!< MAC control opcode
    uint8_t m_classes{0};               //!< class-enable vector
    std::array<uint16_t, 8> m_quanta{}; //!< timers
};

} // namespace llm
} // namespace ns3

#endif // PFC_HEADER_H
