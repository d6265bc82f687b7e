/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAFFIC_LEDGER_H
#define LLM_TRAFFIC_LEDGER_H

#include "llm-training-result.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Counts the payload that a job hands to its transport, by dimension and by pair of ranks. Memory
 * is one entry per pair and dimension that ever talked.
 */
class TrafficLedger
{
  public:
    /** @param worldSize ranks are below it. */
    explicit TrafficLedger(uint32_t worldSize);

    /**
     * @param from sending rank. @param to receiving rank.
     * @param dimension what for. @param bytes payload of one message.
     */
    void Add(uint32_t from, uint32_t to, ParallelDimension dimension, uint64_t bytes);

    /** @param dimension which. @return bytes so far. */
    uint64_t GetBytes(ParallelDimension dimension) const
    {
        return m_bytes[static_cast<std::size_t>(dimension)];
    }

    /** @return bytes so far, all dimensions. */
    uint64_t GetTotalBytes() const;
    /** @return messages so far. */
    uint64_t GetMessages() const;
    /** @return every pair that talked, by from, to, dimension, ascending. */
    std::vector<PairTraffic> GetPairs() const;

  private:
    /** What one rank emitted. */
    struct Sender
    {
        std::vector<PairTraffic> entries;             //!< in order of first use
        std::unordered_map<uint64_t, uint32_t> index; //!< to and dimension -> entry
        uint32_t last{0};                             //!< entry used last
    };

    /** @return the entry. */
    PairTraffic& Find(uint32_t from, uint32_t to, ParallelDimension dimension);

    std::vector<Sender> m_senders;                                                      //!< by rank
    std::array<uint64_t, static_cast<std::size_t>(ParallelDimension::COUNT)> m_bytes{}; //!< sums
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAFFIC_LEDGER_H
