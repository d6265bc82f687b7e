/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ECN_MARKER_H
#define FABRIC_ECN_MARKER_H

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Decides whether an ECN-capable frame is marked "congestion experienced". One instance per egress
 * port, made by copying the switch's prototype.
 */
class FabricEcnMarker : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();

    /**
     * @param bitsPerSecond rate of the port; thresholds left at 0 follow from it.
     * @param port identity of the port in the fabric, for reproducible random numbers.
     * @param key random key of the fabric (seed, run and stream).
     * @throw ConfigError if the thresholds contradict each other.
     */
    virtual void Configure(uint64_t bitsPerSecond, uint32_t port, uint64_t key) = 0;

    /** @return queue length in bytes up to which nothing is ever marked. */
    virtual uint64_t GetFloor() const = 0;

    /**
     * @param queueBytes bytes of the class's egress queue, above GetFloor().
     * @return true to mark.
     */
    virtual bool Mark(uint64_t queueBytes) = 0;

    /** @return a new marker with the same parameters. */
    virtual Ptr<FabricEcnMarker> Copy() const = 0;
};

/**
 * @ingroup llm-training
 *
 * RED on the instantaneous queue, as DCQCN's congestion point (Zhu et al., SIGCOMM 2015): never up
 * to Kmin, with probability Pmax (q - Kmin) / (Kmax - Kmin) up to Kmax, always above. Default
 * thresholds grow with the port's rate: Kmin 100 kB and Kmax 400 kB per 25 Gb/s.
 */
class RedEcnMarker : public FabricEcnMarker
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RedEcnMarker();
    ~RedEcnMarker() override;
    void Configure(uint64_t bitsPerSecond, uint32_t port, uint64_t key) override;
    uint64_t GetFloor() const override;
    bool Mark(uint64_t queueBytes) override;
    Ptr<FabricEcnMarker> Copy() const override;

  private:
    Time m_kminTime;      //!< attribute KminTime
    Time m_kmaxTime;      //!< attribute KmaxTime
    uint64_t m_kmin;      //!< attribute Kmin
    uint64_t m_kmax;      //!< attribute Kmax
    double m_pmax;        //!< attribute Pmax
    uint32_t m_port{0};   //!< identity
    uint64_t m_key{0};    //!< random key
    uint64_t m_trials{0}; //!< decisions made by chance, the counter of the random numbers
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_ECN_MARKER_H
