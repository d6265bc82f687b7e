/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PLACEMENT_H
#define LLM_PLACEMENT_H

#include "fabric-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Which endpoint each rank of a job runs on.
 */
class Placement
{
  public:
    /**
     * Rank r on endpoint r.
     * @param ranks world size.
     * @param endpoints number of endpoints.
     * @return the placement.
     * @throw ConfigError if there are more ranks than endpoints.
     */
    static Placement Packed(uint32_t ranks, uint32_t endpoints);

    /**
     * @param ranks world size.
     * @param endpoints number of endpoints.
     * @param list endpoint of each rank.
     * @return the placement.
     * @throw ConfigError if the list has another length than the world, names an endpoint twice or
     *        one that does not exist.
     */
    static Placement Explicit(uint32_t ranks,
                              uint32_t endpoints,
                              const std::vector<uint32_t>& list);

    /** @return endpoint by rank. */
    const std::vector<uint32_t>& GetEndpoints() const;

    /**
     * @param network that the endpoints belong to.
     * @return for people, a line per server: "server 0: rank 0-7 on host0-host7".
     */
    std::string Describe(const FabricNetwork& network) const;

  private:
    std::vector<uint32_t> m_endpoints; //!< by rank
};

} // namespace llm
} // namespace ns3

#endif // LLM_PLACEMENT_H
