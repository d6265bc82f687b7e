/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PLACEMENT_POOL_H
#define LLM_PLACEMENT_POOL_H

#include "fabric-topology.h"
#include "llm-placement.h"

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
 * The endpoints of a network, that jobs take one after the other. An endpoint is one accelerator
 * and runs one rank. Policies:
 * - packed: the first free endpoints, in order;
 * - spread: leaf by leaf in turn, so that neighbouring ranks are under different leaves (of several
 *   planes or ToRs: different sets of them); where there is one leaf only, server by server;
 * - random: free endpoints drawn by seed and run;
 * - list: an endpoint for each rank.
 */
class PlacementPool
{
  public:
    /**
     * @param network whose endpoints are taken; built.
     * @param key of the random policy, see Philox::MakeKey.
     */
    PlacementPool(const FabricNetwork& network, uint64_t key);

    /**
     * @param job name, for the errors of those that come after.
     * @param ranks number of endpoints.
     * @param policy packed, spread, random or list.
     * @param list endpoint by rank, for list.
     * @return endpoints, which are taken from now on.
     * @throw ConfigError if there are not enough, or one in the list is taken or does not exist.
     */
    Placement Take(const std::string& job,
                   uint32_t ranks,
                   const std::string& policy,
                   const std::vector<uint32_t>& list = {});

    /** @return the policies. */
    static const std::vector<std::string>& GetPolicies();

  private:
    static constexpr uint32_t FREE = UINT32_MAX; //!< not taken

    /** @return free endpoints in the order of a policy. */
    std::vector<uint32_t> Arrange(const std::string& policy) const;
    /** @return free endpoints, of one leaf after the other in turn. */
    std::vector<uint32_t> Spread(const std::vector<uint32_t>& free) const;
    /** @return free endpoints in random order. */
    std::vector<uint32_t> Shuffle(std::vector<uint32_t> free) const;

    FabricNetwork m_network;         //!< whose endpoints
    uint64_t m_key;                  //!< of random numbers
    std::vector<uint32_t> m_holder;  //!< by endpoint: index into m_jobs, or FREE
    std::vector<std::string> m_jobs; //!< that took endpoints
};

} // namespace llm
} // namespace ns3

#endif // LLM_PLACEMENT_POOL_H
