/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_RESULT_H
#define LLM_TRAINING_RESULT_H

#include "ns3/llm-collective-algorithm.h"
#include "ns3/llm-nccl-protocol.h"
#include "ns3/llm-step-program.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Where a rank's time went, in ticks. At every instant between the start and the end of its
 * iterations a rank is in exactly one of three states, so that the three add up to its time:
 * - *compute*: its compute stream runs an operation;
 * - *bubble*: the compute stream is idle, and what holds it up is, in the end, a pipeline receive
 *   that has been posted and has not arrived;
 * - *exposed communication*: the compute stream is idle for any other reason: a collective, a
 *   send, a receive that is not of the pipeline, including those that end the iteration.
 *
 * "What holds it up" follows the chain of waits: the operation at the head of the compute stream
 * (at the end of the program: the oldest open one) waits for another that has not started, and so
 * on, until one that has.
 */
struct RankTimes
{
    int64_t compute{0}; //!< ticks computing
    int64_t exposed{0}; //!< ticks of exposed communication
    int64_t bubble{0};  //!< ticks of pipeline bubble

    /** @return the sum, ticks. */
    int64_t Total() const
    {
        return compute + exposed + bubble;
    }
};

/**
 * @ingroup llm-training
 *
 * One collective of one group, when all members that run here are through.
 */
struct CollectiveRecord
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE};      //!< what
    ParallelDimension dimension{ParallelDimension::DATA}; //!< what for
    uint32_t group{0};                                    //!< index in the group table
    uint32_t groupSize{1};                                //!< members
    uint32_t iteration{0};                                //!< of the rank that came first
    uint64_t sequence{0}; //!< which of the group's collectives, from 0
    uint64_t bytes{0};    //!< size, as in nccl-tests
    int64_t start{0};     //!< tick when the first member started
    int64_t ready{0};     //!< tick when the last member started
    int64_t end{0};       //!< tick when the last member was through

    /** @return bytes per second from start to end (nccl-tests' algbw), 0 if it took no time. */
    double GetAlgorithmBandwidth() const;
    /** @return algorithm bandwidth times BusBandwidthFactor: bytes per second. */
    double GetBusBandwidth() const;
};

/** All collectives of one kind in one dimension. */
struct CollectiveSummary
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE};      //!< what
    ParallelDimension dimension{ParallelDimension::DATA}; //!< what for
    uint64_t count{0};                                    //!< collectives that ended
    uint64_t bytes{0};                                    //!< sum of their sizes
    int64_t ticks{0};                                     //!< sum of their times, start to end
    int64_t longest{0};                                   //!< longest time, ticks
    double busBytes{0};                                   //!< sum of size times BusBandwidthFactor
    double bestBandwidth{0}; //!< highest bus bandwidth of one collective, bytes per second

    /** @return mean bus bandwidth, weighted by time: bytes per second. */
    double GetBusBandwidth() const;
};

/** How the collectives of one kind, dimension, group shape and size are done. */
struct CollectiveDecision
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE};      //!< what
    ParallelDimension dimension{ParallelDimension::DATA}; //!< what for
    uint32_t groupSize{1};                                //!< members
    uint32_t ranksPerNode{1};                             //!< of them in a server
    uint64_t bytes{0};                                    //!< size, as in nccl-tests
    std::string algorithm;                                //!< e.g. "ring"
    NcclProtocol protocol{NcclProtocol::NONE};            //!< of its messages
    uint32_t channels{1};                                 //!< its data is spread over
    uint64_t sliceBytes{0};                               //!< longest message; 0: unbounded
    std::string reason;                                   //!< why so
};

/** What one rank emitted towards another in one dimension. */
struct PairTraffic
{
    uint32_t from{0};                                     //!< sending rank
    uint32_t to{0};                                       //!< receiving rank
    ParallelDimension dimension{ParallelDimension::DATA}; //!< what for
    uint64_t bytes{0};                                    //!< payload handed to the transport
    uint64_t messages{0};                                 //!< messages that carried it
};

/** One iteration of a job. */
struct IterationRecord
{
    int64_t start{0};     //!< tick when the first rank started it
    int64_t end{0};       //!< tick when the last rank ended it
    int64_t duration{0};  //!< ticks from the end of the iteration before (or the job's start)
    uint32_t begun{0};    //!< ranks that have started it
    uint32_t finished{0}; //!< ranks that have ended it
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_RESULT_H
