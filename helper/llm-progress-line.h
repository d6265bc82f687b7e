/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PROGRESS_LINE_H
#define LLM_PROGRESS_LINE_H

#include "ns3/event-id.h"
#include "ns3/llm-fabric.h"
#include "ns3/llm-training-job.h"

#include <chrono>
#include <ostream>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * One line on a terminal, overwritten a few times per second while jobs run: percent of their
 * operations, simulated time, packet-hops per second, time left. It looks at simulated intervals
 * that follow the pace of the run, and changes nothing in it.
 */
class ProgressLine
{
  public:
    /**
     * @param jobs to watch; at least one.
     * @param fabric that counts packet-hops.
     * @param payload bytes that RDMA will move over it, for the time left; 0: not known.
     * @param out terminal.
     */
    ProgressLine(std::vector<Ptr<TrainingJob>> jobs,
                 Ptr<Fabric> fabric,
                 uint64_t payload,
                 std::ostream& out);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /** Begin, when the simulator starts. */
    void Start();
    /** Wipe the line. */
    void Finish();

  private:
    using Clock = std::chrono::steady_clock;

    /** Look, and come back later. */
    void Tick();
    /** Write the line. @param now wall time. */
    void Show(Clock::time_point now);

    std::vector<Ptr<TrainingJob>> m_jobs; //!< watched
    Ptr<Fabric> m_fabric;                 //!< counts
    uint64_t m_payload;                   //!< bytes that RDMA will move, or 0
    std::ostream& m_out;                  //!< terminal
    Time m_interval;                      //!< simulated time between looks
    EventId m_event;                      //!< next look
    Clock::time_point m_started;          //!< beginning
    Clock::time_point m_shown;            //!< last line
    Clock::time_point m_looked;           //!< last look
    uint64_t m_hopsShown{0};              //!< packet-hops then
    bool m_visible{false};                //!< a line stands there
};

} // namespace llm
} // namespace ns3

#endif // LLM_PROGRESS_LINE_H
