/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_TEST_JOB_H
#define LLM_TRAINING_TEST_JOB_H

// What the suites of the application room share: a workload written down by hand, a transport
// that does nothing but wait, and a scope for the choice of the simulator.

#include "ns3/fabric-event-queue.h"
#include "ns3/global-value.h"
#include "ns3/llm-message-transport.h"
#include "ns3/llm-step-program.h"
#include "ns3/llm-training-job.h"
#include "ns3/names.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llmtest
{

using namespace ns3;
using namespace ns3::llm;

/// The two back ends of the event queue.
inline const std::vector<std::string> g_simulators = {"ns3::DefaultSimulatorImpl",
                                                      "ns3::llm::FabricSimulatorImpl"};

/// Runs with a certain simulator and cleans up behind.
class SimulatorScope
{
  public:
    /// @param type of the SimulatorImpl
    explicit SimulatorScope(const std::string& type)
    {
        Simulator::Destroy();
        GlobalValue::Bind("SimulatorImplementationType", StringValue(type));
    }

    ~SimulatorScope()
    {
        Simulator::Destroy();
        Names::Clear();
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    }
};

/// A step program that calls a function for its n-th operation.
class FunctionProgram : public StepProgram
{
  public:
    /// Fills in operation n, or returns false at the end.
    using Function = std::function<bool(uint64_t, Operation&)>;

    /// @param next the function
    explicit FunctionProgram(Function next)
        : m_next(std::move(next))
    {
    }

    bool Next(Operation& operation) override
    {
        operation = Operation();
        operation.id = m_count;
        return m_next(m_count++, operation);
    }

  private:
    Function m_next;     //!< makes operations
    uint64_t m_count{0}; //!< made so far
};

/// A workload given by functions.
class ScriptedWorkload : public WorkloadSource
{
  public:
    /// Fills in operation n of a rank in an iteration, or returns false at the end.
    using Function = std::function<bool(uint32_t, uint32_t, uint64_t, Operation&)>;

    /// @param world number of ranks @param groups group table @param next makes operations
    ScriptedWorkload(uint32_t world, std::vector<ProcessGroup> groups, Function next)
        : m_world(world),
          m_groups(std::move(groups)),
          m_next(std::move(next))
    {
    }

    uint32_t GetWorldSize() const override
    {
        return m_world;
    }

    const std::vector<ProcessGroup>& GetGroups() const override
    {
        return m_groups;
    }

    std::unique_ptr<StepProgram> CreateProgram(uint32_t rank, uint32_t iteration) const override
    {
        return std::make_unique<FunctionProgram>(
            [this, rank, iteration](uint64_t n, Operation& operation) {
                return m_next(rank, iteration, n, operation);
            });
    }

    uint64_t CountOperations(uint32_t rank) const override
    {
        uint64_t count = 0;
        auto program = CreateProgram(rank, 0);
        for (Operation operation; program->Next(operation);)
        {
            ++count;
        }
        return count;
    }

  private:
    const uint32_t m_world;                   //!< ranks
    const std::vector<ProcessGroup> m_groups; //!< groups
    const Function m_next;                    //!< makes operations
};

/// @param world ranks @param program operations by rank, the same in every iteration
/// @param groups group table @return the workload
inline std::shared_ptr<ScriptedWorkload>
MakeScript(uint32_t world,
           std::vector<std::vector<Operation>> program,
           std::vector<ProcessGroup> groups = {})
{
    return std::make_shared<ScriptedWorkload>(
        world,
        std::move(groups),
        [program](uint32_t rank, uint32_t, uint64_t n, Operation& operation) {
            if (n >= program[rank].size())
            {
                return false;
            }
            operation = program[rank][n];
            operation.id = n;
            return true;
        });
}

/// @param size of the group @return ranks 0 .. size-1, data parallel
inline ProcessGroup
WorldGroup(uint32_t size)
{
    ProcessGroup group;
    group.name = "dp";
    for (uint32_t rank = 0; rank < size; ++rank)
    {
        group.ranks.push_back(rank);
    }
    return group;
}

/// @param kind collective @param bytes size @param group index @return the operation
inline Operation
Collective(OperationKind kind, uint64_t bytes, uint32_t group = 0)
{
    Operation operation;
    operation.kind = kind;
    operation.stream = OperationStream::DATA;
    operation.bytes = bytes;
    operation.group = group;
    return operation;
}

/// @param kind SEND or RECV @param peer rank @param bytes size @param tag tag @return operation
inline Operation
PointToPoint(OperationKind kind, uint32_t peer, uint64_t bytes, uint64_t tag)
{
    Operation operation;
    operation.kind = kind;
    operation.stream =
        kind == OperationKind::SEND ? OperationStream::SEND_FORWARD : OperationStream::RECV_FORWARD;
    operation.dimension = ParallelDimension::PIPELINE;
    operation.peer = peer;
    operation.bytes = bytes;
    operation.tag = tag;
    return operation;
}

/// @param ns duration @param waits ids @return a computation
inline Operation
Compute(int64_t ns, std::vector<uint64_t> waits = {})
{
    Operation operation;
    operation.durationPs = ns * 1000;
    operation.waits = std::move(waits);
    return operation;
}

/**
 * Every message takes Delay plus its bytes times BytesPerTick, without contention; messages of a
 * (from, to, channel) keep their order; empty ones are delivered inside Send. Messages can be
 * lost.
 */
class DelayTransport : public MessageTransport, public FabricEventHandler
{
  public:
    /// @return type id
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::test::DelayTransport")
                                .SetParent<MessageTransport>()
                                .SetGroupName("LlmTraining");
        return tid;
    }

    DelayTransport()
        : m_id(m_queue.Register(FabricEventKind::SCALE_UP, this, Simulator::NO_CONTEXT))
    {
    }

    int64_t delay{1000};                        //!< ticks per message
    uint64_t bytesPerTick{1};                   //!< rate of a connection
    uint64_t lose{UINT64_MAX};                  //!< number of the message that is lost
    uint64_t fail{UINT64_MAX};                  //!< number of the message that fails
    std::vector<Message> log;                   //!< all messages if keepLog
    bool keepLog{false};                        //!< see log
    std::function<void(const Message&)> onSend; //!< called for each message

    void Send(const Message& message) override
    {
        const int64_t now = m_queue.Now();
        Message started = message;
        started.start = now;
        const uint64_t number = m_totals.messagesStarted++;
        m_totals.bytesStarted += message.bytes;
        m_totals.payloadSent += message.bytes;
        NotifyStart(started, now);
        if (keepLog)
        {
            log.push_back(started);
        }
        if (onSend)
        {
            onSend(started);
        }
        if (number == fail)
        {
            NotifyFailed(started, "cable cut");
            return;
        }
        if (number == lose)
        {
            return;
        }
        if (message.bytes == 0)
        {
            Deliver(started, now);
            return;
        }
        int64_t& last = m_last[{message.from, message.to, message.channel}];
        last = std::max(last, now + delay + static_cast<int64_t>(message.bytes / bytesPerTick));
        m_flights[{last, number}] = started;
        m_queue.ScheduleAt(last, FabricEventKind::SCALE_UP, m_id);
    }

    FabricEventQueue& GetEventQueue() override
    {
        return m_queue;
    }

    TransportTotals GetTotals() const override
    {
        return m_totals;
    }

    void DescribeOpen(std::vector<std::string>& lines, std::size_t most) const override
    {
        for (const auto& [key, message] : m_flights)
        {
            if (lines.size() < most)
            {
                lines.push_back("in flight to rank " + std::to_string(message.to));
            }
        }
    }

  private:
    void HandleFabricEvent(FabricEventKind, int64_t now) override
    {
        while (!m_flights.empty() && m_flights.begin()->first.first <= now)
        {
            const Message message = m_flights.begin()->second;
            m_flights.erase(m_flights.begin());
            Deliver(message, now);
        }
    }

    /// Tell of the end of a message.
    void Deliver(const Message& message, int64_t now)
    {
        ++m_totals.messagesDelivered;
        m_totals.bytesDelivered += message.bytes;
        m_totals.payloadReceived += message.bytes;
        NotifyDelivered(message, now);
        NotifySent(message, now);
    }

    FabricEventQueue m_queue;                                           //!< event core
    uint32_t m_id;                                                      //!< in it
    TransportTotals m_totals;                                           //!< counters
    std::map<std::tuple<uint32_t, uint32_t, uint16_t>, int64_t> m_last; //!< last delivery
    std::map<std::pair<int64_t, uint64_t>, Message> m_flights;          //!< by time and number
};

/// A job on nodes without devices.
struct JobRig
{
    /**
     * @param workload what @param transport moves messages
     * @param algorithm name @param channels of collectives @param slice bytes
     * @param iterations how many
     */
    JobRig(std::shared_ptr<const WorkloadSource> workload,
           Ptr<MessageTransport> transport,
           const std::string& algorithm = "ring",
           uint32_t channels = 1,
           uint64_t slice = 0,
           uint32_t iterations = 1)
        : job(CreateObject<TrainingJob>())
    {
        job->SetAttribute("Iterations", UintegerValue(iterations));
        job->SetWorkload(std::move(workload));
        job->SetTransport(transport);
        job->SetCollectives({algorithm, channels, slice});
        nodes.Create(job->GetWorkload()->GetWorldSize());
        job->Install(std::vector<Ptr<Node>>(nodes.Begin(), nodes.End()));
    }

    Ptr<TrainingJob> job; //!< the job
    NodeContainer nodes;  //!< one per rank
};

} // namespace llmtest

#endif // LLM_TRAINING_TEST_JOB_H
