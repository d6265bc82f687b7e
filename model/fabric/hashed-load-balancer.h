/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HASHED_LOAD_BALANCER_H
#define HASHED_LOAD_BALANCER_H

#include "fabric-hash.h"
#include "fabric-load-balancer.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What policies share that need a hash of a frame's flow: the fields, the function, the seed. The
 * default hashes source, destination and UDP source port by a strong mix with a seed per switch, in
 * a few instructions; everything else costs a call.
 */
class HashedLoadBalancer : public FabricLoadBalancer
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    HashedLoadBalancer();
    ~HashedLoadBalancer() override;
    void Configure(const FabricSwitchIdentity& identity) override;

    /**
     * @param frame whose flow.
     * @return hash of the fields that count, not reduced.
     */
    uint32_t Hash(const Frame& frame) const
    {
        return m_general ? GeneralHash(frame) : Mix(frame, 0);
    }

    /**
     * @param frame whose flow.
     * @param count number of ports.
     * @return 0 .. count-1: the remainder of the hash by count, as switches take it; of the mix the
     *         high word of hash * count, which is as even and takes no division.
     */
    uint32_t ChooseByHash(const Frame& frame, uint32_t count) const
    {
        return m_general ? GeneralChoice(frame, count) : Reduce(Mix(frame, 0), count);
    }

  protected:
    void DoDispose() override;

    /** @param x any. @return all bits mixed (finaliser of SplitMix64, Steele et al. 2014). */
    static uint64_t MixBits(uint64_t x)
    {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31);
    }

  private:
    /** @param hash uniform. @param count range. @return 0 .. count-1. */
    static uint32_t Reduce(uint32_t hash, uint32_t count)
    {
        return static_cast<uint32_t>((static_cast<uint64_t>(hash) * count) >> 32);
    }

    /** @param frame whose flow. @param extra further fields. @return hash. */
    uint32_t Mix(const Frame& frame, uint64_t extra) const
    {
        uint64_t x = (static_cast<uint64_t>(frame.source) << 32) | frame.destination;
        x = (x ^ m_seed) * 0x9e3779b97f4a7c15ULL;
        x ^= x >> 32;
        x += frame.entropy;
        x += extra;
        return static_cast<uint32_t>(MixBits(x) >> 32);
    }

    /** Hash where anything but the default was set. */
    uint32_t GeneralHash(const Frame& frame) const;
    /** ChooseByHash where anything but the default was set. */
    uint32_t GeneralChoice(const Frame& frame, uint32_t count) const;

    uint64_t m_seed{0};         //!< in use
    bool m_general{false};      //!< not the default
    bool m_hashSource;          //!< attribute HashSource
    bool m_hashDestination;     //!< attribute HashDestination
    bool m_hashSourcePort;      //!< attribute HashSourcePort
    bool m_hashQueuePair;       //!< attribute HashDestinationQp
    bool m_hashIngress;         //!< attribute HashIngressPort
    bool m_seedPerTier;         //!< attribute SeedPerTier
    uint8_t m_rotateByTier;     //!< attribute RotateByTier
    uint8_t m_rotation{0};      //!< bits that the hash is rotated by to the right
    uint64_t m_seedAttribute;   //!< attribute Seed
    Ptr<FabricHash> m_function; //!< attribute HashFunction
};

} // namespace llm
} // namespace ns3

#endif // HASHED_LOAD_BALANCER_H
