/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-hash.h"

#include <boost/crc.hpp>

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricHash);
NS_OBJECT_ENSURE_REGISTERED(Crc32Hash);
NS_OBJECT_ENSURE_REGISTERED(Crc16Hash);
NS_OBJECT_ENSURE_REGISTERED(Murmur3Hash);
NS_OBJECT_ENSURE_REGISTERED(XorHash);

namespace
{

constexpr uint16_t ROCE_PORT = 4791; //!< UDP destination port of RoCEv2

/** @param x any. @param bits 1..31. @return x rotated to the left. */
constexpr uint32_t
RotateLeft(uint32_t x, unsigned bits)
{
    return (x << bits) | (x >> (32 - bits));
}

} // namespace

std::array<uint8_t, FabricFlowFields::BYTES>
FabricFlowFields::ToBytes() const
{
    std::array<uint8_t, BYTES> bytes;
    std::size_t at = 0;
    const auto put = [&](uint32_t value, int octets) {
        for (int shift = 8 * (octets - 1); shift >= 0; shift -= 8)
        {
            bytes[at++] = static_cast<uint8_t>(value >> shift);
        }
    };
    put(source, 4);
    put(destination, 4);
    put(sourcePort, 2);
    put(ROCE_PORT, 2);
    put(queuePair, 4);
    put(ingress, 2);
    return bytes;
}

TypeId
FabricHash::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricHash").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

// -- CRC-32

TypeId
Crc32Hash::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::Crc32Hash")
                            .SetParent<FabricHash>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<Crc32Hash>();
    return tid;
}

uint32_t
Crc32Hash::Hash(const FabricFlowFields& fields, uint64_t seed) const
{
    boost::crc_optimal<32, 0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc(
        static_cast<uint32_t>(seed));
    const auto bytes = fields.ToBytes();
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

// -- CRC-16

TypeId
Crc16Hash::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::Crc16Hash")
                            .SetParent<FabricHash>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<Crc16Hash>();
    return tid;
}

uint32_t
Crc16Hash::Hash(const FabricFlowFields& fields, uint64_t seed) const
{
    boost::crc_optimal<16, 0x1021, 0xFFFF, 0, false, false> crc(static_cast<uint16_t>(seed));
    const auto bytes = fields.ToBytes();
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

// -- MurmurHash3

TypeId
Murmur3Hash::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::Murmur3Hash")
                            .SetParent<FabricHash>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<Murmur3Hash>();
    return tid;
}

uint32_t
Murmur3Hash::Hash(const FabricFlowFields& fields, uint64_t seed) const
{
    // MurmurHash3_x86_32 over five words: the fields are all whole.
    const std::array<uint32_t, 5> words = {fields.source,
                                           fields.destination,
                                           (uint32_t{fields.sourcePort} << 16) | ROCE_PORT,
                                           fields.queuePair,
                                           fields.ingress};
    auto hash = static_cast<uint32_t>(seed);
    for (uint32_t word : words)
    {
        word = RotateLeft(word * 0xcc9e2d51U, 15) * 0x1b873593U;
        hash = RotateLeft(hash ^ word, 13) * 5 + 0xe6546b64U;
    }
    hash ^= 4 * words.size();
    hash = (hash ^ (hash >> 16)) * 0x85ebca6bU;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35U;
    return hash ^ (hash >> 16);
}

// -- exclusive or

TypeId
XorHash::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::XorHash")
                            .SetParent<FabricHash>()
                            .SetGroupName("LlmTraining")
                            .AddConstructor<XorHash>();
    return tid;
}

uint32_t
XorHash::Hash(const FabricFlowFields& fields, uint64_t seed) const
{
    const uint32_t x = fields.source ^ fields.destination ^ fields.queuePair;
    return ((x >> 16) ^ x ^ fields.sourcePort ^ ROCE_PORT ^ fields.ingress ^ seed) & 0xffff;
}

} // namespace llm
} // namespace ns3
