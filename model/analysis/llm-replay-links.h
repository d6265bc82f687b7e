/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_REPLAY_LINKS_H
#define LLM_REPLAY_LINKS_H

#include "ns3/llm-collective-algorithm.h"

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llm
{

/** A message in a replay. */
struct ReplayMessage
{
    uint32_t from{0};                     //!< group rank
    uint32_t to{0};                       //!< group rank
    uint32_t channel{0};                  //!< of the collective
    uint64_t bytes{0};                    //!< length
    InNetwork inNetwork{InNetwork::NONE}; //!< as in Transfer
    uint64_t part{0};                     //!< in-network: equal in shares of one sum
};

/**
 * @ingroup llm-training
 *
 * Alpha-beta links between ranks: each has a port that sends and receives at a rate, and what has
 * left arrives alpha later.
 */
class ReplayLinks
{
  public:
    virtual ~ReplayLinks() = default;
    /** @param message is handed to its sender's port. @param nowPs when; never before the last. */
    virtual void Start(const ReplayMessage& message, double nowPs) = 0;
    /** @return when something happens next; infinity: nothing does. */
    virtual double GetNextPs() const = 0;
    /** Let it happen. @param delivered gets the messages that are complete then. */
    virtual void Advance(std::vector<ReplayMessage>& delivered) = 0;
};

/**
 * @ingroup llm-training
 *
 * Ports that send one message after the other, as handed to them, and receive one after the other
 * in order of first bytes, cut through: the model of ScaleUpTransport, its switch included.
 */
class OrderedReplayLinks : public ReplayLinks
{
  public:
    /** @param ranks in the group. @param link of each. */
    OrderedReplayLinks(uint32_t ranks, const CollectiveLink& link);

    void Start(const ReplayMessage& message, double nowPs) override;
    double GetNextPs() const override;
    void Advance(std::vector<ReplayMessage>& delivered) override;

  private:
    /** First or last byte of a message at its receiver. */
    struct Event
    {
        double timePs{0};      //!< when
        bool drained{false};   //!< last byte
        uint64_t number{0};    //!< in order of sending
        ReplayMessage message; //!< what
    };

    /** Heap order: earliest first; at equal time last bytes, then the lower sender, then as sent.
     */
    struct IsLater
    {
        /** @return whether @p a comes after @p b. */
        bool operator()(const Event& a, const Event& b) const;
    };

    /** A sum in the making: shares under way, and the latest of their first bytes. */
    using Sum = std::pair<uint32_t, double>;

    const uint32_t m_ranks;                                           //!< in the group
    const CollectiveLink m_link;                                      //!< of each
    std::vector<double> m_egressFree;                                 //!< by rank
    std::vector<double> m_ingressFree;                                //!< by rank
    std::priority_queue<Event, std::vector<Event>, IsLater> m_events; //!< to come
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, Sum> m_sums;   //!< by receiver, ...
    uint64_t m_count{0};                                              //!< messages so far
};

/**
 * @ingroup llm-training
 *
 * Ports that all connections (from, to, channel) with something to send share max-min fairly, at
 * the sender and at the receiver: what a network of fair queues without loss tends to. Messages of
 * one connection follow each other. No switch that reduces.
 */
class FairReplayLinks : public ReplayLinks
{
  public:
    /** @param ranks in the group. @param link of each. */
    FairReplayLinks(uint32_t ranks, const CollectiveLink& link);

    void Start(const ReplayMessage& message, double nowPs) override;
    double GetNextPs() const override;
    void Advance(std::vector<ReplayMessage>& delivered) override;

  private:
    /** A connection with something to send. */
    struct Flow
    {
        std::queue<ReplayMessage> messages; //!< the first is under way
        double leftPs{0};                   //!< of it, in time at full rate
        double share{0};                    //!< of the rate
    };

    /** From, to, channel. */
    using FlowKey = std::tuple<uint32_t, uint32_t, uint32_t>;

    /** Let time pass without a change. */
    void Pass(double nowPs);
    /** Share all ports among the flows. */
    void Share();

    const uint32_t m_ranks;                                  //!< in the group
    const CollectiveLink m_link;                             //!< of each
    double m_nowPs{0};                                       //!< until when flows have been served
    std::map<FlowKey, Flow> m_flows;                         //!< with something to send
    std::queue<std::pair<double, ReplayMessage>> m_arriving; //!< have left, by arrival
};

/**
 * @ingroup llm-training
 *
 * Ports that the connections of a sender share equally, whatever their receivers have to do, and
 * that receive first come, first served, from a memory without bound: what NICs do whose queue
 * pairs take turns, and a switch that stores what comes. Messages of one connection follow each
 * other. No switch that reduces.
 */
class BufferedReplayLinks : public ReplayLinks
{
  public:
    /** @param ranks in the group. @param link of each. */
    BufferedReplayLinks(uint32_t ranks, const CollectiveLink& link);

    void Start(const ReplayMessage& message, double nowPs) override;
    double GetNextPs() const override;
    void Advance(std::vector<ReplayMessage>& delivered) override;

  private:
    /** A connection with something to send. */
    struct Flow
    {
        std::queue<ReplayMessage> messages; //!< the first is under way
        double leftPs{0};                   //!< of it, in time at full rate
    };

    /** A message that has left. */
    struct Arrival
    {
        double timePs{0};      //!< when its last byte is received
        uint64_t number{0};    //!< in order of leaving
        ReplayMessage message; //!< what

        /** @return whether it comes after @p other. */
        bool operator>(const Arrival& other) const
        {
            return std::tie(timePs, number) > std::tie(other.timePs, other.number);
        }
    };

    /** From, to, channel. */
    using FlowKey = std::tuple<uint32_t, uint32_t, uint32_t>;

    /** Let time pass without a change. */
    void Pass(double nowPs);

    const CollectiveLink m_link;     //!< of each
    double m_nowPs{0};               //!< until when flows have been served
    std::map<FlowKey, Flow> m_flows; //!< with something to send
    std::vector<uint32_t> m_open;    //!< flows by sender
    std::vector<double> m_inflow;    //!< by receiver, of its rate
    std::vector<double> m_backlogPs; //!< by receiver, time to drain what is stored
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<Arrival>> m_arriving; //!< left
    uint64_t m_count{0}; //!< messages that have left
};

} // namespace llm
} // namespace ns3

#endif // LLM_REPLAY_LINKS_H
