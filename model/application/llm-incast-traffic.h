/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_INCAST_TRAFFIC_H
#define LLM_INCAST_TRAFFIC_H

#include "llm-flow-generator.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Incasts: at StartTime and every Period after, Count times in all, each receiver gets Bytes from
 * FanIn senders at once. FanIn 0 means all of them; else they are drawn anew each time.
 */
class IncastTraffic : public FlowGenerator
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    IncastTraffic();

  protected:
    void CheckSettings() const override;
    void Generate() override;

  private:
    /** Begin the flows to one receiver. */
    void SendTo(uint32_t receiver);

    uint32_t m_fanIn{0};              //!< attribute
    uint64_t m_bytes{0};              //!< attribute
    Time m_period;                    //!< attribute
    uint32_t m_count{1};              //!< attribute
    uint32_t m_done{0};               //!< incasts so far
    std::vector<uint32_t> m_shuffled; //!< senders, for drawing
};

} // namespace llm
} // namespace ns3

#endif // LLM_INCAST_TRAFFIC_H
