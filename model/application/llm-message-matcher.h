/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MESSAGE_MATCHER_H
#define LLM_MESSAGE_MATCHER_H

#include "llm-traffic-ledger.h"

#include "ns3/llm-growing-fifo.h"
#include "ns3/llm-message-transport.h"
#include "ns3/llm-step-program.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Who is told what becomes of point-to-point operations.
 */
class MatcherListener
{
  public:
    /** A send is acknowledged or a receive is in. @param rank whose. @param token as given.
     *  @param now tick. */
    virtual void PointToPointDone(uint32_t rank, uint32_t token, int64_t now) = 0;
    /** The two sides disagree. @param reason one line. */
    virtual void PointToPointFailed(const std::string& reason) = 0;

  protected:
    ~MatcherListener() = default;
};

/**
 * @ingroup llm-training
 *
 * Executes SEND and RECV: the n-th send from a to b with a tag belongs to the n-th receive at b
 * from a with that tag. Messages that come before their receive are counted, not stored. State
 * of a (from, to, tag) exists only while something is open.
 */
class MessageMatcher
{
  public:
    /** Tags are below this; the rest belongs to collectives. */
    static constexpr uint64_t TAG_LIMIT = 1ULL << 63;

    /**
     * @param transport moves the messages.
     * @param ledger counts what is emitted.
     * @param listener is told.
     */
    MessageMatcher(MessageTransport& transport, TrafficLedger& ledger, MatcherListener& listener);

    /**
     * Start a send.
     * @param message from, to, bytes, tag, channel, class, dimension.
     * @param token comes back when it is acknowledged.
     */
    void Send(const Message& message, uint32_t token);

    /**
     * Start a receive.
     * @param from sending rank. @param to receiving rank. @param tag of the message.
     * @param bytes expected. @param token comes back when it is in. @param now tick.
     */
    void Receive(uint32_t from,
                 uint32_t to,
                 uint64_t tag,
                 uint64_t bytes,
                 uint32_t token,
                 int64_t now);

    /** @param message has arrived. @param now tick. */
    void MessageDelivered(const Message& message, int64_t now);
    /** @param message is acknowledged. @param now tick. */
    void MessageSent(const Message& message, int64_t now);

    /**
     * @param lines gets one line per message that has arrived and that nobody has received, in
     *        order of (from, to, tag). @param most bound.
     */
    void DescribeUnmatched(std::vector<std::string>& lines, std::size_t most) const;

    /** @return (from, to, tag) with something open. */
    std::size_t GetOpen() const
    {
        return m_lanes.size();
    }

  private:
    /** What messages are matched by. */
    struct Key
    {
        uint32_t from; //!< sending rank
        uint32_t to;   //!< receiving rank
        uint64_t tag;  //!< tag

        /** @return true if all are equal. */
        bool operator==(const Key& other) const
        {
            return from == other.from && to == other.to && tag == other.tag;
        }
    };

    /** Hash of a Key. */
    struct KeyHash
    {
        /** @param key what. @return hash. */
        std::size_t operator()(const Key& key) const;
    };

    /** An operation that has started. */
    struct Posted
    {
        uint32_t token{0}; //!< who
        uint64_t bytes{0}; //!< how much
    };

    /** What is open between two ranks with one tag. */
    struct Lane
    {
        GrowingFifo<Posted> sends;     //!< not acknowledged
        GrowingFifo<Posted> receives;  //!< waiting for a message
        GrowingFifo<uint64_t> arrived; //!< sizes of messages without a receive

        /** @return true if nothing is open. */
        bool IsEmpty() const
        {
            return sends.IsEmpty() && receives.IsEmpty() && arrived.IsEmpty();
        }
    };

    /** @return true if a message of @p sent bytes may match a receive of @p expected. */
    bool Agree(const Key& key, uint64_t sent, uint64_t expected);

    MessageTransport& m_transport;                  //!< moves messages
    TrafficLedger& m_ledger;                        //!< counts bytes
    MatcherListener& m_listener;                    //!< is told
    std::unordered_map<Key, Lane, KeyHash> m_lanes; //!< what is open
};

} // namespace llm
} // namespace ns3

#endif // LLM_MESSAGE_MATCHER_H
