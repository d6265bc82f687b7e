/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STATIC_LOAD_BALANCER_H
#define STATIC_LOAD_BALANCER_H

#include "hashed-load-balancer.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Ports by a table, as a controller would write it: a flow is pinned to a place among the
 * equal-cost ports. Flows that stand in no table follow the hash or, with DestinationModulo, the
 * number of their destination: D-mod-k, by which in a fat-tree every shift of all endpoints is
 * without contention (Zahavi, 2010).
 */
class StaticLoadBalancer final : public HashedLoadBalancer
{
  public:
    static constexpr uint32_t ANY = UINT32_MAX; //!< every endpoint, every queue pair

    /** @return type id. */
    static TypeId GetTypeId();
    StaticLoadBalancer();
    ~StaticLoadBalancer() override;
    void Configure(const FabricSwitchIdentity& identity) override;
    uint32_t Select(const Frame& frame, FabricCandidates ports, int64_t now) override;
    std::optional<uint32_t> Predict(const Frame& frame, FabricCandidates ports) const override;
    std::vector<std::pair<std::string, uint64_t>> GetCounters() const override;

    /**
     * Pin flows. Of several pins that fit, the one that says most counts: with source, destination
     * and queue pair, then both endpoints, then source alone, then destination alone. The same
     * flow again replaces.
     * @param source endpoint, or ANY.
     * @param destination endpoint, or ANY.
     * @param queuePair destination queue pair number, or ANY; needs both endpoints.
     * @param place among the equal-cost ports, in the order of their indices; modulo their number.
     * @throw ConfigError if both endpoints are ANY, or a queue pair is given without both.
     */
    void Pin(uint32_t source, uint32_t destination, uint32_t queuePair, uint32_t place);

  private:
    /** A line of the table. */
    struct Line
    {
        uint64_t flow;      //!< source << 32 | destination
        uint32_t queuePair; //!< or ANY
        uint32_t place;     //!< of the port
    };

    /** @return line before another. */
    static bool IsBefore(const Line& a, const Line& b);
    /** @return line of a flow; nullptr if none. */
    const Line* Find(uint32_t source, uint32_t destination, uint32_t queuePair) const;
    /** @return line that counts for a frame; nullptr if none. */
    const Line* Find(const Frame& frame) const;
    /** @return place of a frame that no line is for. */
    uint32_t ChooseUnpinned(const Frame& frame, uint32_t count) const;

    bool m_destinationModulo;  //!< attribute DestinationModulo
    uint32_t m_tier{0};        //!< of the switch
    uint64_t m_pinned{0};      //!< frames by the table
    uint64_t m_unpinned{0};    //!< others
    std::vector<Line> m_lines; //!< the table, in order
};

} // namespace llm
} // namespace ns3

#endif // STATIC_LOAD_BALANCER_H
