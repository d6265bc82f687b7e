/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COLLECTIVE_RUNNER_H
#define LLM_COLLECTIVE_RUNNER_H

#include "llm-traffic-ledger.h"
#include "llm-training-result.h"

#include "ns3/llm-collective-algorithm.h"
#include "ns3/llm-growing-fifo.h"
#include "ns3/llm-message-transport.h"
#include "ns3/llm-step-program.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Who is told what becomes of collectives.
 */
class CollectiveListener
{
  public:
    /** A rank is through: all its receives are in and its sends acknowledged.
     *  @param rank global rank. @param token as given to Join. @param now tick. */
    virtual void CollectiveRankDone(uint32_t rank, uint32_t token, int64_t now) = 0;
    /** All members that run here are through. @param record what happened. */
    virtual void CollectiveEnded(const CollectiveRecord& record) = 0;
    /** The collective can never be right. @param reason one line. */
    virtual void CollectiveFailed(const std::string& reason) = 0;

  protected:
    ~CollectiveListener() = default;
};

/**
 * @ingroup llm-training
 *
 * Executes collectives: for every member that runs here and every channel it works through the
 * algorithm's TransferProgram, over a MessageTransport. A rank takes part from the moment it
 * joins. A send is handed to the transport as soon as its dependencies are in and the sends before
 * it to the same peer are out; a receive takes the next message of its peer, which may have come
 * before. Empty transfers put nothing on the wire.
 *
 * Of each program a few blocked sends are looked at ahead, so that memory is small; programs must
 * be executable in their order (sends buffered), as all of NCCL's are.
 *
 * Messages find their collective by their tag (group and number of the collective within the
 * group) and the receiving rank, without a map; within it, by the order that the transport keeps.
 */
class CollectiveRunner
{
  public:
    /** How a rank takes part in a collective. */
    struct Part
    {
        const CollectiveAlgorithm* algorithm{nullptr}; //!< how
        CollectiveSpec spec;                           //!< what
        uint32_t group{0};                             //!< in which group
        uint32_t rank{0};                              //!< which member: global rank
        uint64_t sequence{0};  //!< number within the group, from 0, without gaps
        uint32_t iteration{0}; //!< for the record
        uint32_t token{0};     //!< comes back with CollectiveRankDone
        ParallelDimension dimension{ParallelDimension::DATA}; //!< what for
        uint16_t firstChannel{0}; //!< Message::channel of the collective's channel 0
        uint8_t trafficClass{3};  //!< of its messages
        uint8_t protocol{0};      //!< NcclProtocol of its messages
    };

    /**
     * @param groups the job's groups; outlives this.
     * @param transport moves the messages.
     * @param ledger counts what is emitted.
     * @param listener is told.
     */
    CollectiveRunner(const std::vector<ProcessGroup>& groups,
                     MessageTransport& transport,
                     TrafficLedger& ledger,
                     CollectiveListener& listener);
    ~CollectiveRunner();

    /** @param message any. @return true if it belongs to a collective. */
    static bool IsCollective(const Message& message)
    {
        return (message.tag & TAG_BIT) != 0;
    }

    /**
     * A rank takes part from now on.
     * @param part what it does.
     * @param now present tick.
     */
    void Join(const Part& part, int64_t now);

    /** @param message has arrived. @param now tick. */
    void MessageDelivered(const Message& message, int64_t now);
    /** @param message is acknowledged. @param now tick. */
    void MessageSent(const Message& message, int64_t now);

    /**
     * @param rank global rank.
     * @param group of the collective that it is in.
     * @param sequence number of the collective.
     * @return one line: for whom it waits, for how many bytes.
     */
    std::string Describe(uint32_t rank, uint32_t group, uint64_t sequence) const;

    /** @return collectives that some rank has joined and that are not over. */
    uint64_t GetOpen() const
    {
        return m_openInstances;
    }

  private:
    static constexpr uint64_t TAG_BIT = 1ULL << 63; //!< marks messages of collectives
    static constexpr std::size_t LOOKAHEAD = 8;     //!< blocked sends per program

    struct Channel;
    struct Run;
    struct Member;
    struct Instance;
    struct Group;

    /** @return the membership, or nullptr. */
    Member* FindMember(uint32_t rank, uint32_t group);
    /** @return the membership, or nullptr. */
    const Member* FindMember(uint32_t rank, uint32_t group) const;
    /** @return the member's part in a collective, made if absent; nullptr if it is over. */
    Run* GetRun(Member& member, uint64_t sequence);
    /** @return the full number of the collective in a message to or from @p member. */
    static uint64_t SequenceOf(const Message& message, const Member& member);
    /** @return true if @p part agrees with what others do; else it has failed. */
    bool Agree(const Part& part, const Instance& instance);
    /** Do whatever can be done in a channel. */
    void Progress(Member& member, Run& run, uint32_t index, int64_t now);
    /** Take transfers from the program. @return true if there was any. */
    bool Pull(const Member& member, Run& run, uint32_t index);
    /** @return true if a message of @p got bytes fits a receive of @p expected; else it fails. */
    bool Fits(const Member& member, const Run& run, uint32_t from, uint64_t got, uint64_t expected);
    /** @return the message of a transfer between this member and another, from whom to whom. */
    Message MakeMessage(const Member& member,
                        const Run& run,
                        uint32_t index,
                        const Transfer& transfer) const;
    /** Tell the transport what the switch is to do with a message. */
    void Address(Message& message,
                 const Transfer& transfer,
                 Channel& channel,
                 uint32_t group) const;
    /** Hand what may go to the transport. @return true if there was any. */
    bool Emit(const Member& member, Run& run, uint32_t index);
    /** A channel is through: maybe the run, maybe the collective. */
    void EndChannel(Member& member, Run& run, int64_t now);
    /** A member is through. */
    void EndRun(Member& member, Run& run, int64_t now);

    const std::vector<ProcessGroup>& m_groupTable;  //!< the job's groups
    MessageTransport& m_transport;                  //!< moves messages
    TrafficLedger& m_ledger;                        //!< counts bytes
    CollectiveListener& m_listener;                 //!< is told
    std::vector<Group> m_groups;                    //!< state by group
    std::vector<Member> m_members;                  //!< all memberships, group by group
    std::vector<std::vector<uint32_t>> m_membersOf; //!< by global rank, groups ascending
    std::vector<std::unique_ptr<Run>> m_free;       //!< runs to use again
    uint64_t m_openInstances{0};                    //!< see GetOpen
};

} // namespace llm
} // namespace ns3

#endif // LLM_COLLECTIVE_RUNNER_H
