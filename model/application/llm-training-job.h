/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_JOB_H
#define LLM_TRAINING_JOB_H

#include "llm-collective-runner.h"
#include "llm-message-matcher.h"
#include "llm-traffic-ledger.h"
#include "llm-training-application.h"
#include "llm-training-result.h"

#include "ns3/application-container.h"
#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/llm-collective-selector.h"
#include "ns3/llm-message-transport.h"
#include "ns3/llm-step-program.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A training job: a workload, the nodes of its ranks, the transport between them, the algorithms
 * of its collectives and a number of iterations. It starts at an ns-3 time, ends when every rank
 * has ended its iterations, and keeps the accounts: time per iteration and rank, bytes per
 * dimension and pair, bandwidth per kind of collective.
 *
 * It never hangs. While it is open it looks, once per StallTime, whether an operation ended, a byte
 * arrived or a computation runs; if none does, or if the two sides of a communication disagree, it
 * fails: the simulator is stopped (unless StopSimulation is false, for jobs among others) and
 * GetFailure says who waits for whom. Jobs do not stop the
 * simulator when they complete; the completion callback may.
 *
 * Usage: SetWorkload, SetTransport, SetCollective, Install, then Simulator::Run.
 */
class TrainingJob : public Object,
                    private MessageListener,
                    private CollectiveListener,
                    private MatcherListener
{
  public:
    /** What becomes of a job. */
    enum class State : uint8_t
    {
        WAITING,  //!< no rank has started
        RUNNING,  //!< open
        COMPLETE, //!< all iterations of all ranks are over
        STOPPED,  //!< an application was stopped before
        FAILED    //!< see GetFailure
    };

    /** How collectives of a kind are done; channels: 1 .. 4096. */
    using CollectiveChoice = CollectiveSelector::Wish;

    /** @return type id. */
    static TypeId GetTypeId();
    TrainingJob();
    ~TrainingJob() override;

    /** @param workload what to do. */
    void SetWorkload(std::shared_ptr<const WorkloadSource> workload);
    /** @param transport knows all ranks of the workload; serves this job only. */
    void SetTransport(Ptr<MessageTransport> transport);
    /** @param selector knows the algorithms; by default, those of the module. */
    void SetSelector(std::shared_ptr<const CollectiveSelector> selector);
    /** @param kind of collective. @param choice how it is done from now on.
     *  @throw ConfigError if the number of channels is out of range. */
    void SetCollective(CollectiveKind kind, const CollectiveChoice& choice);
    /** @param choice for all kinds. @throw ConfigError likewise. */
    void SetCollectives(const CollectiveChoice& choice);
    /** @param serverOf server (scale-up domain) of every rank, before Install; without it each rank
     *  is alone. Algorithms that work by nodes and NCCL's cost model go by it. */
    void SetServers(std::vector<uint32_t> serverOf);
    /** @param dimension of communication. @param trafficClass of its messages, 0..7; default 3.
     *  @throw ConfigError if it is above 7. */
    void SetTrafficClass(ParallelDimension dimension, uint8_t trafficClass);

    /**
     * Put a rank on every node, in order of rank; a node may appear more than once.
     * @param nodes one per rank.
     * @return the applications, by rank. They start at the attribute StartTime.
     * @throw ConfigError if workload or transport are missing, or the number of nodes is not the
     *        number of ranks.
     */
    ApplicationContainer Install(const std::vector<Ptr<Node>>& nodes);
    /** Likewise. @param nodes one per rank. @return the applications, by rank. */
    ApplicationContainer Install(const NodeContainer& nodes);

    /** @param done is called once when the job completes, stops or fails; from a fabric event. */
    void SetCompletionCallback(Callback<void, Ptr<TrainingJob>> done);

    /** @return what became of it so far. */
    State GetState() const
    {
        return m_state;
    }

    /** @return true if everything was done. */
    bool IsComplete() const
    {
        return m_state == State::COMPLETE;
    }

    /** @return the lines of the failure, the first says what it is; empty if there is none. */
    const std::vector<std::string>& GetFailure() const
    {
        return m_failure;
    }

    /** @return number of ranks. */
    uint32_t GetWorldSize() const
    {
        return static_cast<uint32_t>(m_ranks.size());
    }

    /** @return connections per pair of ranks and dimension. */
    uint32_t GetChannelCount() const;

    /** @param rank below GetWorldSize(). @return its application. */
    Ptr<LlmTrainingApplication> GetRank(uint32_t rank) const
    {
        return m_ranks[rank];
    }

    /** @return the workload. */
    std::shared_ptr<const WorkloadSource> GetWorkload() const
    {
        return m_workload;
    }

    /** @return the transport. */
    Ptr<MessageTransport> GetTransport() const
    {
        return m_transport;
    }

    /** @return 0 at the start, 1 at the end: operations done, or iterations where unknown. */
    double GetProgress() const;

    /** @return operations that are over, all ranks and iterations. */
    uint64_t GetOperationsDone() const
    {
        return m_operationsDone;
    }

    /** @return every iteration asked for; those not begun have begun == 0. */
    const std::vector<IterationRecord>& GetIterations() const
    {
        return m_iterations;
    }

    /** @return tick when the first rank started. */
    int64_t GetStartTick() const
    {
        return m_startTick;
    }

    /** @return tick when the job ended in any way; -1 before. */
    int64_t GetEndTick() const
    {
        return m_endTick;
    }

    /** @return bytes handed to the transport. */
    const TrafficLedger& GetTraffic() const
    {
        return *m_ledger;
    }

    /** @return one entry per dimension and kind that occurred, in that order. */
    std::vector<CollectiveSummary> GetCollectives() const;

    /** @return how each kind and size was done, by dimension, kind, group and size. */
    std::vector<CollectiveDecision> GetDecisions() const;

    /**
     * Say what is open and who waits for whom; also for a run that was cut off.
     * @param lines gets one line per open operation, then the transport's.
     * @param most bound on operations, and again on the transport's lines.
     */
    void DescribeOpen(std::vector<std::string>& lines, std::size_t most) const;

    /**
     * End the job as failed, and stop the simulator if the attribute StopSimulation is true.
     * @param lines what went wrong, the first on its own.
     */
    void Fail(std::vector<std::string> lines);
    /** End the job where it is; what is under way is ignored. */
    void Stop();

    /** Signature of CollectiveEnd. @param record what happened. */
    typedef void (*CollectiveTracedCallback)(const CollectiveRecord& record);
    /** Signature of IterationEnd. @param iteration from 0. @param record its times. */
    typedef void (*IterationTracedCallback)(uint32_t iteration, const IterationRecord& record);

  protected:
    void DoDispose() override;

  private:
    friend class LlmTrainingApplication;

    static constexpr std::size_t KINDS = static_cast<std::size_t>(CollectiveKind::ALL_TO_ALL) + 1;
    static constexpr std::size_t DIMENSIONS = static_cast<std::size_t>(ParallelDimension::COUNT);

    /**
     * Stands on the stack while the job works. The outermost one, on leaving, lets the ranks
     * advance whose operations ended, so that nothing recurses from rank to rank.
     */
    class Turn
    {
      public:
        /** @param job that works. */
        explicit Turn(TrainingJob& job);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

      private:
        TrainingJob& m_job; //!< whose turn it is
    };

    /** The way that a group used last, and for what. */
    struct CachedPlan
    {
        const CollectiveSelector::CollectivePlan* plan{nullptr}; //!< null: none yet
        CollectiveSpec spec;                                     //!< what it was chosen for
        ParallelDimension dimension{ParallelDimension::COUNT};   //!< what for
    };

    /** Dimension, kind, ranks, ranks of a server, size, root, uneven parts. */
    using PlanKey =
        std::tuple<ParallelDimension, CollectiveKind, uint32_t, uint32_t, uint64_t, uint32_t, bool>;

    void MessageDelivered(const Message& message, int64_t now) override;
    void MessageSent(const Message& message, int64_t now) override;
    void MessageFailed(const Message& message, const std::string& reason) override;
    void CollectiveRankDone(uint32_t rank, uint32_t token, int64_t now) override;
    void CollectiveEnded(const CollectiveRecord& record) override;
    void CollectiveFailed(const std::string& reason) override;
    void PointToPointDone(uint32_t rank, uint32_t token, int64_t now) override;
    void PointToPointFailed(const std::string& reason) override;

    /** An application's start time has come. */
    void RankStarted(LlmTrainingApplication& rank);
    /** A rank begins an iteration. */
    void RankBegan(uint32_t iteration, int64_t now);
    /** A rank ended an iteration. */
    void RankEnded(uint32_t iteration, int64_t now);
    /** An operation of a rank is over: it may advance. */
    void OperationEnded(LlmTrainingApplication& rank, int64_t now);
    /** Start an operation that is not a computation. */
    void StartCommunication(LlmTrainingApplication& rank, uint32_t slot, int64_t now);
    /** Start a collective. */
    void StartCollective(LlmTrainingApplication& rank, uint32_t slot, int64_t now);
    /** @return how to do it. @throw ConfigError if there is no way. */
    const CollectiveSelector::CollectivePlan& PlanCollective(uint32_t group,
                                                             const CollectiveSpec& spec,
                                                             ParallelDimension dimension);
    /** @return Message::channel of channel 0 of a dimension. */
    uint16_t FirstChannel(ParallelDimension dimension) const;
    /** Let ranks advance until none is left. */
    void Drain();
    /** All ranks are through. */
    void Complete(int64_t now);
    /** Leave RUNNING for good. */
    void End(State state);
    /** Look whether anything moves. */
    void Watch();
    /** @return a number that grows while bytes arrive. */
    uint64_t CountBytes() const;

    std::shared_ptr<const WorkloadSource> m_workload;              //!< what
    Ptr<MessageTransport> m_transport;                             //!< moves messages
    std::shared_ptr<const CollectiveSelector> m_selector;          //!< knows algorithms
    std::array<CollectiveChoice, KINDS> m_choices;                 //!< by kind
    std::array<uint8_t, DIMENSIONS> m_trafficClass;                //!< by dimension
    uint32_t m_iterationCount{1};                                  //!< attribute
    uint32_t m_window{128};                                        //!< attribute
    Time m_startTime;                                              //!< attribute
    Time m_stallTime;                                              //!< attribute
    bool m_stopSimulation{true};                                   //!< attribute
    Callback<void, Ptr<TrainingJob>> m_done;                       //!< completion
    std::vector<Ptr<LlmTrainingApplication>> m_ranks;              //!< by rank
    std::unique_ptr<TrafficLedger> m_ledger;                       //!< bytes
    std::unique_ptr<CollectiveRunner> m_runner;                    //!< collectives
    std::unique_ptr<MessageMatcher> m_matcher;                     //!< sends and receives
    std::vector<uint32_t> m_serverOf;                              //!< by rank; may be empty
    std::vector<uint32_t> m_ranksPerNode;                          //!< by group
    std::vector<CachedPlan> m_cache;                               //!< by group
    std::map<PlanKey, CollectiveSelector::CollectivePlan> m_plans; //!< all that were made
    std::vector<IterationRecord> m_iterations;                     //!< by iteration
    std::array<std::array<CollectiveSummary, KINDS>, DIMENSIONS> m_summaries; //!< sums
    State m_state{State::WAITING};                                            //!< present state
    std::vector<std::string> m_failure;                                       //!< why it failed
    uint32_t m_turns{0};                                                      //!< depth of Turn
    GrowingFifo<LlmTrainingApplication*> m_ready;                             //!< ranks to advance
    uint32_t m_ranksOver{0};       //!< through with all iterations
    uint64_t m_operationsDone{0};  //!< over
    uint64_t m_operationsTotal{0}; //!< 0 if unknown
    uint32_t m_computing{0};       //!< computations that run
    int64_t m_startTick{-1};       //!< first rank started
    int64_t m_endTick{-1};         //!< job ended
    int64_t m_lastProgress{0};     //!< tick of the last progress
    int64_t m_watchedProgress{-1}; //!< m_lastProgress at last Watch
    uint64_t m_watchedBytes{0};    //!< CountBytes at last Watch
    EventId m_watch;               //!< next Watch

    TracedCallback<const CollectiveRecord&> m_collectiveEnd;         //!< a collective is over
    TracedCallback<uint32_t, const IterationRecord&> m_iterationEnd; //!< an iteration is over
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_JOB_H
