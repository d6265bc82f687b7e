/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_AETH_HEADER_H
#define ROCE_AETH_HEADER_H

#include "ns3/header.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * ACK extended transport header, 4 bytes (IBTA 9.3.5.2): acknowledgements and READ responses.
 */
class RoceAethHeader : public Header
{
  public:
    static constexpr uint8_t ACK = 0x1F;                  //!< without credit information
    static constexpr uint8_t RNR_NAK = 0x20;              //!< receiver not ready; low 5 bits: timer
    static constexpr uint8_t NAK_PSN_SEQUENCE = 0x60;     //!< a packet is missing
    static constexpr uint8_t NAK_INVALID_REQUEST = 0x61;  //!< not understood
    static constexpr uint8_t NAK_REMOTE_ACCESS = 0x62;    //!< protection
    static constexpr uint8_t NAK_REMOTE_OPERATION = 0x63; //!< failed at the responder

    /** @return type id. */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

    /** @param syndrome ACK, a NAK_ code, or RNR_NAK | timer. */
    void SetSyndrome(uint8_t syndrome);
    /** @return ACK, a NAK_ code, or RNR_NAK | timer. */
    uint8_t GetSyndrome() const;
    /** @param msn messages completed; the low 24 bits go on the wire. */
    void SetMsn(uint32_t msn);
    /** @return messages completed, 24 bits. */
    uint32_t GetMsn() const;

  private:
    uint8_t m_syndrome{ACK}; //!< ACK, a NAK_ code, or RNR_NAK | timer.
    uint32_t m_msn{0};       //!< messages completed, 24 bits.
};

} // namespace llm
} // namespace ns3

#endif // ROCE_AETH_HEADER_H
