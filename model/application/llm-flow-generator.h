/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FLOW_GENERATOR_H
#define LLM_FLOW_GENERATOR_H

#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/llm-message-transport.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/** A flow that has arrived. */
struct FlowRecord
{
    uint64_t bytes{0};     //!< size
    int64_t ticks{0};      //!< from the first byte handed over to the last one delivered
    int64_t idealTicks{0}; //!< the same on an empty network; 0: not known
};

/**
 * @ingroup llm-training
 *
 * Traffic beside the jobs: flows, each one message of a transport, between senders and receivers.
 * A subclass says when, between whom and how much. Everything is random by ns-3's seed, run and
 * AssignStreams, and nothing of it depends on a logarithm of the C library: exponential times are
 * drawn by comparisons alone.
 *
 * Flows are counted when they begin, and kept (24 bytes each) when they have arrived. A flow that
 * cannot be delivered is counted as failed; the others go on.
 */
class FlowGenerator : public Object, private MessageListener
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    FlowGenerator();
    ~FlowGenerator() override;

    /**
     * @param transport that knows all senders and receivers as ranks; serves this one only. Over
     *        RDMA with FreshQueuePairs, flows of a pair do not wait for each other.
     */
    void SetTransport(Ptr<MessageTransport> transport);

    /**
     * @param senders ranks that flows come from.
     * @param receivers ranks that flows go to; never from a rank to itself.
     * @throw ConfigError if there is no pair of two different ones, or one stands there twice.
     */
    void SetEndpoints(const std::vector<uint32_t>& senders, const std::vector<uint32_t>& receivers);

    /** Completion time on an empty network: rank, rank, bytes -> ticks. */
    using IdealTime = std::function<int64_t(uint32_t from, uint32_t to, uint64_t bytes)>;

    /** @param ideal for slowdowns; without it there are none. */
    void SetIdealTime(IdealTime ideal);

    /**
     * @param stream first number of the streams of random variables.
     * @return how many there are.
     */
    int64_t AssignStreams(int64_t stream);

    /** Schedule the first flow at the attribute StartTime; when everything is set. */
    void Start();

    /** No flow begins any more; those under way go on. */
    void Stop();

    /** @param idle is called once when the generator has stopped and no flow is under way. */
    void SetIdleCallback(Callback<void> idle);

    /** @return true if no flow begins any more and none is under way. */
    bool IsIdle() const;

    /** @return flows that began. */
    uint64_t GetStarted() const
    {
        return m_started;
    }

    /** @return bytes of flows that began. */
    uint64_t GetStartedBytes() const
    {
        return m_startedBytes;
    }

    /** @return flows that could not be delivered. */
    uint64_t GetFailed() const
    {
        return m_failed;
    }

    /** @return why the first of them could not; empty: there is none. */
    const std::string& GetFailure() const
    {
        return m_failure;
    }

    /** @return flows that have arrived, in order of arrival. */
    const std::vector<FlowRecord>& GetFlows() const
    {
        return m_flows;
    }

    /** @return tick from which flows were to begin, and tick of Stop or the present one. */
    std::pair<int64_t, int64_t> GetPeriod() const;

    /** @return the transport. */
    Ptr<MessageTransport> GetTransport() const
    {
        return m_transport;
    }

  protected:
    void DoDispose() override;

    /** Begin the flows that are due, and schedule the next call by ScheduleNext. */
    virtual void Generate() = 0;
    /** Called by Start. @throw ConfigError if the settings do not fit together. */
    virtual void CheckSettings() const;
    /** @return ticks between StartTime and the first call of Generate. */
    virtual int64_t GetFirstDelay();
    /** @return number of streams that were assigned. @param stream first of those left. */
    virtual int64_t AssignMoreStreams(int64_t stream);

    /** @param ticks from now that Generate is called again; not if that is at StopTime or after. */
    void ScheduleNext(int64_t ticks);
    /** No call is scheduled, and none will be. */
    void Finish();
    /** Begin a flow. @param from rank. @param to rank. @param bytes size. */
    void StartFlow(uint32_t from, uint32_t to, uint64_t bytes);
    /** @return a time with mean 1 of exponential distribution. */
    double DrawExponential();
    /** @return a number in [0, 1). */
    double DrawUniform();
    /** @param count > 0. @return a whole number below it. */
    uint32_t DrawIndex(std::size_t count);

    std::vector<uint32_t> m_senders;   //!< ranks
    std::vector<uint32_t> m_receivers; //!< ranks

  private:
    void MessageDelivered(const Message& message, int64_t now) override;
    void MessageSent(const Message& message, int64_t now) override;
    void MessageFailed(const Message& message, const std::string& reason) override;

    /** What is scheduled. */
    void Run();
    /** A flow is acknowledged, or has failed. */
    void EndFlow();

    uint8_t m_trafficClass{3};           //!< attribute
    Time m_startTime;                    //!< attribute
    Time m_stopTime;                     //!< attribute
    Ptr<MessageTransport> m_transport;   //!< carries the flows
    IdealTime m_ideal;                   //!< on an empty network
    Callback<void> m_idle;               //!< told once
    Ptr<UniformRandomVariable> m_times;  //!< of arrivals
    Ptr<UniformRandomVariable> m_choice; //!< of pairs and sizes
    EventId m_event;                     //!< next call
    bool m_over{false};                  //!< no flow begins any more
    bool m_told{false};                  //!< m_idle was called
    int64_t m_begin{0};                  //!< tick of StartTime
    int64_t m_end{-1};                   //!< tick of the end of arrivals; -1: not yet
    uint64_t m_started{0};               //!< flows
    uint64_t m_startedBytes{0};          //!< of flows
    uint64_t m_open{0};                  //!< flows that are neither acknowledged nor failed
    uint64_t m_failed{0};                //!< flows
    std::string m_failure;               //!< of the first
    std::vector<FlowRecord> m_flows;     //!< that have arrived
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLOW_GENERATOR_H
