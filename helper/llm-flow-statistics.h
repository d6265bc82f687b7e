/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FLOW_STATISTICS_H
#define LLM_FLOW_STATISTICS_H

#include "ns3/llm-message-transport.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/** Completion times of messages, in ticks. */
struct FlowTimes
{
    uint64_t count{0};  //!< messages
    int64_t median{0};  //!< half are not slower
    int64_t p90{0};     //!< 90 % are not slower
    int64_t p99{0};     //!< 99 % are not slower
    int64_t longest{0}; //!< of all
};

/**
 * @ingroup llm-training
 *
 * Completion times of the messages of transports, for exact percentiles: 8 bytes per message. From
 * the trace source MessageEnd; messages of 0 bytes do not count. Must live as long as the
 * transport sends.
 */
class FlowStatistics
{
  public:
    FlowStatistics() = default;
    FlowStatistics(const FlowStatistics&) = delete;
    FlowStatistics& operator=(const FlowStatistics&) = delete;

    /** @param transport whose messages are counted, beside those of others. */
    void Connect(Ptr<MessageTransport> transport);

    /** @return messages delivered. */
    uint64_t GetCount() const
    {
        return m_ticks.size();
    }

    /**
     * @param percent 0 .. 100.
     * @return the smallest completion time, in ticks, that at least so many percent of the
     *         messages do not exceed; 0 if there are none.
     */
    int64_t GetPercentile(double percent);

    /** @return how many, and the usual percentiles. */
    FlowTimes GetTimes();

  private:
    /** Sink of MessageEnd. */
    void MessageEnd(const Message& message, int64_t now);

    std::vector<int64_t> m_ticks; //!< completion times, in no order
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLOW_STATISTICS_H
