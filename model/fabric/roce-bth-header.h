/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_BTH_HEADER_H
#define ROCE_BTH_HEADER_H

#include "ns3/header.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/** BTH opcodes of the reliable connection, and the CNP (IBTA 9.2.1, Annex A17.9.3). */
enum class RoceOpcode : uint8_t
{
    SEND_FIRST = 0x00,
    SEND_MIDDLE = 0x01,
    SEND_LAST = 0x02,
    SEND_LAST_IMM = 0x03,
    SEND_ONLY = 0x04,
    SEND_ONLY_IMM = 0x05,
    WRITE_FIRST = 0x06,
    WRITE_MIDDLE = 0x07,
    WRITE_LAST = 0x08,
    WRITE_LAST_IMM = 0x09,
    WRITE_ONLY = 0x0A,
    WRITE_ONLY_IMM = 0x0B,
    READ_REQUEST = 0x0C,
    READ_RESPONSE_FIRST = 0x0D,
    READ_RESPONSE_MIDDLE = 0x0E,
    READ_RESPONSE_LAST = 0x0F,
    READ_RESPONSE_ONLY = 0x10,
    ACKNOWLEDGE = 0x11,
    CNP = 0x81
};

/** @param opcode any. @return whether a RETH follows the BTH. */
bool HasReth(RoceOpcode opcode);
/** @param opcode any. @return whether an AETH follows the BTH. */
bool HasAeth(RoceOpcode opcode);
/** @param opcode any. @return whether an ImmDt comes behind BTH and RETH. */
bool HasImmDt(RoceOpcode opcode);

/**
 * @ingroup llm-training
 *
 * Base transport header of InfiniBand and RoCE, 12 bytes (IBTA 9.2).
 */
class RoceBthHeader : public Header
{
  public:
    /** PSN and QP number have 24 bits on the wire. */
    static constexpr uint32_t MASK_24 = 0xFFFFFF;

    /** @return type id. */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

    /** @param opcode what the packet is. */
    void SetOpcode(RoceOpcode opcode);
    /** @return what the packet is; a value outside the enumeration is possible. */
    RoceOpcode GetOpcode() const;
    /** @param on solicited event: the receiver's consumer wants an interrupt. */
    void SetSolicitedEvent(bool on);
    /** @return solicited event. */
    bool GetSolicitedEvent() const;
    /** @param on migration request. */
    void SetMigrationRequest(bool on);
    /** @return migration request. */
    bool GetMigrationRequest() const;
    /** @param bytes 0..3 of padding between payload and ICRC. */
    void SetPadCount(uint8_t bytes);
    /** @return bytes of padding. */
    uint8_t GetPadCount() const;
    /** @param key partition key; 0xFFFF: default partition, full member. */
    void SetPartitionKey(uint16_t key);
    /** @return partition key. */
    uint16_t GetPartitionKey() const;
    /** @param on forward ECN. */
    void SetFecn(bool on);
    /** @return forward ECN. */
    bool GetFecn() const;
    /** @param on backward ECN. */
    void SetBecn(bool on);
    /** @return backward ECN. */
    bool GetBecn() const;
    /** @param queuePair at the receiver; the low 24 bits go on the wire. */
    void SetDestinationQp(uint32_t queuePair);
    /** @return QP number at the receiver. */
    uint32_t GetDestinationQp() const;
    /** @param on the receiver shall acknowledge this packet. */
    void SetAckRequest(bool on);
    /** @return acknowledge request. */
    bool GetAckRequest() const;
    /** @param psn packet sequence number; the low 24 bits go on the wire. */
    void SetPsn(uint32_t psn);
    /** @return packet sequence number, 24 bits. */
    uint32_t GetPsn() const;

  private:
    RoceOpcode m_opcode{RoceOpcode::SEND_ONLY}; //!< byte 0
    bool m_solicitedEvent{false};               //!< byte 1, bit 7
    bool m_migrationRequest{false};             //!< byte 1, bit 6
    uint8_t m_padCount{0};                      //!< byte 1, bits 5-4
    uint8_t m_transportVersion{0};              //!< byte 1, bits 3-0
    uint16_t m_partitionKey{0xFFFF};            //!< bytes 2-3
    bool m_fecn{false};                         //!< byte 4, bit 7
    bool m_becn{false};                         //!< byte 4, bit 6
    uint32_t m_destinationQp{0};                //!< bytes 5-7
    bool m_ackRequest{false};                   //!< byte 8, bit 7
    uint32_t m_psn{0};                          //!< bytes 9-11
};

} // namespace llm
} // namespace ns3

#endif // ROCE_BTH_HEADER_H
