/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOWLET_LOAD_BALANCER_H
#define FLOWLET_LOAD_BALANCER_H

#include "fabric-switch-dice.h"
#include "hashed-load-balancer.h"

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
 * Flowlet switching (LetFlow, Vanini et al., NSDI 2017): a flow keeps its port while its frames
 * follow each other within Gap, and takes a random one after a longer pause, which the frames
 * before it have used to be ahead. The table has TableSize entries, which flows share whose hashes
 * agree in them. Queue pairs that are paced or limited by a window seldom leave gaps.
 */
class FlowletLoadBalancer final : public HashedLoadBalancer
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    FlowletLoadBalancer();
    ~FlowletLoadBalancer() override;
    void Configure(const FabricSwitchIdentity& identity) override;
    uint32_t Select(const Frame& frame, FabricCandidates ports, int64_t now) override;
    std::vector<std::pair<std::string, uint64_t>> GetCounters() const override;

    /** @return flowlets that began here. */
    uint64_t GetFlowlets() const
    {
        return m_flowlets;
    }

    /** @return of them, those that changed the port of their entry. */
    uint64_t GetMoves() const
    {
        return m_moves;
    }

  private:
    static constexpr uint32_t NO_PLACE = UINT32_MAX; //!< never used

    /** One flow, or several. */
    struct Entry
    {
        int64_t lastAt{0};        //!< tick of its last frame
        uint32_t place{NO_PLACE}; //!< of the port in use
    };

    Time m_gap;                   //!< attribute Gap
    uint32_t m_tableSize;         //!< attribute TableSize
    int64_t m_gapTicks{0};        //!< same as m_gap
    uint64_t m_flowlets{0};       //!< began
    uint64_t m_moves{0};          //!< changed port
    FabricSwitchDice m_dice;      //!< chooses
    std::vector<Entry> m_entries; //!< by hash
};

} // namespace llm
} // namespace ns3

#endif // FLOWLET_LOAD_BALANCER_H
