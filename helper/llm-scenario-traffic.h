/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_TRAFFIC_H
#define LLM_SCENARIO_TRAFFIC_H

#include "fabric-topology.h"
#include "llm-ideal-completion.h"
#include "llm-ip-traffic.h"
#include "llm-scenario.h"
#include "llm-traffic-report.h"

#include "ns3/event-id.h"
#include "ns3/llm-flow-generator.h"
#include "ns3/llm-message-transport.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The traffic beside the jobs of a scenario: background, incasts, tcp, udp. What has no end of its
 * own stops when all jobs are over; what is under way then arrives. If flows stop moving for the
 * scenario's stall time while no job is left to notice it, the simulator is stopped and GetFailure
 * says so.
 */
class ScenarioTraffic
{
  public:
    /**
     * @param scenario of the run; its section transport holds for flows over RDMA.
     * @param network built.
     * @param hasJobs there are jobs whose end stops what has no end of its own.
     * @throw ConfigError if an entry does not fit the network.
     */
    ScenarioTraffic(const Scenario& scenario, const FabricNetwork& network, bool hasJobs);
    ~ScenarioTraffic();
    ScenarioTraffic(const ScenarioTraffic&) = delete;
    ScenarioTraffic& operator=(const ScenarioTraffic&) = delete;

    /** @param scenario as read. @return true if there is any. */
    static bool IsWanted(const Scenario& scenario);

    /** All jobs are over. */
    void Stop();

    /** @return transports of flows over RDMA, with the names of their entries. */
    std::vector<std::pair<std::string, Ptr<MessageTransport>>> GetTransports() const;

    /** @return what came out, entry by entry. */
    std::vector<TrafficReport> Collect() const;

    /** @return why the traffic did not end well; empty if it did. */
    std::vector<std::string> GetFailure() const;

  private:
    /** Flows of one entry. */
    struct Source
    {
        std::string name;             //!< of the entry
        std::string kind;             //!< background or incast
        std::string description;      //!< for the report
        Ptr<FlowGenerator> generator; //!< makes them
    };

    /** @return endpoints, all if the list is empty. @throw ConfigError if one does not exist. */
    std::vector<uint32_t> FindEndpoints(const std::vector<uint32_t>& list,
                                        const std::string& path) const;
    /** @return a transport over all endpoints, rank = endpoint, with queue pairs for each flow. */
    Ptr<MessageTransport> MakeTransport(const std::string& congestionControl,
                                        const std::map<std::string, std::string>& attributes,
                                        const std::string& path) const;
    /** Entry i of background. */
    void AddBackground(std::size_t i, bool hasJobs);
    /** Entry i of incasts. */
    void AddIncast(std::size_t i, bool hasJobs);
    /** Start an entry. */
    void Add(const Source& source,
             const std::vector<uint32_t>& senders,
             const std::vector<uint32_t>& receivers,
             Ptr<MessageTransport> transport);
    /** @return true if all flows are over. */
    bool IsIdle() const;
    /** A generator has nothing more to do. */
    void BecameIdle();
    /** Look whether flows move, where no job does. */
    void Watch();

    Scenario m_scenario;                          //!< of the run
    FabricNetwork m_network;                      //!< the network
    std::shared_ptr<IdealCompletion> m_ideal;     //!< of flows over RDMA
    std::vector<Source> m_sources;                //!< background and incasts
    std::vector<std::unique_ptr<IpTraffic>> m_ip; //!< tcp and udp
    int64_t m_nextStream{0};                      //!< of random variables
    EventId m_watch;                              //!< next look
    uint64_t m_watched{0};                        //!< bytes received at the last look
    bool m_watching{false};                       //!< there was a look
    bool m_stalled{false};                        //!< flows did not move
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_TRAFFIC_H
