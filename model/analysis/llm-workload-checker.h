/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_WORKLOAD_CHECKER_H
#define LLM_WORKLOAD_CHECKER_H

#include "ns3/llm-step-program.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Runs the programs of a workload without time: every rank in program order, one operation open at
 * a time, sends over at once. It finds, before any packet is simulated, operations that are
 * malformed, sends without receives and receives without sends, sizes or kinds that differ between
 * the two sides, and deadlocks. What passes here ends in every executor that respects streams and
 * waits. Time grows with the operations, memory with the unreceived messages. Of programs that are
 * UNORDERED any number of operations is open, and memory grows with these too.
 */
class WorkloadChecker
{
  public:
    /** Sees each operation once, when it begins. Arguments: rank, operation. */
    using Observer = std::function<void(uint32_t, const Operation&)>;

    /**
     * @param source the work; it must outlive this object.
     * @param name of the workload, for errors.
     */
    explicit WorkloadChecker(const WorkloadSource& source, const std::string& name = "workload");

    /** @param observer gets to see each operation. */
    void SetObserver(Observer observer);

    /** In which order ranks run. */
    enum class Order : uint8_t
    {
        SHUFFLED,     //!< any of those that can go on, by the seed
        LOWEST_FIRST, //!< as far as it gets, before a higher one goes on
        HIGHEST_FIRST //!< likewise, from the other end
    };

    /** @param order of ranks; any order gives the same verdict. */
    void SetOrder(Order order);

    /**
     * Runs one iteration.
     * @param iteration from 0.
     * @param seed of the order SHUFFLED.
     * @return number of operations.
     * @throw ConfigError that names ranks, tags and sizes.
     */
    uint64_t Run(uint32_t iteration = 0, uint64_t seed = 0);

  private:
    /** From, to, tag. */
    using Channel = std::tuple<uint32_t, uint32_t, uint64_t>;

    /** A message sent and not yet received. */
    struct Message
    {
        uint64_t bytes;
        uint64_t operation; //!< of the sender
    };

    /** A collective that some members have begun. */
    struct Gathering
    {
        std::vector<std::pair<uint32_t, uint64_t>> arrived; //!< rank, operation
        uint32_t firstRank{0};
        Operation first; //!< what all others must equal
    };

    /** An UNORDERED operation that is not over. */
    struct Parked
    {
        Operation operation;
        uint64_t sequence{0};                  //!< collective: number within the group
        uint32_t pending{0};                   //!< operations that it waits for
        bool begun{false};                     //!< it waits for nothing of this rank
        std::vector<uint64_t> dependents;      //!< operations that wait for its end
        std::vector<uint64_t> startDependents; //!< operations that wait for its start
    };

    /** A rank and its open operation. */
    struct Runner
    {
        std::unique_ptr<StepProgram> program;
        Operation operation;
        uint64_t count{0};
        bool ready{false};                      //!< in m_ready
        bool blocked{false};                    //!< its operation is not over
        bool done{false};                       //!< its program is over
        bool read{false};                       //!< its program has given all operations
        std::map<uint32_t, uint64_t> sequences; //!< by group: collectives so far
        std::map<uint64_t, Parked> parked;      //!< UNORDERED, by id
        std::vector<uint64_t> over;             //!< of these: others have ended them
    };

    uint32_t TakeReady(uint64_t& seed);
    void RunRank(uint32_t rank);
    void RunProgram(uint32_t rank);
    void EndProgram(uint32_t rank);
    void Park(uint32_t rank);
    void Release(uint32_t rank,
                 std::vector<uint64_t> over,
                 std::set<std::pair<uint8_t, uint64_t>> startable);
    bool Begin(uint32_t rank, const Operation& operation, uint64_t sequence);
    void CheckForm(uint32_t rank) const;
    void CheckCollectiveForm(uint32_t rank) const;
    void CheckExchange(uint32_t rank, const Operation& operation) const;
    void Send(uint32_t rank, const Operation& operation);
    bool Join(uint32_t rank, const Operation& operation, uint64_t sequence);
    bool TryReceive(uint32_t rank, const Operation& operation);
    bool IsReceiving(uint32_t rank) const;
    void CheckEnd() const;
    std::string Describe(uint32_t rank) const;
    void Wake(uint32_t rank);
    [[noreturn]] void Fail(uint32_t rank, uint64_t operation, const std::string& message) const;

    const WorkloadSource& m_source;                                  //!< the work
    std::string m_name;                                              //!< for errors
    Observer m_observer;                                             //!< may be empty
    Order m_order{Order::SHUFFLED};                                  //!< of ranks
    std::vector<Runner> m_runners;                                   //!< by rank
    std::map<std::pair<uint32_t, uint64_t>, Gathering> m_gatherings; //!< by group and number
    std::map<Channel, std::deque<uint64_t>> m_posted;  //!< UNORDERED receives that wait
    std::vector<uint32_t> m_ready;                     //!< ranks that can go on
    std::map<Channel, std::deque<Message>> m_messages; //!< sent, not received
};

} // namespace llm
} // namespace ns3

#endif // LLM_WORKLOAD_CHECKER_H
