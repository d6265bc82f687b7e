/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ADDRESS_BOOK_H
#define ROCE_ADDRESS_BOOK_H

#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Addresses of endpoints, asked for only when somebody looks at real bytes.
 */
class RoceAddressBook
{
  public:
    virtual ~RoceAddressBook() = default;
    /** @param endpoint index. @return its IPv4 address. */
    virtual Ipv4Address GetIpv4(uint32_t endpoint) const = 0;
    /** @param endpoint index. @return its MAC address. */
    virtual Mac48Address GetMac(uint32_t endpoint) const = 0;
};

} // namespace llm
} // namespace ns3

#endif // ROCE_ADDRESS_BOOK_H
