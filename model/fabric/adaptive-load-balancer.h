/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ADAPTIVE_LOAD_BALANCER_H
#define ADAPTIVE_LOAD_BALANCER_H

#include "fabric-switch-dice.h"
#include "packet-load-balancer.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Adaptive routing: each packet takes the port that can send it first, by what its switch knows:
 * the frame under way and the queue of its class, over the port's rate, in steps of Resolution. Of
 * equal ports a random one is taken, or the first from where the hash of the flow points
 * (TiesByFlow), which leaves a flow on its path while nothing else is there. With Choices only so
 * many random ports are looked at, and with Memory the best ones of before as well: DRILL(d, m) of
 * Ghorbani et al., SIGCOMM 2017.
 */
class AdaptiveLoadBalancer final : public PacketLoadBalancer
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    AdaptiveLoadBalancer();
    ~AdaptiveLoadBalancer() override;
    void Configure(const FabricSwitchIdentity& identity) override;
    std::vector<std::pair<std::string, uint64_t>> GetCounters() const override;

  private:
    /** A port that was looked at. */
    struct Sample
    {
        int64_t grade;  //!< of its wait
        uint32_t place; //!< of the port
    };

    uint32_t SelectForPacket(const Frame& frame, FabricCandidates ports, int64_t now) override;
    /** Look at all ports. */
    uint32_t SelectOfAll(const Frame& frame, FabricCandidates ports, int64_t now);
    /** Look at some and remember the best. */
    uint32_t SelectOfSome(const Frame& frame, FabricCandidates ports, int64_t now);
    /** @return wait of a port, in steps of Resolution. */
    int64_t GetGrade(FabricCandidates ports, uint32_t place, const Frame& frame, int64_t now) const;
    /** Count a decision. @param grade of the port that was taken. */
    void Count(int64_t grade);

    uint32_t m_choices;            //!< attribute Choices
    uint32_t m_memory;             //!< attribute Memory
    bool m_tiesByFlow;             //!< attribute TiesByFlow
    Time m_resolution;             //!< attribute Resolution
    int64_t m_step{1};             //!< the same in ticks, at least 1
    uint64_t m_packets{0};         //!< decided
    uint64_t m_waits{0};           //!< of them, that no port could send at once
    FabricSwitchDice m_dice;       //!< random ports
    std::vector<uint32_t> m_best;  //!< places of the best by group, Memory of each
    std::vector<Sample> m_samples; //!< under comparison
};

} // namespace llm
} // namespace ns3

#endif // ADAPTIVE_LOAD_BALANCER_H
