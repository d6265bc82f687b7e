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

/**
 * @ingroup llm-training
 *
 * Completion times of the messages of a transport, for exact percentiles: 8 bytes per message. From
 * the trace source MessageEnd; messages of 0 bytes do not count. Must live as long as the
 * transport sends.
 */
class FlowStatistics
{
  public:
    FlowStatistics() = default;
    FlowStatistics(const FlowStatistics&) = delete;
    FlowStatistics& operator=(const FlowStatistics&) = delete;

    /** @param transport whose messages are counted. */
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

  private:
    /** Sink of MessageEnd. */
    void MessageEnd(const Message& message, int64_t now);

    std::vector<int64_t> m_ticks; //!< completion times, in no order
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLOW_STATISTICS_H
