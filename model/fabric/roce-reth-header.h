/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_RETH_HEADER_H
#define ROCE_RETH_HEADER_H

#include "ns3/header.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * RDMA extended transport header, 16 bytes (IBTA 9.3.1): first packet of a WRITE, READ request.
 */
class RoceRethHeader : public Header
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

    /** @param virtualAddress of the remote buffer. */
    void SetVirtualAddress(uint64_t virtualAddress);
    /** @return address of the remote buffer. */
    uint64_t GetVirtualAddress() const;
    /** @param remoteKey R_Key of the remote memory region. */
    void SetRemoteKey(uint32_t remoteKey);
    /** @return R_Key of the remote memory region. */
    uint32_t GetRemoteKey() const;
    /** @param dmaLength bytes of the whole message. */
    void SetDmaLength(uint32_t dmaLength);
    /** @return bytes of the whole message. */
    uint32_t GetDmaLength() const;

  private:
    uint64_t m_virtualAddress{0}; //!< address of the remote buffer.
    uint32_t m_remoteKey{0};      //!< R_Key of the remote memory region.
    uint32_t m_dmaLength{0};      //!< bytes of the whole message.
};

} // namespace llm
} // namespace ns3

#endif // ROCE_RETH_HEADER_H
