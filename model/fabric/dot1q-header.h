/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DOT1Q_HEADER_H
#define DOT1Q_HEADER_H

#include "ns3/header.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * IEEE 802.1Q tag behind the EtherType 0x8100, with the EtherType that follows it: 4 bytes.
 */
class Dot1qHeader : public Header
{
  public:
    static constexpr uint16_t PROTOCOL = 0x8100; //!< EtherType of the tag

    /** @return type id. */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

    /** @param priority code point, 0..7. */
    void SetPriority(uint8_t priority);
    /** @return priority code point. */
    uint8_t GetPriority() const;
    /** @param dropEligible drop eligible indicator. */
    void SetDropEligible(bool dropEligible);
    /** @return drop eligible indicator. */
    bool GetDropEligible() const;
    /** @param vlanId 0..4095. */
    void SetVlanId(uint16_t vlanId);
    /** @return VLAN, 0..4095. */
    uint16_t GetVlanId() const;
    /** @param etherType of what follows. */
    void SetEtherType(uint16_t etherType);
    /** @return EtherType of what follows. */
    uint16_t GetEtherType() const;

  private:
    uint8_t m_priority{0};      //!< priority code point.
    bool m_dropEligible{false}; //!< drop eligible indicator.
    uint16_t m_vlanId{0};       //!< VLAN, 0..4095.
    uint16_t m_etherType{0};    //!< EtherType of what follows.
};

} // namespace llm
} // namespace ns3

#endif // DOT1Q_HEADER_H
