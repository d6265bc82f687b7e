/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_DEADLOCK_CHECK_H
#define FABRIC_DEADLOCK_CHECK_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

class Fabric;
class FabricPort;

/**
 * @ingroup llm-training
 *
 * Looks for cyclic buffer dependencies in the routes of a fabric, before there is traffic. Frames
 * that came in at an ingress port of a switch depend on the ingress port of the next switch on
 * their way, because PFC may hold them back there. A cycle of such dependencies is necessary for a
 * deadlock of lossless classes (Dally and Seitz, 1987); routes that go up and then down have none.
 *
 * Dependencies are those of all pairs of endpoints along all their equal-cost paths, alike for all
 * classes. Endpoints never hold a frame back for another to leave, so they end each chain.
 */
class FabricDeadlockCheck
{
  public:
    /** @param fabric built. */
    explicit FabricDeadlockCheck(const Fabric& fabric);

    /**
     * @return ingress ports of a shortest cycle in the first component that has one, each waiting
     *         for the next and the last for the first; empty if there is none.
     */
    const std::vector<const FabricPort*>& GetCycle() const
    {
        return m_cycle;
    }

    /** @return the cycle in one line, "a:1 -> b:0 -> a:1"; empty if there is none. */
    std::string Describe() const;

  private:
    /** Waiting and what is waited for, as places among m_ports. */
    using Dependencies = std::vector<std::pair<uint32_t, uint32_t>>;

    /** Follow all routes. @return dependencies. */
    Dependencies Collect(const Fabric& fabric);
    /** Find a cycle. */
    void Search(const Dependencies& dependencies);

    std::vector<const FabricPort*> m_ports; //!< ingress ports of switches, in order of their ids
    std::vector<const FabricPort*> m_cycle; //!< what was found
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_DEADLOCK_CHECK_H
