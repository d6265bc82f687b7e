/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_IMMDT_HEADER_H
#define ROCE_IMMDT_HEADER_H

#include "ns3/header.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Immediate data, 4 bytes (IBTA 9.3.6), behind the RETH where there are both.
 */
class RoceImmDtHeader : public Header
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

    /** @param data for the receiver's completion. */
    void SetData(uint32_t data);
    /** @return data for the receiver's completion. */
    uint32_t GetData() const;

  private:
    uint32_t m_data{0}; //!< data for the receiver's completion.
};

} // namespace llm
} // namespace ns3

#endif // ROCE_IMMDT_HEADER_H
