/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_TRANSPORT_H
#define LLM_SCENARIO_TRANSPORT_H

#include "fabric-topology.h"
#include "llm-ideal-completion.h"
#include "llm-scenario.h"

#include "ns3/llm-message-transport.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** @param scenario what is wanted. @return "rdma, dcqcn, path MTU 4096, ...". */
std::string DescribeScenarioTransport(const Scenario& scenario);

/**
 * Put IPv4 stacks on all endpoints, and have TCP sockets fit the fabric's links: segments, buffers,
 * and no timers that outlast a run by minutes. Once per network.
 * @param scenario what is wanted.
 * @param network built.
 */
void PrepareScenarioIp(const Scenario& scenario, const FabricNetwork& network);

/**
 * @param scenario what is wanted.
 * @param network built.
 * @param endpoints of the ranks.
 * @return transport over the network: RDMA, or TCP sockets on the same ports.
 * @throw ConfigError for an unknown congestion control or attribute.
 */
Ptr<MessageTransport> MakeScenarioTransport(const Scenario& scenario,
                                            const FabricNetwork& network,
                                            const std::vector<uint32_t>& endpoints);

/** @param scenario what is wanted. @return the congestion control of RDMA: "dcqcn" by default. */
std::string GetRdmaCongestionName(const Scenario& scenario);

/**
 * @param scenario what is wanted.
 * @param network built.
 * @param endpoints of the ranks.
 * @param queue that the other transport works on.
 * @param bitsPerSecond of each accelerator's scale-up link, one direction.
 * @param fabric gets that of scale-up domains with packets; null where cluster.scale_up is
 * analytic.
 * @return transport within servers; null if no two ranks share one.
 * @throw ConfigError if a collective wants what scale-up domains with packets cannot.
 */
Ptr<MessageTransport> MakeScenarioScaleUp(const Scenario& scenario,
                                          const FabricNetwork& network,
                                          const std::vector<uint32_t>& endpoints,
                                          FabricEventQueue& queue,
                                          uint64_t bitsPerSecond,
                                          Ptr<Fabric>& fabric);

/** @param scenario what is wanted. @param fabric built. @param endpoints of the ranks. @return
 *  completion times of messages that meet nobody; of TCP, once it is connected. */
std::unique_ptr<IdealCompletion> MakeScenarioIdeal(const Scenario& scenario,
                                                   Ptr<Fabric> fabric,
                                                   const std::vector<uint32_t>& endpoints);

/**
 * Put NCCL in front of a transport: flags, latencies, queue pairs, clear-to-send.
 * @param scenario what to build.
 * @param network nodes of the endpoints.
 * @param endpoints by rank.
 * @param transport between servers or within; null is handed back.
 * @param withinServers which of the two it is.
 * @return the transport to use; @p transport itself where the scenario wants nothing of that.
 * @throw ConfigError if the scenario contradicts itself.
 */
Ptr<MessageTransport> AddScenarioNccl(const Scenario& scenario,
                                      const FabricNetwork& network,
                                      const std::vector<uint32_t>& endpoints,
                                      Ptr<MessageTransport> transport,
                                      bool withinServers);

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_TRANSPORT_H
