/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_APPLICATION_H
#define LLM_TRAINING_APPLICATION_H

#include "llm-operation-window.h"
#include "llm-tick-converter.h"
#include "llm-training-result.h"

#include "ns3/application.h"
#include "ns3/fabric-event-queue.h"
#include "ns3/llm-growing-fifo.h"
#include "ns3/llm-step-program.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

class TrainingJob;

/**
 * @ingroup llm-training
 *
 * One rank of a TrainingJob on a node: executes its step program, iteration after iteration.
 *
 * The operations of a stream run one after the other; operations of different streams overlap; an
 * operation starts when its stream is free and all that it waits for is over. The accelerator is
 * modelled by the durations of compute operations, nothing else takes time here. The next
 * iteration of a rank starts when its own operations are over, whatever the others do.
 *
 * Created by TrainingJob::Install.
 */
class LlmTrainingApplication : public Application, public FabricEventHandler
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    LlmTrainingApplication();
    ~LlmTrainingApplication() override;

    /** @return rank within the job. */
    uint32_t GetRank() const
    {
        return m_rank;
    }

    /** @return the job, or nullptr. */
    Ptr<TrainingJob> GetJob() const;

    /** @return where the time went, up to the last change. */
    const RankTimes& GetTimes() const
    {
        return m_times;
    }

    /** @return iterations that this rank has ended. */
    uint32_t GetIterationsDone() const
    {
        return m_iteration;
    }

    /**
     * Make this accelerator slower or faster from now on. What is being computed is stretched: what
     * is left of it takes the new factor instead of the old one. Call from ns-3 events or between
     * runs.
     * @param factor of the durations of computations, > 0; 1: as the workload says.
     */
    void SetSlowdown(double factor);

    /** @return factor of the durations of computations. */
    double GetSlowdown() const
    {
        return m_slowdown;
    }

    /**
     * Say what is open.
     * @param lines gets one line per communication that has started and is not over.
     * @param most bound on the number of lines, in all.
     */
    void DescribeOpen(std::vector<std::string>& lines, std::size_t most) const;

    /** @return tick at which the computation in @p stream ends, or -1 if none runs.
     *  @param stream which. */
    int64_t GetComputeEnd(OperationStream stream) const
    {
        return m_computeEnd[static_cast<std::size_t>(stream)];
    }

    /**
     * Signature of OperationStart and OperationEnd.
     * @param rank which.
     * @param iteration from 0.
     * @param operation what.
     * @param start tick when it started.
     * @param now present tick.
     */
    typedef void (*OperationTracedCallback)(uint32_t rank,
                                            uint32_t iteration,
                                            const Operation& operation,
                                            int64_t start,
                                            int64_t now);

    /**
     * Signature of IterationEnd.
     * @param rank which.
     * @param iteration from 0.
     * @param start tick when this rank started it.
     * @param now present tick.
     */
    typedef void (*IterationTracedCallback)(uint32_t rank,
                                            uint32_t iteration,
                                            int64_t start,
                                            int64_t now);

  protected:
    void DoDispose() override;

  private:
    friend class TrainingJob;

    static constexpr std::size_t STREAMS = static_cast<std::size_t>(OperationStream::COUNT);

    /** Where UNORDERED computations that exclude each other queue. */
    struct Lane
    {
        int64_t end{-1};               //!< tick when the computation ends, or -1
        uint32_t slot{0};              //!< of the computation
        GrowingFifo<uint32_t> waiting; //!< slots of those that are ready
    };

    /** What the rank does at an instant; see RankTimes. */
    enum class Activity : uint8_t
    {
        NONE,
        COMPUTE,
        EXPOSED,
        BUBBLE
    };

    void StartApplication() override;
    void StopApplication() override;
    void HandleFabricEvent(FabricEventKind kind, int64_t now) override;

    /** @param job whose rank this is. @param rank which. @param window operations at once. */
    void Attach(Ptr<TrainingJob> job, uint32_t rank, uint32_t window);
    /** Fetch and start whatever can. @param now tick. */
    void Advance(int64_t now);
    /** An operation is over. @param slot which. @param now tick. */
    void OperationDone(uint32_t slot, int64_t now);
    /** Fill the window. @return true if anything was fetched. */
    bool FetchAll(int64_t now);
    /** Give a collective its number; refuse nonsense. @param slot just fetched. */
    void Admit(OperationWindow::Slot& slot);
    /** Start the operations at the head of a stream that can. @return true if there was one. */
    bool StartHeads(std::size_t stream, int64_t now);
    /** Start the UNORDERED operations that can. @return true if there was one. */
    bool StartUnordered(int64_t now);
    /** Do what takes no time and can start. */
    void RunInstant(int64_t now);
    /** Start an operation. */
    void Start(uint32_t slot, int64_t now);
    /** Start a computation. */
    void StartCompute(uint32_t slot, int64_t now);
    /** @return true if a computation has to wait for its lane, where it now queues. */
    bool QueueForLane(uint32_t slot);
    /** A computation of a lane is over: go on with the next. */
    void LaneDone(std::size_t lane, int64_t now);
    /** End the iteration, and begin the next if there is one. @return true if there is. */
    bool EndIteration(int64_t now);
    /** Begin iteration m_iteration. */
    void BeginIteration(int64_t now);
    /** Add the time since the last call to what the rank did. */
    void Account(int64_t now);
    /** @return what the rank does now. */
    Activity FindActivity() const;

    Ptr<TrainingJob> m_job;                    //!< the job; reset when disposed
    uint32_t m_rank{0};                        //!< rank
    uint32_t m_timerId{0};                     //!< of JOB events
    OperationWindow m_window;                  //!< what is open
    TickConverter m_ticks;                     //!< picoseconds of computations
    std::vector<uint64_t> m_next;              //!< by group: number of the next collective
    std::array<int64_t, STREAMS> m_computeEnd; //!< tick when the computation ends, or -1
    std::vector<Lane> m_lanes;                 //!< of UNORDERED computations
    double m_slowdown{1};                      //!< of computations
    uint32_t m_iteration{0};                   //!< the present one
    int64_t m_iterationStart{0};               //!< tick
    bool m_begun{false};                       //!< its first iteration has begun
    bool m_running{false};                     //!< between start and end of its iterations
    bool m_queued{false};                      //!< the job will call Advance
    bool m_instant{false};                     //!< RunInstant is at work
    Activity m_activity{Activity::NONE};       //!< since m_accounted
    int64_t m_accounted{0};                    //!< tick up to which m_times is complete
    RankTimes m_times;                         //!< sums

    TracedCallback<uint32_t, uint32_t, const Operation&, int64_t, int64_t> m_operationStart; //!< op
    TracedCallback<uint32_t, uint32_t, const Operation&, int64_t, int64_t> m_operationEnd;   //!< op
    TracedCallback<uint32_t, uint32_t, int64_t, int64_t> m_iterationEnd; //!< this rank's iteration
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_APPLICATION_H
