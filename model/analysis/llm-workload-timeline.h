/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_WORKLOAD_TIMELINE_H
#define LLM_WORKLOAD_TIMELINE_H

#include "ns3/llm-step-program.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llm
{

/** Where a span of time goes: compute, and communication by what it is for. Picoseconds. */
struct TimeBreakdown
{
    int64_t computePs{0}; //!< COMPUTE operations
    /** Indexed by ParallelDimension. */
    std::array<int64_t, static_cast<std::size_t>(ParallelDimension::COUNT)> communicationPs{};

    /** @return the sum. */
    int64_t GetTotal() const;
    /** @param operation COMPUTE: compute. @param durationPs is added where it belongs. */
    void Add(const Operation& operation, int64_t durationPs);
};

/**
 * @ingroup llm-training
 *
 * Runs the programs of a workload against a clock, without a network: streams run in order,
 * operations start when those they wait for are over, compute takes its time, and communication
 * takes what a callback says (nothing, by default). Messages of different streams do not disturb
 * each other. What it finds is the time of an iteration, how long each rank computes, and the
 * critical path: the chain of operations that the last one waited for, without a gap.
 *
 * A collective starts when its last member is ready, and is over for all at once. A message sets
 * out when its SEND starts; the RECV is over when it is there.
 *
 * It can also run some ranks only, say one pipeline out of a thousand that are alike: of a
 * collective those members count which run, and a message from a rank that does not run comes when
 * the receiver's own message of that tag to such a rank gets there, as symmetry has it.
 *
 * Not for imported graphs (OperationStream::UNORDERED), whose order depends on time.
 *
 * Time grows with the operations, and so does memory: 72 bytes each. Run WorkloadChecker first: it
 * says more about work that cannot end.
 */
class WorkloadTimeline
{
  public:
    /**
     * Time of communication in picoseconds, not negative. It gets the rank and the operation: for
     * messages the sender's, for collectives those of the member that was ready last.
     */
    using CommunicationTime = std::function<int64_t(uint32_t, const Operation&)>;

    /**
     * @param source the work; it must outlive this object.
     * @param name of the workload, for errors.
     */
    explicit WorkloadTimeline(const WorkloadSource& source, const std::string& name = "workload");

    /** @param time what communication takes. */
    void SetCommunicationTime(CommunicationTime time);
    /** @param ranks which ones run; default: all. */
    void SetRanks(const std::vector<uint32_t>& ranks);

    /**
     * Runs one iteration; all clocks start at 0.
     * @param iteration from 0.
     * @return when the last operation is over, in picoseconds.
     * @throw ConfigError if ranks wait for ever, or the work is an imported graph.
     */
    int64_t Run(uint32_t iteration = 0);

    /** @return the ranks that run. */
    const std::vector<uint32_t>& GetRanks() const;
    /** @param rank one that ran. @return when its last operation is over, picoseconds. */
    int64_t GetEndPs(uint32_t rank) const;
    /** @param rank one that ran. @return time of all its operations, whether they overlap or not;
     *  of collectives the time from when all were ready, of messages those it sent. */
    const TimeBreakdown& GetWork(uint32_t rank) const;
    /** @return the critical path; its sum is what Run() returned. */
    const TimeBreakdown& GetCriticalPath() const;
    /**
     * @return time in which ranks do not compute, over the time in which they do: 1 - 1/(1 + x) of
     *         the accelerators' time is idle. Without cost of communication this is the pipeline's
     *         bubble as papers give it.
     */
    double GetBubbleFraction() const;

  private:
    /** A point in time, and what filled the time up to it on the way that decided. */
    struct Moment
    {
        int64_t ps{0};
        TimeBreakdown path;
    };

    /** A rank and its current operation. */
    struct Runner
    {
        uint32_t rank{0};
        std::unique_ptr<StepProgram> program;
        Operation operation;
        bool open{false};            //!< operation is not over
        bool gathered{false};        //!< and is a collective that has arrived
        bool done{false};            //!< the program is over
        Moment start;                //!< of operation
        std::vector<Moment> ends;    //!< by operation
        std::vector<Moment> streams; //!< end of the latest operation of each
        TimeBreakdown work;          //!< of all operations
        int64_t endPs{0};            //!< of the latest operation
    };

    /** Members of a group that wait at a collective. */
    struct Gathering
    {
        uint32_t members{0};           //!< that run
        std::vector<uint32_t> waiting; //!< runners
        uint32_t last{0};              //!< runner that starts last
    };

    /** From, to, dimension, tag. Ranks that do not run are all OUTSIDE. */
    using Channel = std::tuple<uint32_t, uint32_t, ParallelDimension, uint64_t>;

    static constexpr uint32_t OUTSIDE = 0xffffffff; //!< no rank that runs

    void RunRunner(uint32_t index);
    void Begin(Runner& runner) const;
    bool TryEnd(uint32_t index);
    bool JoinCollective(uint32_t index);
    bool Receive(Runner& runner);
    void Send(Runner& runner);
    void End(Runner& runner, const Moment& start, int64_t durationPs);
    int64_t AskTime(const Runner& runner) const;
    uint32_t FindInside(uint32_t rank) const;
    const Runner& GetRunner(uint32_t rank) const;
    void CheckEnd() const;
    static void Later(Moment& moment, const Moment& other);

    const WorkloadSource& m_source;                   //!< the work
    std::string m_name;                               //!< for errors
    CommunicationTime m_time;                         //!< may be empty
    std::vector<uint32_t> m_ranks;                    //!< that run
    std::vector<uint32_t> m_runnerOf;                 //!< by rank; OUTSIDE: does not run
    std::vector<Runner> m_runners;                    //!< as m_ranks
    std::vector<Gathering> m_gatherings;              //!< by group
    std::deque<uint32_t> m_ready;                     //!< runners that may go on
    std::map<Channel, std::deque<Moment>> m_messages; //!< when those on the way are there
    TimeBreakdown m_criticalPath;                     //!< of the latest run
};

} // namespace llm
} // namespace ns3

#endif // LLM_WORKLOAD_TIMELINE_H
