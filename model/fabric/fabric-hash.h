/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_HASH_H
#define FABRIC_HASH_H

#include "ns3/object.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace llm
{

/** Fields of a flow that a switch hashes; what is not hashed is 0. */
struct FabricFlowFields
{
    static constexpr std::size_t BYTES = 18; //!< of ToBytes

    uint32_t source{0};      //!< IPv4 address, as 10.0.0.1 + endpoint
    uint32_t destination{0}; //!< the same
    uint16_t sourcePort{0};  //!< UDP source port: the entropy
    uint32_t queuePair{0};   //!< BTH destination QP, 24 bit
    uint16_t ingress{0};     //!< port where the frame came in, counted from 1

    /** @return as on the wire: both addresses, both UDP ports (destination 4791), QP, ingress. */
    std::array<uint8_t, BYTES> ToBytes() const;
};

/**
 * @ingroup llm-training
 *
 * A hash function of ECMP. Stateless, so one instance serves many switches.
 */
class FabricHash : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();

    /**
     * @param fields of a flow.
     * @param seed of the switch.
     * @return 32 bits; those of a function of 16 bits are the lower ones.
     */
    virtual uint32_t Hash(const FabricFlowFields& fields, uint64_t seed) const = 0;
};

/**
 * @ingroup llm-training
 *
 * CRC-32 of IEEE 802.3, the seed as start value. Linear: another seed changes the hashes of all
 * flows by the same exclusive or, and flows that agreed in low bits go on to agree. Another seed
 * per tier does not cure polarisation then where the number of ports is a power of two; rotation
 * does.
 */
class Crc32Hash final : public FabricHash
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    uint32_t Hash(const FabricFlowFields& fields, uint64_t seed) const override;
};

/**
 * @ingroup llm-training
 *
 * CRC-16 of CCITT (polynomial 0x1021), the seed as start value. Linear, as Crc32Hash.
 */
class Crc16Hash final : public FabricHash
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    uint32_t Hash(const FabricFlowFields& fields, uint64_t seed) const override;
};

/**
 * @ingroup llm-training
 *
 * MurmurHash3, 32 bits (A. Appleby, public domain).
 */
class Murmur3Hash final : public FabricHash
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    uint32_t Hash(const FabricFlowFields& fields, uint64_t seed) const override;
};

/**
 * @ingroup llm-training
 *
 * Exclusive or of the 16-bit words of all fields and of the seed: weak. Ports and addresses that
 * rise together cancel, a single bit of difference decides between two ports.
 */
class XorHash final : public FabricHash
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    uint32_t Hash(const FabricFlowFields& fields, uint64_t seed) const override;
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_HASH_H
